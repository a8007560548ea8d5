// The naive twins of the WebAssembly kernels: what they do, in the plainest TypeScript.

export function naiveBits(codes: Iterable<number>, base: number, bytes: number): Uint8Array {
  const bits = new Uint8Array(bytes);
  for (const code of codes) bits[(code - base) >>> 3]! |= 1 << ((code - base) & 7);
  return bits;
}

export function naiveCodes(bits: Uint8Array, base: number): number[] {
  const codes: number[] = [];
  for (let bit = 0; bit < 8 * bits.length; bit++) {
    if ((bits[bit >>> 3]! >>> (bit & 7)) & 1) codes.push(base + bit);
  }
  return codes;
}

export function naiveCrc32c(bytes: Uint8Array): number {
  let crc = 0xffff_ffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0x82f63b78 : crc >>> 1;
  }
  return ~crc >>> 0;
}

/** Splitmix: 64-bit numbers, the same for the same seed. */
export function someKeys(count: number, seed: number): BigUint64Array {
  let state = BigInt(seed) * 0x632be59bd9b4e019n;
  return BigUint64Array.from({ length: count }, () => {
    state = BigInt.asUintN(64, state + 0x9e3779b97f4a7c15n);
    let z = state;
    z = BigInt.asUintN(64, (z ^ (z >> 30n)) * 0xbf58476d1ce4e5b9n);
    z = BigInt.asUintN(64, (z ^ (z >> 27n)) * 0x94d049bb133111ebn);
    return z ^ (z >> 31n);
  });
}

/** Results of steps that combine bitsets and earlier results, [operator, left, right] each. */
export function naiveTree(
  leaves: readonly Uint8Array[],
  steps: readonly (readonly [number, number, number])[],
): Uint8Array {
  const all = [...leaves];
  for (const [how, a, b] of steps) {
    const [left, right] = [all[a]!, all[b]!];
    all.push(
      left.map((x, i) => {
        const y = right[i]!;
        return [x & y, x | y, x & ~y, x ^ y][how]!;
      }),
    );
  }
  return all.at(-1)!;
}

/** Members of both sets of each pair. */
export function naivePairs(
  sets: readonly ReadonlySet<number>[],
  pairs: readonly (readonly [number, number])[],
): number[] {
  return pairs.map(([a, b]) => [...sets[a]!].filter((code) => sets[b]!.has(code)).length);
}
