// Least-significant-digit radix sorts of 64-bit keys, unsigned, by 11 bits a pass. Digits that all keys share are skipped, so that narrow ids take few passes.

const digitBits: u32 = 11;
const digits: usize = 2048;
const passes: u32 = 6;

/**
 * Sorts `count` keys at `keys`, with `spare` as room for as many and `counts` for 6 x 2048 words.
 * Returns where the sorted keys are: `keys` or `spare`.
 */
export function sortKeys(keys: usize, count: usize, spare: usize, counts: usize): usize {
  countDigits(keys, count, counts);
  let from = keys;
  let to = spare;
  for (let pass: u32 = 0; pass < passes; pass++) {
    const places = counts + (((pass as usize) * digits) << 2);
    if (!place(places, load<u64>(keys), pass, count)) continue;
    const shift = (pass * digitBits) as u64;
    const end = from + (count << 3);
    for (let at = from; at < end; at += 8) {
      const key = load<u64>(at);
      const slot = places + ((((key >>> shift) & 2047) as usize) << 2);
      const n = load<u32>(slot);
      store<u64>(to + ((n as usize) << 3), key);
      store<u32>(slot, n + 1);
    }
    const sorted = to;
    to = from;
    from = sorted;
  }
  return from;
}

function countDigits(keys: usize, count: usize, counts: usize): void {
  memory.fill(counts, 0, ((passes as usize) * digits) << 2);
  const end = keys + (count << 3);
  for (; keys < end; keys += 8) {
    let key = load<u64>(keys);
    let table = counts;
    for (let pass: u32 = 0; pass < passes; pass++) {
      const slot = table + (((key & 2047) as usize) << 2);
      store<u32>(slot, load<u32>(slot) + 1);
      key >>>= digitBits as u64;
      table += digits << 2;
    }
  }
}

/** Counts become places; false where one digit has all keys. */
function place(places: usize, anyKey: u64, pass: u32, count: usize): bool {
  const digit = (anyKey >>> ((pass * digitBits) as u64)) & 2047;
  if (load<u32>(places + ((digit as usize) << 2)) == (count as u32)) return false;
  let at: u32 = 0;
  for (let slot = places; slot < places + (digits << 2); slot += 4) {
    const many = load<u32>(slot);
    store<u32>(slot, at);
    at += many;
  }
  return true;
}
