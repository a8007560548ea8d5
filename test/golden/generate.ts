// Writes the golden files that don't exist yet, and never touches one that does. See README.md.
import { existsSync, writeFileSync } from 'node:fs';
import { writeSegment } from '../../storage-format/segment-writer.ts';
import { collectPart } from '../../storage-format/stripe-writer.ts';
import { partSamples, segmentSamples } from './samples.ts';

const folder = process.argv[2] ?? 'test/golden/1';

function writeNew(name: string, bytes: Uint8Array, facts: Readonly<Record<string, unknown>>): void {
  const path = `${folder}/${name}.arrow`;
  if (existsSync(path)) return;
  writeFileSync(path, bytes, { flag: 'wx' });
  writeFileSync(`${folder}/${name}.json`, `${JSON.stringify(facts, null, 2)}\n`, { flag: 'wx' });
}

for (const [name, plan] of Object.entries(partSamples)) {
  const { bytes, written } = collectPart(plan);
  const { checksum, index } = written;
  writeNew(name, bytes, { bytes: bytes.length, checksum, index, groups: plan.groups });
}
for (const [name, keys] of Object.entries(segmentSamples)) {
  const { bytes, ...facts } = writeSegment(keys);
  writeNew(name, bytes, { bytes: bytes.length, ...facts });
}
