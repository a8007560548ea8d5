// Damage: every byte of parts and segments flipped, one at a time. A full check names what is
// damaged; a reader says so if it uses the byte, and gives the right data if it doesn't.
import { describe, expect, it } from 'vitest';
import { setFromSorted, setToCodes } from '../../storage-format/bitmap.ts';
import { crc32c } from '../../storage-format/crc32c.ts';
import { hashKeys, type KeyList } from '../../storage-format/key-list.ts';
import { verifyPart } from '../../storage-format/part-check.ts';
import { openPart } from '../../storage-format/part-index.ts';
import { readScalars, readSets } from '../../storage-format/part-reader.ts';
import type { PartPlan } from '../../storage-format/part-writer.ts';
import { lookupKeys } from '../../storage-format/segment-lookup.ts';
import { decodeKeys, openSegment, verifySegment } from '../../storage-format/segment-reader.ts';
import { describeSegment, writeSegment } from '../../storage-format/segment-writer.ts';
import { setsOf } from '../../storage-format/set-vector.ts';
import { collectPart, type PartDescription } from '../../storage-format/stripe-writer.ts';
import { bitmapBlock } from './stripe-samples.ts';

const sequence = (count: number, step: number) =>
  setFromSorted(Uint32Array.from({ length: count }, (_, i) => i * step));

const mixed = [sequence(0, 1), sequence(5, 9), sequence(2_500, 2), sequence(40, 70_000)];
const tiny = mixed.map((_, row) => sequence(row * 9, 70_000));
const blocks = {
  unsplit: bitmapBlock([tiny, tiny.toReversed()]),
  batches: bitmapBlock([mixed, mixed.toReversed()]),
  objects: bitmapBlock([mixed, mixed.toReversed()]),
};

function write(shape: PartPlan['shape']): { bytes: Uint8Array; part: PartDescription } {
  const block = blocks[shape];
  const groups = shape === 'objects' ? ([1, 1] as const) : ([0, 2] as const);
  const { bytes, written } = collectPart({
    block,
    shape,
    groups,
    rowGroups: [{ start: 0, end: 4 }],
  });
  return { bytes, part: { ...written, bytes: bytes.length, object: 'x', offset: 0, groups } };
}

async function readAll(bytes: Uint8Array, part: PartDescription): Promise<unknown> {
  const read = async ({ start, end }: { start: number; end: number }) => bytes.slice(start, end);
  const index = openPart(await read(part.index), part, 'the-key');
  const [label, day] = await readScalars(index, [1, 2], read);
  const sets: number[][] = [];
  for (let group = part.groups[0]; group < part.groups[0] + part.groups[1]; group++) {
    const found = await readSets(index, { columnId: 5, group }, read);
    sets.push(...setsOf(found).map((set) => [...setToCodes(set)]));
  }
  return { label, day, sets };
}

const flip = (bytes: Uint8Array, at: number) => {
  const damaged = new Uint8Array(bytes);
  damaged[at]! ^= 1 << (at % 8);
  return damaged;
};

const named = /^corrupt part the-key: (extent .+|index.*|envelope.*)$/;

/** Undefined for a right answer; the message of a refusal; throws for a wrong answer. */
async function outcome(run: () => Promise<unknown>, right: unknown): Promise<string | undefined> {
  let found: unknown;
  try {
    found = await run();
  } catch (error) {
    expect(error).toMatchObject({ errorName: 'CORRUPTED_DATA' });
    return error instanceof Error ? error.message : '';
  }
  expect(JSON.stringify(found)).toBe(right);
  return undefined;
}

describe('a flipped byte of a part', () => {
  it.each(['unsplit', 'batches', 'objects'] as const)('is found: %s', async (shape) => {
    const { bytes, part } = write(shape);
    verifyPart(bytes, part, 'the-key');
    const right = JSON.stringify(await readAll(bytes, part));
    const seen = new Set<string>();
    let refused = 0;
    for (let at = 0; at < bytes.length; at++) {
      const damaged = flip(bytes, at);
      const check = () => verifyPart(damaged, part, 'the-key');
      expect(check).toThrow(named);
      try {
        check();
      } catch (error) {
        seen.add(/: (extent|index|envelope)/.exec(String(error))![1]!);
      }
      if (at % 3 !== 0) continue;
      const message = await outcome(() => readAll(damaged, part), right);
      if (message !== undefined) {
        expect(message).toMatch(named);
        refused++;
      }
    }
    expect([...seen].sort()).toEqual(['envelope', 'extent', 'index']);
    expect(refused).toBeGreaterThan(100);
  });

  it('names the extent', () => {
    const { bytes, part } = write('batches');
    const codesAt = Buffer.from(bytes).indexOf(Buffer.from(Uint32Array.of(0, 9, 18, 27).buffer));
    expect(() => verifyPart(flip(bytes, codesAt), part, 'the-key')).toThrow(
      /extent small of column 2/,
    );
  });
});

describe('a large payload', () => {
  const sets = [sequence(300_000, 2), sequence(3, 5), sequence(40_000, 40)];
  const { bytes, written } = collectPart({
    block: bitmapBlock([sets]),
    shape: 'objects',
    groups: [0, 1],
    rowGroups: [{ start: 0, end: 3 }],
  });
  const groups = [0, 1] as const;
  const part = { ...written, bytes: bytes.length, object: 'x', offset: 0, groups };
  const { directory } = openPart(bytes.slice(part.index.start, part.index.end), part, 'x');
  const [column] = directory.batches[0]!.columns.filter(({ kind }) => kind === 'slices');

  it('is checked with its table, byte by byte', () => {
    verifyPart(bytes, part, 'the-key');
    const tables = column?.kind === 'slices' ? column.larges.map((l) => l.tableBytes) : [];
    expect(tables.every((length) => length > 0)).toBe(true);
    const end = directory.tablesAt + tables.reduce((sum, length) => sum + length, 0);
    for (let at = directory.tablesAt; at < end; at++) {
      expect(() => verifyPart(flip(bytes, at), part, 'the-key')).toThrow(/extent table of batch 0/);
    }
  });

  it('is not what its table says', () => {
    // A writer's bug: the checksum of a piece is another one, and all that guards the table is right.
    const wrong = bytes.slice();
    const length = column?.kind === 'slices' ? column.larges[0]!.tableBytes : 0;
    const table = wrong.subarray(directory.tablesAt, directory.tablesAt + length);
    table[6]! ^= 1;
    const sum = crc32c(table.subarray(0, -4));
    new DataView(table.buffer, table.byteOffset).setUint32(length - 4, sum, true);
    const check = () => verifyPart(wrong, { ...part, checksum: crc32c(wrong) }, 'the-key');
    expect(check).toThrow(/extent table of batch 0/);
  });
});

describe('a part that is not what the catalog says', () => {
  const { bytes, part } = write('batches');

  it('is refused when it is cut off, or of another kind or version', () => {
    expect(() => verifyPart(bytes.subarray(0, 500), part, 'the-key')).toThrow(/envelope: 500 of/);
    const short = bytes.slice(part.index.start, part.index.end - 1);
    expect(() => openPart(short, part, 'the-key')).toThrow(/corrupt part the-key: index/);
  });

  it('is refused when the object it lies in is shorter than its extents', async () => {
    const index = openPart(bytes.slice(part.index.start, part.index.end), part, 'the-key');
    const none = async () => new Uint8Array(3);
    await expect(readScalars(index, [2], none)).rejects.toThrow(/corrupt part the-key: envelope/);
  });
});

describe('a flipped byte of a segment', () => {
  const values = Array.from({ length: 600 }, (_, i) => `key ${i}`);
  const samples: Readonly<Record<string, KeyList>> = {
    integers: {
      domain: 'integer',
      values: BigUint64Array.from({ length: 400 }, (_, i) => BigInt(i)),
    },
    strings: { domain: 'string', values },
    few: { domain: 'string', values: values.slice(0, 7) },
  };

  it.each(Object.entries(samples))('is found: %s', async (_name, keys) => {
    const written = writeSegment(keys);
    const segment = describeSegment(written, { object: 'x', offset: 0 });
    verifySegment(written.bytes, segment, 'the-key');
    const hashes = hashKeys(keys);
    const readBack = async (bytes: Uint8Array) => {
      const read = async ({ start, end }: { start: number; end: number }) =>
        bytes.slice(start, end);
      const index = openSegment(await read(segment.index), segment, 'the-key');
      const source = { segment, key: 'the-key', read, index: async () => index };
      const found = await lookupKeys(source, { keys, hashes });
      const back = await decodeKeys(index, Uint32Array.of(0, 5), read);
      return [[...found], Array.from(back.values, String)];
    };
    const right = JSON.stringify(await readBack(written.bytes));
    for (let at = 0; at < written.bytes.length; at++) {
      const damaged = flip(written.bytes, at);
      expect(() => verifySegment(damaged, segment, 'the-key')).toThrow(named);
      if (at % 13 === 0) await outcome(() => readBack(damaged), right);
    }
  });
});
