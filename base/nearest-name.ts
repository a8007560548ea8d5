// "Did you mean": the nearest known name to one that is unknown.

/** The known name with the least edit distance, if that is small enough to be a slip of the hand. */
export function nearestName(unknown: string, known: Iterable<string>): string | undefined {
  let best: string | undefined;
  let bestDistance = Math.max(1, Math.floor(unknown.length / 3)) + 1;
  for (const name of known) {
    const distance = editDistance(unknown.toLowerCase(), name.toLowerCase());
    if (distance < bestDistance) {
      bestDistance = distance;
      best = name;
    }
  }
  return best;
}

/** The sentence to append to an "unknown X" message; empty when nothing is near. */
export function suggestion(unknown: string, known: Iterable<string>): string {
  const near = nearestName(unknown, known);
  return near === undefined ? '' : `. Maybe you meant: ['${near}']`;
}

/** Insertions, deletions, substitutions and swaps of neighbours (optimal string alignment). */
function editDistance(a: string, b: string): number {
  let before: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const current = [i];
    for (let j = 1; j <= b.length; j++) {
      const substitution = (previous[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      let least = Math.min(substitution, (previous[j] ?? 0) + 1, (current[j - 1] ?? 0) + 1);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        least = Math.min(least, (before[j - 2] ?? 0) + 1);
      }
      current.push(least);
    }
    [before, previous] = [previous, current];
  }
  return previous[b.length] ?? 0;
}
