// Detail rows that lie with their ids: each row in its id's group, its code beside the id. What codes
// stand for is looked up in the dictionary; inserts that know some of the ids already are among them.

import { expect, it } from 'vitest';
import { openCatalog } from '../../../catalog/catalog.ts';
import { codeColumn, idColumn, idDictionary } from '../../../engine/ddl/grouping.ts';
import { DataObjects } from '../../../engine/dictionary/data-objects.ts';
import { DictionaryReader } from '../../../engine/dictionary/dictionary-reader.ts';
import { dictionaryRef } from '../../../engine/dictionary/dictionary-ref.ts';
import { internColumn } from '../../../engine/root/set-expressions.ts';
import { createInternTable } from '../../../engine/dictionary/intern-table.ts';
import { groupsOfHashes } from '../../../engine/dictionary/key-groups.ts';
import { PartObjects } from '../../../engine/worker/part-objects.ts';
import { createWorkerCaches } from '../../../engine/worker/worker-environment.ts';
import { type Column, columnLength } from '../../../storage-format/column.ts';
import { sliceRows } from '../../../storage-format/column-rows.ts';
import { hashKeys, type KeyList } from '../../../storage-format/key-list.ts';
import { Session } from '../queries/session.ts';

/** Types of ids, and the id of row `number`: some are of both inserts. */
const kinds = [
  ['UInt64', 'number * 1234567891011'],
  ['Int32', 'toInt32(toInt64(number) - 50)'],
  ['String', "concat('user', toString(number))"],
  [
    'UUID',
    "toUUID(concat('61f0c404-5cb3-11e7-907b-a6006ad3d', leftPad(toString(number), 3, '0')))",
  ],
] as const;

it.each(kinds)('a row holds the code of its id: %s', async (type, id) => {
  const session = await Session.open();
  await session.run('CREATE DATABASE bm', { database: 'default' });
  await session.run(
    `CREATE TABLE bm.t (n UInt64, uid ${type}) ENGINE = MergeTree PARTITION BY n % 2 ORDER BY n SETTINGS muster_id_column = 'uid', muster_groups = 3`,
  );
  await session.run(`INSERT INTO bm.t SELECT number, ${id} FROM numbers(100)`);
  await session.run(`INSERT INTO bm.t SELECT number, ${id} FROM numbers(50, 100)`);
  const rows = await storedRows(session);
  expect(rows.count).toBe(200);
  expect(rows.groups.size).toBe(3);
  for (const { keys, decoded, groups, group } of rows.parts) {
    expect(decoded).toEqual(keys);
    expect(groups.every((one) => one === group)).toBe(true);
  }
});

async function storedRows(session: Session) {
  const snapshot = await (await openCatalog(session.store)).snapshot('bm');
  const schema = snapshot.tables.get('t')!;
  const uid = schema.columns[idColumn(schema)!]!;
  const ref = await dictionaryRef(snapshot, idDictionary(schema, snapshot).id);
  const caches = createWorkerCaches();
  const data = new DataObjects(session.store, snapshot.namespace);
  const reader = new DictionaryReader(data, caches.dictionaries);
  const objects = new PartObjects(data, caches);
  const parts: { keys: KeyList; decoded: KeyList; groups: Uint16Array; group: number }[] = [];
  let count = 0;
  for (const stripe of await snapshot.stripes(schema.id)) {
    const [ids, codes] = await objects.columns(stripe, [uid.id, codeColumn(schema)!.id]);
    const group = stripe.parts[0]!.groupFirst;
    for (let row = 0; row < stripe.rows; row++) {
      const keys = keysOf(sliceRows(ids!, row, row + 1), ref.domain);
      const decoded = await reader.decode(group, codeOf(codes!, row), ref);
      parts.push({ keys, decoded, groups: groupsOfHashes(hashKeys(keys), 3), group });
    }
    count += columnLength(codes!);
  }
  return { parts, count, groups: new Set(parts.map(({ group }) => group)) };
}

function keysOf(column: Column, domain: KeyList['domain']): KeyList {
  const table = createInternTable(domain);
  internColumn(column, table, new Uint32Array(columnLength(column)));
  return table.keys();
}

function codeOf(codes: Column, row: number): Uint32Array {
  if (codes.kind !== 'number') throw new Error(`codes are numbers, not ${codes.kind}`);
  return Uint32Array.of(codes.values[row]!);
}
