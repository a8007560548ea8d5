// A result as an HTML table. Rows come in portions as the reader scrolls, up to a cap, so that the
// page never stands still; what is left out is said beside it (answer-view.ts).

import { cellText } from './cell-text.ts';
import { element } from './elements.ts';
import { columnKind, isNumeric, type Result } from './result.ts';

export const shownRowsMax = 10_000;
const portionRows = 400;
const cellCharactersMax = 2000;

export function resultTable(result: Result): HTMLTableElement {
  const columns = result.columns.map(({ name, type }) => {
    const kind = columnKind(type);
    return { name, type, className: isNumeric(kind) ? 'number' : kind };
  });
  const head = columns.map(({ name, type, className }) =>
    element('th', { className, attributes: { scope: 'col' } }, [
      element('span', { className: 'column-name' }, [name]),
      element('span', { className: 'column-type' }, [type]),
    ]),
  );
  const body = element('tbody');
  const count = Math.min(result.rows.length, shownRowsMax);
  let shown = 0;
  const more = () => {
    const rows = result.rows.slice(shown, Math.min(shown + portionRows, count));
    body.append(...rows.map((row, i) => tableRow(row, shown + i, columns)));
    shown += rows.length;
    const last = body.lastElementChild;
    if (last !== null && shown < count) watch(last, more);
  };
  more();
  const corner = element('th', { className: 'row-number', attributes: { scope: 'col' } }, ['#']);
  const header = element('thead', {}, [element('tr', {}, [corner, ...head])]);
  const attributes = { 'aria-rowcount': String(result.rows.length + 1) };
  return element('table', { className: 'result', attributes }, [header, body]);
}

function tableRow(
  row: Result['rows'][number],
  index: number,
  columns: readonly { readonly type: string; readonly className: string }[],
): HTMLTableRowElement {
  const number = element('td', { className: 'row-number' }, [String(index + 1)]);
  const cells = columns.map(({ type, className }, i) => {
    const cell = row[i] ?? null;
    const text = cellText(cell, type);
    if (cell === null) return element('td', { className: `${className} null` }, [text]);
    if (text.length <= cellCharactersMax) return element('td', { className }, [text]);
    const cut = `${text.slice(0, cellCharactersMax)}… (${text.length} characters)`;
    return element('td', { className }, [cut]);
  });
  const attributes = { 'aria-rowindex': String(index + 2) };
  return element('tr', { attributes }, [number, ...cells]);
}

/** Calls once, when the row is about to be seen. */
function watch(row: Element, onNear: () => void): void {
  const observer = new IntersectionObserver(
    (entries) => {
      if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
      observer.disconnect();
      onNear();
    },
    { rootMargin: '1200px' },
  );
  observer.observe(row);
}
