// Naive writers of foreign sets, from the formats' descriptions alone: what the readers are compared
// with. Members are bigints; nothing here is fast.

export type Members = readonly bigint[];

type Part = Uint8Array | readonly number[];

const bytesOf = (...parts: readonly (Part | readonly Part[])[]): Uint8Array =>
  Buffer.concat(
    parts.map((part) =>
      part instanceof Uint8Array || typeof part[0] === 'number' || part.length === 0
        ? Buffer.from(part as readonly number[])
        : bytesOf(...chunked(part as readonly Part[])),
    ),
  );

function chunked(parts: readonly Part[]): readonly Uint8Array[] {
  return [Buffer.concat(parts.map((part) => Buffer.from(part)))];
}

const little = (value: bigint | number, bytes: number): Uint8Array => {
  const out = new Uint8Array(8);
  new DataView(out.buffer).setBigUint64(0, BigInt.asUintN(64, BigInt(value)), true);
  return out.slice(0, bytes);
};

const big32 = (value: number): Uint8Array => little(value, 4).reverse();

const varuint = (value: number): number[] =>
  value < 128 ? [value] : [128 + (value % 128), ...varuint(Math.floor(value / 128))];

/** Without run containers. */
export function roaring32(values: readonly number[]): Uint8Array {
  const containers = groupBy(values, (value) => value >>> 16);
  const headers: Uint8Array[] = [];
  const bodies: Uint8Array[] = [];
  const offsets: Uint8Array[] = [];
  let at = 8 + 8 * containers.length;
  for (const [key, members] of containers) {
    headers.push(little(key, 2), little(members.length - 1, 2));
    const body = members.length > 4096 ? bitset(members) : array(members);
    offsets.push(little(at, 4));
    at += body.length;
    bodies.push(body);
  }
  return bytesOf(little(12346, 4), little(containers.length, 4), ...headers, ...offsets, ...bodies);
}

function array(members: readonly number[]): Uint8Array {
  return bytesOf(members.map((value) => little(value & 0xffff, 2)));
}

function bitset(members: readonly number[]): Uint8Array {
  const bits = new Uint8Array(8192);
  for (const value of members) {
    const low = value & 0xffff;
    bits[low >> 3] = bits[low >> 3]! | (1 << (low & 7));
  }
  return bits;
}

export function roaring64(ids: Members): Uint8Array {
  const buckets = bucketsOf(ids);
  return bytesOf(
    little(buckets.length, 8),
    buckets.flatMap(([high, lows]) => [little(high, 4), roaring32(lows)]),
  );
}

export function javaMap(ids: Members, signed: boolean): Uint8Array {
  const buckets = bucketsOf(ids).sort(([a], [b]) => (signed ? (a | 0) - (b | 0) : a - b));
  return bytesOf(
    [signed ? 1 : 0],
    big32(buckets.length),
    buckets.flatMap(([high, lows]) => [big32(high), roaring32(lows)]),
  );
}

interface ValueForm {
  readonly set: 'none' | 'v1' | 'v2';
  readonly native: boolean;
}

/** As Doris and StarRocks do: single values, small sets where `form` has them, else bitmaps. */
export function bitmapValue(ids: Members, form: ValueForm): Uint8Array {
  const [only] = ids;
  if (only === undefined) return Uint8Array.of(0);
  if (ids.length === 1) {
    return only < 2n ** 32n ? bytesOf([1], little(only, 4)) : bytesOf([3], little(only, 8));
  }
  if (ids.length <= 32 && form.set !== 'none') {
    const count = form.set === 'v1' ? [5, ids.length] : [10, ...little(ids.length, 4)];
    return bytesOf(count, ...ids.toReversed().map((id) => little(id, 8)));
  }
  const buckets = bucketsOf(ids);
  const bitmap = (lows: readonly number[]): Uint8Array =>
    form.native ? native(lows) : roaring32(lows);
  if (ids.every((id) => id < 2n ** 32n)) {
    return bytesOf([form.native ? 12 : 2], bitmap(buckets[0]![1]));
  }
  return bytesOf(
    [form.native ? 13 : 4],
    varuint(buckets.length),
    buckets.flatMap(([high, lows]) => [little(high, 4), bitmap(lows)]),
  );
}

function native(lows: readonly number[]): Uint8Array {
  const flat = bytesOf(
    [1],
    little(lows.length, 4),
    lows.map((low) => little(low, 4)),
  );
  const portable = bytesOf([2], roaring32(lows));
  return flat.length < portable.length ? flat : portable;
}

export function databend(ids: Members, form: 'header' | 'legacy'): Uint8Array {
  if (form === 'legacy') return roaring64(ids);
  const magic = [...Buffer.from('HB'), 1];
  if (ids.length <= 32) {
    return bytesOf(magic, [0, ids.length], ...ids.toReversed().map((id) => little(id, 8)));
  }
  return bytesOf(magic, [1], roaring64(ids));
}

function bucketsOf(ids: Members): [number, number[]][] {
  return groupBy(ids, (id) => Number(id >> 32n)).map(([high, members]) => [
    high,
    members.map((id) => Number(id & 0xffff_ffffn)),
  ]);
}

function groupBy<T>(values: readonly T[], keyOf: (value: T) => number): [number, T[]][] {
  const groups = new Map<number, T[]>();
  for (const value of values) {
    const group = groups.get(keyOf(value)) ?? [];
    groups.set(keyOf(value), group);
    group.push(value);
  }
  return [...groups];
}
