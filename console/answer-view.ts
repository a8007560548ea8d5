// The answer to the last statement: as a table, as a chart, with its plan and what it took. Charts
// and plans are made when they are looked at.

import { countedText, countText, durationText } from './cell-text.ts';
import type { ChartPanel } from './chart-panel.ts';
import { csvOf } from './csv.ts';
import { button, element, found } from './elements.ts';
import { copyText, saveFile } from './hand-over.ts';
import { costMeasures, type Measure, summaryMeasures, timeMeasures } from './measures.ts';
import type { Reply } from './muster-client.ts';
import { parseResult, type Result } from './result.ts';
import { resultTable, shownRowsMax } from './result-table.ts';
import type { ServerError } from './server-error.ts';
import { TabList } from './tab-list.ts';

export interface Answer {
  readonly statement: string;
  readonly reply: Reply;
  /** Undefined: an answer in a format that the statement named, or none. */
  readonly result: Result | undefined;
  /** There are more rows on the server than in the result. */
  readonly isCut: boolean;
}

export type ViewName = 'table' | 'chart' | 'plan' | 'cost';

interface AnswerEvents {
  /** Lines of EXPLAIN. */
  readonly plan: (statement: string, verb: string) => Promise<string>;
  /** The whole answer as CSV, asked again. */
  readonly wholeCsv: (statement: string) => Promise<string>;
  readonly onErrorPlace: () => void;
  readonly onSaid: (message: string) => void;
}

const tabNames: readonly ViewName[] = ['table', 'chart', 'plan', 'cost'];

export class AnswerView {
  readonly #panels = Object.fromEntries(
    tabNames.map((name) => [name, found(`panel-${name}`, HTMLElement)]),
  ) as Record<ViewName, HTMLElement>;
  readonly #tabs: TabList<ViewName>;
  readonly #chart: ChartPanel;
  readonly #events: AnswerEvents;
  #answer: Answer | undefined;
  #planOf = '';

  constructor(chart: ChartPanel, events: AnswerEvents) {
    this.#chart = chart;
    this.#events = events;
    const tabs = tabNames.map((name) => [name, found(`tab-${name}`, HTMLElement)] as const);
    this.#tabs = new TabList(tabs, () => this.#fill());
  }

  show(answer: Answer, view?: ViewName): void {
    this.#answer = answer;
    this.#planOf = '';
    const { result, reply } = answer;
    this.#panels.table.replaceChildren(...this.#tableParts(answer));
    this.#chart.setResult(result);
    this.#panels.cost.replaceChildren(...measureParts(reply));
    this.#panels.plan.replaceChildren();
    const wanted = view ?? (this.#tabs.chosen === 'cost' ? 'table' : this.#tabs.chosen);
    this.#tabs.choose(wanted === 'chart' && this.#chart.kind === undefined ? 'table' : wanted);
  }

  /** Instead of an answer; `hasPlace`: it is marked in the editor. */
  showError(error: ServerError, hasPlace: boolean): void {
    this.#answer = undefined;
    const code = error.code === undefined ? '' : ` (code ${error.code})`;
    const heading = error.errorName === '' ? 'No answer' : `${error.errorName}${code}`;
    const place = hasPlace ? [button('Go to the place', this.#events.onErrorPlace)] : [];
    this.#panels.table.replaceChildren(
      element('div', { className: 'error', attributes: { role: 'alert' } }, [
        element('strong', {}, [heading]),
        element('p', {}, [error.message]),
        ...place,
      ]),
    );
    this.#chart.setResult(undefined);
    const nothing = () => element('p', { className: 'note' }, ['The last statement failed.']);
    this.#panels.plan.replaceChildren(nothing());
    this.#panels.cost.replaceChildren(nothing());
    this.#tabs.choose('table');
  }

  #fill(): void {
    if (this.#tabs.chosen === 'chart') this.#chart.draw();
    if (this.#tabs.chosen === 'plan') void this.#fillPlan();
  }

  #tableParts({ statement, reply, result, isCut }: Answer): readonly Node[] {
    if (result === undefined) {
      if (reply.text === '') return [element('p', { className: 'note' }, ['Done.'])];
      const raw = element('pre', { className: 'raw' }, [reply.text.slice(0, 1_000_000)]);
      return [this.#toolbar(`As ${reply.format}`, () => reply.text, undefined), raw];
    }
    const shown = Math.min(result.rows.length, shownRowsMax);
    const size = `${countedText(shown, 'row')}, ${countedText(result.columns.length, 'column')}`;
    const note = isCut
      ? `The first ${countText(shown)} rows; there are more. The download has them all.`
      : size;
    const scroll = element(
      'div',
      { className: 'scroll', attributes: { tabindex: '0', role: 'region', 'aria-label': 'Rows' } },
      [resultTable(result)],
    );
    const download = isCut ? () => this.#events.wholeCsv(statement) : async () => csvOf(result);
    const bar = this.#toolbar(note, () => csvOf(result), download);
    if (isCut) bar.classList.add('cut');
    return [bar, scroll];
  }

  #toolbar(
    note: string,
    copied: () => string,
    download: (() => Promise<string>) | undefined,
  ): HTMLElement {
    const copy = button(download === undefined ? 'Copy' : 'Copy CSV', () => {
      void copyText(copied()).then((done) =>
        this.#events.onSaid(done ? 'Copied.' : 'The browser refuses to copy.'),
      );
    });
    const save =
      download === undefined
        ? []
        : [
            button('Download CSV', () => {
              const said = this.#events.onSaid;
              void download().then(
                (text) => saveFile('muster-answer.csv', text),
                (error: Error) => said(`No download: ${error.message}`),
              );
            }),
          ];
    const words = element('span', { className: 'note' }, [note]);
    return element('div', { className: 'answer-bar' }, [words, copy, ...save]);
  }

  async #fillPlan(): Promise<void> {
    const panel = this.#panels.plan;
    const answer = this.#answer;
    if (answer === undefined || this.#planOf === answer.statement) return;
    this.#planOf = answer.statement;
    if (!/^\s*(SELECT|WITH|\()/i.test(answer.statement)) {
      const words = 'Plans are shown of SELECT statements.';
      panel.replaceChildren(element('p', { className: 'note' }, [words]));
      return;
    }
    const show = async (verb: string) => {
      const text = await this.#events
        .plan(answer.statement, verb)
        .catch((error: Error) => error.message);
      if (this.#answer !== answer) return;
      const measure = button('Run and measure (EXPLAIN ANALYZE)', () => void show('ANALYZE'));
      const words = verb === '' ? 'Planned, not run.' : 'Run once more, and measured.';
      const bar = [element('span', { className: 'note' }, [words]), measure];
      panel.replaceChildren(element('div', { className: 'answer-bar' }, bar), planText(text));
    };
    await show('');
  }
}

/** Lines that begin a stage stand out. */
function planText(text: string): HTMLElement {
  const lines = text.split('\n').map((line) => {
    const isHead = line.startsWith('Stage ');
    return element('span', { className: isHead ? 'plan-head' : 'plan-line' }, [`${line}\n`]);
  });
  const attributes = { tabindex: '0', role: 'region', 'aria-label': 'Plan' };
  return element('pre', { className: 'plan', attributes }, lines);
}

function measureParts(reply: Reply): readonly Node[] {
  const groups: readonly (readonly [string, readonly Measure[]])[] = [
    ['The query', summaryMeasures(reply.summary)],
    ['What it cost', costMeasures(reply.cost)],
    ['Seen from this browser', timeMeasures(reply.times)],
  ];
  const parts = groups
    .filter(([, measures]) => measures.length > 0)
    .map(([title, measures]) =>
      element('section', { className: 'measures' }, [
        element('h3', {}, [title]),
        element(
          'dl',
          {},
          measures.flatMap(({ label, text }) => [
            element('dt', {}, [label]),
            element('dd', {}, [text]),
          ]),
        ),
      ]),
    );
  const id = element('p', { className: 'note' }, [
    'Query id ',
    element('code', {}, [reply.queryId]),
  ]);
  return [element('div', { className: 'measure-groups' }, parts), id];
}

/** What a reply holds, cut to what the page shows. */
export function answerOf(statement: string, reply: Reply): Answer {
  if (reply.format !== 'JSONCompact' || reply.text === '') {
    return { statement, reply, result: undefined, isCut: false };
  }
  const whole = parseResult(reply.text);
  const isCut = whole.rows.length > shownRowsMax;
  const result = isCut ? { ...whole, rows: whole.rows.slice(0, shownRowsMax) } : whole;
  return { statement, reply, result, isCut };
}

/** `30 rows in 12 ms`. */
export function outcomeOf({ reply, result, isCut }: Answer): string {
  const took = durationText(reply.times.totalMs);
  if (result === undefined) return `done in ${took}`;
  return `${isCut ? 'more than ' : ''}${countedText(result.rows.length, 'row')} in ${took}`;
}
