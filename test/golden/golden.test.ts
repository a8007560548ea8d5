// Golden files: read by the reader and by the second decoder, both equal to the samples.
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { setToCodes } from '../../storage-format/bitmap.ts';
import type { Column } from '../../storage-format/column.ts';
import { hashKeys } from '../../storage-format/key-list.ts';
import { loadSegment } from '../../storage-format/loaded-segment.ts';
import { verifyPart } from '../../storage-format/part-check.ts';
import { openPart } from '../../storage-format/part-index.ts';
import { readScalars, readSets } from '../../storage-format/part-reader.ts';
import { lookupKeys } from '../../storage-format/segment-lookup.ts';
import { openSegment, verifySegment } from '../../storage-format/segment-reader.ts';
import type { SegmentDescription } from '../../storage-format/segment-writer.ts';
import { setsOf } from '../../storage-format/set-vector.ts';
import type { PartDescription } from '../../storage-format/stripe-writer.ts';
import { decodePart } from '../storage-format/second-decoder/part.ts';
import { decodeSegment } from '../storage-format/second-decoder/segment.ts';
import type { Value } from '../storage-format/second-decoder/values.ts';
import { partSamples, segmentSamples } from './samples.ts';

const folder = new URL('1/', import.meta.url);

const bytesOf = (name: string) => new Uint8Array(readFileSync(new URL(`${name}.arrow`, folder)));

function partFacts(name: string): PartDescription {
  const facts: Omit<PartDescription, 'object' | 'offset'> = JSON.parse(factsOf(name));
  return { ...facts, object: name, offset: 0 };
}

function segmentFacts(name: string): SegmentDescription {
  const facts: Omit<SegmentDescription, 'object' | 'offset'> = JSON.parse(factsOf(name));
  return { ...facts, object: name, offset: 0 };
}

const factsOf = (name: string) => readFileSync(new URL(`${name}.json`, folder), 'utf8');

/** Plain values, as the second decoder gives them. */
function plain(column: Column): Value[] {
  if (column.kind === 'tuple') return column.fields.map((field) => plain(field));
  if (column.kind === 'array') {
    const items = plain(column.items);
    const { offsets } = column;
    return Array.from({ length: offsets.length - 1 }, (_, i) =>
      items.slice(offsets[i], offsets[i + 1]),
    );
  }
  const values: ArrayLike<Value> = column.values;
  return Array.from(values, (value, i) => (column.nulls?.[i] ? null : value));
}

describe('golden parts', () => {
  it.each(Object.entries(partSamples))('%s', async (name, { block, groups }) => {
    const bytes = bytesOf(name);
    const part = partFacts(name);
    verifyPart(bytes, part, name);
    const read = async ({ start, end }: { start: number; end: number }) => bytes.slice(start, end);
    const index = openPart(await read(part.index), part, name);
    const second = decodePart(bytes, part.index.end);
    expect(second.rows).toBe(block.rows);
    for (const [id, column] of block.scalars) {
      const [found] = await readScalars(index, [id], read);
      expect(plain(found!)).toEqual(plain(column));
      expect(second.scalars.get(id)).toEqual(plain(column));
    }
    for (const [columnId, sets] of block.sets) {
      for (let group = groups[0]; group < groups[0] + groups[1]; group++) {
        const expected = setsOf(sets[group]!).map((set) => [...setToCodes(set)]);
        const found = await readSets(index, { columnId, group }, read);
        expect(setsOf(found).map((set) => [...setToCodes(set)])).toEqual(expected);
        expect(second.sets.get(columnId)!.get(group)).toEqual(expected);
      }
    }
  });
});

describe('golden segments', () => {
  it.each(Object.entries(segmentSamples))('%s', async (name, keys) => {
    const bytes = bytesOf(name);
    const segment = segmentFacts(name);
    verifySegment(bytes, segment, name);
    const read = async ({ start, end }: { start: number; end: number }) => bytes.slice(start, end);
    const index = openSegment(await read(segment.index), segment, name);
    const loaded = loadSegment(bytes, segment, name);
    expect(loaded.keys()).toEqual(keys);
    const ordinals = Array.from({ length: keys.values.length }, (_, i) => i);
    const source = { segment, key: name, read, index: async () => index };
    expect([...(await lookupKeys(source, { keys, hashes: hashKeys(keys) }))]).toEqual(ordinals);
    expect([...loaded.findAll(keys, hashKeys(keys))]).toEqual(ordinals);
    const second = decodeSegment(bytes, segment.index.end);
    expect(second.keys).toEqual([...keys.values]);
    expect(second.keys.map((key) => second.find(key))).toEqual(ordinals);
    expect(second.find(keys.domain === 'integer' ? 12_345n : 'nobody')).toBe(-1);
  });
});

it('has a sample for every golden file', () => {
  const names = readdirSync(folder).map((name) => name.replace(/\.\w+$/, ''));
  const samples = [...Object.keys(partSamples), ...Object.keys(segmentSamples)];
  expect([...new Set(names)].sort()).toEqual(samples.sort());
});
