// Environments that were frozen, as Lambda freezes them between calls: all processes of a deployment are
// stopped, what they were connected to hangs up meanwhile, and they go on. Linux, for /proc.

import { readdirSync, readFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Deployment, type FunctionPlan, lambdaEndpoint } from './lambda-functions.ts';

/** Passes connections on to MiniStack, and can drop all of them at once. */
class Way {
  readonly #sockets = new Set<Socket>();
  readonly #server: Server;

  constructor(port: number) {
    this.#server = createServer((near) => {
      const far = connect(port, '127.0.0.1');
      for (const [socket, other] of [
        [near, far],
        [far, near],
      ] as const) {
        this.#sockets.add(socket);
        socket.on('error', () => other.destroy());
        socket.on('close', () => {
          this.#sockets.delete(socket);
          other.destroy();
        });
        socket.pipe(other);
      }
    });
  }

  async open(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  hangUp(): number {
    const { size } = this.#sockets;
    for (const socket of this.#sockets) socket.destroy();
    return size;
  }

  close(): void {
    this.#server.close();
    this.hangUp();
  }
}

const way = new Way(Number(new URL(lambdaEndpoint()).port));
let functions: Deployment;

beforeAll(async () => {
  const s3Endpoint = await way.open();
  const change = (plans: FunctionPlan[]) =>
    plans
      .filter(({ kind }) => kind === 'worker' || kind === 'root')
      .map((plan) => {
        const environment = { ...plan.environment, AWS_ENDPOINT_URL: s3Endpoint };
        return { ...plan, environment };
      });
  functions = await Deployment.make('thaw', { s3Endpoint, change });
});

afterAll(async () => {
  await functions?.remove();
  way.close();
});

/** Of the deployment's functions. */
function processIds(): readonly number[] {
  const own = functions.plans.map(({ name }) => `ministack-lambda-${name}-`);
  return readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .filter((entry) => {
      try {
        const command = readFileSync(`/proc/${entry}/cmdline`, 'utf8');
        return own.some((name) => command.includes(name));
      } catch {
        return false;
      }
    })
    .map(Number);
}

it('answers after a freeze in which every connection was lost', async () => {
  await functions.run(
    `CREATE TABLE t (seg String, users AggregateFunction(groupBitmap, UInt64))
     ENGINE = AggregatingMergeTree ORDER BY seg SETTINGS muster_groups = 2`,
  );
  await functions.run("INSERT INTO t VALUES ('a', [1, 2, 3]), ('b', [3, 4])");
  const question =
    'SELECT seg, bitmapAndCardinality(u, u) FROM ' +
    '(SELECT seg, groupBitmapMergeState(users) AS u FROM t GROUP BY seg) ORDER BY seg';
  expect(await functions.run(question)).toBe('a\t3\nb\t2\n');

  const warm = processIds();
  expect(warm.length).toBeGreaterThanOrEqual(2);
  for (const id of warm) process.kill(id, 'SIGSTOP');
  expect(way.hangUp()).toBeGreaterThan(0);

  // What others write meanwhile is seen: heads that were cached are asked for again.
  const writer = await Deployment.make('thaw-writer', {
    s3Endpoint: lambdaEndpoint(),
    store: functions.store,
    change: (plans) => plans.filter(({ kind }) => kind === 'root'),
  });
  await writer.run("INSERT INTO t VALUES ('b', [5])");
  await writer.remove();
  for (const id of warm) process.kill(id, 'SIGCONT');
  expect(await functions.run(question)).toBe('a\t3\nb\t3\n');
  expect(processIds()).toEqual(expect.arrayContaining([...warm]));
});
