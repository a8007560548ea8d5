// Every scalar and aggregate function by name. A new function is a new entry in one of the lists
// below, in a file of its kind; nothing else knows the whole library.

import { MusterError } from '../../base/errors.ts';
import { suggestion } from '../../base/nearest-name.ts';
import type { DataType } from '../../storage-format/data-type.ts';
import { aggregateFunctions } from './aggregate/aggregates.ts';
import { type Aggregation, combinatorNames, type FoundAggregate } from './aggregate-function.ts';
import { typeAggregate } from './apply-aggregate.ts';
import { arrayMakeFunctions } from './scalar/array-make.ts';
import { arrayOrderFunctions } from './scalar/array-order.ts';
import { arrayReduceFunctions } from './scalar/array-reduce.ts';
import { arraySearchFunctions } from './scalar/array-search.ts';
import { bitFunctions } from './scalar/bits.ts';
import { comparisonFunctions } from './scalar/comparison.ts';
import { conditionalFunctions } from './scalar/conditional.ts';
import { conversionFunctions } from './scalar/conversion.ts';
import { dateDiffFunctions } from './scalar/date-diff.ts';
import { dateFormatFunctions } from './scalar/date-format.ts';
import { dateNowFunctions } from './scalar/date-now.ts';
import { datePartFunctions } from './scalar/date-parts.ts';
import { dateShiftFunctions } from './scalar/date-shift.ts';
import { dateStartFunctions } from './scalar/date-starts.ts';
import { divisionFunctions } from './scalar/division.ts';
import { extremeFunctions } from './scalar/extremes.ts';
import { hashFunctions } from './scalar/hashes.ts';
import { introspectionFunctions } from './scalar/introspection.ts';
import { logicFunctions } from './scalar/logic.ts';
import { nullFunctions } from './scalar/null-functions.ts';
import { plusMinusFunctions } from './scalar/plus-minus.ts';
import { roundingFunctions } from './scalar/rounding.ts';
import { stringBasicFunctions } from './scalar/string-basics.ts';
import { stringEncodingFunctions } from './scalar/string-encoding.ts';
import { stringListFunctions } from './scalar/string-lists.ts';
import { stringPatternFunctions } from './scalar/string-patterns.ts';
import { stringSearchFunctions } from './scalar/string-search.ts';
import { tupleFunctions } from './scalar/tuples.ts';
import { unaryMathFunctions } from './scalar/unary-math.ts';
import type { ScalarFunction } from './scalar-function.ts';

const scalarFunctions: readonly ScalarFunction[] = [
  ...plusMinusFunctions,
  ...divisionFunctions,
  ...unaryMathFunctions,
  ...roundingFunctions,
  ...bitFunctions,
  ...comparisonFunctions,
  ...logicFunctions,
  ...conditionalFunctions,
  ...nullFunctions,
  ...extremeFunctions,
  ...conversionFunctions,
  ...hashFunctions,
  ...stringBasicFunctions,
  ...stringSearchFunctions,
  ...stringPatternFunctions,
  ...stringListFunctions,
  ...stringEncodingFunctions,
  ...datePartFunctions,
  ...dateStartFunctions,
  ...dateShiftFunctions,
  ...dateDiffFunctions,
  ...dateFormatFunctions,
  ...dateNowFunctions,
  ...arrayMakeFunctions,
  ...arraySearchFunctions,
  ...arrayOrderFunctions,
  ...arrayReduceFunctions,
  ...tupleFunctions,
  ...introspectionFunctions,
];

interface Named {
  readonly name: string;
  readonly aliases?: readonly string[];
  readonly caseInsensitive?: boolean;
}

/** Exact names first; names of any spelling under their lower case. */
class Directory<F extends Named> {
  readonly #exact = new Map<string, F>();
  readonly #anyCase = new Map<string, F>();

  constructor(functions: readonly F[]) {
    for (const fn of functions) {
      for (const name of [fn.name, ...(fn.aliases ?? [])]) {
        this.#exact.set(name, fn);
        if (fn.caseInsensitive === true) this.#anyCase.set(name.toLowerCase(), fn);
      }
    }
  }

  find(name: string): F | undefined {
    return this.#exact.get(name) ?? this.#anyCase.get(name.toLowerCase());
  }

  names(): string[] {
    return [...this.#exact.keys()];
  }
}

const scalars = new Directory(scalarFunctions);
const aggregates = new Directory(aggregateFunctions);

/** By name or alias; undefined for an unknown one (the caller raises 46 with a suggestion). */
export function findScalarFunction(name: string): ScalarFunction | undefined {
  return scalars.find(name);
}

export function scalarFunctionNames(): string[] {
  return scalars.names();
}

/** The plain aggregate under a name with any combinators; undefined if there is none. */
export function findAggregate(name: string): FoundAggregate | undefined {
  const whole = aggregates.find(name);
  if (whole !== undefined) return { function: whole, combinators: [] };
  for (const combinator of combinatorNames) {
    if (!name.toLowerCase().endsWith(combinator.toLowerCase())) continue;
    const inner = findAggregate(name.slice(0, -combinator.length));
    if (inner !== undefined) {
      return { ...inner, combinators: [...inner.combinators, combinator] };
    }
  }
  return undefined;
}

export function aggregateFunctionNames(): string[] {
  return aggregates.names();
}

/** The result's type of an aggregate with any combinators. Throws 42, 43, 48, 63. */
export function resolveAggregate(name: string, types: readonly DataType[]): DataType {
  return typeAggregate(knownAggregate(name), types).type;
}

/** The states of all groups; NULLs and combinators are taken care of. */
export function createAggregation(name: string, types: readonly DataType[]): Aggregation {
  return typeAggregate(knownAggregate(name), types).create();
}

function knownAggregate(name: string): FoundAggregate {
  const found = findAggregate(name);
  if (found !== undefined) return found;
  throw new MusterError(
    'UNKNOWN_AGGREGATE_FUNCTION',
    `Unknown aggregate function ${name}${suggestion(name, aggregates.names())}`,
  );
}
