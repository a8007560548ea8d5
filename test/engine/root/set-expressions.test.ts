// CAST of bytes to a set: what `CAST(unhex(text), 'AggregateFunction(groupBitmap, T)')` gives, alone, over
// rows of a table, and where the bytes are no state.

import { beforeAll, describe, expect, it } from 'vitest';
import { Session } from '../queries/session.ts';

let bm: Session;

beforeAll(async () => {
  bm = await Session.open({ rangesPerGroup: 2 });
  await bm.run('CREATE DATABASE bm');
  await bm.run(
    'CREATE TABLE texts (name String, hex Nullable(String)) ENGINE = MergeTree ORDER BY name',
  );
  await bm.run(
    "INSERT INTO texts VALUES ('a', '0003010000000200000003000000'), ('b', '00020300000009000000'), ('c', '0000'), ('d', NULL)",
  );
  await bm.run(
    'CREATE TABLE sets (name String, ids AggregateFunction(groupBitmap, UInt32)) ENGINE = AggregatingMergeTree ORDER BY name SETTINGS muster_groups = 3',
  );
});

const state = (hex: string) => `CAST(unhex(${hex}), 'AggregateFunction(groupBitmap, UInt32)')`;

describe('bytes of states as sets', () => {
  it('of a constant', async () => {
    const found = await bm.ask(`SELECT bitmapToArray(${state("'0003010000000200000003000000'")})`);
    expect(found.text).toBe('[1,2,3]');
    const both = await bm.ask(
      `SELECT bitmapAndCardinality(${state("'0003010000000200000003000000'")}, bitmapBuild([toUInt32(2), 3, 4]))`,
    );
    expect(both.text).toBe('2');
  });

  it('of rows, on their way into a table and in aggregates', async () => {
    const cast = state("assumeNotNull(if(hex IS NULL, '0000', hex))");
    await bm.run(`INSERT INTO sets SELECT name, ${state("ifNull(hex, '0000')")} FROM texts`);
    expect((await bm.ask('SELECT name, bitmapToArray(ids) FROM sets ORDER BY name')).text).toBe(
      'a\t[1,2,3]\nb\t[3,9]\nc\t[]\nd\t[]',
    );
    const merged = await bm.ask(
      `SELECT groupBitmapMerge(${cast.replace('assumeNotNull', '')}) FROM texts`,
    );
    expect(merged.text).toBe('4');
    const again = await bm.ask(
      "SELECT sum(bitmapXorCardinality(CAST(CAST(ids, 'String'), 'AggregateFunction(groupBitmap, UInt32)'), ids)) FROM sets",
    );
    expect(again.text).toBe('0');
  });

  it.each(["'00'", "''", "'0003010000000200000003000000ff'", "'02'"])('%s is none', async (hex) => {
    await expect(bm.ask(`SELECT bitmapCardinality(${state(hex)})`)).rejects.toMatchObject({
      name: 'MusterError',
    });
  });
});
