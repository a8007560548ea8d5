// Where and whether a text holds another: position, startsWith, substring and its kin, counts.

import { decodeUtf8 } from '../../../base/utf8.ts';
import type { DataType } from '../../../storage-format/data-type.ts';
import { illegalType } from '../function-errors.ts';
import { doubles } from '../number-lanes.ts';
import { numericShape, string, uint64 } from '../numeric-types.ts';
import type { FunctionCall, ScalarFunction } from '../scalar-function.ts';
import { countColumn, requireText, texts, textTest } from './text-arguments.ts';
import { utf8Characters, utf8Length } from './utf8.ts';

function requireNumber(name: string, type: DataType | undefined): void {
  if (type !== undefined && numericShape(type) === undefined) throw illegalType(name, type);
}

/** Position from 1 at or after `start` (from 1, 0 = 1); 0 when it is not there. */
function positionOf(text: string, needle: string, start: number): number {
  const from = Math.max(start - 1, 0);
  if (from > text.length) return 0;
  return text.indexOf(needle, from) + 1;
}

interface PositionOptions {
  readonly aliases?: readonly string[];
  readonly caseInsensitive?: boolean;
  readonly fold?: (text: string) => string;
  /** Positions count characters of UTF-8, not bytes. */
  readonly utf8?: boolean;
}

function positionFunction(name: string, options: PositionOptions): ScalarFunction {
  const fold = options.fold ?? ((text: string) => text);
  return {
    name,
    aliases: options.aliases ?? [],
    caseInsensitive: options.caseInsensitive === true,
    arity: [2, 3],
    returnType: ([text, needle, start]) => {
      requireText(name, text, needle);
      requireNumber(name, start?.type);
      return uint64;
    },
    evaluate: (call) => {
      const needles = texts(call.arguments[1]!, call.rows);
      const start = call.arguments[2];
      const starts = start === undefined ? undefined : doubles(start, call.rows);
      const positions = texts(call.arguments[0]!, call.rows).map((text, i) => {
        const found = positionOf(fold(text), fold(needles[i] ?? ''), starts?.[i] ?? 1);
        return options.utf8 === true && found > 0
          ? utf8Length(text.slice(0, found - 1)) + 1
          : found;
      });
      return countColumn(positions);
    },
  };
}

/** Part of a list of `length` units: a start from 1 (negative: from the end), an optional length. */
export function partRange(
  length: number,
  start: number,
  count: number | undefined,
): readonly [start: number, end: number] {
  if (start === 0) return [0, 0];
  const from = start > 0 ? start - 1 : length + start;
  let end = length;
  if (count !== undefined) end = count < 0 ? length + count : from + count;
  const first = Math.max(from, 0);
  return [Math.min(first, length), Math.max(Math.min(end, length), Math.min(first, length))];
}

function substringFunction(
  name: string,
  aliases: readonly string[],
  cut: (text: string, start: number, count: number | undefined) => string,
): ScalarFunction {
  return {
    name,
    aliases,
    caseInsensitive: true,
    arity: [2, 3],
    returnType: ([text, start, count]) => {
      requireText(name, text);
      requireNumber(name, start!.type);
      requireNumber(name, count?.type);
      return string;
    },
    evaluate: (call) => {
      const starts = doubles(call.arguments[1]!, call.rows);
      const count = call.arguments[2];
      const counts = count === undefined ? undefined : doubles(count, call.rows);
      const values = texts(call.arguments[0]!, call.rows).map((text, i) =>
        cut(text, starts[i] ?? 0, counts?.[i]),
      );
      return { kind: 'string', values };
    },
  };
}

function cutBytes(text: string, start: number, count: number | undefined): string {
  return text.slice(...partRange(text.length, start, count));
}

function cutCharacters(text: string, start: number, count: number | undefined): string {
  const characters = utf8Characters(text);
  return characters.slice(...partRange(characters.length, start, count)).join('');
}

function endFunction(name: 'left' | 'right'): ScalarFunction {
  return {
    name,
    caseInsensitive: true,
    arity: [2, 2],
    returnType: ([text, count]) => {
      requireText(name, text);
      requireNumber(name, count!.type);
      return string;
    },
    evaluate: (call) => {
      const counts = doubles(call.arguments[1]!, call.rows);
      const values = texts(call.arguments[0]!, call.rows).map((text, i) => {
        const count = counts[i] ?? 0;
        const kept = count < 0 ? Math.max(text.length + count, 0) : count;
        return name === 'left' ? text.slice(0, kept) : text.slice(Math.max(text.length - kept, 0));
      });
      return { kind: 'string', values };
    },
  };
}

function countOccurrences(text: string, needle: string): number {
  return needle === '' ? 0 : text.split(needle).length - 1;
}

function evaluateCount(call: FunctionCall) {
  const needles = texts(call.arguments[1]!, call.rows);
  const values = texts(call.arguments[0]!, call.rows);
  return countColumn(values.map((text, i) => countOccurrences(text, needles[i] ?? '')));
}

const foldAscii = (text: string): string => text.replace(/[A-Z]+/g, (run) => run.toLowerCase());

const position = positionFunction('position', { aliases: ['instr'], caseInsensitive: true });

/** MySQL's order of arguments: the needle first. */
const locate: ScalarFunction = {
  ...position,
  name: 'locate',
  aliases: [],
  evaluate: (call) => {
    const [needle, text, ...rest] = call.arguments;
    return position.evaluate({ ...call, arguments: [text!, needle!, ...rest] });
  },
};

export const stringSearchFunctions: readonly ScalarFunction[] = [
  position,
  locate,
  positionFunction('positionCaseInsensitive', { fold: foldAscii }),
  positionFunction('positionUTF8', { utf8: true }),
  textTest('startsWith', (text, prefix) => text.startsWith(prefix)),
  textTest('endsWith', (text, suffix) => text.endsWith(suffix)),
  textTest('hasSubsequence', isSubsequence),
  substringFunction('substring', ['substr', 'mid', 'byteSlice'], cutBytes),
  substringFunction('substringUTF8', ['substrUTF8'], cutCharacters),
  endFunction('left'),
  endFunction('right'),
  {
    name: 'countSubstrings',
    arity: [2, 2],
    returnType: ([text, needle]) => {
      requireText('countSubstrings', text, needle);
      return uint64;
    },
    evaluate: evaluateCount,
  },
];

function isSubsequence(text: string, needle: string): boolean {
  let at = 0;
  const characters = decodeUtf8(needle);
  for (const character of decodeUtf8(text)) if (character === characters[at]) at++;
  return at >= characters.length;
}
