// Which stripes a scan's condition leaves out, from the catalog alone: the partition key's elements and
// the first key column, at every level of the catalog's tree, then, where rows are not merged, zones of
// other columns. Any condition is taken; parts of it that say nothing about bounds keep every stripe.

import { MusterError } from '../../base/errors.ts';
import type { ZoneBounds } from '../../catalog/entry.ts';
import type { TableSchema } from '../../catalog/schema.ts';
import type { EntryBounds } from '../../catalog/snapshot.ts';
import type { DataType } from '../../storage-format/data-type.ts';
import type { FunctionContext } from '../library/scalar-function.ts';
import { type BoundExpression, contains, fingerprint, rewrite } from '../plan/bound-expression.ts';
import type { Operator } from '../plan/physical-plan.ts';
import {
  encodedValue,
  type Image,
  imageOf,
  type KeyElement,
  PartitionCutter,
  partitionElements,
} from './key-elements.ts';
import { canonicalName, chainOf } from './monotonic-functions.ts';
import { type Comparison, exactIntervals, type Interval, intervalsOf } from './value-intervals.ts';

type ScanOperator = Extract<Operator, { op: 'scan' }>;

/** Of a stripe, or without zones of all stripes below a page. */
interface Bounds extends EntryBounds {
  readonly zones?: readonly ZoneBounds[];
}

/** Both may keep too much, never too little. */
export interface StripeFilter {
  /** Whether pages can be left out; without it only zones count. */
  readonly prunesPages: boolean;
  readonly keeps: (bounds: Bounds) => boolean;
}

/** Undefined where nothing can be left out. */
export function stripeFilter(
  operator: ScanOperator,
  functions: FunctionContext,
): StripeFilter | undefined {
  const conditions = [operator.where, operator.filter].filter((one) => one !== undefined);
  if (conditions.length === 0) return undefined;
  const pruning = new Pruning(operator.table.schema, functions);
  const tests = conditions
    .map((condition) => pruning.test(overSchema(condition, operator.columns)))
    .filter((test) => test !== undefined);
  if (tests.length === 0) return undefined;
  return {
    prunesPages: pruning.prunesPages,
    keeps: (bounds) => tests.every((test) => test(bounds)),
  };
}

/** Columns by their position in the schema, functions by their one name. */
function overSchema(condition: BoundExpression, columns: readonly number[]): BoundExpression {
  return rewrite(condition, (node) => {
    if (node.kind === 'column') return { ...node, index: columns[node.index] ?? -1 };
    return node.kind === 'call' ? { ...node, name: canonicalName(node.name) } : node;
  });
}

type BoundsTest = (bounds: Bounds) => boolean;

interface Range {
  readonly min: string;
  readonly max: string;
}

/** Where bounds lie, and what they must overlap: one image per interval. */
interface Probe {
  readonly range: (bounds: Bounds) => Range | undefined;
  readonly images: readonly Image[];
}

const mirrored: Readonly<Record<string, string>> = {
  equals: 'equals',
  less: 'greater',
  lessOrEquals: 'greaterOrEquals',
  greater: 'less',
  greaterOrEquals: 'lessOrEquals',
};

class Pruning {
  prunesPages = false;
  readonly #schema: TableSchema;
  readonly #functions: FunctionContext;
  readonly #elements: readonly KeyElement[];
  readonly #cutter: PartitionCutter;

  constructor(schema: TableSchema, functions: FunctionContext) {
    this.#schema = schema;
    this.#functions = functions;
    this.#elements = partitionElements(schema, functions);
    this.#cutter = new PartitionCutter(this.#elements.map(({ expression }) => expression.type));
  }

  test(condition: BoundExpression): BoundsTest | undefined {
    if (condition.kind !== 'call') return undefined;
    const { name, arguments: operands } = condition;
    if (name === 'and') {
      const tests = operands.map((one) => this.test(one)).filter((one) => one !== undefined);
      return tests.length === 0 ? undefined : (bounds) => tests.every((test) => test(bounds));
    }
    if (name === 'or') {
      const tests = operands.map((one) => this.test(one));
      if (tests.some((test) => test === undefined)) return undefined;
      return (bounds) => tests.some((test) => test!(bounds));
    }
    const comparison = comparisonOf(name, operands);
    return comparison === undefined ? undefined : this.#comparisonTest(comparison);
  }

  #comparisonTest(comparison: Comparison): BoundsTest | undefined {
    try {
      const tests = [this.#columnTest(comparison), ...this.#sameTests(comparison)];
      const known = tests.filter((test) => test !== undefined);
      return known.length === 0 ? undefined : (bounds) => known.every((test) => test(bounds));
    } catch (error) {
      // What can't be compared is the filter's to refuse.
      if (error instanceof MusterError) return undefined;
      throw error;
    }
  }

  /** Through the values of the column that the comparison reads. */
  #columnTest(comparison: Comparison): BoundsTest | undefined {
    const index = chainOf(comparison.operand)?.column;
    const column = this.#schema.columns[index ?? -1];
    if (index === undefined || column === undefined) return undefined;
    const intervals = intervalsOf(comparison, column.type, this.#functions);
    if (intervals === undefined) return undefined;
    const plain = intervals.map((interval) => plainImage(interval, column.type));
    const probes: Probe[] = [];
    if (this.#schema.orderBy[0] === column.name) {
      probes.push({ range: keyRange, images: plain });
      this.prunesPages = true;
    }
    this.#elements.forEach((element, i) => {
      if (element.chain?.column !== index) return;
      const images = this.#imagesOf(element, intervals, column.type);
      if (images.every((image) => image.min === undefined && image.max === undefined)) return;
      probes.push({ range: this.#elementRange(i), images });
      this.prunesPages = true;
    });
    const isKey = this.#schema.orderBy.includes(column.name);
    if (this.#schema.engine === 'MergeTree' || isKey) {
      const range = ({ zones }: Bounds) => zones?.find((zone) => zone.columnId === column.id);
      probes.push({ range, images: plain });
    }
    return probes.length === 0 ? undefined : probesTest(probes, intervals.length);
  }

  #imagesOf(element: KeyElement, intervals: readonly Interval[], type: DataType): readonly Image[] {
    const options = { type, functions: this.#functions };
    return intervals.map((interval) => imageOf(element, interval, options) ?? {});
  }

  /** Elements of the partition key that are what is compared. */
  #sameTests(comparison: Comparison): readonly (BoundsTest | undefined)[] {
    if (comparison.operand.kind === 'column') return [];
    if (this.#functions.timeZone !== 'UTC' && readsTimes(comparison.operand)) return [];
    const compared = fingerprint(comparison.operand);
    return this.#elements.map(({ expression }, i) => {
      if (fingerprint(overSchema(expression, this.#positions())) !== compared) return undefined;
      const intervals = exactIntervals(comparison, expression.type);
      if (intervals === undefined) return undefined;
      this.prunesPages = true;
      const images = intervals.map((interval) => plainImage(interval, expression.type));
      return probesTest([{ range: this.#elementRange(i), images }], intervals.length);
    });
  }

  #positions(): readonly number[] {
    return this.#schema.columns.map((_, i) => i);
  }

  /** Of a page only while all elements before are the same throughout. */
  #elementRange(at: number): Probe['range'] {
    return ({ partitionMin, partitionMax }) => {
      const min = this.#cutter.cut(partitionMin);
      const max = this.#cutter.cut(partitionMax);
      for (let i = 0; i < at; i++) if (min[i] !== max[i]) return undefined;
      return { min: min[at]!, max: max[at]! };
    };
  }
}

function comparisonOf(name: string, operands: readonly BoundExpression[]): Comparison | undefined {
  const [a, b] = operands;
  if (a === undefined || b === undefined) return undefined;
  if (b.kind === 'constant' && (name in mirrored || name === '_in')) {
    return { name, operand: a, constant: b };
  }
  const other = mirrored[name];
  if (other === undefined || a.kind !== 'constant') return undefined;
  return { name: other, operand: b, constant: a };
}

function keyRange({ keyMin: min, keyMax: max }: Bounds): Range | undefined {
  return max === '' ? undefined : { min, max };
}

function plainImage({ min, max }: Interval, type: DataType): Image {
  return {
    ...(min === undefined ? {} : { min: encodedValue(min, type) }),
    ...(max === undefined ? {} : { max: encodedValue(max, type) }),
  };
}

/** Some interval must be met wherever its values leave a trace. */
function probesTest(probes: readonly Probe[], intervals: number): BoundsTest {
  return (bounds) => {
    const ranges = probes.map((probe) => probe.range(bounds));
    for (let i = 0; i < intervals; i++) {
      if (probes.every(({ images }, p) => overlaps(ranges[p], images[i]!))) return true;
    }
    return false;
  };
}

/** Bounds may be of longer keys, which begin with a value's encoding. */
function overlaps(range: Range | undefined, { min, max }: Image): boolean {
  if (range === undefined) return true;
  const reachesUp = min === undefined || range.max.slice(0, min.length) >= min;
  return reachesUp && (max === undefined || range.min.slice(0, max.length) <= max);
}

/** Whether it depends on the session's time zone. */
function readsTimes(expression: BoundExpression): boolean {
  return contains(expression, ({ type }) => type.kind === 'DateTime' || type.kind === 'DateTime64');
}
