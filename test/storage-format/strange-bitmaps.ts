// Bytes that look like a bitmap in the portable format and are none: whoever reads them must refuse
// them. CRoaring takes most of them and then answers wrongly.

const arrayCookie = [0x3a, 0x30, 0, 0];
const oneRunContainer = [0x3b, 0x30, 0, 0, 1];

export function shorts(...values: number[]): number[] {
  return values.flatMap((value) => [value & 255, value >>> 8]);
}

function word(value: number): number[] {
  return shorts(value & 0xffff, value >>> 16);
}

/** Containers without runs: [key, cardinality, bytes]. */
export function plainBitmap(
  ...containers: readonly (readonly [number, number, number[]])[]
): Uint8Array {
  let at = 8 + 8 * containers.length;
  const offsets = containers.flatMap(([, , bytes]) => {
    const offset = word(at);
    at += bytes.length;
    return offset;
  });
  const heads = containers.flatMap(([key, cardinality]) => shorts(key, cardinality - 1));
  const bodies = containers.flatMap(([, , bytes]) => bytes);
  return Uint8Array.from([
    ...arrayCookie,
    ...word(containers.length),
    ...heads,
    ...offsets,
    ...bodies,
  ]);
}

export function runBitmap(cardinality: number, ...runs: number[]): Uint8Array {
  const body = shorts(runs.length / 2, ...runs);
  return Uint8Array.from([...oneRunContainer, ...shorts(0, cardinality - 1), ...body]);
}

export function bitset(members: number): number[] {
  return Array.from({ length: 8192 }, (_, i) => (8 * i < members ? 255 : 0));
}

function shifted(bytes: Uint8Array, at: number, by: number): Uint8Array {
  const view = new DataView(bytes.buffer);
  view.setUint32(at, view.getUint32(at, true) + by, true);
  return bytes;
}

/** The two offsets of a bitmap of two containers change places. */
function swapped(bytes: Uint8Array): Uint8Array {
  return shifted(shifted(bytes, 16, 2), 20, -2);
}

const many = Array.from({ length: 4097 }, (_, i) => i);

export const strangeBitmaps: readonly (readonly [string, Uint8Array])[] = [
  ['an unsorted array', plainBitmap([0, 3, shorts(5, 1, 3)])],
  ['a member twice', plainBitmap([0, 2, shorts(1, 1)])],
  ['keys that descend', plainBitmap([1, 1, shorts(1)], [0, 1, shorts(2)])],
  ['a key twice', plainBitmap([0, 1, shorts(1)], [0, 1, shorts(2)])],
  ['an array where a bitset is due', plainBitmap([0, 4097, shorts(...many)])],
  ['a bitset with other members than promised', plainBitmap([0, 5000, bitset(80)])],
  ['a bitset with one too many', plainBitmap([0, 4999, bitset(5000)])],
  ['overlapping runs', runBitmap(9, 0, 4, 3, 3)],
  ['runs that touch', runBitmap(4, 0, 1, 2, 1)],
  ['runs that descend', runBitmap(4, 10, 1, 0, 1)],
  ['a run past the end', runBitmap(11, 65_530, 10)],
  ['no runs', runBitmap(1)],
  ['runs with another count than promised', runBitmap(510, 0, 4)],
  ['a bitset where an array is due', plainBitmap([0, 4096, bitset(4096)])],
  ['a bitset of few', plainBitmap([0, 9, bitset(9)], [1, 1, shorts(1)])],
  ['an empty bitset', plainBitmap([0, 4097, bitset(0)])],
  ['offsets that lie', shifted(plainBitmap([0, 1, shorts(1)], [1, 2, shorts(1, 2)]), 16, 2)],
  ['offsets that swap containers', swapped(plainBitmap([0, 1, shorts(1)], [1, 1, shorts(2)]))],
  ['an offset into the header', shifted(plainBitmap([0, 1, shorts(1)]), 12, -16)],
  ['an offset past the end', shifted(plainBitmap([0, 1, shorts(1)]), 12, 4000)],
  [
    'more runs than bytes',
    Uint8Array.from([...oneRunContainer, 0, 0, 9, 0, ...shorts(60_000, 0, 9)]),
  ],
  ['bytes after the end', Uint8Array.from([...plainBitmap([0, 1, shorts(1)]), 255])],
  ['another cookie', Uint8Array.from([0x3c, 0x30, 0, 0, 0, 0, 0, 0])],
  ['too many containers', Uint8Array.from([...arrayCookie, ...word(65_537)])],
];
