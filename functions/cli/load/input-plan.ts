// How a file's text becomes an INSERT: format, names of its columns, settings, and what was decided
// on the way, in sentences. Pure: from the beginning of the text and the table's columns.

import { UsageError } from '../exit-codes.ts';
import { bareType, isBitmap, type NamedColumn, suggestedType } from './column-types.ts';
import { detectHeader } from './header-detection.ts';
import { inputSelect, wordsOf } from './input-select.ts';
import { isJsonSample, jsonColumns } from './json-sample.ts';
import { columnsOfStructure } from './structure-text.ts';
import {
  csvDialect,
  headerLine,
  recordAt,
  tabDialect,
  type TextDialect,
  type TextRecord,
} from './text-dialect.ts';

export interface InputPlan {
  /** Of the file, as INSERT ... FORMAT takes it. */
  readonly format: string;
  readonly select?: string;
  readonly settings: ReadonlyMap<string, string>;
  /** Characters of the sample that `prefix` stands for. */
  readonly replaced: number;
  readonly prefix: string;
  readonly notes: readonly string[];
}

export interface InputFile {
  /** Its ending tells the format. */
  readonly name: string;
  /** The beginning of its text, or, if `whole`, all of it. */
  readonly sample: string;
  readonly whole: boolean;
}

export interface InputWishes {
  readonly format?: string | undefined;
  readonly select?: string | undefined;
  readonly structure?: string | undefined;
  readonly header?: 'yes' | 'no' | undefined;
}

const sampledRecords = 100;

export function planInput(
  file: InputFile,
  columns: readonly NamedColumn[],
  wishes: InputWishes,
): InputPlan {
  const format = wishes.format ?? formatByName(file.name) ?? formatByContent(file.sample);
  const plain = { CSV: 'CSV', TSV: 'TabSeparated', TabSeparated: 'TabSeparated' }[format];
  const withNames = /^(CSV|TSV|TabSeparated)WithNames$/.exec(format)?.[1];
  if (plain !== undefined) return planText(file, columns, { wishes, kind: plain });
  if (withNames !== undefined) {
    const kind = withNames === 'CSV' ? 'CSV' : 'TabSeparated';
    return planText(file, columns, { wishes: { ...wishes, header: 'yes' }, kind });
  }
  return planOther(file, columns, { wishes, format });
}

function formatByName(name: string): string | undefined {
  const ending = /\.([a-z]+)$/i.exec(name)?.[1]?.toLowerCase() ?? '';
  const formats: Readonly<Record<string, string>> = {
    csv: 'CSV',
    tsv: 'TabSeparated',
    tab: 'TabSeparated',
    json: 'JSONEachRow',
    jsonl: 'JSONEachRow',
    ndjson: 'JSONEachRow',
  };
  return Object.hasOwn(formats, ending) ? formats[ending] : undefined;
}

function formatByContent(sample: string): string {
  if (isJsonSample(sample)) return 'JSONEachRow';
  const line = sample.slice(0, sample.indexOf('\n') + 1 || sample.length);
  return line.includes('\t') ? 'TabSeparated' : 'CSV';
}

interface OtherWishes {
  readonly wishes: InputWishes;
  readonly format: string;
}

/** JSON, and formats that nothing is known of here. */
function planOther(
  file: InputFile,
  columns: readonly NamedColumn[],
  { wishes, format }: OtherWishes,
): InputPlan {
  const plan = { format, settings: new Map<string, string>(), replaced: 0, prefix: '' };
  if (wishes.select === undefined) return { ...plan, notes: [`read as ${format}`] };
  if (wishes.structure === undefined && format !== 'JSONEachRow') {
    throw new UsageError(
      `--select over ${format} needs --structure: the file doesn't say its columns.`,
    );
  }
  const inferred = wishes.structure === undefined;
  const structure = inferred
    ? jsonColumns(file.sample, columns)
    : columnsOfStructure(wishes.structure);
  const notes = [`read as ${format}${inferred ? `, columns: ${listed(structure)}` : ''}`];
  return { ...plan, select: inputSelect(wishes.select, structure), notes };
}

interface TextWishes {
  readonly wishes: InputWishes;
  readonly kind: string;
}

function planText(
  file: InputFile,
  columns: readonly NamedColumn[],
  { wishes, kind }: TextWishes,
): InputPlan {
  const mark = file.sample.startsWith('\ufeff') ? 1 : 0;
  const dialect = kind === 'CSV' ? csvDialect(file.sample.slice(mark)) : tabDialect;
  const records = firstRecords(file, mark, dialect);
  const [first, ...others] = records;
  if (first === undefined) return emptyPlan(kind);
  const mentioned = wishes.select === undefined ? undefined : wordsOf(wishes.select);
  const fields = { first: first.fields, others: others.map((record) => record.fields) };
  const detected = detectHeader(fields, columns, mentioned);
  const isHeader = wishes.header === undefined ? detected.isHeader : wishes.header === 'yes';
  const why = wishes.header === undefined ? `: ${detected.reason}` : '';
  const says = `read as ${kind}${delimiterNote(dialect)}, ${isHeader ? 'with' : 'without'} a header${why}`;
  const names = isHeader ? first.fields : undefined;
  const mapped =
    wishes.select === undefined
      ? mapToTable(names, columns)
      : mapToSelect({ names, records: fields, columns, select: wishes.select, wishes });
  const settings = new Map<string, string>();
  if (dialect.delimiter !== ',' && kind === 'CSV') {
    settings.set('format_csv_delimiter', dialect.delimiter);
  }
  const sets =
    wishes.select === undefined
      ? setInput(isHeader ? mapped.names : undefined, fields, columns)
      : undefined;
  if (sets !== undefined) settings.set('aggregate_function_input_format', sets);
  return {
    format: isHeader ? `${kind}WithNames` : kind,
    ...(mapped.select === undefined ? {} : { select: mapped.select }),
    settings: new Map([...settings, ['input_format_csv_detect_header', '0']]),
    replaced: isHeader ? first.end : mark,
    prefix: isHeader ? headerLine(mapped.names ?? [], dialect) : '',
    notes: [says, ...mapped.notes],
  };
}

function emptyPlan(kind: string): InputPlan {
  const notes = ['empty'];
  return { format: kind, settings: new Map(), replaced: 0, prefix: '', notes };
}

function delimiterNote({ kind, delimiter }: TextDialect): string {
  return kind === 'CSV' && delimiter !== ',' ? ` with '${delimiter}' between fields` : '';
}

function firstRecords(file: InputFile, from: number, dialect: TextDialect): readonly TextRecord[] {
  const records: TextRecord[] = [];
  let at = from;
  while (records.length <= sampledRecords) {
    const record = recordAt(file.sample, at, { dialect, whole: file.whole });
    if (record === undefined) break;
    records.push(record);
    at = record.end;
  }
  return records;
}

interface Mapped {
  readonly names: readonly string[] | undefined;
  readonly select?: string;
  readonly notes: readonly string[];
}

/** Names of a header become the table's: by name, else by upper and lower case, else by position. */
function mapToTable(names: readonly string[] | undefined, columns: readonly NamedColumn[]): Mapped {
  if (names === undefined) return { names, notes: [] };
  const mapped = names.map((name) => columnNamed(columns, name)?.name);
  const found = mapped.filter((name) => name !== undefined);
  const theirs = names.join(', ');
  const ours = columns.map(({ name }) => name);
  if (found.length === 0) {
    if (names.length === columns.length) {
      return {
        names: ours,
        notes: [`its columns ${theirs} are taken by position, as ${ours.join(', ')}`],
      };
    }
    throw new UsageError(
      `None of the file's columns (${theirs}) is one of the table's (${ours.join(', ')}): ` +
        'say with --select how they become rows.',
    );
  }
  const unknown = names.filter((_, i) => mapped[i] === undefined);
  const missing = ours.filter((name) => !found.includes(name));
  return {
    names: names.map((name, i) => mapped[i] ?? name),
    notes: [
      ...(unknown.length === 0
        ? []
        : [`left out, for the table has no such column: ${unknown.join(', ')}`]),
      ...(missing.length === 0
        ? []
        : [`not in the file, so they keep their defaults: ${missing.join(', ')}`]),
    ],
  };
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
  readonly wishes: InputWishes;
}

function mapToSelect(mapping: SelectMapping): Mapped {
  const { names, records, columns, select, wishes } = mapping;
  if (wishes.structure !== undefined) {
    const structure = columnsOfStructure(wishes.structure);
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
function setInput(
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

function listed(structure: readonly NamedColumn[]): string {
  return structure.map(({ name, type }) => `${name} ${type}`).join(', ');
}
