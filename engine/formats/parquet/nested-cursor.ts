// A column of structs and lists, taken run by run out of the pages of its leaves. Each leaf becomes a flat
// column, and each list above it offsets: an entry begins an item of a list where its repetition level is
// at most the list's, and there is one where its definition level is at least the list's.

import { defined } from '../../../base/assert.ts';
import { grownArray } from '../../../base/grown-array.ts';
import type { Column } from '../../../storage-format/column.ts';
import { moveValues, oneNull } from './column-cursor.ts';
import type { NestedLeaf, NestedShape } from './nested-schema.ts';
import type { ColumnPage } from './parquet-file.ts';
import type { Sink } from './parquet-values.ts';

interface LeafSource {
  readonly leaf: NestedLeaf;
  readonly pages: Iterable<ColumnPage>;
  readonly newSink: (rows: number) => Sink;
}

interface TakenLeaf {
  readonly values: Column;
  readonly offsets: readonly Uint32Array[];
}

export class NestedCursor {
  readonly #leaves: readonly LeafCursor[];
  readonly #shape: NestedShape;

  constructor(leaves: readonly LeafSource[], shape: NestedShape) {
    this.#leaves = leaves.map((leaf) => new LeafCursor(leaf));
    this.#shape = shape;
  }

  /** The next `rows` rows; throws where the pages end before. */
  take(rows: number): Column {
    const taken = this.#leaves.map((leaf) => leaf.take(rows));
    return assembled(this.#shape, taken, rows);
  }
}

function assembled(shape: NestedShape, taken: readonly TakenLeaf[], rows: number): Column {
  switch (shape.kind) {
    case 'leaf':
      return defined(taken[shape.leaf], 'a leaf').values;
    case 'tuple': {
      const fields = shape.fields.map((field) => assembled(field, taken, rows));
      return { kind: 'tuple', length: rows, fields };
    }
    case 'list': {
      const offsets = defined(taken[shape.leaf]?.offsets[shape.level], 'offsets of a list');
      return { kind: 'array', offsets, items: assembled(shape.item, taken, offsets.at(-1) ?? 0) };
    }
  }
}

class LeafCursor {
  readonly #source: LeafSource;
  readonly #pages: Iterator<ColumnPage>;
  #page: ColumnPage | undefined;
  #entry = 0;
  #value = 0;

  constructor(source: LeafSource) {
    this.#source = source;
    this.#pages = source.pages[Symbol.iterator]();
  }

  take(rows: number): TakenLeaf {
    const { leaf, newSink } = this.#source;
    const sink = newSink(rows);
    const lists = leaf.lists.map((level) => new Offsets(level));
    let begun = 0;
    for (let page = this.#next(); page !== undefined; page = this.#next()) {
      begun = this.#takeFrom(page, { begun, rows, lists, sink });
      if (this.#entry < page.entries) break;
      this.#page = undefined;
      if (begun === rows && lists.length === 0) break;
    }
    if (begun < rows)
      throw new Error(`column '${leaf.path.join('.')}' has ${begun} of ${rows} rows`);
    const isNullable = leaf.node.repetition === 'OPTIONAL';
    return { values: sink.finish(isNullable), offsets: lists.map((list) => list.finish()) };
  }

  #takeFrom(page: ColumnPage, { rows, lists, sink, ...run }: Run): number {
    const { entries, repetition, definition, definitionMax } = page;
    const last = lists.at(-1);
    let { begun } = run;
    let value = this.#value;
    let entry = this.#entry;
    for (; entry < entries; entry++) {
      const repeats = repetition.length === 0 ? 0 : (repetition[entry] as number);
      if (repeats === 0) {
        if (begun === rows) break;
        begun++;
      }
      const defines = definition === undefined ? definitionMax : (definition[entry] as number);
      let parents = begun;
      for (const list of lists) parents = list.add(parents, repeats, defines);
      if (defines === definitionMax) {
        value++;
      } else if (last === undefined || defines >= last.definition) {
        this.#move(page, value, sink);
        sink.addAll(oneNull, 0, 1);
      }
    }
    this.#move(page, value, sink);
    this.#entry = entry;
    return begun;
  }

  #next(): ColumnPage | undefined {
    if (this.#page !== undefined) return this.#page;
    const next = this.#pages.next();
    if (next.done === true) return undefined;
    this.#page = next.value;
    this.#entry = 0;
    this.#value = 0;
    return this.#page;
  }

  #move(page: ColumnPage, end: number, sink: Sink): void {
    moveValues(page, { start: this.#value, end }, sink);
    this.#value = end;
  }
}

interface Run {
  readonly begun: number;
  readonly rows: number;
  readonly lists: readonly Offsets[];
  readonly sink: Sink;
}

/** Where the items of one level of lists end. */
class Offsets {
  readonly #repetition: number;
  readonly definition: number;
  #ends = new Uint32Array(1024);
  #parents = 0;
  #items = 0;

  constructor(level: NestedLeaf['lists'][number]) {
    this.#repetition = level.repetition;
    this.definition = level.definition;
  }

  /** `parents`: items of the level above so far. Returns the items of this one. */
  add(parents: number, repeats: number, defines: number): number {
    if (repeats <= this.#repetition && defines >= this.definition) this.#items++;
    if (parents >= this.#ends.length) this.#ends = grownArray(this.#ends, parents + 1);
    this.#ends[parents] = this.#items;
    this.#parents = parents;
    return this.#items;
  }

  finish(): Uint32Array {
    return this.#ends.slice(0, this.#parents + 1);
  }
}
