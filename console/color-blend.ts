// Colours between two of the style sheet's, and which writing can be read on them.

/** Of `#rrggbb` colours; `share` 0 is the first, 1 the second. */
export function blend(low: string, high: string, share: number): readonly number[] {
  const [from, to] = [channels(low), channels(high)];
  return from.map((value, i) => value + ((to[i] ?? 0) - value) * share);
}

/** Dark or light, whichever stands out more (WCAG's relative luminance). */
export function writingOn(color: readonly number[]): '#ffffff' | '#141a26' {
  const [red = 0, green = 0, blue = 0] = color.map((value) => {
    const share = value / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  const luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  return luminance < 0.19 ? '#ffffff' : '#141a26';
}

function channels(color: string): readonly number[] {
  return [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16));
}
