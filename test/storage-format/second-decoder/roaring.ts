// Codes of roaring bitmaps in the portable format, by RoaringFormatSpec: of a whole payload, or of its
// pieces, by the table that SPEC.md puts beside large ones.

import { Cursor, checked, range } from './bytes.ts';

/** The portable format, by RoaringFormatSpec. */
export function roaring(bytes: Uint8Array): number[] {
  const c = new Cursor(bytes);
  const cookie = c.u32();
  const withRuns = cookie % 65536 === 12347;
  if (!withRuns && cookie !== 12346) throw new Error('cookie');
  const count = withRuns ? Math.floor(cookie / 65536) + 1 : c.u32();
  const flags = withRuns ? range(Math.ceil(count / 8)).map(() => c.u8()) : [];
  const heads = range(count).map(() => ({ key: c.u16(), cardinality: c.u16() + 1 }));
  if (!withRuns || count >= 4) c.at += 4 * count;
  const codes: number[] = [];
  heads.forEach(({ key, cardinality }, i) => {
    const isRun = withRuns && Math.floor(flags[i >> 3]! / 2 ** (i % 8)) % 2 === 1;
    codes.push(...containerCodes(c, { key, cardinality, isRun }));
  });
  return codes;
}

/** The codes of a payload, found by its table alone: as one reads a few pieces of it. */
export function tableCodes(table: Uint8Array, payload: Uint8Array, sum: number): number[] {
  checked(table, 0, table.length - 4, new Cursor(table, table.length - 4).u32());
  const c = new Cursor(table.subarray(0, -4));
  if (c.u32() !== sum) throw new Error('table of another payload');
  let key = -1;
  const pieces = c.list(() => {
    const [count, checksum] = [c.varuint(), c.u32()];
    const containers = range(count).map(() => {
      const head = c.varuint();
      key += Math.floor(head / 2) + 1;
      const cardinality = c.varuint() + 1;
      const runs = head % 2 === 1 ? c.varuint() : -1;
      const plain = cardinality > 4096 ? 8192 : 2 * cardinality;
      return { key, cardinality, isRun: runs >= 0, length: runs < 0 ? plain : 2 + 4 * runs };
    });
    return { checksum, containers };
  });
  c.expectEnd();
  const all = pieces.flatMap(({ containers }) => containers);
  const withRuns = all.some(({ isRun }) => isRun);
  const heads = 4 * all.length + (withRuns && all.length < 4 ? 0 : 4 * all.length);
  let start = heads + (withRuns ? 4 + Math.ceil(all.length / 8) : 8);
  const codes: number[] = [];
  for (const { checksum, containers } of pieces) {
    const length = containers.reduce((bytes, container) => bytes + container.length, 0);
    if (length > 8192 && containers.length > 1) throw new Error('a piece too long');
    const found = new Cursor(checked(payload, start, length, checksum));
    for (const container of containers) codes.push(...containerCodes(found, container));
    start += length;
  }
  if (start !== payload.length) throw new Error('pieces end elsewhere');
  return codes;
}

function containerCodes(
  c: Cursor,
  { key, cardinality, isRun }: { key: number; cardinality: number; isRun: boolean },
): number[] {
  const codes: number[] = [];
  if (isRun) {
    for (const [start, more] of range(c.u16()).map(() => [c.u16(), c.u16()] as const)) {
      for (let v = start; v <= start + more; v++) codes.push(key * 65536 + v);
    }
  } else if (cardinality <= 4096) {
    for (let n = 0; n < cardinality; n++) codes.push(key * 65536 + c.u16());
  } else {
    for (let byte = 0; byte < 8192; byte++) {
      const bits = c.u8();
      for (let b = 0; b < 8; b++) if (bits & (1 << b)) codes.push(key * 65536 + byte * 8 + b);
    }
  }
  if (codes.length !== cardinality) throw new Error('members of a container');
  return codes;
}
