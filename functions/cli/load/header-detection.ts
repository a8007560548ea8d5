// Whether the first record of a CSV or TSV text holds the names of its columns, and why we think so.

import { looksLike, type NamedColumn, suggestedType } from './column-types.ts';

interface FirstRecords {
  readonly first: readonly string[];
  /** Some of those that follow; none: the text has one record. */
  readonly others: readonly (readonly string[])[];
}

interface HeaderDecision {
  readonly isHeader: boolean;
  /** For people, after "because". */
  readonly reason: string;
}

/** `mentioned`: words of the SELECT, when there is one. Then fields aren't the table's columns. */
export function detectHeader(
  records: FirstRecords,
  columns: readonly NamedColumn[],
  mentioned: ReadonlySet<string> | undefined,
): HeaderDecision {
  const { first } = records;
  const known = new Set([...columns.map(({ name }) => name.toLowerCase()), ...(mentioned ?? [])]);
  const named = first.filter((field) => known.has(field.toLowerCase())).length;
  const what =
    mentioned === undefined ? 'columns of the table' : 'columns of the table or the SELECT';
  if (named > 0 && named === first.length) {
    return { isHeader: true, reason: `its fields are ${what}` };
  }
  if (named > first.length / 2) return { isHeader: true, reason: `most of its fields are ${what}` };
  const types = mentioned === undefined ? columns.map(({ type }) => type) : suggestedTypes(records);
  const odd = first.findIndex((field, i) => isOdd(field, records, { type: types[i], at: i }));
  if (odd === -1) return { isHeader: false, reason: `its fields are none of the ${what}` };
  return {
    isHeader: true,
    reason: `'${first[odd]}' is no ${types[odd]}, as the fields below it are`,
  };
}

function suggestedTypes({ first, others }: FirstRecords): readonly string[] {
  return first.map((_, i) => suggestedType(others.map((fields) => fields[i] ?? '')));
}

/** No value of the type, where the rows that follow have one. */
function isOdd(
  field: string,
  { others }: FirstRecords,
  column: { readonly type: string | undefined; readonly at: number },
): boolean {
  const { type, at } = column;
  if (type === undefined || others.length === 0 || looksLike(field, type)) return false;
  return others.every((fields) => looksLike(fields[at] ?? '', type));
}
