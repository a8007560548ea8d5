// Containers of roaring's portable format opened into bitsets of 8 KiB each, that of key `firstKey`
// first. The header was checked by the host, and no container is outside [firstKey, endKey). Part of
// the WebAssembly module; the twin is in test/kernels/naive-kernels.ts.

const containerBytes: usize = 8192;
const arrayCardinalityMax: u32 = 4096;

/**
 * ORs containers into `bits`. `directory`: per container u32 key, u32 cardinality, u32 start in
 * `bytes`, u32 1 for runs.
 */
export function orContainers(
  bits: usize,
  firstKey: u32,
  bytes: usize,
  directory: usize,
  containers: u32,
): void {
  for (let i: u32 = 0; i < containers; i++, directory += 16) {
    const page = bits + ((load<u32>(directory) - firstKey) as usize) * containerBytes;
    const cardinality = load<u32>(directory, 4);
    const from = bytes + (load<u32>(directory, 8) as usize);
    if (load<u32>(directory, 12) != 0) orRuns(page, from);
    else if (cardinality > arrayCardinalityMax) orPage(page, from);
    else orArray(page, from, cardinality);
  }
}

function orPage(page: usize, from: usize): void {
  const end = page + containerBytes;
  for (; page < end; page += 16, from += 16) {
    v128.store(page, v128.or(v128.load(page), v128.load(from)));
  }
}

function orArray(page: usize, from: usize, cardinality: u32): void {
  const end = from + ((cardinality as usize) << 1);
  for (; from < end; from += 2) {
    const value = load<u16>(from) as usize;
    const at = page + (value >>> 3);
    store<u8>(at, load<u8>(at) | (1 << ((value & 7) as u8)));
  }
}

function orRuns(page: usize, from: usize): void {
  const runs = load<u16>(from) as usize;
  from += 2;
  for (let run: usize = 0; run < runs; run++, from += 4) {
    const start = load<u16>(from) as u32;
    orRun(page, start, start + (load<u16>(from, 2) as u32) + 1);
  }
}

function orRun(page: usize, start: u32, end: u32): void {
  let bit = start;
  while (bit < end && (bit & 63) != 0) bit = orBit(page, bit);
  while (bit + 64 <= end) {
    store<u64>(page + (bit >>> 3), u64.MAX_VALUE);
    bit += 64;
  }
  while (bit < end) bit = orBit(page, bit);
}

function orBit(page: usize, bit: u32): u32 {
  const at = page + (bit >>> 3);
  store<u8>(at, load<u8>(at) | (1 << ((bit & 7) as u8)));
  return bit + 1;
}
