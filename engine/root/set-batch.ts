// From the query's set graph and the questions of one stage to a batch: only nodes that a question
// reaches, and of those only the rows that are needed. Rows are renumbered on the way; questions
// always need all rows of their node.

import { assertNever, defined } from '../../base/assert.ts';
import { consecutive, firstAtLeast } from '../../base/consecutive.ts';
import {
  type Ask,
  type Batch,
  batchFormat,
  type DictionaryRef,
  type Fragment,
  type SetColumn,
  type StripeSource,
} from '../batch/batch.ts';
import type { KeyDomain } from '../../storage-format/key-list.ts';
import type { IdLists } from '../batch/id-lists.ts';
import { plainLists } from '../batch/late-lists.ts';
import { take } from '../library/columns/take.ts';
import { TakenSets } from '../../storage-format/set-vector.ts';
import { type RowsRequest, shifted, withPlaces, withRows } from './rows-request.ts';
import { isIdentity, type SetGraph, type SetNode, type SetNodeId, takeLists } from './set-graph.ts';

interface BatchHeader {
  readonly namespace: number;
  readonly queryId: string;
  readonly deadline: number;
}

export type SetAsk = Exclude<Ask, { readonly ask: 'rows' }>;

/** `asks` refer to nodes of the graph; the batch's to its own. */
export function buildBatch(graph: SetGraph, asks: readonly SetAsk[], header: BatchHeader): Batch {
  return new BatchBuilder(graph).build(asks, [], header);
}

/** The same, and after its asks one about the rows of each request. */
export function buildRowsBatch(
  graph: SetGraph,
  asked: { readonly asks: readonly SetAsk[]; readonly requests: readonly RowsRequest[] },
  header: BatchHeader,
): Batch {
  const builder = new BatchBuilder(graph);
  const sets = asked.requests.flatMap((request) => request.sets ?? []);
  const batch = builder.build(asked.asks, sets, header);
  return withRows(
    batch,
    asked.requests.map((request) => withPlaces(request, (id) => builder.place(id))),
  );
}

/** Rows of a node that are needed: all, or a mask with the new numbers of marked rows. */
type Need = 'all' | { readonly mask: Uint8Array; rows: Int32Array; renumbered: Int32Array };

class BatchBuilder {
  readonly #graph: SetGraph;
  readonly #needs = new Map<SetNodeId, Need>();
  readonly #columns: SetColumn[] = [];
  readonly #placed = new Map<SetNodeId, number>();
  readonly #dictionaries: DictionaryRef[] = [];
  readonly #dictionaryPlaces = new Map<number | string, number>();
  readonly #sources: StripeSource[] = [];
  readonly #fragments: Fragment[] = [];
  readonly #fragmentPlaces = new Map<RowsRequest, number>();
  readonly #sourcePlaces = new Map<number, number>();

  constructor(graph: SetGraph) {
    this.#graph = graph;
  }

  build(asks: readonly SetAsk[], kept: readonly SetNodeId[], header: BatchHeader): Batch {
    let last = -1;
    for (const of of [...asks.map((ask) => ask.of), ...kept]) {
      this.#needs.set(of, 'all');
      last = Math.max(last, of);
    }
    for (let id = last; id >= 0; id--) {
      const need = this.#needs.get(id);
      if (need === undefined) continue;
      const settled = settle(need);
      this.#needs.set(id, settled);
      this.#needBelow(this.#graph.node(id), settled);
    }
    for (let id = 0; id <= last; id++) {
      const need = this.#needs.get(id);
      if (need === undefined) continue;
      this.#placed.set(id, this.#columns.push(this.#column(this.#graph.node(id), need)) - 1);
    }
    return {
      format: batchFormat,
      ...header,
      sources: this.#sources,
      dictionaries: this.#dictionaries,
      sets: this.#columns,
      fragments: this.#fragments,
      asks: asks.map((ask) => ({ ...ask, of: this.place(ask.of) })),
    };
  }

  #needBelow(node: SetNode, need: Need): void {
    switch (node.op) {
      case 'stored':
      case 'raw':
      case 'here':
        return;
      case 'grouped':
        for (const set of node.made.sets ?? []) this.#needs.set(set, 'all');
        return;
      case 'take':
        this.#needRows(node.of, need === 'all' ? node.index : gather(node.index, need.rows));
        return;
      case 'concat':
        this.#needConcat(node.of, need);
        return;
      case 'fold':
        this.#needRows(node.of, foldRows(node, need).index);
        return;
      case 'pair':
        this.#needSame(node.a, need);
        this.#needSame(node.b, need);
        return;
      case 'range':
        this.#needSame(node.of, need);
        return;
      default:
        assertNever(node);
    }
  }

  #needSame(id: SetNodeId, need: Need): void {
    if (need === 'all') this.#needs.set(id, 'all');
    else this.#needRows(id, need.rows);
  }

  #needRows(id: SetNodeId, rows: Int32Array): void {
    const known = this.#needs.get(id);
    if (known === 'all') return;
    const { length } = this.#graph.node(id);
    if (isIdentity(rows, length)) {
      this.#needs.set(id, 'all');
      return;
    }
    const mask = known?.mask ?? new Uint8Array(length);
    for (let i = 0; i < rows.length; i++) if ((rows[i] as number) >= 0) mask[rows[i] as number] = 1;
    const none = new Int32Array(0);
    if (known === undefined) this.#needs.set(id, { mask, rows: none, renumbered: none });
  }

  #needConcat(of: readonly SetNodeId[], need: Need): void {
    let start = 0;
    for (const id of of) {
      const { length } = this.#graph.node(id);
      if (need === 'all') this.#needs.set(id, 'all');
      else this.#needRows(id, rowsWithin(need.rows, start, start + length));
      start += length;
    }
  }

  #column(node: SetNode, need: Need): SetColumn {
    switch (node.op) {
      case 'stored':
        return {
          op: 'stored',
          dictionary: this.#dictionary(node),
          source: this.#source(node.source),
          columnId: node.columnId,
          rows: storedRows(node, need),
        };
      case 'raw': {
        const ids = need === 'all' ? plainLists(node.ids) : takeLists(node.ids, need.rows);
        return { op: 'raw', dictionary: this.#dictionary(node), ids: compactKeys(ids) };
      }
      case 'grouped':
        return this.#grouped(node, need);
      case 'here': {
        const sets = need === 'all' ? node.sets : new TakenSets(node.sets, need.rows);
        return { op: 'here', dictionary: this.#dictionary(node), sets };
      }
      case 'take': {
        const index = need === 'all' ? node.index : gather(node.index, need.rows);
        return { op: 'take', of: this.place(node.of), index: this.#renumber(node.of, index) };
      }
      case 'concat':
        return { op: 'concat', of: this.#concatParts(node.of, need) };
      case 'fold': {
        const { offsets, index } = foldRows(node, need);
        const { how } = node;
        return {
          op: 'fold',
          how,
          of: this.place(node.of),
          offsets,
          index: this.#renumber(node.of, index),
        };
      }
      case 'pair':
        return this.#pair(node, need);
      default: {
        const of = this.#aligned(node.of, need);
        const [from, to] =
          need === 'all'
            ? [node.from, node.to]
            : [node.from, node.to].map((all) => gatherWide(all, need.rows));
        return { op: 'range', of, from: from!, to: to! };
      }
    }
  }

  #grouped(node: Extract<SetNode, { op: 'grouped' }>, need: Need): SetColumn {
    const { column, keys, length } = node;
    const rows = need === 'all' ? undefined : need.rows;
    return {
      op: 'grouped',
      dictionary: this.#dictionary(node),
      fragment: this.#fragment(node.made),
      column,
      keys: rows === undefined ? keys : keys.map((key) => take(key, rows)),
      length: rows?.length ?? length,
    };
  }

  #fragment(made: RowsRequest): number {
    const known = this.#fragmentPlaces.get(made);
    if (known !== undefined) return known;
    const request = withPlaces(made, (id) => this.place(id));
    const base = this.#dictionaries.length;
    this.#dictionaries.push(...(made.dictionaries ?? []));
    const source = this.#sources.push(made.source) - 1;
    const place = this.#fragments.push({ ...shifted(request.fragment, base), source }) - 1;
    this.#fragmentPlaces.set(made, place);
    return place;
  }

  #concatParts(of: readonly SetNodeId[], need: Need): readonly number[] {
    if (need === 'all') return of.map((id) => this.place(id));
    let start = 0;
    return of.map((id) => {
      const { length } = this.#graph.node(id);
      const rows = rowsWithin(need.rows, start, start + length);
      start += length;
      return this.#aligned(id, { ...need, rows });
    });
  }

  #pair(node: Extract<SetNode, { op: 'pair' }>, need: Need): SetColumn {
    return {
      op: 'pair',
      how: node.how,
      a: this.#aligned(node.a, need),
      b: this.#aligned(node.b, need),
    };
  }

  /** A node of exactly the needed rows, in order: operands of one row-wise node must line up. */
  #aligned(id: SetNodeId, need: Need): number {
    const own = this.#needs.get(id);
    if (need === 'all' || own === undefined) return this.place(id);
    if (own !== 'all' && own.rows.length === need.rows.length) return this.place(id);
    const index = this.#renumber(id, need.rows);
    return this.#columns.push({ op: 'take', of: this.place(id), index }) - 1;
  }

  #renumber(of: SetNodeId, index: Int32Array): Int32Array {
    const need = defined(this.#needs.get(of), 'rows needed of a node');
    if (need === 'all') return index;
    const out = new Int32Array(index.length);
    for (let i = 0; i < index.length; i++) {
      const row = index[i] as number;
      out[i] = row < 0 ? -1 : (need.renumbered[row] as number);
    }
    return out;
  }

  place(id: SetNodeId): number {
    return defined(this.#placed.get(id), `place of set node ${id}`);
  }

  #dictionary(node: SetNode): number {
    const key = node.dictionary ?? node.domain;
    const known = this.#dictionaryPlaces.get(key);
    if (known !== undefined) return known;
    const ref =
      node.dictionary === undefined
        ? literalDictionary(node.domain)
        : this.#graph.dictionary(node.dictionary).ref;
    const place = this.#dictionaries.push(ref) - 1;
    this.#dictionaryPlaces.set(key, place);
    return place;
  }

  #source(index: number): number {
    const known = this.#sourcePlaces.get(index);
    if (known !== undefined) return known;
    const place = this.#sources.push(this.#graph.source(index)) - 1;
    this.#sourcePlaces.set(index, place);
    return place;
  }
}

/** Of sets that meet no stored set: nobody knows their ids, so that each is in one group's last range. */
function literalDictionary(domain: KeyDomain): DictionaryRef {
  return { dictionary: 0, domain, groups: 1, nextCodes: [0], segments: [] };
}

/** All users of a node are known: its marked rows get their numbers, unless they are all of them. */
function settle(need: Need): Need {
  if (need === 'all') return need;
  const { mask } = need;
  let count = 0;
  for (let i = 0; i < mask.length; i++) count += mask[i] as number;
  if (count === mask.length) return 'all';
  const rows = new Int32Array(count);
  const renumbered = new Int32Array(mask.length);
  let at = 0;
  for (let i = 0; i < mask.length; i++) {
    if (mask[i] === 0) continue;
    renumbered[i] = at;
    rows[at++] = i;
  }
  need.rows = rows;
  need.renumbered = renumbered;
  return need;
}

function storedRows(node: Extract<SetNode, { op: 'stored' }>, need: Need): Int32Array {
  if (need !== 'all') return node.rows === undefined ? need.rows : gather(node.rows, need.rows);
  if (node.rows !== undefined) return node.rows;
  return consecutive(0, node.length);
}

function foldRows(
  node: Extract<SetNode, { op: 'fold' }>,
  need: Need,
): { readonly offsets: Uint32Array; readonly index: Int32Array } {
  if (need === 'all') return node;
  const offsets = new Uint32Array(need.rows.length + 1);
  const lists = Array.from(need.rows, (row) =>
    node.index.subarray(node.offsets[row], node.offsets[row + 1]),
  );
  lists.forEach((list, i) => {
    offsets[i + 1] = (offsets[i] as number) + list.length;
  });
  const index = new Int32Array(offsets[lists.length] as number);
  lists.forEach((list, i) => index.set(list, offsets[i]));
  return { offsets, index };
}

/** Keys that no list holds are left out. */
function compactKeys(ids: IdLists): IdLists {
  const count = ids.keys.values.length;
  const used = new Uint8Array(count);
  for (let i = 0; i < ids.ordinals.length; i++) used[ids.ordinals[i] as number] = 1;
  const kept: number[] = [];
  const renumbered = new Uint32Array(count);
  for (let i = 0; i < count; i++) {
    if (used[i] === 0) continue;
    renumbered[i] = kept.length;
    kept.push(i);
  }
  if (kept.length === count) return ids;
  const { keys } = ids;
  return {
    offsets: ids.offsets,
    ordinals: ids.ordinals.map((ordinal) => renumbered[ordinal] as number),
    keys:
      keys.domain !== 'integer'
        ? { domain: keys.domain, values: kept.map((i) => keys.values[i]!) }
        : { domain: 'integer', values: BigUint64Array.from(kept, (i) => keys.values[i]!) },
  };
}

function gather(values: Int32Array, rows: Int32Array): Int32Array {
  const out = new Int32Array(rows.length);
  for (let i = 0; i < rows.length; i++) out[i] = values[rows[i] as number] as number;
  return out;
}

function gatherWide(values: BigUint64Array, rows: Int32Array): BigUint64Array {
  const out = new BigUint64Array(rows.length);
  for (let i = 0; i < rows.length; i++) out[i] = values[rows[i] as number]!;
  return out;
}

function rowsWithin(rows: Int32Array, start: number, end: number): Int32Array {
  const inside = rows.subarray(firstAtLeast(rows, start), firstAtLeast(rows, end));
  return start === 0 ? inside : inside.map((row) => row - start);
}
