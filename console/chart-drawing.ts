// Draws a chart that chart-choice.ts chose, with Observable Plot, as SVG in the page's colours.
// Charts say in words what they show, for those who don't see them.

import {
  barX,
  cell as cellMark,
  dot,
  lineY,
  type PlotOptions,
  plot,
  ruleX,
  ruleY,
  text as textMark,
  tip,
  pointerX,
} from '@observablehq/plot';
import { cellText, countText } from './cell-text.ts';
import { type Chart, scaleGroups } from './chart-choice.ts';
import { blend, writingOn } from './color-blend.ts';
import { element } from './elements.ts';
import { type Cell, columnKind, type Result } from './result.ts';

interface ChartFrame {
  readonly widthPx: number;
  /** Room in view; taller charts are scrolled. */
  readonly heightPx: number;
  /** Values of the style sheet's colours, for blends. */
  readonly colors: { readonly low: string; readonly high: string };
}

interface Point {
  readonly x: string | number | Date;
  readonly series: string;
  readonly value: number;
}

const barsMax = 60;
const seriesColors = [1, 2, 3, 4, 5, 6].map((n) => `var(--series-${n})`);

export function drawChart(result: Result, chart: Chart, frame: ChartFrame): HTMLElement {
  const parts =
    chart.kind === 'matrix'
      ? [drawMatrix(result, chart, frame)]
      : scaleGroups(result, chart.measures).map((measures) =>
          chart.kind === 'bars'
            ? drawBars(result, { ...chart, measures }, frame)
            : drawLines(result, { ...chart, measures }, frame),
        );
  return element('div', { className: 'charts' }, parts);
}

function drawBars(result: Result, chart: Chart & { kind: 'bars' }, frame: ChartFrame): HTMLElement {
  const shown = result.rows.slice(0, barsMax);
  const isOneRow = chart.labels.length === 0;
  const points: readonly Point[] = shown.flatMap((row) =>
    chart.measures.map((measure) => ({
      x: isOneRow ? nameOf(result, measure) : labelOf(result, row, chart.labels),
      series: nameOf(result, measure),
      value: numberOf(row[measure]),
    })),
  );
  const labels = [...new Set(points.map(({ x }) => String(x)))];
  const isGrouped = !isOneRow && chart.measures.length > 1;
  const names = chart.measures.map((measure) => nameOf(result, measure));
  const longest = labels.reduce((max, label) => Math.max(max, label.length), 0);
  const barsOfGroup = isGrouped ? chart.measures.length : 1;
  const options: PlotOptions = {
    marginLeft: Math.min(220, 24 + 7 * longest),
    marginRight: 64,
    marginTop: 4,
    marginBottom: 4,
    height: 8 + labels.length * (barsOfGroup * 20 + 8),
    x: { axis: null },
    y: { label: null, domain: isGrouped ? names : labels, axis: isGrouped ? null : 'left' },
    ...(isGrouped ? { fy: { label: null, domain: labels, padding: 0.15 } } : {}),
    color: { domain: names, range: seriesColors, legend: false },
    marks: [
      barX(points, {
        x: 'value',
        y: isGrouped ? 'series' : 'x',
        ...(isGrouped ? { fy: 'x' } : {}),
        fill: isGrouped ? 'series' : () => names[0],
        insetTop: 1,
        insetBottom: 1,
      }),
      textMark(points, {
        x: 'value',
        y: isGrouped ? 'series' : 'x',
        ...(isGrouped ? { fy: 'x' } : {}),
        text: ({ value }: Point) => shortNumber(value),
        textAnchor: 'start',
        dx: 5,
        fill: 'var(--text)',
      }),
      ruleX([0], { stroke: 'var(--muted)' }),
    ],
  };
  const by = chart.labels.map((column) => nameOf(result, column)).join(' and ');
  const cut =
    result.rows.length > barsMax ? `The first ${barsMax} of ${result.rows.length} rows.` : '';
  return framed(options, frame, {
    title: `${names.join(', ')}${by === '' ? '' : ` by ${by}`}`,
    names: isGrouped ? names : [],
    note: cut,
  });
}

function drawLines(
  result: Result,
  chart: Chart & { kind: 'lines' },
  frame: ChartFrame,
): HTMLElement {
  const { x, series, measures } = chart;
  const xType = result.columns[x]?.type ?? '';
  const points: readonly Point[] = result.rows.flatMap((row) =>
    measures.map((measure) => ({
      x: columnKind(xType) === 'time' ? dateOf(row[x]) : numberOf(row[x]),
      series: series === undefined ? nameOf(result, measure) : cellText(row[series] ?? null, ''),
      value: numberOf(row[measure]),
    })),
  );
  const names = [...new Set(points.map((point) => point.series))];
  const measureNames = measures.map((measure) => nameOf(result, measure)).join(', ');
  const channels = { x: 'x', y: 'value', stroke: 'series' } as const;
  const options: PlotOptions = {
    height: Math.max(220, Math.min(420, frame.widthPx * 0.5, frame.heightPx)),
    marginTop: 28,
    marginLeft: 56,
    marginRight: 24,
    x: {
      label: nameOf(result, x),
      ...(columnKind(xType) === 'time' ? { type: 'utc' as const } : {}),
    },
    y: {
      label: measureNames,
      grid: true,
      nice: true,
      zero: isNearZero(points),
      tickFormat: shortNumber,
    },
    color: { domain: names, range: seriesColors, type: 'ordinal' },
    marks: [
      ruleY(isNearZero(points) ? [0] : [], { stroke: 'var(--muted)' }),
      lineY(points, { ...channels, strokeWidth: 2 }),
      ...(points.length <= 100 ? [dot(points, { ...channels, r: 2.5, fill: 'series' })] : []),
      tip(points, pointerX({ ...channels, fill: 'var(--surface)', textPadding: 8 })),
    ],
  };
  const by = series === undefined ? '' : ` by ${nameOf(result, series)}`;
  const title = `${measureNames}${by} over ${nameOf(result, x)}`;
  return framed(options, frame, { title, names: names.length > 1 ? names : [], note: '' });
}

function drawMatrix(
  result: Result,
  chart: Chart & { kind: 'matrix' },
  frame: ChartFrame,
): HTMLElement {
  const { down, across, value } = chart;
  const cells = result.rows.map((row) => ({
    down: labelOf(result, row, [down]),
    across: labelOf(result, row, [across]),
    value: numberOf(row[value]),
  }));
  const downs = [...new Set(cells.map((point) => point.down))];
  const acrosses = orderedKeys(cells.map((point) => point.across));
  const [min, max] = extent(cells.map((point) => point.value));
  const isShare =
    columnKind(result.columns[value]?.type ?? '') === 'fraction' && max <= 1 && min >= 0;
  const shown = (n: number) =>
    isShare ? `${(n * 100).toFixed(n > 0.995 ? 0 : 1)}%` : shortNumber(n);
  const longest = downs.reduce((most, label) => Math.max(most, label.length), 0);
  const marginLeft = Math.min(220, 32 + 7 * longest);
  const cellWidth = (frame.widthPx - marginLeft - 16) / acrosses.length;
  const { low, high } = frame.colors;
  const writing = (n: number) => writingOn(blend(low, high, (n - min) / (max - min || 1)));
  const options: PlotOptions = {
    marginLeft,
    marginTop: 44,
    marginRight: 16,
    marginBottom: 12,
    height: 60 + downs.length * 24,
    padding: 0.04,
    x: { domain: acrosses, axis: 'top', label: nameOf(result, across), tickSize: 0 },
    y: { domain: downs, label: null, tickSize: 0 },
    color: { type: 'linear', range: [low, high], interpolate: 'rgb', domain: [min, max] },
    marks: [
      cellMark(cells, {
        x: 'across',
        y: 'down',
        fill: 'value',
        rx: 2,
        title: (point: (typeof cells)[number]) =>
          `${point.down} · ${point.across}: ${shown(point.value)}`,
      }),
      ...(cellWidth < 34
        ? []
        : [
            textMark(cells, {
              x: 'across',
              y: 'down',
              text: (point: (typeof cells)[number]) => shown(point.value),
              fill: (point: (typeof cells)[number]) => writing(point.value),
            }),
          ]),
    ],
  };
  const title = `${nameOf(result, value)} by ${nameOf(result, down)} and ${nameOf(result, across)}`;
  return framed(options, frame, { title, names: [], note: '' });
}

/** The SVG of Plot, without the style element that the page's content policy would refuse. */
function framed(
  options: PlotOptions,
  frame: ChartFrame,
  words: { readonly title: string; readonly names: readonly string[]; readonly note: string },
): HTMLElement {
  const svg = plot({ ...options, width: frame.widthPx, ariaLabel: words.title, className: 'plot' });
  for (const style of svg.querySelectorAll('style')) style.remove();
  svg.setAttribute('role', 'img');
  const swatches = words.names.map((name, i) => {
    const swatch = element('span', { className: 'swatch' });
    swatch.style.background = seriesColors[i % seriesColors.length] ?? '';
    return element('span', { className: 'legend-item' }, [swatch, name]);
  });
  const caption = element('figcaption', {}, [
    words.title,
    words.note === '' ? '' : ` ${words.note}`,
  ]);
  const legend = swatches.length === 0 ? [] : [element('div', { className: 'legend' }, swatches)];
  return element('figure', { className: 'chart' }, [caption, ...legend, svg]);
}

function nameOf(result: Result, column: number): string {
  return result.columns[column]?.name ?? '';
}

function labelOf(result: Result, row: readonly Cell[], columns: readonly number[]): string {
  return columns
    .map((column) => cellText(row[column] ?? null, result.columns[column]?.type ?? ''))
    .join(' · ');
}

function numberOf(cell: Cell | undefined): number {
  return cell === null || cell === undefined ? Number.NaN : Number(cell);
}

/** Dates and times of the server carry no zone: drawn as they read. */
function dateOf(cell: Cell | undefined): Date {
  const text = cellText(cell ?? null, '');
  return new Date(text.includes(' ') ? `${text.replace(' ', 'T')}Z` : text);
}

function isNearZero(points: readonly Point[]): boolean {
  const [min, max] = extent(points.map(({ value }) => value));
  return min >= 0 && min < max / 2;
}

function extent(values: readonly number[]): readonly [min: number, max: number] {
  const finite = values.filter(Number.isFinite);
  return finite.reduce(
    ([min, max], value) => [Math.min(min, value), Math.max(max, value)],
    [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY],
  );
}

/** Numbers ascending, words as they come. */
function orderedKeys(keys: readonly string[]): readonly string[] {
  const unique = [...new Set(keys)];
  const isNumber = unique.every((key) => key !== '' && Number.isFinite(Number(key)));
  return isNumber ? unique.sort((a, b) => Number(a) - Number(b)) : unique;
}

function shortNumber(value: number): string {
  if (!Number.isFinite(value)) return '';
  if (Number.isInteger(value) && Math.abs(value) < 1e7) return countText(value);
  if (Math.abs(value) >= 1e4) {
    const [scale, unit] =
      Math.abs(value) >= 1e9 ? [1e9, 'G'] : Math.abs(value) >= 1e6 ? [1e6, 'M'] : [1e3, 'k'];
    return `${Number((value / scale).toPrecision(3))}${unit}`;
  }
  return String(Number(value.toPrecision(3)));
}
