import { describe, expect, it } from 'vitest';
import { systemClock } from '../../../base/clock.ts';
import { openCatalog } from '../../../catalog/catalog.ts';
import type { Catalog } from '../../../catalog/port.ts';
import { type DdlStatement, executeDdl } from '../../../engine/ddl/execute-ddl.ts';
import { parseStatement } from '../../../engine/sql/statement-parser.ts';
import { MemoryStore } from '../../../object-store/memory-store.ts';

async function database(): Promise<(sql: string) => Promise<unknown>> {
  const catalog: Catalog = await openCatalog(new MemoryStore(), { clock: systemClock });
  await catalog.createDatabase('bm');
  return async (sql) => {
    const rows = await executeDdl(parseStatement(sql) as DdlStatement, { catalog, database: 'bm' });
    return rows?.columns.map(({ values }) => (values instanceof Uint8Array ? [...values] : values));
  };
}

const bitmap = 'AggregateFunction(groupBitmap, UInt64)';
const tags = (settings = '') =>
  `CREATE TABLE tags (label LowCardinality(String), value String, users ${bitmap}) ENGINE = AggregatingMergeTree ORDER BY (label, value) ${settings}`;

describe('databases', () => {
  it('are created, listed, and dropped', async () => {
    const run = await database();
    await run('CREATE DATABASE ads');
    await expect(run('CREATE DATABASE ads')).rejects.toMatchObject({ code: 82 });
    await run('CREATE DATABASE IF NOT EXISTS ads');
    expect(await run('SHOW DATABASES')).toEqual([['ads', 'bm']]);
    await run('DROP DATABASE ads');
    await expect(run('DROP DATABASE ads')).rejects.toMatchObject({ code: 81 });
    expect(await run('EXISTS DATABASE ads')).toEqual([[0]]);
  });
});

describe('tables', () => {
  it('are created, described and shown as they were written', async () => {
    const run = await database();
    await run(tags('SETTINGS muster_groups = 2, index_granularity = 64'));
    expect(await run('SHOW TABLES')).toEqual([['tags']]);
    expect(await run('EXISTS TABLE tags')).toEqual([[1]]);
    const [names, types] = (await run('DESCRIBE TABLE tags')) as string[][];
    expect(names).toEqual(['label', 'value', 'users']);
    expect(types).toEqual(['LowCardinality(String)', 'String', bitmap]);
    const [[shown = ''] = []] = (await run('SHOW CREATE TABLE tags')) as string[][];
    expect(shown).toContain('ENGINE = AggregatingMergeTree\nORDER BY (label, value)');
    await run('DROP TABLE tags');
    await run(shown.replace('bm.tags', 'bm.again'));
    expect(await run('SHOW TABLES')).toEqual([['again']]);
  });

  it('that exist, or do not, are errors unless asked otherwise', async () => {
    const run = await database();
    await run(tags());
    await expect(run(tags())).rejects.toMatchObject({ code: 57 });
    await run(tags().replace('TABLE', 'TABLE IF NOT EXISTS'));
    await expect(run('DROP TABLE tagz')).rejects.toThrow(/Maybe you meant: \['tags'\]/);
    await run('DROP TABLE IF EXISTS tagz');
    await expect(run('TRUNCATE TABLE nope')).rejects.toMatchObject({ code: 60 });
    await run('TRUNCATE TABLE tags');
  });

  it.each([
    [tags().replace('AggregatingMergeTree', 'AgregatingMergeTree'), 56, /AggregatingMergeTree/],
    [tags().replace('(label, value)', '(labe, value)'), 47, /Maybe you meant: \['label'\]/],
    [tags().replace('(label, value)', 'users'), 44, /sorting key/],
    [tags().replace('value String', 'value Nullable(String)'), 44, /allow_nullable_key/],
    [tags().replace('UInt64', 'Float64'), 50, /ids are integers/],
    [tags('SETTINGS nope = 1'), 115, /nope/],
    [tags('SETTINGS muster_nope = 1'), 115, /muster_nope/],
    [tags('SETTINGS muster_groups = 0'), 36, /1 to 4096/],
    [tags("SETTINGS muster_group_by = 'users'"), 36, /muster_group_by/],
    [tags("SETTINGS muster_group_by = 'lable'"), 47, /label/],
    [tags("SETTINGS muster_group_by = 'label, label'"), 36, /names of columns/],
    [
      "CREATE TABLE t (a UInt8, b UInt8, u AggregateFunction(groupBitmap, UInt8)) ENGINE = AggregatingMergeTree ORDER BY a SETTINGS muster_group_by = 'b'",
      36,
      /not in ORDER BY/,
    ],
    [tags("SETTINGS muster_id_column = 'label'"), 36, /LowCardinality/],
    [tags("SETTINGS muster_id_column = 'value'"), 36, /without a column of sets/],
    [
      "CREATE TABLE t (uid UInt64) ENGINE = MergeTree ORDER BY uid SETTINGS muster_id_column = 'id'",
      47,
      /uid/,
    ],
    [
      'CREATE TABLE t (a UInt8) ENGINE = MergeTree ORDER BY a SETTINGS muster_groups = 2',
      36,
      /none/,
    ],
    [
      'CREATE TABLE t (a Tuple(UInt8, UInt8)) ENGINE = MergeTree ORDER BY tuple()',
      48,
      /each field/,
    ],
    ['CREATE TABLE t (a UInt8, a UInt8) ENGINE = MergeTree ORDER BY a', 15, /twice/],
    ['CREATE TABLE t (a UInt8, v String) ENGINE = ReplacingMergeTree(v) ORDER BY a', 36, /version/],
  ])('that make no sense are refused: %s', async (sql, code, message) => {
    const run = await database();
    await expect(run(sql)).rejects.toMatchObject({ code });
    await expect(run(sql)).rejects.toThrow(message);
    expect(await run('SHOW TABLES')).toEqual([[]]);
  });
});

describe('dictionaries', () => {
  it('are shared by name, and a contradiction names both sides', async () => {
    const run = await database();
    await run(tags("SETTINGS muster_dictionary = 'users', muster_groups = 16"));
    const second = tags("SETTINGS muster_dictionary = 'users', muster_groups = 8");
    await expect(run(second.replace('tags', 'more'))).rejects.toThrow(
      /muster_groups = 8 contradicts dictionary 'users', which was created with muster_groups = 16/,
    );
    const strings = tags("SETTINGS muster_dictionary = 'users'").replace('UInt64', 'String');
    await expect(run(strings.replace('tags', 'more'))).rejects.toThrow(/domain integer.*string/);
    await run(tags("SETTINGS muster_dictionary = 'users'").replace('tags', 'more'));
  });

  it('by default are one per database and key domain', async () => {
    const run = await database();
    await run(tags('SETTINGS muster_groups = 2'));
    await run(tags().replace('tags', 'more'));
    await run(tags().replace('tags', 'strings').replace('UInt64', 'String'));
    const wrong = tags('SETTINGS muster_groups = 4').replace('tags', 'wrong');
    await expect(run(wrong)).rejects.toThrow(/default_integer.*muster_groups = 2/);
  });
});
