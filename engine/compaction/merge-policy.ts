// Which stripes are merged, and when: pure. Stripes of one partition (and of one group, where rows are
// placed) make a lane, in order of sequence. Their weights fall into classes by eights: where neighbours
// that have no higher class have eight of a class, they become one. So n inserts of a size leave at most
// seven stripes of each class, a number logarithmic in n, and a row is rewritten about once a class.

import type { StripeEntry } from '../../catalog/entry.ts';

/** What one merge makes at most; stripes that leave no room for another are left alone. */
interface MergeLimits {
  readonly bytesMax: number;
  readonly rowsMax: number;
}

export interface LaneOptions {
  /** Each stripe has the rows of one group. */
  readonly isPlaced: boolean;
  /** Rows of another one are left as they are. */
  readonly schemaVersion: number;
  readonly limits: MergeLimits;
}

/** Neighbours in a lane, in order of sequence, at least two. */
export type MergeRun = readonly StripeEntry[];

/** Merged when so many are of one class. */
const fanIn = 8;
/** Of one merge: each is a read, and a name in the commit. */
const inputsMax = 256;
/** Members weigh as much as rows. */
const bytesPerWeight = 64;

/** `stripes`: of one table, in order of (partition, sequence). At most one run a lane. */
export function planDueMerges(
  stripes: readonly StripeEntry[],
  options: LaneOptions,
): readonly MergeRun[] {
  return lanesOf(stripes, options).flatMap((lane) => {
    const run = dueRun(lane, options);
    return run === undefined ? [] : [run];
  });
}

/** As few stripes as limits allow, once nothing is left that this says. */
export function planWholeMerges(
  stripes: readonly StripeEntry[],
  options: LaneOptions,
): readonly MergeRun[] {
  return lanesOf(stripes, options).flatMap((lane) => runsOf(lane, options, () => true));
}

function lanesOf(
  stripes: readonly StripeEntry[],
  { isPlaced }: LaneOptions,
): readonly StripeEntry[][] {
  const lanes = new Map<string, StripeEntry[]>();
  for (const stripe of stripes) {
    const group = isPlaced ? (stripe.parts[0]?.groupFirst ?? 0) : 0;
    const name = `${group} ${stripe.partition}`;
    const lane = lanes.get(name);
    if (lane === undefined) lanes.set(name, [stripe]);
    else lane.push(stripe);
  }
  return [...lanes.values()];
}

function dueRun(lane: readonly StripeEntry[], options: LaneOptions): MergeRun | undefined {
  if (lane.length < fanIn) return undefined;
  const classes = new Map(lane.map((stripe) => [stripe, classOf(stripe)]));
  const isOf = (level: number) => (stripe: StripeEntry) => classes.get(stripe) === level;
  const highest = Math.max(...new Set(classes.values()));
  for (let level = 0; level <= highest; level++) {
    for (const run of runsOf(lane, options, (stripe) => classes.get(stripe)! <= level)) {
      const own = run.filter(isOf(level)).length;
      if (own >= fanIn) return run.slice(0, run.findLastIndex(isOf(level)) + 1);
      // Small ones shut in between large ones: rare, and never more than this.
      if (run.length >= fanIn * (level + 1)) return run;
    }
  }
  return undefined;
}

/** Runs of stripes that `joins` holds of, cut where a merge would pass its limits. */
function runsOf(
  lane: readonly StripeEntry[],
  { schemaVersion, limits }: LaneOptions,
  joins: (stripe: StripeEntry) => boolean,
): MergeRun[] {
  const runs: StripeEntry[][] = [[]];
  let [bytes, rows] = [0, 0];
  for (const stripe of lane) {
    const own = bytesOf(stripe);
    const run = runs.at(-1)!;
    const isOut =
      stripe.schemaVersion !== schemaVersion ||
      own > limits.bytesMax ||
      stripe.rows > limits.rowsMax ||
      !joins(stripe);
    const isFull =
      run.length >= inputsMax ||
      bytes + own > limits.bytesMax ||
      rows + stripe.rows > limits.rowsMax;
    if (isOut || isFull) {
      runs.push([]);
      [bytes, rows] = [0, 0];
    }
    if (isOut) continue;
    runs.at(-1)!.push(stripe);
    bytes += own;
    rows += stripe.rows;
  }
  return runs.filter((run) => run.length > 1);
}

export function bytesOf({ parts }: StripeEntry): number {
  return parts.reduce((sum, part) => sum + part.bytes, 0);
}

function classOf({ rows, groupBytes }: StripeEntry): number {
  const members = groupBytes.reduce((sum, bytes) => sum + bytes, 0);
  return Math.floor(Math.log2(Math.max(1, rows, members / bytesPerWeight)) / Math.log2(fanIn));
}
