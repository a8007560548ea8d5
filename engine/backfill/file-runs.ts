// How a backfill's files are cut into runs, each one commit, and which run a worker takes next. All
// workers that see the same files cut them alike. They don't talk to each other: each walks through its own
// stretch of the runs, and where that is done goes on in the middle of what is left of others'. So two seldom
// load the same run, and mostly near the end; where they do, one of the two commits is refused.

import type { SourceFile } from './source-files.ts';

export interface FileRun {
  /** Among all runs. */
  readonly index: number;
  readonly files: readonly SourceFile[];
}

/** Files of one run are at most so many, and begin within so many bytes. */
const runFilesMax = 64;
const runBytesMax = 24 * 1024 * 1024;
/** Few files are shared out in no larger pieces than this part of them. */
const runsMin = 24;

/** Neighbours in order of name. */
export function runsOf(files: readonly SourceFile[]): readonly FileRun[] {
  const runs: SourceFile[][] = [];
  const most = Math.max(1, Math.min(runFilesMax, Math.floor(files.length / runsMin)));
  let bytes = Number.POSITIVE_INFINITY;
  for (const file of files) {
    const run = runs.at(-1);
    if (run === undefined || run.length >= most || bytes >= runBytesMax) {
      runs.push([file]);
      bytes = file.bytes;
    } else {
      run.push(file);
      bytes += file.bytes;
    }
  }
  return runs.map((own, index) => ({ index, files: own }));
}

/** Without these files; runs that have none left are gone. */
export function withoutFiles(
  runs: readonly FileRun[],
  gone: readonly SourceFile[],
): readonly FileRun[] {
  const dropped = new Set(gone);
  return runs
    .map((run) => ({ ...run, files: run.files.filter((file) => !dropped.has(file)) }))
    .filter((run) => run.files.length > 0);
}

/**
 * The run behind `last`, if it is left, else one within the longest stretch of neighbours that are. Without
 * a `last` two who met part again. `runs`: those that are left, at least one, ascending. `chance`: from 0 to 1.
 */
export function nextRun(
  runs: readonly FileRun[],
  last: number | undefined,
  chance: number,
): FileRun {
  const following = runs.find(({ index }) => index - 1 === last);
  if (following !== undefined) return following;
  const { start, end } = longestStretch(runs);
  // Somebody is likely to be walking along it from its beginning.
  const from = start + Math.floor((end - start) / 2);
  return runs[Math.min(end - 1, from + Math.floor((chance * (end - start)) / 2))] as FileRun;
}

function longestStretch(runs: readonly FileRun[]): { start: number; end: number } {
  let longest = { start: 0, end: 0 };
  let start = 0;
  for (let at = 1; at <= runs.length; at++) {
    if (runs[at]?.index === (runs[at - 1]?.index ?? 0) + 1) continue;
    if (at - start > longest.end - longest.start) longest = { start, end: at };
    start = at;
  }
  return longest;
}

/** Where a worker begins: those that are started together apart from each other. */
export function firstRun(
  runs: readonly FileRun[],
  share: { readonly index: number; readonly of: number },
  chance: number,
): FileRun {
  const place = (share.index + (share.of === 1 ? chance : 0)) / share.of;
  return runs[Math.min(runs.length - 1, Math.floor(place * runs.length))] as FileRun;
}
