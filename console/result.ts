// A result as the page holds it: columns with ClickHouse's types, rows of cells. 64-bit integers are
// strings, so that no digit is lost.

interface ResultColumn {
  readonly name: string;
  readonly type: string;
}

export type Cell = string | number | boolean | null | readonly Cell[] | CellMap;
interface CellMap {
  readonly [key: string]: Cell;
}

export interface Result {
  readonly columns: readonly ResultColumn[];
  readonly rows: readonly (readonly Cell[])[];
}

/** From the text of FORMAT JSONCompact. Throws SyntaxError when the text is not whole. */
export function parseResult(text: string): Result {
  const { meta, data } = JSON.parse(text) as {
    readonly meta: readonly ResultColumn[];
    readonly data: readonly (readonly Cell[])[];
  };
  return { columns: meta, rows: data };
}

/** What a column's values are good for. `state`: bytes of an aggregate function, not for reading. */
type ColumnKind = 'integer' | 'fraction' | 'time' | 'category' | 'state' | 'other';

export function columnKind(type: string): ColumnKind {
  const inner = innerType(type);
  if (/^U?Int\d+$/.test(inner)) return 'integer';
  if (/^(B?Float\d+|Decimal)/.test(inner)) return 'fraction';
  if (inner.startsWith('Date')) return 'time';
  if (/^(String|FixedString|Enum|UUID|Bool|IPv)/.test(inner)) return 'category';
  return inner.startsWith('AggregateFunction(') ? 'state' : 'other';
}

export function isNumeric(kind: ColumnKind): boolean {
  return kind === 'integer' || kind === 'fraction';
}

function innerType(type: string): string {
  const wrapped = /^(?:Nullable|LowCardinality)\((.*)\)$/.exec(type)?.[1];
  if (wrapped !== undefined) return innerType(wrapped);
  const simple = /^SimpleAggregateFunction\(\w+, (.*)\)$/.exec(type)?.[1];
  return simple === undefined ? type : innerType(simple);
}
