// The system's clock lets sockets be served between the turns of busy loops.

import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { expect, it } from 'vitest';
import { alarm, type Clock, systemClock } from '../../base/clock.ts';

it('sleep(0) in several busy loops leaves time for sockets', async () => {
  const state = { busy: true };
  const loop = async (): Promise<void> => {
    while (state.busy) {
      const end = performance.now() + 5;
      let turns = 0;
      while (performance.now() < end) turns++;
      expect(turns).toBeGreaterThan(0);
      await systemClock.sleep(0);
    }
  };
  const server = createServer((socket) => socket.pipe(socket)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const loops = [loop(), loop(), loop(), loop()];
  const { port } = server.address() as { port: number };
  const started = performance.now();
  const socket = connect(port, '127.0.0.1');
  socket.write('x');
  const stuck = setTimeout(() => (state.busy = false), 5000);
  await once(socket, 'data');
  expect(state.busy).toBe(true);
  expect(performance.now() - started).toBeLessThan(2500);
  state.busy = false;
  clearTimeout(stuck);
  await Promise.all(loops);
  socket.destroy();
  server.close();
});

it('sleep ends early, with the reason, when its signal is aborted', async () => {
  const stop = new AbortController();
  const sleeping = systemClock.sleep(60_000, stop.signal);
  stop.abort(new Error('enough'));
  await expect(sleeping).rejects.toThrow();
  await expect(systemClock.sleep(0, stop.signal)).rejects.toThrow();
});

it('an alarm rings once, or never when it is prevented, with timers and with sleep alone', async () => {
  const sleeping: Clock = { ...systemClock };
  Reflect.deleteProperty(sleeping, 'after');
  for (const clock of [systemClock, sleeping]) {
    const rung: string[] = [];
    const quiet = alarm(clock, 1, () => rung.push('prevented'));
    quiet();
    // Longer than Node's timers are.
    const never = alarm(systemClock, 2 ** 40, () => rung.push('too early'));
    await new Promise<void>((resolve) => {
      alarm(clock, 5, () => {
        rung.push('rung');
        resolve();
      });
    });
    await systemClock.sleep(5);
    never();
    expect(rung).toEqual(['rung']);
  }
});
