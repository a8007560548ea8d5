// How long things take in the simulated cloud, drawn by a seed. Where a figure is measured, its source is
// named; tails are fitted to it. Milliseconds throughout.

import { lognormal, pareto } from './seeded-random.ts';

type Random = () => number;

/** A warm function is called and answers: median and 99th percentile are 12 and 41 ms. */
export function warmStartMs(random: Random): number {
  return lognormal(random, 12, 1.7) + tail(random, { chance: 0.003, least: 150, shape: 1.3 });
}

/** A small Node bundle: 100 to 500 ms, some a second. */
export function coldStartMs(random: Random): number {
  return lognormal(random, 280, 1.4) + warmStartMs(random);
}

/** An environment shares its machine: one in two hundred runs is four times as slow. */
export function slowness(random: Random): number {
  return lognormal(random, 1, 1.08) * (random() < 0.005 ? 4 : 1);
}

/**
 * So many requests side by side, then bytes: 15 ms to the first byte, 256 KB later than 1 s once in
 * ten thousand (Starling); 90 MB/s for one environment (Lambada, Skyrise).
 */
export function readMs(random: Random, requests: number, bytes: number): number {
  if (requests === 0) return 0;
  const waves = Math.ceil(requests / requestsSideBySide);
  let late = 0;
  for (let i = 0; i < requests; i++) {
    late = Math.max(late, tail(random, { chance: 0.0011, least: 200, shape: 1.5 }));
  }
  return waves * lognormal(random, 15, 1.4) + late + bytes / 90_000;
}

/** Between tries of a call that was refused (429): full jitter, up to a second. */
export function backoffMs(random: Random, tries: number): number {
  return random() * Math.min(1000, 50 * 2 ** tries);
}

/** The root's one thread: to sign and send a request (measured with the SDK), to decode and merge. */
export const sendMs = 1.2;
export const mergeMs = 0.4;

const requestsSideBySide = 16;
const longest = 3000;

function tail(
  random: Random,
  {
    chance,
    least,
    shape,
  }: { readonly chance: number; readonly least: number; readonly shape: number },
): number {
  return random() < chance ? Math.min(longest, pareto(random, least, shape)) : 0;
}
