// How many cells an aggregation needs that keeps one per group.

import { consecutiveStart } from '../../../base/consecutive.ts';
import { isOneGroup } from './one-group.ts';

/** One more than the greatest group number. */
export function groupsNeeded(groups: Uint32Array): number {
  if (isOneGroup(groups)) return Math.min(1, groups.length);
  const start = consecutiveStart(groups);
  if (start !== undefined) return groups.length === 0 ? 0 : start + groups.length;
  let most = -1;
  for (let i = 0; i < groups.length; i++) {
    const group = groups[i] ?? 0;
    if (group > most) most = group;
  }
  return most + 1;
}
