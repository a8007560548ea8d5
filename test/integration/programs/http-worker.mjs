// A worker server in a process of its own: prints its port. Arguments: the store, the secret, threads.

import { startWorkerServer } from '../../../dist/functions/worker-server.js';

const [store, secret, threads] = process.argv.slice(2);
const options = {
  host: '127.0.0.1',
  port: 0,
  store,
  secret,
  threads: Number(threads),
  logLevel: 'silent',
};
const server = await startWorkerServer(options);
console.log(server.port);
process.once('SIGTERM', () => void server.close().then(() => process.exit(0)));
