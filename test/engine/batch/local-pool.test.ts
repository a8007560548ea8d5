import { expect, test } from 'vitest';
import { LocalPool, type LocalWorker, WorkerGone } from '../../../engine/batch/local-pool.ts';
import { JumpingClock, pause } from './invoker-contract.ts';

/** Answers when it is told to. */
class ScriptedWorker implements LocalWorker {
  readonly place: number;
  alive = true;
  closed = false;
  abandoned = false;
  readonly pending: ((reply: Uint8Array | Error) => void)[] = [];

  constructor(place: number) {
    this.place = place;
  }

  get busy(): number {
    return this.pending.length;
  }

  async invoke(): Promise<Uint8Array> {
    return await new Promise((resolve, reject) => {
      this.pending.push((reply) => (reply instanceof Error ? reject(reply) : resolve(reply)));
    });
  }

  reply(): void {
    this.pending.shift()?.(Uint8Array.of(this.place));
  }

  die(): void {
    this.alive = false;
    for (const settle of this.pending.splice(0)) settle(new WorkerGone('It died'));
  }

  async close(): Promise<void> {
    this.closed = true;
    if (this.busy > 0) await new Promise(() => {});
  }

  abandon(): void {
    this.abandoned = true;
  }
}

function open(places: number) {
  const started: ScriptedWorker[] = [];
  const pool = new LocalPool(
    places,
    (place) => {
      const worker = new ScriptedWorker(place);
      started.push(worker);
      return worker;
    },
    new JumpingClock(),
  );
  return { pool, started };
}

const request = new Uint8Array(1);

test('workers start one by one, and idle ones go first', async () => {
  const { pool, started } = open(3);
  const asked = [0, 1, 2, 3].map(() => pool.invoke(request, {}));
  await pause(0);
  expect(started.map(({ busy }) => busy)).toEqual([2, 1, 1]);
  started[2]?.reply();
  await pause(0);
  asked.push(pool.invoke(request, {}));
  await pause(0);
  expect(started.map(({ busy }) => busy)).toEqual([2, 1, 1]);
  for (const worker of started) while (worker.busy > 0) worker.reply();
  expect((await Promise.all(asked)).length).toBe(5);
});

test('equal keys meet the same worker while it has hardly more to do than others', async () => {
  const { pool, started } = open(3);
  pool.startAll();
  const places = new Set<number>();
  for (let i = 0; i < 5; i++) {
    const asked = pool.invoke(request, { affinity: 'same' });
    await pause(0);
    for (const worker of started) worker.reply();
    places.add((await asked)[0]!);
  }
  expect(places.size).toBe(1);
  const repeated = pool.invoke(request, { affinity: 'same', attempt: 1 });
  await pause(0);
  for (const worker of started) worker.reply();
  expect(places.has((await repeated)[0]!)).toBe(false);
  // Nobody rests while one has a queue.
  void Promise.allSettled([0, 1, 2, 3].map(() => pool.invoke(request, { affinity: 'same' })));
  await pause(0);
  expect(started.map(({ busy }) => busy).toSorted((a, b) => a - b)).toEqual([1, 1, 2]);
});

test('work of a dead worker is sent once more, to a new one in its place', async () => {
  const { pool, started } = open(1);
  let retries = 0;
  const asked = pool.invoke(request, { onRetry: () => retries++ });
  await pause(0);
  started[0]?.die();
  await pause(0);
  started[1]?.reply();
  await asked;
  expect([retries, started.length, pool.alive.length]).toEqual([1, 2, 1]);
  const lost = pool.invoke(request, {});
  await pause(0);
  started[1]?.die();
  await pause(0);
  started[2]?.die();
  await expect(lost).rejects.toMatchObject({ errorName: 'NETWORK_ERROR' });
});

test('closing waits for workers to end, but not for ever', async () => {
  const { pool, started } = open(2);
  pool.startAll();
  void pool.invoke(request, {}).catch(() => {});
  await pool.close();
  expect(started.map(({ closed }) => closed)).toEqual([true, true]);
  expect(started[0]?.abandoned).toBe(true);
  await expect(pool.invoke(request, {})).rejects.toMatchObject({ errorName: 'ABORTED' });
});
