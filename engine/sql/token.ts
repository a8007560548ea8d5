// Tokens of ClickHouse's dialect: what the lexer makes and the token cursor hands out. Words keep
// their spelling beside an upper-case form, because no word is reserved everywhere: the parser asks
// for keywords by their upper-case form where the grammar has one, and takes a name elsewhere.

type TokenKind =
  /** A bare word: keyword or identifier. */
  | 'word'
  /** An identifier in backticks or double quotes; `text` is what it names. */
  | 'quoted'
  /** A string literal; `text` is the byte string that it stands for. */
  | 'string'
  /** A number; `text` as written. */
  | 'number'
  | 'symbol'
  /** Nothing that the dialect has; `text` says what is wrong. */
  | 'error'
  | 'end';

export interface Token {
  readonly kind: TokenKind;
  readonly text: string;
  /** Upper case of a bare word, the symbol itself of a symbol, else empty. */
  readonly key: string;
  /** Half-open, UTF-16 units of the statement's text. */
  readonly start: number;
  readonly end: number;
}
