// The symbolic sets of one query: a graph whose node i is a vector of sets. Operators add nodes;
// nothing is evaluated. When a stage asks, set-batch.ts cuts the graph down to what the questions
// reach. Literal sets have no dictionary until they meet stored ones.

import type { Column } from '../../storage-format/column.ts';
import type { KeyList } from '../../storage-format/key-list.ts';
import type { SetVector } from '../../storage-format/set-vector.ts';
import { assert, defined } from '../../base/assert.ts';
import { consecutiveStart } from '../../base/consecutive.ts';
import { MusterError } from '../../base/errors.ts';
import type { DictionaryRef, FoldHow, PairHow, StripeSource } from '../batch/batch.ts';
import { IdListBuilder } from '../batch/id-list-builder.ts';
import type { IdLists } from '../batch/id-lists.ts';
import { LateLists } from '../batch/late-lists.ts';
import { createInternTable } from '../dictionary/intern-table.ts';
import type { RowsRequest } from './rows-request.ts';

export type SetNodeId = number;

export type SetNode = {
  readonly length: number;
  /** Index into SetGraph.dictionaries; undefined: literals only. */
  readonly dictionary: number | undefined;
  readonly domain: KeyList['domain'];
} & (
  | {
      readonly op: 'stored';
      readonly source: number;
      readonly columnId: number;
      /** Absent: row i is row i of the source. */
      readonly rows?: Int32Array;
    }
  | { readonly op: 'raw'; readonly ids: IdLists }
  /** Made by a fragment, in the workers; row i is of keys[i]. */
  | {
      readonly op: 'grouped';
      readonly made: RowsRequest;
      readonly column: number;
      readonly keys: readonly Column[];
    }
  /** In a worker: sets of its group, which are there. */
  | { readonly op: 'here'; readonly sets: SetVector }
  | { readonly op: 'take'; readonly of: SetNodeId; readonly index: Int32Array }
  | { readonly op: 'concat'; readonly of: readonly SetNodeId[] }
  | {
      readonly op: 'fold';
      readonly how: FoldHow;
      readonly of: SetNodeId;
      readonly offsets: Uint32Array;
      readonly index: Int32Array;
    }
  | { readonly op: 'pair'; readonly how: PairHow; readonly a: SetNodeId; readonly b: SetNodeId }
  | {
      readonly op: 'range';
      readonly of: SetNodeId;
      readonly from: BigUint64Array;
      readonly to: BigUint64Array;
    }
);

interface NamedDictionary {
  /** Tells dictionaries of different namespaces apart. */
  readonly key: string;
  readonly name: string;
  readonly namespace: number;
  readonly ref: DictionaryRef;
}

/** Of each row, a list of rows. */
interface RowLists {
  readonly offsets: Uint32Array;
  readonly index: Int32Array;
}

interface StoredOptions {
  readonly source: number;
  readonly columnId: number;
  readonly dictionary: number;
  readonly length: number;
}

export class SetGraph {
  readonly #nodes: SetNode[] = [];
  readonly #dictionaries: NamedDictionary[] = [];
  readonly #sources: StripeSource[] = [];
  readonly #bound = new Map<string, SetNodeId>();

  get size(): number {
    return this.#nodes.length;
  }

  node(id: SetNodeId): SetNode {
    return defined(this.#nodes[id], `set node ${id}`);
  }

  dictionary(index: number): NamedDictionary {
    return defined(this.#dictionaries[index], `dictionary ${index}`);
  }

  source(index: number): StripeSource {
    return defined(this.#sources[index], `source ${index}`);
  }

  addDictionary(dictionary: NamedDictionary): number {
    const known = this.#dictionaries.findIndex((one) => one.key === dictionary.key);
    return known >= 0 ? known : this.#dictionaries.push(dictionary) - 1;
  }

  addSource(source: StripeSource): number {
    return this.#sources.push(source) - 1;
  }

  stored(options: StoredOptions): SetNodeId {
    const { domain } = this.dictionary(options.dictionary).ref;
    return this.#add({ op: 'stored', ...options, domain });
  }

  raw(ids: IdLists): SetNodeId {
    const isLate = ids instanceof LateLists;
    const length = isLate ? ids.rows : ids.offsets.length - 1;
    const domain = isLate ? ids.domain : ids.keys.domain;
    return this.#add({ op: 'raw', ids, length, dictionary: undefined, domain });
  }

  grouped(options: {
    readonly made: RowsRequest;
    readonly column: number;
    readonly keys: readonly Column[];
    readonly dictionary: number;
    readonly length: number;
  }): SetNodeId {
    const { domain } = this.dictionary(options.dictionary).ref;
    return this.#add({ op: 'grouped', ...options, domain });
  }

  here(sets: SetVector, dictionary: number): SetNodeId {
    const { domain } = this.dictionary(dictionary).ref;
    return this.#add({ op: 'here', sets, length: sets.length, dictionary, domain });
  }

  /** The same sets, literals bound to a dictionary. NOT_IMPLEMENTED for those of another one. */
  bound(id: SetNodeId, dictionary: number): SetNodeId {
    const own = this.node(id).dictionary;
    if (own !== undefined && own !== dictionary) throw this.#differ(dictionary, own);
    return this.#bind(id, dictionary);
  }

  /** -1 is the empty set. */
  take(of: SetNodeId, index: Int32Array): SetNodeId {
    const node = this.node(of);
    const length = index.length;
    if (isIdentity(index, node.length)) return of;
    if (node.op === 'take')
      return this.#add({ ...node, index: compose(node.index, index), length });
    if (node.op === 'stored') {
      const rows = node.rows === undefined ? index : compose(node.rows, index);
      return this.#add({ ...node, rows, length });
    }
    const { dictionary, domain } = node;
    return this.#add({ op: 'take', of, index, length, dictionary, domain });
  }

  concat(of: readonly SetNodeId[]): SetNodeId {
    if (of.length === 1) return of[0]!;
    const bound = this.#unify(of);
    const length = bound.reduce((sum, id) => sum + this.node(id).length, 0);
    const { dictionary, domain } = this.node(bound[0]!);
    return this.#add({ op: 'concat', of: bound, length, dictionary, domain });
  }

  /**
   * Row i folds rows index[offsets[i], offsets[i + 1]) of `of`. Folds of folds of one kind become one
   * fold, so that sets in between are never made.
   */
  fold(how: FoldHow, of: SetNodeId, lists: RowLists): SetNodeId {
    const { offsets, index } = lists;
    const length = offsets.length - 1;
    if (index.length === length && isEveryListSingle(offsets)) return this.take(of, index);
    const node = this.node(of);
    if (how !== 'and' && node.op === 'take') {
      return this.fold(how, node.of, mapLists(lists, node.index));
    }
    if (how !== 'and' && node.op === 'fold' && node.how === how) {
      return this.fold(how, node.of, flattenLists(lists, node));
    }
    const { dictionary, domain } = node;
    return this.#add({ op: 'fold', how, of, offsets, index, length, dictionary, domain });
  }

  pair(how: PairHow, a: SetNodeId, b: SetNodeId): SetNodeId {
    const [left, right] = this.#unify([a, b]) as [SetNodeId, SetNodeId];
    const { length, dictionary, domain } = this.node(left);
    assert(this.node(right).length === length, 'both sides of a pair have as many sets');
    return this.#add({ op: 'pair', how, a: left, b: right, length, dictionary, domain });
  }

  range(of: SetNodeId, from: BigUint64Array, to: BigUint64Array): SetNodeId {
    const { length, dictionary, domain } = this.node(of);
    return this.#add({ op: 'range', of, from, to, length, dictionary, domain });
  }

  /** The ids of sets that are literals, without asking anybody; undefined for all others. */
  literalIds(id: SetNodeId): IdLists | undefined {
    const node = this.node(id);
    switch (node.op) {
      case 'raw':
        return node.ids;
      case 'take': {
        const of = this.literalIds(node.of);
        return of === undefined ? undefined : takeLists(of, node.index);
      }
      case 'concat': {
        const parts: IdLists[] = [];
        for (const one of node.of) {
          const ids = this.literalIds(one);
          if (ids === undefined) return undefined;
          parts.push(ids);
        }
        return concatLists(parts, node.domain);
      }
      case 'fold': {
        const of = node.how === 'or' ? this.literalIds(node.of) : undefined;
        return of === undefined ? undefined : unitedLists(of, node);
      }
      default:
        return undefined;
    }
  }

  #add(node: SetNode): SetNodeId {
    return this.#nodes.push(node) - 1;
  }

  /** The same nodes, literals bound to the one dictionary of the others. */
  #unify(ids: readonly SetNodeId[]): readonly SetNodeId[] {
    let dictionary: number | undefined;
    for (const id of ids) {
      const own = this.node(id).dictionary;
      if (own === undefined) continue;
      if (dictionary !== undefined && dictionary !== own) throw this.#differ(dictionary, own);
      dictionary = own;
    }
    if (dictionary === undefined) return ids;
    return ids.map((id) => this.#bind(id, dictionary));
  }

  #bind(id: SetNodeId, dictionary: number): SetNodeId {
    const node = this.node(id);
    if (node.dictionary !== undefined) return id;
    const key = `${id} ${dictionary}`;
    const known = this.#bound.get(key);
    if (known !== undefined) return known;
    const bound = this.#add(this.#rebind({ ...node, dictionary }, dictionary));
    this.#bound.set(key, bound);
    return bound;
  }

  #rebind(node: SetNode, dictionary: number): SetNode {
    switch (node.op) {
      case 'take':
      case 'fold':
      case 'range':
        return { ...node, of: this.#bind(node.of, dictionary) };
      case 'concat':
        return { ...node, of: node.of.map((one) => this.#bind(one, dictionary)) };
      case 'pair':
        return { ...node, a: this.#bind(node.a, dictionary), b: this.#bind(node.b, dictionary) };
      default:
        return node;
    }
  }

  #differ(a: number, b: number): MusterError {
    return new MusterError(
      'NOT_IMPLEMENTED',
      `Sets of two dictionaries can't be combined: '${this.dictionary(a).name}' and '${this.dictionary(b).name}'`,
    );
  }
}

/** Lists one after another, over keys of their own. */
function concatLists(parts: readonly IdLists[], domain: KeyList['domain']): IdLists {
  const table = createInternTable(domain);
  const rows = parts.reduce((sum, { offsets }) => sum + offsets.length - 1, 0);
  const lists = new IdListBuilder();
  let row = 0;
  for (const { keys, offsets, ordinals } of parts) {
    const own = new Uint32Array(keys.values.length);
    table.intern(keys, own);
    for (let r = 0; r + 1 < offsets.length; r++, row++) {
      const end = offsets[r + 1] as number;
      for (let i = offsets[r] as number; i < end; i++) lists.push(row, own[ordinals[i]!]!);
    }
  }
  return lists.finish(rows, table.keys());
}

/** Row i of the result is the union of the lists that `lists` has for it. */
function unitedLists(ids: IdLists, { offsets, index }: RowLists): IdLists {
  const united = new IdListBuilder();
  for (let row = 0; row + 1 < offsets.length; row++) {
    const end = offsets[row + 1] as number;
    for (let i = offsets[row] as number; i < end; i++) {
      const of = index[i] as number;
      if (of < 0) continue;
      const last = ids.offsets[of + 1] as number;
      for (let j = ids.offsets[of] as number; j < last; j++) united.push(row, ids.ordinals[j]!);
    }
  }
  return united.finish(offsets.length - 1, ids.keys);
}

/** Row i of the result is list index[i]; -1 is the empty list. */
export function takeLists(ids: IdLists, index: Int32Array): IdLists {
  const offsets = new Uint32Array(index.length + 1);
  let total = 0;
  for (let i = 0; i < index.length; i++) {
    const row = index[i] as number;
    if (row >= 0) total += (ids.offsets[row + 1] as number) - (ids.offsets[row] as number);
    offsets[i + 1] = total;
  }
  const ordinals = new Uint32Array(total);
  for (let i = 0; i < index.length; i++) {
    const row = index[i] as number;
    if (row < 0) continue;
    const list = ids.ordinals.subarray(ids.offsets[row], ids.offsets[row + 1]);
    ordinals.set(list, offsets[i]);
  }
  return { keys: ids.keys, offsets, ordinals };
}

/** Rows through an index; those that it maps to the empty set are left out. */
function mapLists({ offsets, index }: RowLists, through: Int32Array): RowLists {
  const mapped = new Int32Array(index.length);
  const ends = new Uint32Array(offsets.length);
  let count = 0;
  for (let row = 0; row + 1 < offsets.length; row++) {
    const end = offsets[row + 1] as number;
    for (let i = offsets[row] as number; i < end; i++) {
      const at = through[index[i] as number] as number;
      if (at >= 0) mapped[count++] = at;
    }
    ends[row + 1] = count;
  }
  return { offsets: ends, index: mapped.slice(0, count) };
}

/** Each listed row replaced by the rows that it lists itself. */
function flattenLists({ offsets, index }: RowLists, inner: RowLists): RowLists {
  let total = 0;
  for (let i = 0; i < index.length; i++) {
    const row = index[i] as number;
    total += (inner.offsets[row + 1] as number) - (inner.offsets[row] as number);
  }
  const flat = new Int32Array(total);
  const ends = new Uint32Array(offsets.length);
  let count = 0;
  for (let row = 0; row + 1 < offsets.length; row++) {
    const end = offsets[row + 1] as number;
    for (let i = offsets[row] as number; i < end; i++) {
      const listed = index[i] as number;
      const last = inner.offsets[listed + 1] as number;
      for (let j = inner.offsets[listed] as number; j < last; j++) {
        flat[count++] = inner.index[j] as number;
      }
    }
    ends[row + 1] = count;
  }
  return { offsets: ends, index: flat };
}

function compose(rows: Int32Array, index: Int32Array): Int32Array {
  const start = consecutiveStart(index);
  if (start !== undefined) return rows.subarray(start, start + index.length);
  const out = new Int32Array(index.length);
  for (let i = 0; i < index.length; i++) {
    const at = index[i] as number;
    out[i] = at < 0 ? -1 : (rows[at] as number);
  }
  return out;
}

/** Whether these are all rows of a node of `length` rows, in order. */
export function isIdentity(index: Int32Array, length: number): boolean {
  if (index.length !== length) return false;
  if (consecutiveStart(index) === 0) return true;
  for (let i = 0; i < length; i++) if (index[i] !== i) return false;
  return true;
}

function isEveryListSingle(offsets: Uint32Array): boolean {
  if (consecutiveStart(offsets) === 0) return true;
  for (let i = 0; i < offsets.length; i++) if (offsets[i] !== i) return false;
  return true;
}
