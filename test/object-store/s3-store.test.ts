import { S3Store } from '../../object-store/s3-store.ts';
import { describeObjectStore } from './contract.ts';
import { FaultServer, faultServerBucket, faultServerCredentials } from './fault-server.ts';

for (const profile of ['aws', 'compatible'] as const) {
  describeObjectStore(`S3 on the fault server, profile ${profile}`, async () => {
    const server = await FaultServer.start();
    const store = new S3Store({
      bucket: faultServerBucket,
      prefix: profile === 'aws' ? '' : 'some/root',
      endpoint: server.endpoint,
      credentials: faultServerCredentials,
      profile,
    });
    return { store, close: () => server.close() };
  });
}
