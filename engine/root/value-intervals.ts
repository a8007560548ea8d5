// Which values of a column a comparison can hold for, as intervals. The comparison may be of a growing
// function of the column: then its ends are searched for, by evaluating the comparison itself, so that
// types and time zones mean what they mean in the filter.

import { assert } from '../../base/assert.ts';
import { type DataType, valueType } from '../../storage-format/data-type.ts';
import type { FunctionContext } from '../library/scalar-function.ts';
import type { BoundExpression } from '../plan/bound-expression.ts';
import { constantOf } from '../plan/literal.ts';
import { evaluateCondition, type RowScope } from '../rows/evaluate.ts';
import { absent, plain } from '../rows/relation.ts';
import { columnOf, type Value, valueAt } from '../values/column-builder.ts';
import { chainOf } from './monotonic-functions.ts';

/** Both ends belong to it; an end that is absent is open. */
export interface Interval {
  readonly min?: Value;
  readonly max?: Value;
}

type Constant = Extract<BoundExpression, { kind: 'constant' }>;

export interface Comparison {
  /** equals, less, lessOrEquals, greater, greaterOrEquals or _in. */
  readonly name: string;
  readonly operand: BoundExpression;
  readonly constant: Constant;
}

/** More members of IN are taken as one interval, or, where each is searched for, as unknown. */
const membersMax = 256;
const searchedMembersMax = 32;
/** Clocks that are turned back make a function of time fall for a while, never longer. */
const turnedBackSeconds = 86_400n;

/** Intervals of values of the operand's one column; undefined where nothing is known. */
export function intervalsOf(
  comparison: Comparison,
  type: DataType,
  functions: FunctionContext,
): readonly Interval[] | undefined {
  const chain = chainOf(comparison.operand);
  if (chain === undefined) return undefined;
  if (chain.isColumn) {
    const exact = exactIntervals(comparison, type);
    if (exact !== undefined) return exact;
  }
  const plainType = valueType(type);
  const domain = domainOf(plainType);
  if (domain === undefined || !chain.grows) return undefined;
  const zones = [...chain.zones].map((zone) => (zone === '' ? functions.timeZone : zone));
  const turns = plainType.kind === 'DateTime' && zones.some((zone) => zone !== 'UTC');
  const within = turns ? inner(domain) : domain;
  const search: Search = { type: plainType, column: chain.column, domain: within, functions };
  const found = comparisonsOf(comparison)?.map((one) => searched(one, search));
  if (found === undefined) return undefined;
  const intervals = found.filter((one) => one !== undefined);
  return (turns ? widened(intervals, domain) : intervals).map(({ min, max }) => ({
    ...(min === undefined ? {} : { min: valueOf(min, plainType) }),
    ...(max === undefined ? {} : { max: valueOf(max, plainType) }),
  }));
}

/** Of constants of the column's own kind, without a search. */
export function exactIntervals(
  { name, constant }: Comparison,
  type: DataType,
): readonly Interval[] | undefined {
  const to = valueType(type);
  const from =
    name === '_in' && constant.type.kind === 'Array' ? constant.type.item : constant.type;
  const value = valueAt(constant.value, 0);
  const values = name === '_in' && Array.isArray(value) ? (value as readonly Value[]) : [value];
  const fitted = values
    .filter((one) => name !== '_in' || one !== null)
    .map((one) => fit(one, valueType(from), to));
  if (fitted.some((one) => one === undefined)) return undefined;
  if (name === '_in') return hull(fitted as readonly NonNullable<Value>[]);
  return [exactInterval(name, fitted[0]!, domainOf(to))].filter((one) => one !== undefined);
}

function hull(values: readonly NonNullable<Value>[]): readonly Interval[] {
  if (values.length <= membersMax) return values.map((value) => ({ min: value, max: value }));
  let [min, max] = [values[0]!, values[0]!];
  for (const value of values) {
    if (value < min) min = value;
    if (value > max) max = value;
  }
  return [{ min, max }];
}

function exactInterval(name: string, value: Value, domain?: Domain): Interval | undefined {
  const step = (by: bigint): Value =>
    typeof value === 'bigint' ? value + by : Number(value) + Number(by);
  switch (name) {
    case 'equals':
      return { min: value, max: value };
    case 'less':
      if (domain === undefined) return { max: value };
      return BigInt(value as number | bigint) === domain.min ? undefined : { max: step(-1n) };
    case 'lessOrEquals':
      return { max: value };
    case 'greater':
      if (domain === undefined) return { min: value };
      return BigInt(value as number | bigint) === domain.max ? undefined : { min: step(1n) };
    default:
      return { min: value };
  }
}

interface Domain {
  readonly min: bigint;
  readonly max: bigint;
}

/** Of types whose values are whole numbers. */
function domainOf({ kind }: DataType): Domain | undefined {
  if (kind === 'Date') return { min: 0n, max: 0xffffn };
  if (kind === 'DateTime') return { min: 0n, max: 0xffff_ffffn };
  const bits = /^U?Int(8|16|32|64)$/.exec(kind)?.[1];
  if (bits === undefined) return undefined;
  const size = 1n << BigInt(bits);
  return kind.startsWith('U')
    ? { min: 0n, max: size - 1n }
    : { min: -size / 2n, max: size / 2n - 1n };
}

const exactTypes = /^(U?Int(8|16|32|64)|String|Date|DateTime)$/;

/** Only values of the column's own kind: a String beside a Date is left to the search. */
function fit(value: Value, from: DataType, to: DataType): Value | undefined {
  if (value === null || !exactTypes.test(to.kind)) return undefined;
  if (from.kind === to.kind) return value;
  if (!/Int/.test(from.kind) || !/Int/.test(to.kind)) return undefined;
  const domain = domainOf(to);
  if (domain === undefined || (typeof value !== 'number' && typeof value !== 'bigint')) {
    return undefined;
  }
  const wide = BigInt(value);
  return wide < domain.min || wide > domain.max ? undefined : valueOf(wide, to);
}

function valueOf(value: bigint, { kind }: DataType): Value {
  return kind.endsWith('64') ? value : Number(value);
}

interface Search {
  readonly type: DataType;
  readonly column: number;
  readonly domain: Domain;
  readonly functions: FunctionContext;
}

interface WideInterval {
  readonly min?: bigint;
  readonly max?: bigint;
}

/** IN as one equality per member. */
function comparisonsOf(comparison: Comparison): readonly Comparison[] | undefined {
  const { name, constant } = comparison;
  if (name !== '_in') return [comparison];
  assert(constant.type.kind === 'Array', 'IN is over a constant array');
  const { item } = constant.type;
  const members = (valueAt(constant.value, 0) as readonly Value[]).filter((one) => one !== null);
  if (members.length > searchedMembersMax) return undefined;
  return members.map((member) => ({
    ...comparison,
    name: 'equals',
    constant: constantOf(item, member),
  }));
}

function searched(comparison: Comparison, search: Search): WideInterval | undefined {
  const { name } = comparison;
  const { domain } = search;
  const atLeast = name.startsWith('greater') ? name : 'greaterOrEquals';
  const atMost = name.startsWith('less') ? name : 'lessOrEquals';
  let min: bigint | undefined;
  let max: bigint | undefined;
  if (!name.startsWith('less')) {
    const holds = tester({ ...comparison, name: atLeast }, search);
    min = firstTrue(domain, holds);
    if (min === undefined) return undefined;
  }
  if (!name.startsWith('greater')) {
    const holds = tester({ ...comparison, name: atMost }, search);
    if (!holds(domain.min)) return undefined;
    const end = firstTrue(domain, (value) => !holds(value));
    max = end === undefined ? undefined : end - 1n;
  }
  if (min !== undefined && max !== undefined && min > max) return undefined;
  return {
    ...(min === undefined || min === domain.min ? {} : { min }),
    ...(max === undefined ? {} : { max }),
  };
}

function tester(comparison: Comparison, search: Search): (value: bigint) => boolean {
  const { type, column, functions } = search;
  const condition: BoundExpression = {
    kind: 'call',
    type: { kind: 'UInt8' },
    name: comparison.name,
    arguments: [comparison.operand, comparison.constant],
  };
  const scope = constantScope(functions);
  const others = Array.from({ length: column }, () => absent);
  return (value) => {
    const columns = [...others, plain(columnOf(type, [valueOf(value, type)]))];
    return evaluateCondition(condition, { rows: 1, columns }, scope).mask[0] === 1;
  };
}

/** The least value that `holds` is true for, which stays true above it. */
function firstTrue(domain: Domain, holds: (value: bigint) => boolean): bigint | undefined {
  if (!holds(domain.max)) return undefined;
  let { min: low, max: high } = domain;
  while (low < high) {
    const middle = (low + high) >> 1n;
    if (holds(middle)) high = middle;
    else low = middle + 1n;
  }
  return low;
}

/** Around each end, and where a zone's local time is before the first day or after the last. */
function widened(intervals: readonly WideInterval[], domain: Domain): readonly WideInterval[] {
  const around = intervals.map(({ min, max }) => ({
    ...(min === undefined ? {} : { min: least(min - turnedBackSeconds, domain) }),
    ...(max === undefined ? {} : { max: least(max + turnedBackSeconds, domain) }),
  }));
  const { min, max } = inner(domain);
  return [...around, { max: min }, { min: max }];
}

/** Without the first and last days, on which a zone's local time may not exist. */
function inner({ min, max }: Domain): Domain {
  const edge = 2n * turnedBackSeconds;
  return { min: min + edge, max: max - edge };
}

function least(value: bigint, { min, max }: Domain): bigint {
  if (value < min) return min;
  return value > max ? max : value;
}

/** Of expressions that read nothing but the relation. */
export function constantScope(functions: FunctionContext): RowScope {
  const refuse = (): never => {
    throw new Error('assertion failed: a key reads nothing but its columns');
  };
  return { functions, members: new Map(), result: refuse, set: refuse };
}
