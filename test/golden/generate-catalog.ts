// Writes the catalog's golden files that don't exist yet, and never touches one that does. See
// README.md.

import { existsSync, writeFileSync } from 'node:fs';
import { encodeRecord } from '../../catalog/commit-record.ts';
import { encodeHead } from '../../catalog/head.ts';
import { encodeInner, encodeLeaf } from '../../catalog/page.ts';
import { headSamples, innerSamples, leafSamples } from './catalog-samples.ts';

const folder = process.argv[2] ?? 'test/golden/catalog-1';

function writeNew(name: string, bytes: Uint8Array): void {
  const path = `${folder}/${name}.bin`;
  if (!existsSync(path)) writeFileSync(path, bytes, { flag: 'wx' });
}

for (const [name, head] of Object.entries(headSamples)) {
  const tail = head.tail.map((record) => ({ record, bytes: encodeRecord(record) }));
  writeNew(name, encodeHead({ ...head, tail }));
}
for (const [name, { space, rows }] of Object.entries(leafSamples)) {
  writeNew(name, encodeLeaf(space, rows));
}
for (const [name, page] of Object.entries(innerSamples)) writeNew(name, encodeInner(page));
