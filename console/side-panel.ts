// Beside the editor: examples, the server's tables with their columns, and the statements run so
// far. Everything is a button, so that the keyboard reaches it.

import { button, element, found } from './elements.ts';
import { demoDatabase, demoExamples, type Example, firstExample } from './examples.ts';
import { identifier, type Schema, type SchemaTable, tableReference } from './schema.ts';
import type { StatementHistory } from './statement-history.ts';

interface SideEvents {
  readonly onExample: (example: Example) => void;
  readonly onInsert: (text: string) => void;
  readonly onPreview: (table: SchemaTable) => void;
  readonly onHistory: (statement: string) => void;
}

const statementPreviewCharacters = 160;

export class SidePanel {
  readonly #examples = found('examples', HTMLElement);
  readonly #tables = found('tables', HTMLElement);
  readonly #history = found('history', HTMLElement);
  readonly #events: SideEvents;

  constructor(events: SideEvents) {
    this.#events = events;
  }

  /** Undefined: the server didn't tell. */
  showSchema(schema: Schema | undefined): void {
    const isDemo = ({ database }: SchemaTable) => database === demoDatabase;
    const hasDemo = schema === undefined || schema.tables.some(isDemo);
    const note = element('p', { className: 'note' }, [
      'The others ask the demo’s tables, which this server does not have. Start it with ',
      element('code', {}, ['muster serve --demo']),
      ' to try them.',
    ]);
    const buttons = (examples: readonly Example[]) =>
      examples.map((example) =>
        element('li', {}, [button(example.title, () => this.#events.onExample(example))]),
      );
    this.#examples.replaceChildren(
      element('ul', {}, buttons(hasDemo ? [...demoExamples, firstExample] : [firstExample])),
      ...(hasDemo ? [] : [note, element('ul', {}, buttons(demoExamples))]),
    );
    const tables = schema?.tables.map((table) => this.#table(table)) ?? [];
    const words =
      schema === undefined ? 'Not known yet.' : 'No tables yet: CREATE TABLE makes one.';
    const none = element('p', { className: 'note' }, [words]);
    this.#tables.replaceChildren(...(tables.length === 0 ? [none] : tables));
  }

  showHistory(history: StatementHistory): void {
    const items = history.entries.map(({ statement, at, outcome }) =>
      element('li', {}, [
        button('', () => this.#events.onHistory(statement), {
          title: statement.slice(0, 2000),
          className: 'history-entry',
        }),
        element('span', { className: 'note' }, [`${at} · ${outcome}`]),
      ]),
    );
    for (const [i, item] of items.entries()) {
      const text = (history.entries[i]?.statement ?? '').replace(/\s+/g, ' ');
      const preview = text.slice(0, statementPreviewCharacters);
      item.querySelector('button')?.append(element('code', {}, [preview]));
    }
    const clear = button('Forget all', () => {
      history.clear();
      this.showHistory(history);
    });
    const none = element('p', { className: 'note' }, ['Statements that you run are kept here.']);
    this.#history.replaceChildren(
      ...(items.length === 0 ? [none] : [element('ul', {}, items), clear]),
    );
  }

  #table(table: SchemaTable): HTMLElement {
    const reference = tableReference(table);
    const insert = (text: string) => () => this.#events.onInsert(text);
    const columns = table.columns.map(({ name, type }) =>
      element('li', {}, [
        button(name, insert(identifier(name)), { title: `Insert ${name}` }),
        element('span', { className: 'note' }, [type]),
      ]),
    );
    return element('details', {}, [
      element('summary', {}, [reference]),
      element('div', { className: 'table-actions' }, [
        button('Insert name', insert(reference)),
        button('First rows', () => this.#events.onPreview(table)),
      ]),
      element('ul', {}, columns),
    ]);
  }
}

/** The first rows of a table; states of sets are counted, for their bytes say nothing. */
export function previewStatement(table: SchemaTable): string {
  const items = table.columns.map(({ name, type }) =>
    type.startsWith('AggregateFunction(groupBitmap')
      ? `bitmapCardinality(${identifier(name)}) AS ${identifier(`${name}_count`)}`
      : identifier(name),
  );
  return `SELECT ${items.join(', ')}\nFROM ${tableReference(table)}\nLIMIT 100`;
}
