// The chart's panel: the automatic choice, what the reader wants instead, and the drawing, renewed
// when the window or its colours change.

import {
  type ChartKind,
  type Chart,
  chartOfKind,
  chooseChart,
  measuresOf,
} from './chart-choice.ts';
import { drawChart } from './chart-drawing.ts';
import { element } from './elements.ts';
import type { Result } from './result.ts';

const kinds: readonly ChartKind[] = ['bars', 'lines', 'matrix'];
const widthMaxPx = 1100;
/** Choices, caption and legend. */
const aroundPx = 110;

export class ChartPanel {
  readonly #panel: HTMLElement;
  readonly #tab: HTMLElement;
  #result: Result | undefined;
  #kind: ChartKind | undefined;
  #measure: number | undefined;
  #drawnWidthPx = 0;

  /** `tab`: shows the kind of the chart. */
  constructor(panel: HTMLElement, tab: HTMLElement) {
    this.#panel = panel;
    this.#tab = tab;
    new ResizeObserver(() => {
      if (Math.abs(this.#widthPx() - this.#drawnWidthPx) > 8) this.draw();
    }).observe(panel);
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.draw());
  }

  /** Of the chart that is shown; undefined: none fits. */
  get kind(): ChartKind | undefined {
    return this.#chosen()?.kind;
  }

  setResult(result: Result | undefined): void {
    this.#result = result;
    this.#kind = undefined;
    this.#measure = undefined;
    this.#drawnWidthPx = 0;
    this.#panel.replaceChildren();
    this.#showKind();
  }

  /** Does nothing while the panel is hidden. */
  draw(): void {
    const result = this.#result;
    if (this.#panel.hidden || result === undefined) return;
    const chart = this.#chosen();
    if (chart === undefined) {
      const words =
        'No chart was chosen for this answer: charts show rows of a word, date or number each ' +
        'with a number, or one row of several numbers.';
      const note = element('p', { className: 'note' }, [words]);
      this.#panel.replaceChildren(this.#controls(result, undefined), note);
      return;
    }
    this.#drawnWidthPx = this.#widthPx();
    const style = getComputedStyle(document.documentElement);
    const colors = {
      low: style.getPropertyValue('--heat-low').trim(),
      high: style.getPropertyValue('--heat-high').trim(),
    };
    const heightPx = this.#panel.clientHeight - aroundPx;
    const drawn = drawChart(result, chart, { widthPx: this.#drawnWidthPx, heightPx, colors });
    const old = this.#panel.querySelector('.charts');
    if (old === null) this.#panel.replaceChildren(this.#controls(result, chart), drawn);
    else old.replaceWith(drawn);
  }

  #chosen(): Chart | undefined {
    if (this.#result === undefined) return undefined;
    return chooseChart(this.#result, { kind: this.#kind, measure: this.#measure });
  }

  #showKind(): void {
    this.#tab.textContent = this.kind === undefined ? 'Chart' : `Chart: ${this.kind}`;
  }

  #widthPx(): number {
    return Math.max(280, Math.min(widthMaxPx, this.#panel.clientWidth - 32));
  }

  #controls(result: Result, chart: Chart | undefined): HTMLElement {
    const fitting = kinds.filter((kind) => chartOfKind(result, kind) !== undefined);
    if (fitting.length === 0) return element('div');
    const kindOptions = fitting.map((name) => [name, name] as const);
    const none = chart === undefined ? [['', 'none'] as const] : [];
    const kind = choice('Chart', chart?.kind ?? '', [...none, ...kindOptions]);
    kind.select.addEventListener('change', () => {
      this.#kind = kind.select.value as ChartKind;
      this.#measure = undefined;
      this.#renew(kind.select.id);
    });
    const measure = chart === undefined ? [] : this.#measureChoice(result, chart);
    return element('div', { className: 'answer-bar' }, [kind.label, kind.select, ...measure]);
  }

  #measureChoice(result: Result, chart: Chart): readonly HTMLElement[] {
    const measures = measuresOf(result, chart);
    const shown = chart.kind === 'matrix' ? [chart.value] : chart.measures;
    const isOneOnly =
      chart.kind === 'matrix' || (chart.kind === 'lines' && chart.series !== undefined);
    const isSeveral = !isOneOnly && measures.length > 1;
    const { select, label } = choice('Value', shown.length > 1 ? '' : String(shown[0]), [
      ...(isSeveral ? [['', 'all that fit'] as const] : []),
      ...measures.map((i) => [String(i), result.columns[i]?.name ?? ''] as const),
    ]);
    select.addEventListener('change', () => {
      this.#measure = select.value === '' ? undefined : Number(select.value);
      this.#renew(select.id);
    });
    return [label, select];
  }

  /** The select that was used keeps the focus. */
  #renew(selectId: string): void {
    this.#panel.replaceChildren();
    this.#showKind();
    this.draw();
    document.getElementById(selectId)?.focus();
  }
}

function choice(
  words: string,
  value: string,
  options: readonly (readonly [value: string, label: string])[],
) {
  const made = options.map(([name, label]) =>
    element('option', { attributes: { value: name } }, [label]),
  );
  const id = `chart-${words.toLowerCase()}`;
  const select = element('select', { id }, made);
  select.value = value;
  return { select, label: element('label', { attributes: { for: id } }, [words]) };
}
