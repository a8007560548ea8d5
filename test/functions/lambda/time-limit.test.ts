import { describe, expect, it } from 'vitest';
import { systemClock } from '../../../base/clock.ts';
import { TimeLimit } from '../../../functions/lambda/time-limit.ts';
import { ScriptedEngine } from '../http/scripted-engine.ts';

async function limitOf(asked: string | undefined, leftMs?: number): Promise<number | undefined> {
  let now = 5_000;
  const engine = new ScriptedEngine();
  const limit = new TimeLimit({ ...systemClock, monotonic: () => now });
  if (leftMs !== undefined) limit.begin(leftMs);
  now += 1_000;
  const settings = new Map(asked === undefined ? [] : [['max_execution_time', asked]]);
  const request = { queryId: 'q', database: 'default', parameters: new Map(), settings };
  await limit.over(engine).execute({ ...request, text: 'SELECT 1 numbers' });
  const given = engine.requests[0]?.settings.get('max_execution_time');
  return given === undefined ? undefined : Number(given);
}

describe("a statement's time", () => {
  it('is what Lambda leaves, less what the answer takes', async () => {
    expect(await limitOf(undefined, 60_000)).toBe(57);
    expect(await limitOf('0', 60_000)).toBe(57);
    expect(await limitOf('100', 60_000)).toBe(57);
    expect(await limitOf(undefined, 3_000)).toBe(1);
    expect(await limitOf(undefined, 300)).toBe(0.001);
  });

  it('stays what was asked for, when that is less', async () => {
    expect(await limitOf('10', 60_000)).toBe(10);
    expect(await limitOf('10')).toBe(10);
    expect(await limitOf(undefined)).toBeUndefined();
  });
});
