// What the backfill function is called with, in all its shapes, and what is refused.

import { describe, expect, it } from 'vitest';
import { parseBackfillEvent } from '../../../functions/lambda/backfill-event.ts';

const backfill = { place: 's3://lake/sets', table: 'audiences', job: 'history' };

function namesOf(event: unknown, configured?: string): readonly string[] | undefined {
  return parseBackfillEvent(event, configured).files.names;
}

describe('an event', () => {
  it('is a job over all files, or over those that it names', () => {
    const { files, job } = parseBackfillEvent({ muster: 1, backfill });
    expect(files).toEqual({ place: 's3://lake/sets', names: undefined });
    expect(job).toMatchObject({ name: 'history', table: 'audiences', onError: 'stop' });
    expect(namesOf({ muster: 1, backfill: { ...backfill, names: ['a.csv'] } })).toEqual(['a.csv']);
    const items = [{ bucket: 'lake', key: 'sets/dt=1/a.csv' }];
    expect(namesOf({ muster: 1, backfill: { ...backfill, items } })).toEqual(['dt=1/a.csv']);
  });

  it('is a batch of a Distributed Map, whatever lists its items', () => {
    const listed = { Etag: '"x"', Key: 'sets/a b.csv', LastModified: 1, Size: 2 };
    const Items = ['sets/b.csv', listed, { Bucket: 'lake', Key: 'sets/c.csv' }];
    const BatchInput = { muster: 1, backfill };
    expect(namesOf({ BatchInput, Items })).toEqual(['b.csv', 'a b.csv', 'c.csv']);
    expect(() => namesOf({ Items })).toThrow(/"BatchInput" is no object/);
    expect(() => namesOf({ Items, BatchInput: { backfill } })).toThrow(/"BatchInput"/);
  });

  it('is what S3 says of new objects, for the job that is configured', () => {
    const record = (name: string, key: string) => ({
      eventSource: 'aws:s3',
      s3: { bucket: { name }, object: { key, size: 5 } },
    });
    const Records = [record('lake', 'sets/dt%3D1/a+b.csv')];
    const { files, job } = parseBackfillEvent({ Records }, JSON.stringify(backfill));
    expect(files.names).toEqual(['dt=1/a b.csv']);
    expect(job.name).toBe('history');
    expect(() => namesOf({ Records })).toThrow(/no MUSTER_BACKFILL/);
    expect(() => namesOf({ Records }, 'sets')).toThrow(/no JSON/);
    const broken = { Records: [record('lake', 'sets/%')] };
    expect(() => namesOf(broken, JSON.stringify(backfill))).toThrow(/not encoded/);
  });

  it('names no file elsewhere', () => {
    const of = (item: unknown, place = 's3://lake/sets') => {
      const job = { ...backfill, place, items: [item] };
      return namesOf({ muster: 1, backfill: job });
    };
    expect(() => of('set/a.csv')).toThrow(/s3:\/\/lake\/set\/a.csv is not below s3:\/\/lake\/sets/);
    expect(() => of('setsa.csv')).toThrow(/not below/);
    expect(() => of({ bucket: 'pond', key: 'sets/a.csv' })).toThrow(/s3:\/\/pond\/sets\/a.csv/);
    expect(() => of({ size: 1 })).toThrow(/an item has no key/);
    expect(of('a.csv', 's3://lake')).toEqual(['a.csv']);
    expect(of('sets/a.csv', 's3://lake/sets/')).toEqual(['a.csv']);
  });

  it.each([[undefined], [[]], [{}], [{ muster: 2, backfill }], [{ muster: 1, backfill: 'x' }]])(
    '%j is none',
    (event) => {
      expect(() => parseBackfillEvent(event)).toThrow(/expected \{"muster": 1/);
    },
  );
});
