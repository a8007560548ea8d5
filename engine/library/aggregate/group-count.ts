// How many cells an aggregation needs that keeps one per group.

/** One more than the greatest group number. */
export function groupsNeeded(groups: Uint32Array): number {
  let most = -1;
  for (let i = 0; i < groups.length; i++) {
    const group = groups[i] ?? 0;
    if (group > most) most = group;
  }
  return most + 1;
}
