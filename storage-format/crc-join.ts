// The CRC32C of bytes that lie one after the other, out of the checksums of both: what has a checksum of
// its own isn't gone through a second time. Appending n bytes to a message multiplies its checksum by
// x^(8n) modulo the polynomial; a few hundred operations, whatever n is.
// Source: Mark Adler's crc32_combine in zlib, which describes the arithmetic.

const polynomial = 0x82f63b78;
/** x^0: bits are reflected. */
const one = 0x8000_0000;

/** crc32c(a + b), where b has `bytes` bytes. */
export function joinedCrc(a: number, b: number, bytes: number): number {
  return (product(powerOf(bytes), a) ^ b) >>> 0;
}

const squares = squaresOfX(8 + 40);
/** Of a length that was asked for: most are asked for again and again. */
let lastBytes = 0;
let lastPower = one;

/** x^(8 bytes). */
function powerOf(bytes: number): number {
  if (bytes === lastBytes) return lastPower;
  let power = one;
  let left = bytes;
  for (let k = 3; left > 0; k++) {
    if (left % 2 === 1) power = product(squares[k]!, power);
    left = Math.floor(left / 2);
  }
  lastBytes = bytes;
  lastPower = power;
  return power;
}

/** squares[k] is x^(2^k). */
function squaresOfX(count: number): readonly number[] {
  const all = [one >>> 1];
  while (all.length < count) all.push(product(all.at(-1)!, all.at(-1)!));
  return all;
}

/** Of two polynomials, modulo the third. */
function product(a: number, b: number): number {
  let sum = 0;
  let shifted = b;
  for (let bit = one; bit !== 0; bit >>>= 1) {
    if ((a & bit) !== 0) sum ^= shifted;
    shifted = (shifted & 1) === 0 ? shifted >>> 1 : (shifted >>> 1) ^ polynomial;
  }
  return sum >>> 0;
}
