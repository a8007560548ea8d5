// Which columns a file is read with, and which of them are sets in the form of text. What a file
// says of itself comes first, then the structure that was given, then the table's own columns.

import { MusterError } from '../../base/errors.ts';
import type { TableSchema } from '../../catalog/schema.ts';
import { type DataType, type NamedType, valueType } from '../../storage-format/data-type.ts';
import { parseStructure } from '../plan/input-structure.ts';
import type { BackfillJob, SetWishes } from './backfill-job.ts';
import type { SetColumn } from './decoded-sets.ts';

export interface FileColumns {
  /** As the file's reader is asked for them: texts where sets are decoded here. */
  readonly read: readonly NamedType[];
  readonly sets: readonly SetColumn[];
}

export interface ColumnRequest {
  readonly job: BackfillJob;
  readonly table: TableSchema;
  /** Names that come from the file's path. */
  readonly fromPath: ReadonlySet<string>;
  /** Whether sets come as text, unless something else was said. */
  readonly isText: boolean;
}

/** `own`: what the file says; undefined where it says nothing. */
export function columnsOfFile(
  own: readonly NamedType[] | undefined,
  request: ColumnRequest,
): FileColumns {
  const { job, table, fromPath } = request;
  const given = own ?? givenColumns(request);
  const isTarget = (name: string): boolean => table.columns.some((column) => column.name === name);
  const wanted =
    job.select === undefined
      ? given.filter(({ name }) => isTarget(name) && !fromPath.has(name))
      : given;
  for (const name of Object.keys(job.sets)) {
    if (given.some((column) => column.name === name)) continue;
    throw new MusterError('NO_SUCH_COLUMN_IN_TABLE', `The files have no column ${name} of sets`);
  }
  const sets: SetColumn[] = [];
  const read = wanted.map((column, at): NamedType => {
    const set = setOf(column, { ...request, ofItself: own !== undefined });
    if (set === undefined) return withTarget(column, request);
    if (set.wishes === undefined)
      return { name: column.name, type: { kind: 'Bitmap', id: set.id } };
    sets.push({ at, name: column.name, id: set.id, wishes: set.wishes });
    return { name: column.name, type: { kind: 'String' } };
  });
  return { read, sets };
}

function givenColumns({ job, table, fromPath }: ColumnRequest): readonly NamedType[] {
  if (job.structure !== undefined) return parseStructure(job.structure);
  if (job.select !== undefined) {
    throw new MusterError(
      'BAD_ARGUMENTS',
      "A SELECT over files that don't name the types of their columns needs their structure",
    );
  }
  return table.columns.filter(({ name }) => !fromPath.has(name));
}

/** Values are read as the table's, so that they are parsed and not cast. */
function withTarget(column: NamedType, { job, table }: ColumnRequest): NamedType {
  if (job.select !== undefined || job.structure !== undefined) return column;
  const target = table.columns.find(({ name }) => name === column.name);
  return target === undefined ? column : { name: column.name, type: target.type };
}

interface FoundSet {
  readonly id: DataType;
  /** Undefined: the file's reader makes the set. */
  readonly wishes: SetWishes | undefined;
}

/** Undefined: no column of sets. */
function setOf(
  { name, type }: NamedType,
  { job, table, isText, ofItself }: ColumnRequest & { readonly ofItself: boolean },
): FoundSet | undefined {
  const wishes = Object.hasOwn(job.sets, name) ? job.sets[name] : undefined;
  const target = table.columns.find((column) => column.name === name)?.type;
  const ofTable = target?.kind === 'Bitmap' ? target.id : undefined;
  const id = type.kind === 'Bitmap' && job.select !== undefined ? type.id : ofTable;
  if (wishes !== undefined) return { id: id ?? { kind: 'UInt64' }, wishes };
  if (id === undefined)
    return type.kind === 'Bitmap' ? { id: type.id, wishes: undefined } : undefined;
  if (type.kind === 'Bitmap' && ofItself) return { id: type.id, wishes: undefined };
  const asText = ofItself ? valueType(type).kind === 'String' : isText;
  if (job.select !== undefined && type.kind !== 'Bitmap') return undefined;
  return { id, wishes: asText ? settingsWish(job) : undefined };
}

/** What the setting of ClickHouse's clients says; nothing where it is not given. */
function settingsWish({ settings }: BackfillJob): SetWishes {
  switch (settings.aggregate_function_input_format) {
    case 'array':
      return { text: 'list' };
    case 'value':
      return { text: 'value' };
    case 'state':
      return { format: 'clickhouse', encoding: 'raw' };
    default:
      return {};
  }
}
