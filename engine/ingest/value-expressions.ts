// VALUES with expressions in them: `(1, now()), (2, bitmapBuild([1, 2]))`. Literals are read as they
// stream (formats/values-input.ts); where an expression turns up, and all of VALUES is small, the
// rows are read again as SQL and evaluated as a SELECT of constants.

import { MusterError } from '../../base/errors.ts';
import type { NamedType } from '../../storage-format/data-type.ts';
import { makeNullable } from '../library/common-type.ts';
import type { Expression, Query, Select } from '../sql/ast.ts';
import { parseExpression } from '../sql/statement-parser.ts';

/** Bytes of VALUES that may hold expressions; more must be literals, or INSERT ... SELECT. */
const expressionBytesMax = 256 * 1024;

/** The first bytes up to the limit, and everything again from the start. */
export async function headOf(body: AsyncIterable<Uint8Array>): Promise<{
  /** All of the body, if it is small. */
  readonly whole: Buffer | undefined;
  readonly body: AsyncIterable<Uint8Array>;
}> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  const rest = body[Symbol.asyncIterator]();
  while (bytes <= expressionBytesMax) {
    const { done, value } = await rest.next();
    if (done === true) {
      return { whole: Buffer.concat(chunks), body: replay(chunks) };
    }
    chunks.push(value);
    bytes += value.length;
  }
  return { whole: undefined, body: replay(chunks, rest) };
}

async function* replay(
  chunks: readonly Uint8Array[],
  rest?: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  yield* chunks;
  if (rest !== undefined) yield* { [Symbol.asyncIterator]: () => rest };
}

/** The rows as a query of constants, each cast to its column's type. Throws 62 and 20. */
export function valuesQuery(text: string, columns: readonly NamedType[]): Query {
  const list = parseExpression(`[${text.trim().replace(/;\s*$/, '')}]`);
  const rows = list.kind === 'array' ? list.items : [list];
  const selects = rows.map((row): Select => selectOf(itemsOf(row, columns), columns));
  return { at: 0, selects, union: 'all' };
}

function itemsOf(row: Expression, columns: readonly NamedType[]): readonly Expression[] {
  const items = row.kind === 'tuple' ? row.items : [row];
  if (items.length === columns.length) return items;
  throw new MusterError(
    'NUMBER_OF_COLUMNS_DOESNT_MATCH',
    `A row of VALUES has ${items.length} values, the INSERT takes ${columns.length}`,
  );
}

function selectOf(items: readonly Expression[], columns: readonly NamedType[]): Select {
  return {
    at: 0,
    with: [],
    distinct: false,
    items: items.map((item, i) => typed(item, columns[i])),
    groupBy: [],
    orderBy: [],
    settings: [],
  };
}

function typed(item: Expression, column: NamedType | undefined): Expression {
  if (column === undefined) return item;
  const { at } = item;
  if (column.type.kind !== 'Bitmap') {
    return { kind: 'cast', at, value: item, type: makeNullable(column.type) };
  }
  if (item.kind !== 'array') return item;
  const ids = { kind: 'Array', item: column.type.id } as const;
  const cast: Expression = { kind: 'cast', at, value: item, type: ids };
  return { kind: 'call', at, name: 'bitmapBuild', arguments: [cast] };
}
