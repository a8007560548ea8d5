// A dictionary segment, read whole by the second decoder: its keys, and a key's ordinal by its pages.

import { Cursor, checked, openIndex } from './bytes.ts';
import { Buffers, column } from './values.ts';

interface SecondSegment {
  readonly keys: readonly (bigint | string)[];
  find(key: bigint | string): number;
}

export function decodeSegment(bytes: Uint8Array, indexEnd: number): SecondSegment {
  const index = openIndex(bytes, indexEnd, 2);
  const c = index.directory;
  const domain = c.varuint();
  const count = c.varuint();
  const keys: (bigint | string)[] = [];
  for (const run of c.list(() => ({ keys: c.varuint(), ...segmentRun(c) }))) {
    const extent = checked(bytes, run.at, run.length, run.checksum);
    const type = domain === 1 ? 'UInt64' : domain === 2 ? 'String' : 'UUID';
    for (const key of column(new Buffers(extent, run.buffers), type, run.keys)) {
      keys.push(typeof key === 'bigint' ? key : String(key));
    }
  }
  const [at, pages, slots] = [c.varuint(), c.varuint(), c.varuint()];
  const [slotBytes, pageBytes] = [c.varuint(), c.varuint()];
  c.expectEnd();
  if (keys.length !== count) throw new Error('count');
  for (let p = 0; p < pages; p++) {
    const trailer = new Cursor(bytes, at + (p + 1) * pageBytes - 16);
    if (trailer.u32() !== p || trailer.u32() !== count) throw new Error('page');
    if (trailer.u32() !== 0) throw new Error('spare word of a page');
    checked(bytes, at + p * pageBytes, pageBytes - 4, trailer.u32());
  }
  const slotWord = (page: number, slot: number, word: number) =>
    new Cursor(bytes, at + page * pageBytes + slot * slotBytes + 4 * word).u32();
  const find = (key: bigint | string) => {
    const text = typeof key === 'bigint' ? undefined : Buffer.from(key, 'latin1');
    const hash =
      typeof key === 'bigint' ? hashOfInteger(key) : hashOfBytes(Buffer.from(key, 'latin1'));
    const [low, high] = [Number(hash & 0xffff_ffffn), Number(hash >> 32n)];
    const second =
      text === undefined ? high : (high % 65536) + 65536 * Math.min(text.length, 65535);
    const isKey = (ordinal: number, place: number) => {
      if (text === undefined) return true;
      const there = bytes.subarray(place, place + text.length);
      return text.equals(there) && keys[ordinal] === key;
    };
    let page = Number((BigInt(low) * BigInt(pages)) >> 32n);
    for (;;) {
      let slot = Math.floor(((high % 65536) * slots) / 65536);
      for (let n = 0; n < slots; n++) {
        const ordinal = slotWord(page, slot, 2) - 1;
        if (ordinal < 0) return -1;
        const same = slotWord(page, slot, 0) === low && slotWord(page, slot, 1) === second;
        if (same && isKey(ordinal, slotWord(page, slot, 3))) return ordinal;
        slot = (slot + 1) % slots;
      }
      page = (page + 1) % pages;
      if (page === 0 && pages === 1) return -1;
    }
  };
  return { keys, find };
}

function segmentRun(c: Cursor) {
  const [at, length, checksum] = [c.varuint(), c.varuint(), c.u32()];
  return { at, length, checksum, buffers: c.list(() => c.varuint()) };
}

function hashOfInteger(key: bigint): bigint {
  return join(mix((key & m32) ^ 0x9e3779b9n, (key >> 32n) ^ (m32 - 0x9e3779b9n)));
}

function hashOfBytes(bytes: Uint8Array): bigint {
  let lanes: [bigint, bigint] = [0x7f4a7c15n, m32 - 0x7f4a7c15n];
  for (let at = 0; at < bytes.length; at += 8) {
    const block = new Uint8Array(8);
    block.set(bytes.subarray(at, at + 8));
    const c = new Cursor(block);
    lanes = mix(lanes[0] ^ BigInt(c.u32()), lanes[1] ^ BigInt(c.u32()));
  }
  return join(mix(lanes[0] ^ BigInt(bytes.length), lanes[1]));
}

const m32 = 0xffff_ffffn;
const join = ([a, b]: readonly [bigint, bigint]) => (b << 32n) + a;

function mix(first: bigint, second: bigint): [bigint, bigint] {
  let [a, b] = [first, second];
  a = ((a ^ (a >> 16n)) * 0x85ebca6bn) & m32;
  b = (((b ^ (b >> 15n)) * 0xc2b2ae35n) & m32) ^ a;
  a = (((a ^ (a >> 13n) ^ (b >> 7n)) * 0x27d4eb2fn) & m32) ^ ((b << 11n) & m32);
  b = ((b ^ (b >> 16n) ^ (a >> 5n)) * 0x165667b1n) & m32;
  a = ((a ^ b ^ (b >> 14n)) * 0x9e3779b1n) & m32;
  b = ((b ^ (a >> 15n)) + a * 0x85ebca77n) & m32;
  return [a ^ (b >> 16n), b ^ (b >> 13n)];
}
