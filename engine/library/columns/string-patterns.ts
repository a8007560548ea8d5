// Strings as 32-bit patterns whose unsigned order, least pattern first, is the order of the strings: what
// a radix sort takes. Short ones are their bytes, whatever they hold; longer ones are the ranks of the
// distinct values, which a comparator sorts.

/** Up to so many bytes a pass over each two of them is cheaper than a look-up of the whole. */
const packedLengthMax = 16;

/** One array per 32 bits, least first. */
export function stringPatterns(values: readonly string[], rows: number): Uint32Array[] {
  let longest = 0;
  for (let i = 0; i < rows; i++) longest = Math.max(longest, values[i]!.length);
  return longest <= packedLengthMax
    ? packedPatterns(values, rows, longest)
    : [stringRanks(values, rows)];
}

/** Bytes behind a string's end count as 0; the least pattern, its length, tells 'a' from 'a\0'. */
function packedPatterns(values: readonly string[], rows: number, longest: number): Uint32Array[] {
  const lengths = new Uint32Array(rows);
  for (let i = 0; i < rows; i++) lengths[i] = values[i]!.length;
  const patterns = [lengths];
  for (let from = 4 * Math.ceil(longest / 4) - 4; from >= 0; from -= 4) {
    const words = new Uint32Array(rows);
    for (let i = 0; i < rows; i++) words[i] = wordAt(values[i]!, from);
    patterns.push(words);
  }
  return patterns;
}

function wordAt(value: string, from: number): number {
  const end = Math.min(value.length, from + 4);
  let word = 0;
  let shift = 24;
  for (let at = from; at < end; at++, shift -= 8) word |= value.charCodeAt(at) << shift;
  return word;
}

function stringRanks(values: readonly string[], rows: number): Uint32Array {
  const ordinals = new Uint32Array(rows);
  const ordinalOf = new Map<string, number>();
  for (let i = 0; i < rows; i++) {
    const value = values[i]!;
    let ordinal = ordinalOf.get(value);
    if (ordinal === undefined) {
      ordinal = ordinalOf.size;
      ordinalOf.set(value, ordinal);
    }
    ordinals[i] = ordinal;
  }
  const rankOf = new Uint32Array(ordinalOf.size);
  [...ordinalOf]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .forEach(([, at], rank) => (rankOf[at] = rank));
  for (let i = 0; i < rows; i++) ordinals[i] = rankOf[ordinals[i]!]!;
  return ordinals;
}
