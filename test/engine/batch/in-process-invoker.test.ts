import { InProcessInvoker } from '../../../engine/batch/in-process-invoker.ts';
import { createWorkerEnvironment } from '../../../engine/worker/worker-environment.ts';
import { contractWorld, hourMs, invokerContract, JumpingClock } from './invoker-contract.ts';

const alone = 'the worker is the root: what it does to itself, nobody sees';
const noWay = 'nothing lies between: a reply is the value of the call';

invokerContract('in this process', {
  open: async () => {
    const world = await contractWorld();
    return { world, invoker: new InProcessInvoker(createWorkerEnvironment(world.store)) };
  },
  stops: true,
  faults: {
    'a worker that dies over the work is replaced by another': alone,
    'work that kills two workers is not given to a third': alone,
    'a worker that never answers is waited for until the deadline':
      'loops look at the deadline themselves, and the store has time-outs of its own',
    'a worker that is too busy is asked again': 'nobody refuses: the root admits queries',
    'workers that stay too busy are an error before the deadline':
      'nobody refuses: the root admits queries',
    'a reply that comes twice counts once': noWay,
    'a reply to another question is never taken': noWay,
    'an environment that was frozen goes on': async () => {
      const world = await contractWorld();
      const clock = new JumpingClock();
      const invoker = new InProcessInvoker(createWorkerEnvironment(world.store, { clock }));
      return { world, invoker, clock, strike: () => clock.jump(hourMs) };
    },
  },
});
