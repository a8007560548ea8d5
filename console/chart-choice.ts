// Which picture fits a result, from its columns' types and a look at its values. Pure: the drawing is
// chart-drawing.ts. Keys are dates, times, words and small integers; measures are numbers.
//
//   bars    one label (or several, joined) and numbers; or one row of several numbers
//   lines   an ascending date, time or number, and numbers; or one number and a word: a line each
//   matrix  two keys that come in pairs, each once, and a number: cohorts by days

import { type Cell, columnKind, isNumeric, type Result } from './result.ts';

/** Numbers are indexes of columns. */
export type Chart =
  /** No labels: one row, a bar for each measure. */
  | { readonly kind: 'bars'; readonly labels: readonly number[]; readonly measures: Measures }
  | {
      readonly kind: 'lines';
      readonly x: number;
      readonly series: Series;
      readonly measures: Measures;
    }
  | {
      readonly kind: 'matrix';
      readonly down: number;
      readonly across: number;
      readonly value: number;
    };

export type ChartKind = Chart['kind'];
type Measures = readonly number[];
type Series = number | undefined;

/** What the reader chose instead of the automatic choice. */
interface ChartWish {
  readonly kind: ChartKind | undefined;
  /** The only measure to show. */
  readonly measure: number | undefined;
}

const seriesMax = 12;
/** More bars are drawn only for those who ask for them. */
const barsUnaskedMax = 60;
const matrixCellsMax = 4000;
const matrixFilledMin = 0.3;
/** Measures further apart than this share no axis. */
const scaleFactorMax = 30;

/** Undefined: nothing fits, or what is wished does not. */
export function chooseChart(result: Result, wish?: ChartWish): Chart | undefined {
  const chart = wish?.kind === undefined ? automatic(result) : chartOfKind(result, wish.kind);
  return chart === undefined || wish?.measure === undefined ? chart : narrowed(chart, wish.measure);
}

export function chartOfKind(result: Result, kind: ChartKind): Chart | undefined {
  const roles = rolesOf(result);
  if (kind === 'bars') return barsOf(result, roles);
  return kind === 'lines' ? linesOf(result, roles) : matrixOf(result, roles);
}

/** Columns that a reader may choose to show alone. */
export function measuresOf(result: Result, chart: Chart): readonly number[] {
  const keys: readonly (number | undefined)[] =
    chart.kind === 'matrix'
      ? [chart.down, chart.across]
      : chart.kind === 'lines'
        ? [chart.x, chart.series]
        : chart.labels;
  return rolesOf(result).numbers.filter((column) => !keys.includes(column));
}

/** Measures whose largest values are close enough to share an axis, in the order given. */
export function scaleGroups(result: Result, measures: readonly number[]): readonly Measures[] {
  const groups: { readonly top: number; readonly measures: number[] }[] = [];
  for (const measure of measures) {
    const values = result.rows.map((row) => Math.abs(Number(row[measure] ?? 0)));
    const top = values.reduce((max, value) => (value > max ? value : max), 0);
    const near = groups.find(
      (group) => Math.max(group.top, top) <= scaleFactorMax * Math.min(group.top, top),
    );
    if (near === undefined) groups.push({ top, measures: [measure] });
    else near.measures.push(measure);
  }
  return groups.map((group) => group.measures);
}

interface Roles {
  readonly words: readonly number[];
  readonly times: readonly number[];
  readonly integers: readonly number[];
  readonly numbers: readonly number[];
}

function rolesOf(result: Result): Roles {
  const kinds = result.columns.map(({ type }) => columnKind(type));
  const those = (test: (kind: (typeof kinds)[number]) => boolean) =>
    kinds.flatMap((kind, i) => (test(kind) ? [i] : []));
  return {
    words: those((kind) => kind === 'category'),
    times: those((kind) => kind === 'time'),
    integers: those((kind) => kind === 'integer'),
    numbers: those(isNumeric),
  };
}

function automatic(result: Result): Chart | undefined {
  const roles = rolesOf(result);
  if (result.rows.length <= 1) return barsOf(result, roles);
  const lines = linesOf(result, roles);
  const matrix = matrixOf(result, roles);
  const bars = result.rows.length <= barsUnaskedMax ? barsOf(result, roles) : undefined;
  return (lines?.series === undefined ? matrix : undefined) ?? lines ?? bars;
}

function narrowed(chart: Chart, measure: number): Chart {
  return chart.kind === 'matrix' ? { ...chart, value: measure } : { ...chart, measures: [measure] };
}

function barsOf(result: Result, roles: Roles): (Chart & { readonly kind: 'bars' }) | undefined {
  const { integers, numbers } = roles;
  const keys = [...roles.words, ...roles.times].sort((a, b) => a - b);
  if (result.rows.length === 1 && numbers.length >= 2) {
    return { kind: 'bars', labels: [], measures: integers.length >= 2 ? integers : numbers };
  }
  if (result.rows.length < 2) return undefined;
  if (keys.length > 0) {
    return numbers.length === 0 ? undefined : { kind: 'bars', labels: keys, measures: numbers };
  }
  const label = integers[0];
  const measures = numbers.filter((column) => column !== label);
  if (label === undefined || measures.length === 0) return undefined;
  return { kind: 'bars', labels: [label], measures };
}

function linesOf(result: Result, roles: Roles): (Chart & { readonly kind: 'lines' }) | undefined {
  const { words, times, numbers } = roles;
  const x = times[0] ?? (words.length === 0 ? numbers[0] : undefined);
  if (x === undefined || times.length > 1 || words.length > 1) return undefined;
  const measures = numbers.filter((column) => column !== x);
  const series = words[0];
  const xCount = distinct(result, [x]);
  if (measures.length === 0 || xCount < 2) return undefined;
  if (series === undefined) {
    const isInOrder = times.length > 0 || ascends(result, x);
    return xCount < result.rows.length || !isInOrder
      ? undefined
      : { kind: 'lines', x, series: undefined, measures };
  }
  if (distinct(result, [series]) > seriesMax) return undefined;
  if (distinct(result, [x, series]) < result.rows.length) return undefined;
  return { kind: 'lines', x, series, measures: [bestMeasure(result, measures)] };
}

function matrixOf(result: Result, roles: Roles): Chart | undefined {
  const { words, times, integers, numbers } = roles;
  const named = [...words, ...times].sort((a, b) => a - b);
  const [down, across] = [...named, ...integers];
  if (named.length > 2 || down === undefined || across === undefined) return undefined;
  const measures = numbers.filter((column) => column !== down && column !== across);
  const rows = result.rows.length;
  const downCount = distinct(result, [down]);
  const acrossCount = distinct(result, [across]);
  const cells = downCount * acrossCount;
  if (measures.length === 0 || downCount < 2 || acrossCount < 2) return undefined;
  if (downCount === rows || acrossCount === rows) return undefined;
  if (cells > matrixCellsMax || rows < cells * matrixFilledMin) return undefined;
  if (distinct(result, [down, across]) < rows) return undefined;
  return { kind: 'matrix', down, across, value: bestMeasure(result, measures) };
}

/** What a person would look at first: a rate, else a fraction, else the first number. */
function bestMeasure(result: Result, measures: readonly number[]): number {
  const column = (i: number) => result.columns[i] ?? { name: '', type: '' };
  const rate = measures.find((i) => /rate|ratio|share|percent|pct|retention/i.test(column(i).name));
  const fraction = measures.findLast((i) => columnKind(column(i).type) === 'fraction');
  return rate ?? fraction ?? measures[0] ?? 0;
}

function distinct(result: Result, columns: readonly number[]): number {
  const key = (row: readonly Cell[]) => JSON.stringify(columns.map((column) => row[column]));
  return new Set(result.rows.map(key)).size;
}

function ascends(result: Result, column: number): boolean {
  return result.rows.every(
    (row, i) => i === 0 || Number(result.rows[i - 1]?.[column]) < Number(row[column]),
  );
}
