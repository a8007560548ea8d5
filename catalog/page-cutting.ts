// Cuts runs of rows and of references into pages of bounded size, writes them, and gives their
// references. A single row may exceed the bound: it has a page to itself.

import { ByteWriter } from '../base/byte-writer.ts';
import { inChunks } from './chunks.ts';
import type { CatalogLimits } from './limits.ts';
import {
  encodeInner,
  encodeLeaf,
  encodeRefs,
  type InnerPage,
  type Page,
  type PageRef,
  type PartitionValue,
} from './page.ts';
import type { PageStore } from './page-store.ts';
import { type Row, sortKeyOf } from './row.ts';

const partitionsMax = 16;
const partitionsCharsMax = 512;

export interface TreeEditor {
  readonly pages: PageStore;
  readonly limits: CatalogLimits;
  /** Told the upload date of each page written. */
  readonly onWrite: (date: number) => void;
}

export interface CutOptions {
  /** Rows come at the end: fill pages whole. Otherwise halves, so that the next one fits too. */
  readonly appending: boolean;
}

/** Rows are ascending; each page gets rows of one space. */
export async function cutLeaves(
  editor: TreeEditor,
  rows: readonly Row[],
  options: CutOptions,
): Promise<PageRef[]> {
  const { leafRowsMax, leafBytesMax } = editor.limits;
  const pieces = runsOfSpace(rows).flatMap((run) =>
    cut(run, options, (some) => {
      const bytes = encodeLeaf((some[0] as Row).space, some);
      return { bytes, fill: Math.max(some.length / leafRowsMax, bytes.length / leafBytesMax) };
    }),
  );
  return inChunks(pieces, ({ items, bytes }) => writeLeaf(editor, items, bytes));
}

/** The pages that hold `page.refs`, one level up. */
export async function cutInner(
  editor: TreeEditor,
  page: InnerPage,
  options: CutOptions,
): Promise<PageRef[]> {
  if (page.refs.length === 0) return [];
  const pieces = cut(page.refs, options, (refs) => {
    const bytes = encodeInner({ level: page.level, refs });
    // A page of one reference would never let the tree get narrower.
    const fill = refs.length <= 2 ? 0 : bytes.length / editor.limits.innerBytesMax;
    return { bytes, fill };
  });
  return inChunks(pieces, ({ items, bytes }) =>
    writeInner(editor, { level: page.level, refs: items }, bytes),
  );
}

/** As bytes of a root or an inner page. */
export function refsBytes(refs: readonly PageRef[]): number {
  const writer = new ByteWriter(4096);
  encodeRefs(writer, { level: 0, refs });
  return writer.length;
}

interface Piece<T> {
  readonly items: readonly T[];
  readonly bytes: Uint8Array;
}

function cut<T>(
  items: readonly T[],
  options: CutOptions,
  measure: (items: readonly T[]) => { readonly bytes: Uint8Array; readonly fill: number },
): Piece<T>[] {
  const { bytes, fill } = measure(items);
  if (fill <= 1 || items.length === 1) return [{ items, bytes }];
  const whole = Math.max(1, Math.floor(items.length / fill));
  const each = options.appending ? whole : Math.ceil(items.length / Math.ceil(fill));
  const size = Math.min(each, items.length - 1);
  const pieces: Piece<T>[] = [];
  for (let start = 0; start < items.length; start += size) {
    pieces.push(...cut(items.slice(start, start + size), options, measure));
  }
  return pieces;
}

function runsOfSpace(rows: readonly Row[]): Row[][] {
  const runs: Row[][] = [];
  for (const row of rows) {
    const run = runs.at(-1);
    if (run?.[0]?.space === row.space) run.push(row);
    else runs.push([row]);
  }
  return runs;
}

async function writeLeaf(
  editor: TreeEditor,
  rows: readonly Row[],
  bytes: Uint8Array,
): Promise<PageRef> {
  const first = rows[0] as Row;
  const written = await write(editor, { kind: 'leaf', space: first.space, rows }, bytes);
  let keyMin: string | undefined;
  let keyMax = '';
  let partBytes = 0;
  const partitions = new Map<string, PartitionValue>();
  for (const row of rows) {
    if (row.space === 'segment') partBytes += row.value.place.bytes;
    if (row.space !== 'stripe') continue;
    const { table, partition, parts } = row.value;
    for (const part of parts) partBytes += part.bytes;
    if (keyMin === undefined || row.value.keyMin < keyMin) keyMin = row.value.keyMin;
    if (row.value.keyMax > keyMax) keyMax = row.value.keyMax;
    partitions.set(`${table} ${partition}`, { table, partition });
  }
  return {
    ...written,
    rows: rows.length,
    partBytes,
    first: sortKeyOf(first),
    last: sortKeyOf(rows.at(-1) as Row),
    keyMin: keyMin ?? '',
    keyMax,
    partitions: fewPartitions([...partitions.values()]),
  };
}

async function writeInner(
  editor: TreeEditor,
  page: InnerPage,
  bytes: Uint8Array,
): Promise<PageRef> {
  const { refs } = page;
  const written = await write(editor, { kind: 'inner', ...page }, bytes);
  const withStripes = refs.filter((ref) => ref.first.space === 'stripe');
  const known = refs.map((ref) => ref.partitions);
  const partitions = new Map<string, PartitionValue>();
  for (const value of known.flatMap((values) => values ?? [])) {
    partitions.set(`${value.table} ${value.partition}`, value);
  }
  return {
    ...written,
    rows: refs.reduce((sum, ref) => sum + ref.rows, 0),
    partBytes: refs.reduce((sum, ref) => sum + ref.partBytes, 0),
    first: (refs[0] as PageRef).first,
    last: (refs.at(-1) as PageRef).last,
    keyMin: withStripes.reduce(
      (min, { keyMin }) => (keyMin < min ? keyMin : min),
      withStripes[0]?.keyMin ?? '',
    ),
    keyMax: withStripes.reduce((max, { keyMax }) => (keyMax > max ? keyMax : max), ''),
    partitions: known.includes(undefined) ? undefined : fewPartitions([...partitions.values()]),
  };
}

async function write(editor: TreeEditor, page: Page, bytes: Uint8Array) {
  const { date, ...written } = await editor.pages.write(page, bytes);
  editor.onWrite(date);
  return written;
}

function fewPartitions(values: readonly PartitionValue[]): PageRef['partitions'] {
  const chars = values.reduce((sum, { partition }) => sum + partition.length, 0);
  return values.length <= partitionsMax && chars <= partitionsCharsMax ? values : undefined;
}
