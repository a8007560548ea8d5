// The page, wired: the editor's statement goes to the server, the answer to its views. One statement
// runs at a time; Ctrl+Enter runs it from anywhere, Esc stops it.

import { type Answer, AnswerView, answerOf, outcomeOf, type ViewName } from './answer-view.ts';
import { cellText, durationText } from './cell-text.ts';
import { ChartPanel } from './chart-panel.ts';
import { SqlEditor } from './editor.ts';
import { found } from './elements.ts';
import { errorSpan } from './error-position.ts';
import { demoDatabase, demoExamples, type Example, firstExample } from './examples.ts';
import { copyText } from './hand-over.ts';
import { dollarsOf } from './measures.ts';
import { MusterClient } from './muster-client.ts';
import { shownRowsMax } from './result-table.ts';
import {
  columnsStatement,
  emptySchema,
  functionsStatement,
  type Schema,
  schemaOf,
} from './schema.ts';
import { ServerError } from './server-error.ts';
import { fragmentOf, textOfFragment } from './share-link.ts';
import { previewStatement, SidePanel } from './side-panel.ts';
import { SignIn } from './sign-in.ts';
import { StatementHistory } from './statement-history.ts';
import { type StatementRange, statementsToRun } from './statements.ts';

const draftName = 'muster-draft';
/** Longer questions make links that some programs cut. */
const fragmentCharactersMax = 8000;
const clockMs = 100;

const client = new MusterClient(sessionStorage);
const history = new StatementHistory(localStorage);
const status = found('status', HTMLElement);
const runButton = found('run', HTMLButtonElement);
const cancelButton = found('cancel', HTMLButtonElement);
let running: AbortController | undefined;
let errorPlace: number | undefined;
let schema: Schema = emptySchema;
/** What the page put into the editor by itself; an example may replace it. */
let ownText = '';

const linked = textOfFragment(location.hash);
const editor = new SqlEditor(found('editor', HTMLElement), linked ?? draft() ?? '', {
  onRun: () => void run(),
  onChange: (text) => {
    if (errorPlace !== undefined) clearError();
    remember(text);
  },
});
const chart = new ChartPanel(found('panel-chart', HTMLElement), found('tab-chart', HTMLElement));
const view = new AnswerView(chart, {
  plan: async (statement, verb) => {
    const { rows } = await client.rows(`EXPLAIN ${verb} ${statement}`);
    return rows.map(([line = null]) => cellText(line, 'String')).join('\n');
  },
  wholeCsv: async (statement) => (await client.ask(statement, { format: 'CSVWithNames' })).text,
  onErrorPlace: () => editor.goTo(errorPlace ?? 0),
  onSaid: (message) => say(message),
});
const side = new SidePanel({
  onExample: (example) => {
    place(example.sql);
    closeSide();
    void run(example.view);
  },
  onInsert: (text) => editor.insertAtCursor(text),
  onPreview: (table) => {
    place(previewStatement(table));
    closeSide();
    void run('table');
  },
  onHistory: (statement) => {
    place(statement);
    closeSide();
    editor.focus();
  },
});
const signIn = new SignIn(client, () => void begin());

openPage();

function openPage(): void {
  side.showHistory(history);
  runButton.addEventListener('click', () => void run());
  cancelButton.addEventListener('click', cancel);
  found('share', HTMLButtonElement).addEventListener('click', () => void share());
  found('side-toggle', HTMLButtonElement).addEventListener('click', toggleSide);
  document.addEventListener('keydown', (event) => {
    if (event.key === 'Escape' && !event.defaultPrevented) cancel();
    const isRun = event.key === 'Enter' && (event.ctrlKey || event.metaKey);
    if (isRun && !event.defaultPrevented) void run();
  });
  window.addEventListener('hashchange', () => {
    const text = textOfFragment(location.hash);
    if (text !== undefined && text !== editor.text) editor.put(text, 'instead');
  });
  void begin();
}

/** A first question, where nothing was written yet; the cursor there, unless somebody must sign in. */
async function begin(): Promise<void> {
  const isKnown = await loadSchema();
  if (editor.text.trim() === '' || editor.text === ownText) place(firstQuestion().sql);
  if (isKnown) editor.focus();
}

/** The statement under the cursor, or those of the selection, the last one's answer shown. */
async function run(wanted?: ViewName): Promise<void> {
  if (running !== undefined) return;
  const { text } = editor;
  const ranges = statementsToRun(text, editor.selection);
  if (ranges.length === 0) {
    say('There is no statement to run.');
    return;
  }
  clearError();
  linkTo(text);
  remember(text);
  const abort = new AbortController();
  running = abort;
  const stopClock = startClock();
  try {
    for (const range of ranges) await runOne(text, range, { signal: abort.signal, wanted });
  } catch (error) {
    if (abort.signal.aborted) say('Cancelled.');
    else if (!(error instanceof ServerError)) throw error;
  } finally {
    running = undefined;
    stopClock();
  }
}

interface RunOptions {
  readonly signal: AbortSignal;
  readonly wanted: ViewName | undefined;
}

async function runOne(text: string, range: StatementRange, options: RunOptions): Promise<void> {
  const statement = text.slice(range.start, range.end);
  try {
    const answer = await ask(statement, options.signal);
    view.show(answer, options.wanted);
    const outcome = outcomeOf(answer);
    const dollars = dollarsOf(answer.reply.cost);
    const cost = dollars === undefined ? '' : `, ${dollars}`;
    say(outcome.charAt(0).toUpperCase() + outcome.slice(1) + cost);
    note(statement, outcome);
    if (/^\s*(CREATE|DROP|ALTER|RENAME|TRUNCATE)\b/i.test(statement)) void loadSchema();
  } catch (error) {
    if (error instanceof ServerError) {
      fail(error, statement, range.start);
      note(statement, error.errorName || 'no answer');
    }
    throw error;
  }
}

async function ask(statement: string, signal: AbortSignal): Promise<Answer> {
  const settings = { max_result_rows: String(shownRowsMax + 1), result_overflow_mode: 'break' };
  return answerOf(statement, await client.ask(statement, { signal, settings }));
}

function fail(error: ServerError, statement: string, start: number): void {
  const span = errorSpan(error.message, statement);
  if (span !== undefined) {
    errorPlace = start + span.from;
    editor.mark({ from: errorPlace, to: start + span.to }, error.message);
  }
  view.showError(error, span !== undefined);
  say(error.errorName === '' ? 'No answer.' : `Failed: ${error.errorName}`);
  if (error.asksForUser) askForUser();
}

function askForUser(): void {
  const isRefused = client.user !== undefined;
  signIn.ask(isRefused ? 'User or password is wrong.' : 'This server wants to know who asks.');
}

function clearError(): void {
  errorPlace = undefined;
  editor.unmark();
}

function cancel(): void {
  running?.abort();
}

/** Shows that something runs, and for how long. */
function startClock(): () => void {
  const started = performance.now();
  document.body.classList.add('running');
  runButton.disabled = true;
  cancelButton.hidden = false;
  say('Running…');
  const timer = setInterval(() => {
    const elapsed = Math.floor((performance.now() - started) / clockMs) * clockMs;
    status.textContent = `Running for ${durationText(elapsed)}`;
  }, clockMs * 5);
  return () => {
    clearInterval(timer);
    document.body.classList.remove('running');
    runButton.disabled = false;
    cancelButton.hidden = true;
  };
}

/** Whether the server said what it holds. */
async function loadSchema(): Promise<boolean> {
  try {
    const [columns, functions] = await Promise.all([
      client.rows(columnsStatement),
      client.rows(functionsStatement),
    ]);
    schema = schemaOf(columns, functions);
    editor.setSchema(schema);
    side.showSchema(schema);
    return true;
  } catch (error) {
    if (!(error instanceof ServerError)) throw error;
    side.showSchema(undefined);
    if (error.asksForUser) askForUser();
    else say(error.message);
    return false;
  }
}

function firstQuestion(): Example {
  const hasDemo = schema.tables.some(({ database }) => database === demoDatabase);
  return (hasDemo ? demoExamples[0] : undefined) ?? firstExample;
}

/** Never over what somebody wrote: it goes to the end then. */
function place(text: string): void {
  const isFree = editor.text.trim() === '' || editor.text === ownText;
  editor.put(text, isFree ? 'instead' : 'end');
  if (isFree) ownText = editor.text;
}

function note(statement: string, outcome: string): void {
  const now = new Date();
  const local = new Date(now.getTime() - now.getTimezoneOffset() * 60_000).toISOString();
  history.add({ statement, at: local.slice(0, 16).replace('T', ' '), outcome });
  side.showHistory(history);
}

async function share(): Promise<void> {
  const url = `${location.origin}${location.pathname}${fragmentOf(editor.text)}`;
  const done = await copyText(url);
  say(done ? 'The link to these statements is copied.' : 'The browser refuses to copy.');
}

function linkTo(text: string): void {
  const fragment = fragmentOf(text);
  if (fragment.length <= fragmentCharactersMax) window.history.replaceState(null, '', fragment);
}

function draft(): string | undefined {
  try {
    return localStorage.getItem(draftName) ?? undefined;
  } catch {
    return undefined;
  }
}

function remember(text: string): void {
  try {
    localStorage.setItem(draftName, text);
  } catch {
    // Kept for this visit only.
  }
}

function toggleSide(): void {
  const isOpen = document.body.classList.toggle('side-open');
  found('side-toggle', HTMLButtonElement).setAttribute('aria-expanded', String(isOpen));
}

/** On a phone it covers the editor. */
function closeSide(): void {
  if (document.body.classList.contains('side-open')) toggleSide();
}

function say(message: string): void {
  status.textContent = message;
}
