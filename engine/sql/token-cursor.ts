// A place in a statement: looks ahead in tokens, steps over them, remembers what would have been
// accepted at the current token (for "Expected one of"), and guards depth and size. Tokens are made
// only when looked at, so that the data behind an INSERT is never lexed.

import { defined } from '../../base/assert.ts';
import type { MusterError } from '../../base/errors.ts';
import { readToken } from './lexer.ts';
import { statementError, syntaxError } from './syntax-error.ts';
import type { Token } from './token.ts';

/** Nested expressions and queries; they take about a third of the default stack. */
export const depthMax = 200;
/** Default of `querySizeMax`; ClickHouse's `max_query_size`. */
const defaultQuerySizeMax = 262_144;

export interface ParseOptions {
  /** The value of a query parameter of type Identifier; without it such a parameter is error 48. */
  readonly identifier?: (name: string) => string;
  /** UTF-16 units of SQL, not counting the data of an INSERT. */
  readonly querySizeMax?: number;
}

export class TokenCursor {
  readonly text: string;
  readonly options: ParseOptions;
  /** BETWEENs so far: each repeats its operand in the tree. */
  betweens = 0;
  /** Whether the table function input() was met: then the data of an INSERT follows its FORMAT. */
  sawInput = false;
  /** Places where an attempt to read an INTERVAL failed. */
  readonly failedIntervals = new Set<number>();
  readonly #tokens: Token[] = [];
  readonly #querySizeMax: number;
  #index = 0;
  #depth = 0;
  #expected: string[] = [];

  constructor(text: string, options: ParseOptions = {}) {
    this.text = text;
    this.options = options;
    this.#querySizeMax = options.querySizeMax ?? defaultQuerySizeMax;
  }

  /** The current token. */
  get token(): Token {
    return this.#tokens[this.#index] ?? this.peek(0);
  }

  /** Where the current token begins. */
  get at(): number {
    return this.token.start;
  }

  /** Tokens made so far. */
  get tokenCount(): number {
    return this.#tokens.length;
  }

  peek(ahead: number): Token {
    const index = this.#index + ahead;
    while (this.#tokens.length <= index) this.#read();
    return defined(this.#tokens[index], 'token');
  }

  /** The token before the current one. */
  get previous(): Token | undefined {
    return this.#tokens[this.#index - 1];
  }

  advance(): Token {
    const token = this.token;
    this.#index++;
    this.#expected.length = 0;
    return token;
  }

  /** Whether the current token is this keyword (upper case) or symbol. */
  is(key: string): boolean {
    return this.token.key === key;
  }

  /** Whether the tokens from here on are these keywords and symbols. */
  areNext(...keys: readonly string[]): boolean {
    for (let ahead = 0; ahead < keys.length; ahead++) {
      if (this.peek(ahead).key !== keys[ahead]) return false;
    }
    return true;
  }

  /** Steps over these keywords and symbols if they are next. */
  take(...keys: readonly string[]): boolean {
    if (!this.areNext(...keys)) {
      this.#expected.push(keys.join(' '));
      return false;
    }
    for (let step = 0; step < keys.length; step++) this.advance();
    return true;
  }

  expect(...keys: readonly string[]): void {
    for (const key of keys) {
      if (!this.take(key)) throw this.fail();
    }
  }

  atEnd(): boolean {
    return this.token.kind === 'end';
  }

  isName(): boolean {
    return this.token.kind === 'word' || this.token.kind === 'quoted';
  }

  /** An identifier, any word; `{x:Identifier}` by its value. */
  expectName(): string {
    if (this.is('{')) return this.#parameterName();
    if (!this.isName()) throw this.fail('identifier');
    return this.advance().text;
  }

  expectString(): string {
    if (this.token.kind !== 'string') throw this.fail('string literal');
    return this.advance().text;
  }

  /** Remembers the place, for `restore`. */
  save(): { readonly index: number; readonly depth: number } {
    return { index: this.#index, depth: this.#depth };
  }

  restore(place: { readonly index: number; readonly depth: number }): void {
    this.#index = place.index;
    this.#depth = place.depth;
    this.#expected.length = 0;
  }

  /** Counts one level of nesting, until `leave`. */
  enter(): void {
    this.#depth++;
    if (this.#depth > depthMax) throw this.tooDeep();
  }

  leave(): void {
    this.#depth--;
  }

  tooDeep(): MusterError {
    const message = 'The statement is nested too deep';
    return statementError('TOO_DEEP_AST', this.text, { offset: this.at, message });
  }

  /** Error 62 at the current token. */
  fail(...expected: readonly string[]): MusterError {
    return syntaxError(this.text, this.token, [...this.#expected, ...expected]);
  }

  /** Error 48: `what` is valid in ClickHouse and not supported here. */
  unsupported(what: string, offset = this.at): MusterError {
    const message = `${what} is not supported`;
    return statementError('NOT_IMPLEMENTED', this.text, { offset, message });
  }

  #read(): void {
    const last = this.#tokens.at(-1);
    const token = readToken(this.text, last?.end ?? 0, last);
    if (token.end > this.#querySizeMax) {
      const message =
        `Max query size exceeded: at most ${this.#querySizeMax} characters, whatever max_query_size ` +
        'says; long lists belong into a table, or into the data of an INSERT';
      throw statementError('QUERY_IS_TOO_LARGE', this.text, { offset: token.start, message });
    }
    this.#tokens.push(token);
  }

  #parameterName(): string {
    const at = this.at;
    this.advance();
    const name = this.expectName();
    this.expect(':', 'IDENTIFIER', '}');
    const value = this.options.identifier?.(name);
    if (value === undefined) throw this.unsupported('An Identifier parameter here', at);
    return value;
  }
}
