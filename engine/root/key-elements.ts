// The elements of a table's partition key as bound expressions over its columns, in UTC as they were
// evaluated when rows were written, and what intervals of a column become under them.

import { MusterError } from '../../base/errors.ts';
import type { TableSchema } from '../../catalog/schema.ts';
import type { DataType } from '../../storage-format/data-type.ts';
import {
  decodeKeyTuple,
  encodeKeyTuple,
  type KeyValue,
  keyValueAt,
} from '../../storage-format/key-tuple.ts';
import { keyContext, keyElements } from '../ingest/key-columns.ts';
import type { FunctionContext } from '../library/scalar-function.ts';
import type { BoundExpression } from '../plan/bound-expression.ts';
import { typedCall } from '../plan/function-calls.ts';
import { literalConstant } from '../plan/literal.ts';
import { evaluateFull } from '../rows/evaluate.ts';
import { absent, plain } from '../rows/relation.ts';
import type { Expression } from '../sql/ast.ts';
import { columnOf, type Value } from '../values/column-builder.ts';
import { type Chain, chainOf } from './monotonic-functions.ts';
import { constantScope, type Interval } from './value-intervals.ts';

export interface KeyElement {
  readonly expression: BoundExpression;
  /** Of one column alone. */
  readonly chain: Chain | undefined;
}

/** Bounds of encoded values; an end that is absent is open. */
export interface Image {
  readonly min?: string;
  readonly max?: string;
}

/** None where they can't be bound: no row was ever written by them. */
export function partitionElements(
  schema: TableSchema,
  functions: FunctionContext,
): readonly KeyElement[] {
  if (schema.partitionBy === undefined) return [];
  const binding = { schema, functions: keyContext(functions) };
  try {
    const elements = keyElements(schema.partitionBy).map((one) => bindElement(one, binding));
    return elements.map((expression) => ({ expression, chain: chainOf(expression) }));
  } catch (error) {
    if (error instanceof MusterError) return [];
    throw error;
  }
}

interface ElementBinding {
  readonly schema: TableSchema;
  readonly functions: FunctionContext;
}

function bindElement(expression: Expression, binding: ElementBinding): BoundExpression {
  const { schema } = binding;
  switch (expression.kind) {
    case 'name': {
      const index = schema.columns.findIndex(({ name }) => name === expression.parts.join('.'));
      const column = schema.columns[index];
      if (column !== undefined) return { kind: 'column', type: column.type, index };
      break;
    }
    case 'literal':
      return literalConstant(expression.literal);
    case 'call': {
      const operands = expression.arguments.map((one) => bindElement(one, binding));
      return typedCall(expression.name, operands, binding);
    }
    default:
  }
  throw new MusterError('LOGICAL_ERROR', `${expression.kind} in a key that rows were written by`);
}

/**
 * What the element is for values of its column in the interval; undefined where that is not known. A
 * single value has one image under any function; intervals under those that grow.
 */
export function imageOf(
  element: KeyElement,
  interval: Interval,
  options: { readonly type: DataType; readonly functions: FunctionContext },
): Image | undefined {
  const { chain, expression } = element;
  if (chain === undefined) return undefined;
  const { min, max } = interval;
  const isPoint = min !== undefined && min === max;
  if (!isPoint && !(chain.grows && isOfOneClock(chain))) return undefined;
  const functions = keyContext(options.functions);
  const encoded = (value: Value): string => {
    const columns = Array.from({ length: chain.column }, () => absent);
    const relation = { rows: 1, columns: [...columns, plain(columnOf(options.type, [value]))] };
    return encodedAt(evaluateFull(expression, relation, constantScope(functions)), expression.type);
  };
  return {
    ...(min === undefined ? {} : { min: encoded(min) }),
    ...(max === undefined ? {} : { max: encoded(max) }),
  };
}

function isOfOneClock({ zones }: Chain): boolean {
  return [...zones].every((zone) => zone === '' || zone === 'UTC');
}

function encodedAt(column: Parameters<typeof keyValueAt>[0], type: DataType): string {
  return encodedValue(keyValueAt(column, 0), type);
}

export function encodedValue(value: KeyValue, type: DataType): string {
  return Buffer.from(encodeKeyTuple([value], [type])).toString('latin1');
}

/** Partition tuples cut into their encoded elements; each is cut once. */
export class PartitionCutter {
  readonly #types: readonly DataType[];
  readonly #known = new Map<string, readonly string[]>();

  constructor(types: readonly DataType[]) {
    this.#types = types;
  }

  cut(partition: string): readonly string[] {
    const known = this.#known.get(partition);
    if (known !== undefined) return known;
    const values = decodeKeyTuple(Buffer.from(partition, 'latin1'), this.#types);
    const elements = values.map((value, i) => encodedValue(value, this.#types[i]!));
    this.#known.set(partition, elements);
    return elements;
  }
}
