// Which column of the table, or of input(), each column of a file is, by names, by upper and lower
// case, or by position; and what the person must know about that.

import { UsageError } from '../exit-codes.ts';
import { bareType, isBitmap, type NamedColumn, suggestedType } from './column-types.ts';
import { inputSelect } from './input-select.ts';
import { columnsOfStructure } from './structure-text.ts';

interface Mapped {
  readonly names: readonly string[] | undefined;
  readonly select?: string;
  readonly notes: readonly string[];
}

/** Names of a header become the table's: by name, else by upper and lower case, else by position. */
export function mapToTable(
  names: readonly string[] | undefined,
  columns: readonly NamedColumn[],
): Mapped {
  if (names === undefined) return { names, notes: [] };
  const mapped = names.map((name) => columnNamed(columns, name)?.name);
  const ours = columns.map(({ name }) => name);
  if (mapped.every((name) => name === undefined)) {
    if (names.length === columns.length) {
      return {
        names: ours,
        notes: [`its columns ${names.join(', ')} are taken by position, as ${ours.join(', ')}`],
      };
    }
    throw nothingKnown(names, ours);
  }
  return { names: names.map((name, i) => mapped[i] ?? name), notes: leftOver(names, mapped, ours) };
}

/** What is said of JSON's keys, which the engine takes as they are written. */
export function notesOnKeys(
  keys: readonly string[],
  columns: readonly NamedColumn[],
): readonly string[] {
  const ours = columns.map(({ name }) => name);
  if (keys.length === 0) return [];
  if (!keys.some((key) => ours.includes(key))) throw nothingKnown(keys, ours);
  const mapped = keys.map((key) => (ours.includes(key) ? key : undefined));
  return leftOver(keys, mapped, ours);
}

function leftOver(
  names: readonly string[],
  mapped: readonly (string | undefined)[],
  ours: readonly string[],
): readonly string[] {
  const unknown = names.filter((_, i) => mapped[i] === undefined).join(', ');
  const missing = ours.filter((name) => !mapped.includes(name)).join(', ');
  return [
    ...(unknown === '' ? [] : [`left out, for the table has no such column: ${unknown}`]),
    ...(missing === '' ? [] : [`not in the file, so they keep their defaults: ${missing}`]),
  ];
}

/** Rows of nothing but defaults are never what was meant. */
function nothingKnown(theirs: readonly string[], ours: readonly string[]): UsageError {
  return new UsageError(
    `None of the file's columns (${theirs.join(', ')}) is one of the table's ` +
      `(${ours.join(', ')}): say with --select how they become rows.`,
  );
}

function columnNamed(columns: readonly NamedColumn[], name: string): NamedColumn | undefined {
  const same = (other: string): boolean => other.toLowerCase() === name.toLowerCase();
  return columns.find((column) => column.name === name) ?? columns.find((c) => same(c.name));
}

interface SelectMapping {
  readonly names: readonly string[] | undefined;
  readonly records: {
    readonly first: readonly string[];
    readonly others: readonly (readonly string[])[];
  };
  readonly columns: readonly NamedColumn[];
  readonly select: string;
  /** As written; undefined: to be found out. */
  readonly structure: string | undefined;
}

export function mapToSelect(mapping: SelectMapping): Mapped {
  const { names, records, columns, select } = mapping;
  if (mapping.structure !== undefined) {
    const structure = columnsOfStructure(mapping.structure);
    return { names: namesFor(structure, names), select: inputSelect(select, structure), notes: [] };
  }
  const given = names ?? records.first.map((_, i) => `c${i + 1}`);
  const rows = names === undefined ? [records.first, ...records.others] : records.others;
  const structure = given.map((name, i): NamedColumn => {
    const known = columns.find((column) => column.name === name && !isBitmap(column.type));
    const type = known?.type ?? suggestedType(rows.map((fields) => fields[i] ?? ''));
    return { name, type: bareOfLow(type) };
  });
  const notes = [`its columns: ${listed(structure)} (--structure says it better)`];
  return { names, select: inputSelect(select, structure), notes };
}

/** The header's own names where they are the structure's; by position where none is. */
function namesFor(
  structure: readonly NamedColumn[],
  names: readonly string[] | undefined,
): readonly string[] | undefined {
  if (names === undefined) return undefined;
  const mapped = names.map((name) => columnNamed(structure, name)?.name);
  const missing = structure.filter(({ name }) => !mapped.includes(name));
  if (missing.length === 0) return names.map((name, i) => mapped[i] ?? name);
  const none = mapped.every((name) => name === undefined);
  if (none && names.length === structure.length) return structure.map(({ name }) => name);
  throw new UsageError(
    `--structure names ${missing.map(({ name }) => name).join(', ')}, ` +
      `but the file's columns are ${names.join(', ')}.`,
  );
}

/** input() takes values as they are; the table makes them low in cardinality. */
function bareOfLow(type: string): string {
  return type.startsWith('LowCardinality(') ? bareType(type) : type;
}

/** How fields of bitmap columns are written: as `[1,2]`, as one id, or (undefined) as states. */
export function setInput(
  names: readonly string[] | undefined,
  records: SelectMapping['records'],
  columns: readonly NamedColumn[],
): string | undefined {
  const order = names ?? columns.map(({ name }) => name);
  const row = names === undefined ? records.first : records.others[0];
  for (const column of columns) {
    const field = row?.[order.indexOf(column.name)] ?? '';
    if (!isBitmap(column.type) || field === '') continue;
    if (field.startsWith('[')) return 'array';
    if (/^-?\d+$/.test(field)) return 'value';
  }
  return undefined;
}

export function listed(structure: readonly NamedColumn[]): string {
  return structure.map(({ name, type }) => `${name} ${type}`).join(', ');
}
