// Where a table's rows lie, as its settings say: muster_group_by names the columns whose equal values
// lie whole in one group, muster_id_column the id of detail rows. Checked when the table is made, and
// read from its schema ever after.

import { MusterError } from '../../base/errors.ts';
import { defined } from '../../base/assert.ts';
import { suggestion } from '../../base/nearest-name.ts';
import { decodeUtf8, encodeUtf8 } from '../../base/utf8.ts';
import type {
  ColumnId,
  ColumnSchema,
  DictionarySchema,
  TableSchema,
} from '../../catalog/schema.ts';
import type { Snapshot } from '../../catalog/snapshot.ts';
import { type DataType, formatType } from '../../storage-format/data-type.ts';
import { domainOfIds } from '../../storage-format/key-list.ts';
import type { LiteralValue } from '../sql/ast.ts';

interface NamedColumn {
  readonly name: string;
  readonly type: DataType;
}

/** The columns that a muster_group_by names; undefined: grouped by id. Throws 36. */
export function parseGroupBy(value: LiteralValue): readonly string[] | undefined {
  const text = value.kind === 'string' ? decodeUtf8(value.value).trim() : '';
  if (text === 'id') return undefined;
  const names = text.split(',').map((name) => name.trim().replace(/^`(.*)`$/, '$1'));
  if (names.every((name) => name !== '') && new Set(names).size === names.length) return names;
  throw new MusterError(
    'BAD_ARGUMENTS',
    "Setting muster_group_by takes 'id', or names of columns in quotes: 'exp, arm'",
  );
}

/** Throws 36 and 47 for columns that rows can't be grouped by. */
export function checkGrouping(
  names: readonly string[],
  table: { readonly columns: readonly NamedColumn[]; readonly mergedBy?: readonly string[] },
): void {
  for (const name of names) {
    const column = columnNamed(name, 'muster_group_by', table.columns);
    if (['Bitmap', 'Array', 'Tuple'].includes(column.type.kind)) {
      throw new MusterError(
        'BAD_ARGUMENTS',
        `Setting muster_group_by: rows can't be grouped by ${name} of type ${formatType(column.type)}`,
      );
    }
    if (table.mergedBy !== undefined && !table.mergedBy.includes(name)) {
      throw new MusterError(
        'BAD_ARGUMENTS',
        `Setting muster_group_by: column ${name} is not in ORDER BY, so that rows to be merged would lie in different groups`,
      );
    }
  }
}

/** Positions in the schema of the columns that its rows are grouped by; undefined: by id. */
export function groupingColumns(schema: TableSchema): readonly number[] | undefined {
  const text = settingOf(schema, 'muster_group_by');
  if (text === undefined) return undefined;
  const names = parseGroupBy({ kind: 'string', value: encodeUtf8(text) });
  return names?.map((name) => schema.columns.findIndex((column) => column.name === name));
}

/** The column that a muster_id_column names. Throws 36, 47. */
export function parseIdColumn(
  value: LiteralValue,
  table: { readonly columns: readonly NamedColumn[]; readonly engine: string },
): NamedColumn {
  const name = value.kind === 'string' ? decodeUtf8(value.value) : '';
  const column = columnNamed(name, 'muster_id_column', table.columns);
  if (!/^(U?Int(8|16|32|64)|String|UUID)$/.test(column.type.kind)) {
    throw new MusterError(
      'BAD_ARGUMENTS',
      `Setting muster_id_column: ids are integers, String or UUID, not ${formatType(column.type)} as column ${name} is`,
    );
  }
  if (table.engine !== 'MergeTree' || table.columns.some(({ type }) => type.kind === 'Bitmap')) {
    throw new MusterError(
      'BAD_ARGUMENTS',
      'Setting muster_id_column is for detail rows: tables of engine MergeTree without a column of sets',
    );
  }
  return column;
}

/** Position in the schema of the id that detail rows lie by; undefined: they lie anywhere. */
export function idColumn(schema: TableSchema): number | undefined {
  const name = settingOf(schema, 'muster_id_column');
  return name === undefined ? undefined : schema.columns.findIndex((one) => one.name === name);
}

/** Above all ids of columns that tables have. */
const codeColumnIds = 2 ** 32;

/** Beside the id column in parts: each row's code in its group. SPEC.md, "Codes of detail rows". */
export function codeColumn(schema: TableSchema): ColumnSchema | undefined {
  const column = schema.columns[idColumn(schema) ?? -1];
  if (column === undefined) return undefined;
  const id = (codeColumnIds + column.id) as ColumnId;
  return { id, name: `${column.name}.code`, type: { kind: 'UInt32' } };
}

/** All columns that parts have: the table's, and codes of rows. */
export function storedColumns(schema: TableSchema): readonly ColumnSchema[] {
  const codes = codeColumn(schema);
  return codes === undefined ? schema.columns : [...schema.columns, codes];
}

/** The dictionary whose groups detail rows lie in: that of sets of such ids. */
export function idDictionary(schema: TableSchema, snapshot: Snapshot): DictionarySchema {
  const { type } = defined(schema.columns[idColumn(schema) ?? -1], 'an id column');
  const name = settingOf(schema, 'muster_dictionary') ?? `default_${domainOfIds(type)}`;
  const found = [...snapshot.dictionaries.values()].find((one) => one.name === name);
  return defined(found, `dictionary ${name}`);
}

/** The text of a setting of CREATE TABLE that is a string; the schema keeps it in quotes. */
function settingOf(schema: TableSchema, name: string): string | undefined {
  const quoted = schema.settings.find(([known]) => known === name)?.[1];
  return quoted?.slice(1, -1).replace(/\\(.)/g, '$1');
}

function columnNamed(name: string, setting: string, columns: readonly NamedColumn[]): NamedColumn {
  const column = columns.find((one) => one.name === name);
  if (column !== undefined) return column;
  const names = columns.map((one) => one.name);
  throw new MusterError(
    'UNKNOWN_IDENTIFIER',
    `Setting ${setting}: there is no column ${name}${suggestion(name, names)}`,
  );
}
