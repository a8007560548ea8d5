// How a file's text becomes an INSERT: format, names of its columns, settings, and what was decided
// on the way, in sentences. Pure: from the beginning of the text and the table's columns.

import { formatsByEnding } from '../../../engine/formats/file-endings.ts';
import { UsageError } from '../exit-codes.ts';
import { listed, mapToSelect, mapToTable, notesOnKeys, setInput } from './column-mapping.ts';
import type { NamedColumn } from './column-types.ts';
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

interface InputFile {
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

/** UsageError where columns and wishes don't go together. */
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
  const formats: Readonly<Record<string, string>> = formatsByEnding;
  return Object.hasOwn(formats, ending) ? formats[ending] : undefined;
}

function formatByContent(sample: string): string {
  if (sample.startsWith('PAR1')) return 'Parquet';
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
  const isJson = format === 'JSONEachRow';
  if (wishes.select === undefined) {
    const keys = isJson ? jsonColumns(file.sample, columns).map(({ name }) => name) : [];
    return { ...plan, notes: [`read as ${format}`, ...notesOnKeys(keys, columns)] };
  }
  if (wishes.structure === undefined && !isJson) {
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
  const { select, structure } = wishes;
  const mapped =
    select === undefined
      ? mapToTable(names, columns)
      : mapToSelect({ names, records: fields, columns, select, structure });
  const sets = select === undefined ? setInput(mapped.names, fields, columns) : undefined;
  return {
    format: isHeader ? `${kind}WithNames` : kind,
    ...(mapped.select === undefined ? {} : { select: mapped.select }),
    settings: textSettings(dialect, sets),
    replaced: isHeader ? first.end : mark,
    prefix: isHeader ? headerLine(mapped.names ?? [], dialect) : '',
    notes: [says, ...mapped.notes],
  };
}

/** The header was decided on here: nobody shall decide again. */
function textSettings(
  { kind, delimiter }: TextDialect,
  sets: string | undefined,
): ReadonlyMap<string, string> {
  const settings = new Map([['input_format_csv_detect_header', '0']]);
  if (kind === 'CSV' && delimiter !== ',') settings.set('format_csv_delimiter', delimiter);
  if (sets !== undefined) settings.set('aggregate_function_input_format', sets);
  return settings;
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
