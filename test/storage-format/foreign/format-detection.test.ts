// Detection: the form that was written is the one that is found, or the question comes back.

import { describe, expect, it } from 'vitest';
import { encodeState } from '../../../storage-format/clickhouse-state.ts';
import { detectSetForm, nameOf } from '../../../storage-format/foreign/format-detection.ts';
import { bitmapValue, databend, javaMap, type Members, roaring32, roaring64 } from './writers.ts';

const sets: readonly Members[] = [
  [3n, 77n, 40_000n],
  Array.from({ length: 50 }, (_, i) => BigInt(5 * i)),
];
const text = (bytes: Uint8Array) => Buffer.from(bytes).toString('latin1');
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex').toUpperCase();
const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');

const written: readonly [string, (ids: Members) => Uint8Array][] = [
  ['clickhouse', (ids) => encodeState(BigUint64Array.from(ids), 'UInt32')],
  ['roaring32', (ids) => roaring32(ids.map(Number))],
  ['roaring64', roaring64],
  ['roaring64java', (ids) => javaMap(ids, false)],
  ['doris', (ids) => bitmapValue(ids, { set: 'v1', native: false })],
  ['databend', (ids) => databend(ids, 'header')],
];

describe('the form of a column of sets', () => {
  it.each(written)('%s is found, bare, in hex and in base64', (name, write) => {
    const raw = sets.map(write);
    expect(nameOf(detectSetForm(raw.map(text), 'UInt32'))).toBe(name);
    expect(nameOf(detectSetForm(raw.map(hex), 'UInt32'))).toBe(`${name}:hex`);
    expect(nameOf(detectSetForm(raw.map(base64), 'UInt32'))).toBe(`${name}:base64`);
  });

  it('what two formats read alike is read', () => {
    const both = sets.map((ids) => text(bitmapValue(ids, { set: 'none', native: false })));
    expect(detectSetForm(both, 'UInt32').format).toBe('doris');
  });

  it('the encoding may be known, and narrows the search', () => {
    expect(nameOf(detectSetForm(['00'], 'UInt8', { encoding: 'hex' }))).toBe('doris:hex');
    expect(nameOf(detectSetForm(['0000'], 'UInt8', { format: 'clickhouse' }))).toBe(
      'clickhouse:hex',
    );
  });

  it('damaged values among good ones change nothing', () => {
    const good = sets.map(roaring64).map(hex);
    expect(nameOf(detectSetForm([...good, 'ffff'], 'UInt32'))).toBe('roaring64:hex');
  });

  it('what is no set is refused', () => {
    expect(() => detectSetForm(['hello', 'world'], 'UInt32')).toThrow(/none of the formats/);
  });

  it('what two formats read to different ids must be named', () => {
    // Doris: the single value 0; Java: an empty map with signed order.
    const value = text(Uint8Array.of(1, 0, 0, 0, 0));
    expect(() => detectSetForm([value], 'UInt8')).toThrow(/roaring64java or doris: name it/);
    expect(() => detectSetForm([value, value], 'UInt8', { format: 'doris' })).not.toThrow();
  });
});
