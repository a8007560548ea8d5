// LIKE's patterns over byte strings: `%` is any bytes, `_` one character of UTF-8, a backslash takes
// `%`, `_` and itself literally. Matching searches the pieces between the `%`s one after the other,
// each as far left as it goes: no backtracking, time at most length of text * length of pattern.

import { MusterError } from '../../../base/errors.ts';
import { decodeUtf8, encodeUtf8 } from '../../../base/utf8.ts';

type TextPredicate = (text: string) => boolean;

/** What stands between two `%`s. `text` is there if no `_` is in it. */
interface Piece {
  /** Bytes, and `anyCharacter` for `_`. */
  readonly tokens: readonly number[];
  readonly text: string | undefined;
}

const anyCharacter = -1;
const kept = new Map<string, TextPredicate>();
const keptMax = 1000;

/** `ignoreCase` for ILIKE. Throws 25 if the pattern ends within an escape. */
export function likePredicate(pattern: string, ignoreCase: boolean): TextPredicate {
  const key = `${ignoreCase ? 'i' : 'c'}${pattern}`;
  let predicate = kept.get(key);
  if (predicate === undefined) {
    const plain = predicateOf(piecesOf(ignoreCase ? foldCase(pattern) : pattern));
    predicate = ignoreCase ? (text) => plain(foldCase(text)) : plain;
    if (kept.size >= keptMax) kept.clear();
    kept.set(key, predicate);
  }
  return predicate;
}

function piecesOf(pattern: string): Piece[] {
  const pieces: number[][] = [[]];
  for (let i = 0; i < pattern.length; i++) {
    const character = pattern[i] ?? '';
    const piece = pieces.at(-1)!;
    if (character === '%') pieces.push([]);
    else if (character === '_') piece.push(anyCharacter);
    else if (character === '\\') {
      if (i + 1 === pattern.length) throw unfinishedEscape(pattern);
      if ('%_\\'.includes(pattern[i + 1] ?? '')) i++;
      piece.push(pattern.charCodeAt(i));
    } else piece.push(pattern.charCodeAt(i));
  }
  return pieces.map((tokens) => ({
    tokens,
    text: tokens.includes(anyCharacter) ? undefined : bytesOf(tokens),
  }));
}

function bytesOf(tokens: readonly number[]): string {
  return tokens.map((byte) => String.fromCharCode(byte)).join('');
}

function unfinishedEscape(pattern: string): MusterError {
  return new MusterError(
    'CANNOT_PARSE_ESCAPE_SEQUENCE',
    `Cannot parse escape sequence at the end of LIKE pattern '${decodeUtf8(pattern)}'`,
  );
}

function predicateOf(pieces: readonly Piece[]): TextPredicate {
  const first = pieces[0]!;
  const last = pieces.at(-1)!;
  if (pieces.length === 1) return (text) => endOfPiece(first, text, 0) === text.length;
  const middle = pieces.slice(1, -1).filter(({ tokens }) => tokens.length > 0);
  return (text) => {
    let at = endOfPiece(first, text, 0);
    for (let i = 0; at >= 0 && i < middle.length; i++) at = endOfNext(middle[i]!, text, at);
    return at >= 0 && startOfLast(last, text) >= at;
  };
}

/** Where the piece ends if it stands at `at`; -1 if it does not. */
function endOfPiece({ tokens, text: literal }: Piece, text: string, at: number): number {
  if (literal !== undefined) return text.startsWith(literal, at) ? at + literal.length : -1;
  let end = at;
  for (const token of tokens) {
    if (end >= text.length) return -1;
    const byte = text.charCodeAt(end);
    const length = token === anyCharacter ? characterLength(text, end) : Number(byte === token);
    if (length === 0) return -1;
    end += length;
  }
  return end;
}

/** Where the first of the piece at or after `from` ends; -1 if there is none. */
function endOfNext(piece: Piece, text: string, from: number): number {
  if (piece.text !== undefined) {
    const at = text.indexOf(piece.text, from);
    return at < 0 ? -1 : at + piece.text.length;
  }
  for (let at = from; at < text.length; at++) {
    const end = endOfPiece(piece, text, at);
    if (end >= 0) return end;
  }
  return -1;
}

/** Where the piece starts if the text ends with it; -1 if it does not. */
function startOfLast({ tokens, text: literal }: Piece, text: string): number {
  if (literal !== undefined) return text.endsWith(literal) ? text.length - literal.length : -1;
  let start = text.length;
  for (let i = tokens.length - 1; i >= 0; i--) {
    const end = start--;
    if (start < 0) return -1;
    if (tokens[i] === anyCharacter) {
      while (start > 0 && (text.charCodeAt(start) & 0xc0) === 0x80) start--;
      if (characterLength(text, start) !== end - start) return -1;
    } else if (text.charCodeAt(start) !== tokens[i]) return -1;
  }
  return start;
}

/** Bytes of the character at `at`; 0 if none starts there. */
function characterLength(text: string, at: number): number {
  const byte = text.charCodeAt(at);
  if (byte < 0x80) return 1;
  const length = byte < 0xc2 ? 0 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : byte < 0xf5 ? 4 : 0;
  for (let i = 1; i < length; i++) {
    if ((text.charCodeAt(at + i) & 0xc0) !== 0x80) return 0;
  }
  return length;
}

/** Unicode's simple folding: each character by itself, never into several. */
function foldCase(bytes: string): string {
  const text = decodeUtf8(bytes);
  if (text === bytes) return bytes.toLowerCase();
  return encodeUtf8(Array.from(text, foldCharacter).join(''));
}

function foldCharacter(character: string): string {
  if (character === 'ı') return character;
  const upper = character.toUpperCase();
  const one = upper.length === character.length ? upper : character;
  const lower = one.toLowerCase();
  return lower.length === one.length ? lower : one;
}
