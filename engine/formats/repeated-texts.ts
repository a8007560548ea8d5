// Short texts of columns come again and again: names, countries, days. One that was made a short while
// ago is found by its bytes instead of being made anew, sooner and without memory of its own. Where hardly
// any comes twice, looking is given up for a while.

const slotCount = 4096;
const bytesMax = 12;
/** Texts between two judgements, and how many of them may be new. */
const sampled = 4096;
const newMax = 0.75 * sampled;
const pause = 16 * sampled;

const texts = new Array<string>(slotCount).fill('');
/** Of each slot the length and the bytes of its text. */
const words = new Int32Array(4 * slotCount);

export class RepeatedTexts {
  #left = sampled;
  #made = 0;
  #isPaused = false;

  /** bytes[start, end) as a byte string. */
  text(bytes: Buffer, start: number, end: number): string {
    if (start === end) return '';
    if (--this.#left === 0) this.#judge();
    if (this.#isPaused || end - start > bytesMax) return bytes.toString('latin1', start, end);
    const first = word(bytes, start, Math.min(end, start + 4));
    const second = word(bytes, start + 4, Math.min(end, start + 8));
    const third = word(bytes, start + 8, end);
    const slot = slotOf(first, second, third + end - start);
    const at = 4 * slot;
    if (
      words[at] === end - start &&
      words[at + 1] === first &&
      words[at + 2] === second &&
      words[at + 3] === third
    ) {
      return texts[slot] as string;
    }
    this.#made++;
    words[at] = end - start;
    words[at + 1] = first;
    words[at + 2] = second;
    words[at + 3] = third;
    return (texts[slot] = bytes.toString('latin1', start, end));
  }

  #judge(): void {
    this.#isPaused = !this.#isPaused && this.#made > newMax;
    this.#left = this.#isPaused ? pause : sampled;
    this.#made = 0;
  }
}

function word(bytes: Buffer, start: number, end: number): number {
  let value = 0;
  for (let at = start, shift = 0; at < end; at++, shift += 8) {
    value |= (bytes[at] as number) << shift;
  }
  return value;
}

function slotOf(first: number, second: number, third: number): number {
  const mixed =
    Math.imul(first, 0x9e3779b1) ^ Math.imul(second, 0x85ebca6b) ^ Math.imul(third, 0xc2b2ae35);
  return Math.imul(mixed ^ (mixed >>> 15), 0x27d4eb2f) >>> 20;
}
