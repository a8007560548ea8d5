// Decimal digits of 64-bit integers, a line for each. Part of the WebAssembly module; the twin is
// String() (test/kernels/integer-lines.test.ts).

/**
 * Writes of each of `count` patterns at `keys` the `before` bytes at `affixes`, its digits, and the
 * `after` bytes behind those; `signed`: patterns are two's complement. `fours`: of each number below
 * 10,000 its four digits. Writes up to 8 bytes behind the last line. Returns where that ends.
 */
export function printIntegers(
  keys: usize,
  count: usize,
  signed: u32,
  affixes: usize,
  before: usize,
  after: usize,
  fours: usize,
  out: usize,
): usize {
  const end = keys + (count << 3);
  const behind = affixes + before;
  for (; keys < end; keys += 8) {
    out = copyShort(affixes, before, out);
    let value = load<u64>(keys);
    if (signed != 0 && (value as i64) < 0) {
      store<u8>(out++, 0x2d);
      value = 0 - value;
    }
    out = copyShort(behind, after, print(value, fours, out));
  }
  return out;
}

/** Most lines have an end alone. */
function copyShort(from: usize, bytes: usize, to: usize): usize {
  if (bytes == 1) {
    store<u8>(to, load<u8>(from));
    return to + 1;
  }
  for (let at: usize = 0; at < bytes; at += 8) store<u64>(to + at, load<u64>(from + at));
  return to + bytes;
}

const eight: u64 = 100_000_000;

function print(value: u64, fours: usize, out: usize): usize {
  if (value < eight) return printFirst(value as u32, fours, out);
  const upper = value / eight;
  const lower = (value - upper * eight) as u32;
  if (upper < eight) return printEight(lower, fours, printFirst(upper as u32, fours, out));
  const top = upper / eight;
  const middle = (upper - top * eight) as u32;
  return printEight(lower, fours, printEight(middle, fours, printFirst(top as u32, fours, out)));
}

/** Below 10^8, without zeros before it. */
function printFirst(value: u32, fours: usize, out: usize): usize {
  if (value < 10_000) return printSome(value, fours, out);
  const upper = value / 10_000;
  const end = printSome(upper, fours, out);
  store<u32>(end, load<u32>(fours + (((value - upper * 10_000) as usize) << 2)));
  return end + 4;
}

function printSome(value: u32, fours: usize, out: usize): usize {
  const zeros: u32 = value >= 1000 ? 0 : value >= 100 ? 1 : value >= 10 ? 2 : 3;
  store<u32>(out, load<u32>(fours + ((value as usize) << 2)) >>> (zeros << 3));
  return out + 4 - (zeros as usize);
}

function printEight(value: u32, fours: usize, out: usize): usize {
  const upper = value / 10_000;
  store<u32>(out, load<u32>(fours + ((upper as usize) << 2)));
  store<u32>(out, load<u32>(fours + (((value - upper * 10_000) as usize) << 2)), 4);
  return out + 8;
}
