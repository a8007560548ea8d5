// Uniform numbers in [0, 1) by a seed (Mulberry32), and the shapes of waiting made of them.

export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Standard normal, by Box and Muller. */
export function normal(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

/** A median and the factor between it and the 84th percentile. */
export function lognormal(random: () => number, median: number, spread: number): number {
  return median * spread ** normal(random);
}

/** At least `least`; P(X > x) = (least / x) ** shape. */
export function pareto(random: () => number, least: number, shape: number): number {
  return least / (1 - random()) ** (1 / shape);
}
