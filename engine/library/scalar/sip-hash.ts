// SipHash-2-4 with a zero key, the 64-bit hash of ClickHouse's sipHash64, on 32-bit halves.
// Source: Aumasson and Bernstein, "SipHash: a fast short-input PRF", 2012.

/** A place to leave the two halves of a hash. */
export interface HalvesOut {
  low: number;
  high: number;
}

let scratch = new Uint8Array(1024);
let scratchWords = new Int32Array(scratch.buffer);

/** Hash of a byte string. */
export function sipHashText(text: string, out: HalvesOut): void {
  const blocks = Math.floor(text.length / 8) + 1;
  if (blocks * 8 > scratch.length) {
    scratch = new Uint8Array(blocks * 16);
    scratchWords = new Int32Array(scratch.buffer);
  }
  scratch.fill(0, (blocks - 1) * 8, blocks * 8);
  for (let i = 0; i < text.length; i++) scratch[i] = text.charCodeAt(i);
  scratch[blocks * 8 - 1] = text.length & 255;
  sipHashBlocks(scratchWords, blocks, out);
}

/** Hash of the first `bytes` (1, 2, 4, 8) bytes of a 64-bit pattern. */
export function sipHashPattern(low: number, high: number, bytes: number, out: HalvesOut): void {
  const words = scratchWords;
  if (bytes === 8) {
    words[0] = low;
    words[1] = high;
    words[2] = 0;
    words[3] = 8 << 24;
    sipHashBlocks(words, 2, out);
  } else {
    words[0] = bytes === 4 ? low : low & ((1 << (bytes * 8)) - 1);
    words[1] = bytes << 24;
    sipHashBlocks(words, 1, out);
  }
}

/** Hash of two hashes, in order: how several arguments are combined. */
export function sipHashPair(first: HalvesOut, second: HalvesOut, out: HalvesOut): void {
  const words = scratchWords;
  words[0] = first.low;
  words[1] = first.high;
  words[2] = second.low;
  words[3] = second.high;
  words[4] = 0;
  words[5] = 16 << 24;
  sipHashBlocks(words, 3, out);
}

/** `words` holds `blocks` 64-bit blocks, the last one padded and ended with the length. */
function sipHashBlocks(words: Int32Array, blocks: number, out: HalvesOut): void {
  let v0l = 0x70736575;
  let v0h = 0x736f6d65;
  let v1l = 0x6e646f6d;
  let v1h = 0x646f7261;
  let v2l = 0x6e657261;
  let v2h = 0x6c796765;
  let v3l = 0x79746573;
  let v3h = 0x74656462;
  for (let block = 0; block <= blocks; block++) {
    const last = block === blocks;
    const ml = last ? 0 : (words[2 * block] ?? 0);
    const mh = last ? 0 : (words[2 * block + 1] ?? 0);
    v3l ^= ml;
    v3h ^= mh;
    if (last) v2l ^= 0xff;
    for (let round = last ? 4 : 2; round > 0; round--) {
      let sum = (v0l + v1l) | 0;
      v0h = (v0h + v1h + (((v0l & v1l) | ((v0l | v1l) & ~sum)) >>> 31)) | 0;
      v0l = sum;
      let l = (v1l << 13) | (v1h >>> 19);
      v1h = ((v1h << 13) | (v1l >>> 19)) ^ v0h;
      v1l = l ^ v0l;
      l = v0h;
      v0h = v0l;
      v0l = l;
      sum = (v2l + v3l) | 0;
      v2h = (v2h + v3h + (((v2l & v3l) | ((v2l | v3l) & ~sum)) >>> 31)) | 0;
      v2l = sum;
      l = (v3l << 16) | (v3h >>> 16);
      v3h = ((v3h << 16) | (v3l >>> 16)) ^ v2h;
      v3l = l ^ v2l;
      sum = (v0l + v3l) | 0;
      v0h = (v0h + v3h + (((v0l & v3l) | ((v0l | v3l) & ~sum)) >>> 31)) | 0;
      v0l = sum;
      l = (v3l << 21) | (v3h >>> 11);
      v3h = ((v3h << 21) | (v3l >>> 11)) ^ v0h;
      v3l = l ^ v0l;
      sum = (v2l + v1l) | 0;
      v2h = (v2h + v1h + (((v2l & v1l) | ((v2l | v1l) & ~sum)) >>> 31)) | 0;
      v2l = sum;
      l = (v1l << 17) | (v1h >>> 15);
      v1h = ((v1h << 17) | (v1l >>> 15)) ^ v2h;
      v1l = l ^ v2l;
      l = v2h;
      v2h = v2l;
      v2l = l;
    }
    v0l ^= ml;
    v0h ^= mh;
  }
  out.low = v0l ^ v1l ^ v2l ^ v3l;
  out.high = v0h ^ v1h ^ v2h ^ v3h;
}
