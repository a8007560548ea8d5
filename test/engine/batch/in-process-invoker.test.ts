import { InProcessInvoker } from '../../../engine/batch/in-process-invoker.ts';
import { createWorkerEnvironment } from '../../../engine/worker/worker-environment.ts';
import { contractWorld, invokerContract } from './invoker-contract.ts';

invokerContract('in this process', async () => {
  const world = await contractWorld();
  return { world, invoker: new InProcessInvoker(createWorkerEnvironment(world.store)) };
});
