// Sets that a fragment has made of a group's rows, and that stay in the worker: made once in an invocation,
// and kept for the dispatch that asks about them, which may come to another worker and make them again.

import { assert, defined } from '../../base/assert.ts';
import { NoSets, type SetVector, TakenSets } from '../../storage-format/set-vector.ts';
import type { Batch, Fragment, PlacedWork, Slice } from '../batch/batch.ts';
import { isWholeGroup } from '../batch/slices.ts';
import { GroupTable } from '../library/columns/group-table.ts';
import type { GroupedRows } from './grouped-rows.ts';
import { RestrictedSets } from './restricted-sets.ts';
import type { GroupedColumn } from './set-evaluator.ts';
import type { WorkerCaches } from './worker-environment.ts';

type PlacedFragment = Fragment & { readonly placed: PlacedWork };

/** Of an entry without groups, so that many such are bounded too. */
const entryBytes = 512;

/** Makes what a fragment makes of a group. */
type Make = (fragment: PlacedFragment, group: number) => Promise<GroupedRows>;

export class GroupedSets {
  readonly #batch: Batch;
  readonly #kept: WorkerCaches['groups'];
  readonly #make: Make;
  readonly #making = new Map<string, Promise<GroupedRows>>();

  constructor(batch: Batch, kept: WorkerCaches['groups'], make: Make) {
    this.#batch = batch;
    this.#kept = kept;
    this.#make = make;
  }

  /** Of the rows of a group. */
  async groups(fragment: Fragment, group: number): Promise<GroupedRows> {
    const { placed } = fragment;
    assert(placed?.stay !== undefined, 'a fragment whose sets stay');
    const name = `${placed.stay}/${group}`;
    const known = this.#kept.get(name) ?? this.#making.get(name);
    if (known !== undefined) return await known;
    const made = this.#make({ ...fragment, placed }, group);
    this.#making.set(name, made);
    const rows = await made;
    this.#kept.set(name, rows, rows.bytes + entryBytes);
    return rows;
  }

  /** Row i is the set of keys[i]; where the slice's group has no such rows, it is empty. */
  async sets(column: GroupedColumn, slice: Slice): Promise<SetVector> {
    const fragment = defined(this.#batch.fragments[column.fragment], 'a fragment');
    const { nodes } = defined(fragment.placed, 'rows that are worked off');
    const made = await this.groups(fragment, slice.group);
    const sets = made.sets.get(column.column);
    if (made.rows === 0 || sets === undefined) return new NoSets(column.length);
    const whole = new TakenSets(sets, placesOf(column, made, nodes[nodes.length - 1]!.types));
    return isWholeGroup(slice) ? whole : new RestrictedSets(whole, slice.codes);
  }
}

/** Where each row's key is among those of the group; -1: it isn't. */
function placesOf(
  { keys, length }: GroupedColumn,
  made: GroupedRows,
  types: PlacedWork['nodes'][number]['types'],
): Int32Array {
  const table = new GroupTable(types.slice(0, keys.length));
  const own = keys.map((_, i) => defined(made.columns[i], 'a key'));
  const numbers = table.add(own, made.rows);
  const rowOf = new Int32Array(made.rows);
  numbers.forEach((number, row) => (rowOf[number] = row));
  return table.find(keys, length).map((number) => (number < 0 ? -1 : rowOf[number]!));
}
