// 64-bit integer arithmetic on 32-bit halves (low at 2i, high at 2i + 1), wrapping modulo 2^64. A
// few nanoseconds a row where BigInt takes over a hundred; checked against BigInt in the tests.

const twoTo32 = 4_294_967_296;
/** Doubles below this are exact integers with room for one more step. */
const exactMax = 2 ** 52;

export function addHalves(a: Int32Array, b: Int32Array): Int32Array {
  const result = new Int32Array(a.length);
  for (let i = 0; i < a.length; i += 2) {
    const low = ((a[i] ?? 0) >>> 0) + ((b[i] ?? 0) >>> 0);
    result[i] = low;
    result[i + 1] = (a[i + 1] ?? 0) + (b[i + 1] ?? 0) + (low >= twoTo32 ? 1 : 0);
  }
  return result;
}

export function subtractHalves(a: Int32Array, b: Int32Array): Int32Array {
  const result = new Int32Array(a.length);
  for (let i = 0; i < a.length; i += 2) {
    const low = ((a[i] ?? 0) >>> 0) - ((b[i] ?? 0) >>> 0);
    result[i] = low;
    result[i + 1] = (a[i + 1] ?? 0) - (b[i + 1] ?? 0) - (low < 0 ? 1 : 0);
  }
  return result;
}

export function multiplyHalves(a: Int32Array, b: Int32Array): Int32Array {
  const result = new Int32Array(a.length);
  for (let i = 0; i < a.length; i += 2) {
    const aLow = a[i] ?? 0;
    const bLow = b[i] ?? 0;
    const x0 = aLow & 0xffff;
    const x1 = aLow >>> 16;
    const y0 = bLow & 0xffff;
    const y1 = bLow >>> 16;
    const middle = x1 * y0 + (((x0 * y0) / 65_536) >>> 0);
    const cross = x0 * y1 + (middle & 0xffff);
    const high = x1 * y1 + Math.floor(middle / 65_536) + Math.floor(cross / 65_536);
    result[i] = Math.imul(aLow, bLow);
    result[i + 1] = (high | 0) + Math.imul(aLow, b[i + 1] ?? 0) + Math.imul(a[i + 1] ?? 0, bLow);
  }
  return result;
}

/** How the 64-bit patterns of an operation are read. */
interface WideSigns {
  readonly signed: boolean;
}

/** Truncating quotients; the divisor is nowhere 0. */
export function divideHalves(a: Int32Array, b: Int32Array, signs: WideSigns): Int32Array {
  const result = new Int32Array(a.length);
  const wide = new BigInt64Array(result.buffer);
  for (let i = 0; i < a.length; i += 2) {
    const x = halvesToDouble(a, i, signs.signed);
    const y = halvesToDouble(b, i, signs.signed);
    if (x < exactMax && x > -exactMax && y < exactMax && y > -exactMax) {
      writeDouble(result, i, truncatedQuotient(x, y));
    } else {
      wide[i / 2] = BigInt.asIntN(
        64,
        halvesToBig(a, i, signs.signed) / halvesToBig(b, i, signs.signed),
      );
    }
  }
  return result;
}

/** Remainders with the sign of the dividend; the divisor is nowhere 0. */
export function remainderHalves(a: Int32Array, b: Int32Array, signs: WideSigns): Int32Array {
  const result = new Int32Array(a.length);
  const wide = new BigInt64Array(result.buffer);
  for (let i = 0; i < a.length; i += 2) {
    const x = halvesToDouble(a, i, signs.signed);
    const y = halvesToDouble(b, i, signs.signed);
    if (x < exactMax && x > -exactMax && y < exactMax && y > -exactMax) {
      writeDouble(result, i, x - truncatedQuotient(x, y) * y);
    } else {
      wide[i / 2] = BigInt.asIntN(
        64,
        halvesToBig(a, i, signs.signed) % halvesToBig(b, i, signs.signed),
      );
    }
  }
  return result;
}

/** trunc(x / y) of exact integers below 2^52; the rounded quotient may be one too far from 0. */
export function truncatedQuotient(x: number, y: number): number {
  const quotient = Math.trunc(x / y);
  const rest = x - quotient * y;
  return rest === 0 || rest < 0 === x < 0 ? quotient : quotient - Math.sign(quotient);
}

function halvesToDouble(halves: Int32Array, at: number, signed: boolean): number {
  const high = halves[at + 1] ?? 0;
  return (signed ? high : high >>> 0) * twoTo32 + ((halves[at] ?? 0) >>> 0);
}

function halvesToBig(halves: Int32Array, at: number, signed: boolean): bigint {
  const high = halves[at + 1] ?? 0;
  return (BigInt(signed ? high : high >>> 0) << 32n) | BigInt((halves[at] ?? 0) >>> 0);
}

function writeDouble(halves: Int32Array, at: number, value: number): void {
  halves[at] = value;
  halves[at + 1] = Math.floor(value / twoTo32);
}
