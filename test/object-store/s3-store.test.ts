import { describeObjectStore } from './contract.ts';
import { FaultServer } from './fault-server.ts';

for (const profile of ['aws', 'compatible'] as const) {
  describeObjectStore(`S3 on the fault server, profile ${profile}`, async () => {
    const server = await FaultServer.start();
    const store = server.store({ prefix: profile === 'aws' ? '' : 'some/root', profile });
    return { store, close: () => server.close() };
  });
}
