// The backfill function: its event, what it answers, and that it stops before its time is over.

import { expect, test } from 'vitest';
import { systemClock } from '../../../base/clock.ts';
import { backfillHandler } from '../../../functions/lambda/backfill-handler.ts';
import { parseBackfillEvent } from '../../../functions/lambda/backfill-event.ts';

const event = {
  muster: 1,
  backfill: {
    place: 's3://lake/sets',
    names: ['a.csv'],
    table: 'audiences',
    sets: ['ids=doris:base64'],
    onError: 'skip',
  },
};
const withTime = (ms: number) => ({ getRemainingTimeInMillis: () => ms });

test('an event becomes a job', () => {
  expect(parseBackfillEvent(event)).toEqual({
    files: { place: 's3://lake/sets', names: ['a.csv'] },
    job: {
      name: 's3://lake/sets',
      database: 'default',
      table: 'audiences',
      sets: { ids: { format: 'doris', encoding: 'base64' } },
      onError: 'skip',
      settings: {},
    },
  });
});

test.each([
  [{}, /no such event/],
  [{ muster: 1, backfill: { place: '/etc', table: 't' } }, /no s3/],
  [{ muster: 1, backfill: { place: 's3://b/p' } }, /"table" is missing/],
  [{ muster: 1, backfill: { ...event.backfill, tabel: 1 } }, /"tabel" is not known/],
  [{ muster: 1, backfill: { ...event.backfill, names: [1] } }, /no list of texts/],
])('%j is refused', (wrong, why) => {
  expect(() => parseBackfillEvent(wrong)).toThrow(why);
});

test('the reply counts what was done', async () => {
  const handler = backfillHandler({
    clock: systemClock,
    work: async (_event, { onEvent }) => {
      onEvent({ kind: 'known', files: 2, bytes: 9 });
      onEvent({ kind: 'loaded', files: 3, bytes: 9, rows: 10, members: 100 });
      onEvent({ kind: 'problem', problem: { file: 'x', row: 1, reason: 'bad' } });
    },
  });
  expect(await handler(event, withTime(60_000))).toEqual({
    muster: 1,
    done: true,
    files: 3,
    rows: 10,
    memberships: 100,
    known: 2,
    problems: [{ file: 'x', row: 1, reason: 'bad' }],
  });
});

test('near the end of its time it stops, and says so; other errors are thrown', async () => {
  const handler = backfillHandler({
    clock: systemClock,
    work: async (_event, { signal }) => {
      await new Promise((_resolve, reject) => {
        const fail = (): void => reject(signal.reason as Error);
        if (signal.aborted) fail();
        signal.addEventListener('abort', fail);
      });
    },
  });
  expect(await handler(event, withTime(5_001))).toMatchObject({ done: false, files: 0 });
  const failing = backfillHandler({
    clock: systemClock,
    work: async () => {
      throw new Error('the store is gone');
    },
  });
  await expect(failing(event, withTime(60_000))).rejects.toThrow(/./);
});
