// The hash side of an equality join: rows of the build side by key, and the pairs that match rows of
// the probe side. Keys must have been cast to the same types on both sides. NULL matches nothing.

import type { Column } from '../../../storage-format/column.ts';
import type { DataType } from '../../../storage-format/data-type.ts';
import { GroupTable } from './group-table.ts';
import { anyNull } from './nulls.ts';

/** Row numbers of both sides, pair by pair, in the order of the probe rows, then of the build rows. */
interface JoinPairs {
  readonly probe: Int32Array;
  readonly build: Int32Array;
}

export class JoinTable {
  readonly #groups: GroupTable;
  /** Build rows of group g: rows[starts[g], starts[g + 1]). */
  readonly #starts: Uint32Array;
  readonly #rows: Int32Array;

  constructor(types: readonly DataType[], columns: readonly Column[], rows: number) {
    this.#groups = new GroupTable(types);
    const groups = this.#groups.add(columns, rows);
    const nulls = anyNull(columns, rows);
    this.#starts = new Uint32Array(this.#groups.size + 1);
    for (let i = 0; i < rows; i++) {
      const next = (groups[i] ?? 0) + 1;
      if (nulls?.[i] !== 1) this.#starts[next] = (this.#starts[next] ?? 0) + 1;
    }
    for (let g = 1; g < this.#starts.length; g++) {
      this.#starts[g] = (this.#starts[g] ?? 0) + (this.#starts[g - 1] ?? 0);
    }
    const at = this.#starts.slice();
    this.#rows = new Int32Array(this.#starts[this.#starts.length - 1] ?? 0);
    for (let i = 0; i < rows; i++) {
      if (nulls?.[i] === 1) continue;
      const group = groups[i] ?? 0;
      this.#rows[at[group] ?? 0] = i;
      at[group] = (at[group] ?? 0) + 1;
    }
  }

  /** With `outer`, a probe row without a match pairs with build row -1. */
  match(columns: readonly Column[], rows: number, outer = false): JoinPairs {
    const groups = this.#groups.find(columns, rows);
    const nulls = anyNull(columns, rows);
    if (nulls !== undefined) for (let i = 0; i < rows; i++) if (nulls[i] === 1) groups[i] = -1;
    let count = 0;
    for (let i = 0; i < rows; i++) count += this.#countOf(groups[i] ?? -1, outer);
    const probe = new Int32Array(count);
    const build = new Int32Array(count).fill(-1);
    let at = 0;
    for (let i = 0; i < rows; i++) {
      const group = groups[i] ?? -1;
      const start = group < 0 ? 0 : (this.#starts[group] ?? 0);
      const end = group < 0 ? 0 : (this.#starts[group + 1] ?? 0);
      if (start === end && outer) probe[at++] = i;
      for (let j = start; j < end; j++) {
        probe[at] = i;
        build[at++] = this.#rows[j] ?? -1;
      }
    }
    return { probe, build };
  }

  bytes(): number {
    return this.#groups.bytes() + this.#starts.byteLength + this.#rows.byteLength;
  }

  #countOf(group: number, outer: boolean): number {
    const count = group < 0 ? 0 : (this.#starts[group + 1] ?? 0) - (this.#starts[group] ?? 0);
    return count === 0 && outer ? 1 : count;
  }
}
