// CRC32C of long runs, most of it without tables. The polynomial has sparse multiples: their terms say
// where a word of a message can be added further on in its stead, so that whole vectors are folded into
// what follows them until only an end of 209 units is left, which tables go through (crc32c.ts). A
// multiple's powers of two are multiples as well, with the same terms further apart: the unit.
// Part of the WebAssembly module; the twin is storage-format/crc32c.ts.
// Source of the idea: S. Russell, "Chorba: a novel CRC32 implementation", 2024. The multiple, found by a
// search over degrees: x^209 + x^144 + x^54 + x^39 + x^14 + 1.

const terms: usize = 209;

/** What a vector takes of five before it; `at` is 209 units before the vector. */
function foldedFar(at: usize): v128 {
  return v128.xor(
    v128.xor(v128.load(at, 144 * 16), v128.load(at, 54 * 16)),
    v128.xor(v128.xor(v128.load(at, 39 * 16), v128.load(at, 14 * 16)), v128.load(at)),
  );
}

function foldedNear(at: usize): v128 {
  return v128.xor(
    v128.xor(v128.load(at, 144 * 4), v128.load(at, 54 * 4)),
    v128.xor(v128.xor(v128.load(at, 39 * 4), v128.load(at, 14 * 4)), v128.load(at)),
  );
}

/** The end of what is folded moves to `rest`, and zeros stand in its place: nothing comes from there. */
function cut(end: usize, left: usize, span: usize, rest: usize): void {
  for (let i: usize = 0; i < left; i += 16) v128.store(rest + i, v128.load(end + i));
  for (let i: usize = 0; i < span + 16; i += 16) v128.store(end + i, i8x16.splat(0));
}

/**
 * Folds `bytes` bytes at `at`, more than 209 x 16 of them, into the first bytes at `rest`, which have the
 * same checksum; returns how many these are. Both follow 209 x 16 zeros and have as much room, and 32 bytes,
 * behind them; what lay there is overwritten.
 */
export function foldFar(at: usize, bytes: usize, rest: usize): usize {
  const span: usize = terms * 16;
  const end = at + ((bytes - span) & ~15);
  const left = at + bytes - end;
  for (let p = at; p < end; p += 16) {
    v128.store(p, v128.xor(v128.load(p), foldedFar(p - span)));
  }
  cut(end, left, span, rest);
  for (let i: usize = 0; i < span; i += 16) {
    v128.store(rest + i, v128.xor(v128.load(rest + i), foldedFar(end + i - span)));
  }
  return left;
}

/** As foldFar, in units of 4 bytes. */
export function foldNear(at: usize, bytes: usize, rest: usize): usize {
  const span: usize = terms * 4;
  const end = at + ((bytes - span) & ~15);
  const left = at + bytes - end;
  for (let p = at; p < end; p += 16) {
    v128.store(p, v128.xor(v128.load(p), foldedNear(p - span)));
  }
  cut(end, left, span, rest);
  for (let i: usize = 0; i < span; i += 16) {
    v128.store(rest + i, v128.xor(v128.load(rest + i), foldedNear(end + i - span)));
  }
  return left;
}
