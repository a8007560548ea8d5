// Answers whose floats are rounded, for comparisons: sums are added in another order, and the last
// digits differ.

/** The text with every float in it to nine significant digits. */
export function toNineDigits(text: string): string {
  return text.replace(/\d+\.\d+(e[+-]?\d+)?/g, (number) =>
    String(Number(Number(number).toPrecision(9))),
  );
}
