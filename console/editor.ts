// The editor: CodeMirror in a shadow root, where its style sheets need no exception from the page's
// content policy. Tab leaves it; Ctrl+Enter runs; places of errors are marked and reachable by F8.

import {
  autocompletion,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
} from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { sql } from '@codemirror/lang-sql';
import {
  bracketMatching,
  HighlightStyle,
  indentOnInput,
  syntaxHighlighting,
} from '@codemirror/language';
import { lintGutter, lintKeymap, setDiagnostics } from '@codemirror/lint';
import { Compartment, type Extension, Prec } from '@codemirror/state';
import {
  drawSelection,
  highlightActiveLine,
  highlightActiveLineGutter,
  keymap,
  lineNumbers,
} from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { EditorView } from 'codemirror';
import { completeSql } from './completion.ts';
import { editorTheme } from './editor-theme.ts';
import type { TextSpan } from './error-position.ts';
import { emptySchema, type Schema } from './schema.ts';
import { clickHouseDialect } from './sql-dialect.ts';

interface EditorEvents {
  readonly onRun: () => void;
  readonly onChange: (text: string) => void;
}

export class SqlEditor {
  readonly #view: EditorView;
  readonly #language = new Compartment();
  #schema = emptySchema;

  constructor(host: HTMLElement, text: string, events: EditorEvents) {
    const root = host.attachShadow({ mode: 'open' });
    const run = () => {
      events.onRun();
      return true;
    };
    this.#view = new EditorView({
      parent: root,
      root,
      doc: text,
      extensions: [
        Prec.highest(keymap.of([{ key: 'Mod-Enter', run }])),
        editing,
        lintGutter(),
        EditorView.lineWrapping,
        EditorView.contentAttributes.of({ 'aria-label': 'SQL statements', spellcheck: 'false' }),
        this.#language.of(this.#sql()),
        syntaxHighlighting(highlightStyle),
        editorTheme,
        typeOverSelection,
        EditorView.updateListener.of((update) => {
          if (update.docChanged) events.onChange(this.text);
        }),
      ],
    });
  }

  get text(): string {
    return this.#view.state.doc.toString();
  }

  get selection(): { readonly from: number; readonly to: number } {
    const { from, to } = this.#view.state.selection.main;
    return { from, to };
  }

  setSchema(schema: Schema): void {
    this.#schema = schema;
    this.#view.dispatch({ effects: this.#language.reconfigure(this.#sql()) });
  }

  /** Replaces everything, or adds at the end; the cursor stands at the new text. Can be undone. */
  put(text: string, where: 'instead' | 'end'): void {
    const { doc } = this.#view.state;
    const before = where === 'instead' ? '' : `${doc.toString().trimEnd().replace(/;?$/, ';')}\n\n`;
    const anchor = before.length;
    this.#view.dispatch({
      changes: { from: 0, to: doc.length, insert: before + text },
      selection: { anchor },
      effects: EditorView.scrollIntoView(anchor, { y: 'start', yMargin: 8 }),
    });
  }

  insertAtCursor(text: string): void {
    this.#view.dispatch(this.#view.state.replaceSelection(text));
    this.focus();
  }

  mark(span: TextSpan, message: string): void {
    const { state } = this.#view;
    const to = Math.min(span.to, state.doc.length);
    const from = Math.min(span.from, to);
    this.#view.dispatch(setDiagnostics(state, [{ from, to, severity: 'error', message }]));
    this.#view.dispatch({ effects: EditorView.scrollIntoView(from, { y: 'nearest' }) });
  }

  unmark(): void {
    this.#view.dispatch(setDiagnostics(this.#view.state, []));
  }

  /** Puts the cursor there. */
  goTo(offset: number): void {
    this.#view.dispatch({ selection: { anchor: offset }, scrollIntoView: true });
    this.focus();
  }

  focus(): void {
    this.#view.focus();
  }

  #sql(): Extension {
    const schema = this.#schema;
    return [
      sql({ dialect: clickHouseDialect(schema.functions) }).language,
      autocompletion({ override: [(context) => completeSql(context, schema)] }),
    ];
  }
}

/** CodeMirror's basic setup, without folding, and without searching: browsers do that. */
const editing: Extension = [
  lineNumbers(),
  highlightActiveLineGutter(),
  highlightActiveLine(),
  history(),
  drawSelection(),
  indentOnInput(),
  bracketMatching(),
  closeBrackets(),
  keymap.of([
    ...closeBracketsKeymap,
    ...defaultKeymap,
    ...historyKeymap,
    ...completionKeymap,
    ...lintKeymap,
  ]),
];

/**
 * Typing over a selection, without the browser's own editing: Chromium would keep the selection's
 * looks by a style attribute, which the page's content policy refuses, loudly.
 */
const typeOverSelection = EditorView.domEventHandlers({
  beforeinput: (event, view) => {
    const { main } = view.state.selection;
    const { data, inputType } = event;
    if (inputType !== 'insertText' || data === null || main.empty || view.composing) return false;
    const typed = () =>
      view.state.update(view.state.replaceSelection(data), {
        userEvent: 'input.type',
        scrollIntoView: true,
      });
    const handlers = view.state.facet(EditorView.inputHandler);
    const isHandled = handlers.some((handle) => handle(view, main.from, main.to, data, typed));
    if (!isHandled) view.dispatch(typed());
    return true;
  },
});

const highlightStyle = HighlightStyle.define([
  { tag: tags.keyword, color: 'var(--sql-keyword)', fontWeight: '600' },
  { tag: [tags.string, tags.special(tags.string)], color: 'var(--sql-string)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--sql-number)' },
  { tag: [tags.typeName], color: 'var(--sql-type)' },
  { tag: [tags.standard(tags.name)], color: 'var(--sql-function)' },
  {
    tag: [tags.comment, tags.lineComment, tags.blockComment],
    color: 'var(--muted)',
    fontStyle: 'italic',
  },
]);
