// RE2's regular expressions over decoded text; compiled ones are kept. JavaScript's own matcher is
// the fast one but may backtrack: it gets only patterns and texts for which its worst case is
// small, the others get a matcher of linear time (regex-program.ts). Both answer alike.

import { decodeUtf8 } from '../../../base/utf8.ts';
import { regexNotSupported } from './regex-errors.ts';
import { type Look, parseRegex, type RegexNode } from './regex-parser.ts';
import { type RegexProgram, regexProgram, runProgram } from './regex-program.ts';

interface RegexMatch {
  readonly start: number;
  readonly end: number;
  /** The whole match, then what the groups captured. */
  readonly groups: readonly (string | undefined)[];
}

/** Finds the first match at or after an offset. */
type Regex = (text: string, from: number) => RegexMatch | undefined;

const regexes = new Map<string, Regex>();
const keptMax = 1000;
const backtrackedStepsMax = 1e7;
const waysMax = 1000;
/** Beyond so many, repetitions count as unbounded. */
const shortRepeat = 8;

/** Throws 427 if the byte string is no RE2, 48 if it is too large. */
export function compileRegex(pattern: string): Regex {
  let regex = regexes.get(pattern);
  if (regex === undefined) {
    regex = makeRegex(decodeUtf8(pattern));
    if (regexes.size >= keptMax) regexes.clear();
    regexes.set(pattern, regex);
  }
  return regex;
}

function makeRegex(pattern: string): Regex {
  const node = parseRegex(pattern);
  const program = regexProgram(node);
  if (program === undefined) throw regexNotSupported(pattern, 'a pattern of this size');
  const folds = foldsOf(node);
  const mixed = folds.size > 1 || (folds.has(true) && looksAtWords(node));
  const ways = waysOf(node);
  if (mixed || isAmbiguous(node) || ways > waysMax) return linear(program);
  const native = backtracking(new RegExp(sourceOf(node), folds.has(true) ? 'giu' : 'gu'));
  const slow = linear(program);
  const exponent = unboundedCount(node) + (startsAtStart(node) ? 0 : 1);
  return (text, from) => {
    const steps = ways * (text.length - from) ** exponent;
    const isShort = exponent < 2 || steps <= backtrackedStepsMax;
    return isShort ? native(text, from) : slow(text, from);
  };
}

function backtracking(regex: RegExp): Regex {
  return (text, from) => {
    regex.lastIndex = from;
    const match = regex.exec(text);
    if (match === null) return undefined;
    return { start: match.index, end: match.index + match[0].length, groups: match };
  };
}

function linear(program: RegexProgram): Regex {
  return (text, from) => {
    const slots = runProgram(program, text, from);
    if (slots === undefined) return undefined;
    const groups: (string | undefined)[] = [];
    for (let i = 0; i < slots.length; i += 2) {
      const [start, end] = [slots[i], slots[i + 1]];
      groups.push(start === undefined || end === undefined ? undefined : text.slice(start, end));
    }
    return { start: slots[0] ?? 0, end: slots[1] ?? 0, groups };
  };
}

function childrenOf(node: RegexNode): readonly RegexNode[] {
  if (node.kind === 'sequence') return node.items;
  if (node.kind === 'choice') return node.branches;
  return node.kind === 'set' || node.kind === 'look' ? [] : [node.body];
}

/** Whether case is folded: somewhere, nowhere or both. */
function foldsOf(node: RegexNode): ReadonlySet<boolean> {
  if (node.kind === 'set') return new Set([node.fold]);
  return new Set(childrenOf(node).flatMap((child) => [...foldsOf(child)]));
}

function looksAtWords(node: RegexNode): boolean {
  if (node.kind === 'look') return node.look === 'word' || node.look === 'notWord';
  return childrenOf(node).some(looksAtWords);
}

/** A repetition of what may itself match in several ways. */
function isAmbiguous(node: RegexNode): boolean {
  if (node.kind === 'repeat' && node.most > 1 && varies(node.body)) return true;
  return childrenOf(node).some(isAmbiguous);
}

function varies(node: RegexNode): boolean {
  return node.kind === 'repeat' || node.kind === 'choice' || childrenOf(node).some(varies);
}

function unboundedCount(node: RegexNode): number {
  const own = node.kind === 'repeat' && node.most > shortRepeat ? 1 : 0;
  return childrenOf(node).reduce((sum, child) => sum + unboundedCount(child), own);
}

/** At most so many ways to match at one place, but for unbounded repetitions. */
function waysOf(node: RegexNode): number {
  const children = childrenOf(node).map(waysOf);
  if (node.kind === 'choice') return children.reduce((sum, ways) => sum + ways, 0);
  const product = children.reduce((all, ways) => all * ways, 1);
  const isShort = node.kind === 'repeat' && node.most <= shortRepeat;
  return isShort ? product * (node.most - node.least + 1) : product;
}

function startsAtStart(node: RegexNode): boolean {
  if (node.kind === 'sequence') return node.items[0] !== undefined && startsAtStart(node.items[0]);
  return node.kind === 'look' && node.look === 'start';
}

const sourcesOfLooks: Readonly<Record<Look, string>> = {
  start: '^',
  end: '$',
  lineStart: '(?<![^\\n])',
  lineEnd: '(?![^\\n])',
  word: '\\b',
  notWord: '\\B',
};

function sourceOf(node: RegexNode): string {
  switch (node.kind) {
    case 'set':
      return node.source;
    case 'look':
      return sourcesOfLooks[node.look];
    case 'sequence':
      return node.items.map(sourceOf).join('');
    case 'choice':
      return `(?:${node.branches.map(sourceOf).join('|')})`;
    case 'capture':
      return `(${sourceOf(node.body)})`;
    default: {
      const most = node.most === Number.POSITIVE_INFINITY ? '' : node.most;
      const lazy = node.greedy ? '' : '?';
      return `(?:${sourceOf(node.body)}){${node.least},${most}}${lazy}`;
    }
  }
}
