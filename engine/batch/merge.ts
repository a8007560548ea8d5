// Merges the replies of all slices into answers: one fixed, associative, commutative rule per ask,
// applied in slice order, by roots and by inner nodes of a tree alike. Every slice must be there exactly
// once: a partial answer is never given.

import { defined } from '../../base/assert.ts';
import { MusterError } from '../../base/errors.ts';
import { concatColumns } from '../../storage-format/column-rows.ts';
import { take } from '../library/columns/take.ts';
import type { Answer, Ask, Batch, Slice, SliceReply } from './batch.ts';
import { checkIdsMax, joinKeyLists, mergeKeyLists } from './merge-keys.ts';

type AnswerOf<K extends Answer['ask']> = Extract<Answer, { readonly ask: K }>;
type KeyAnswer = AnswerOf<'ids'>;

/** Answers in the order of batch.asks. LOGICAL_ERROR where a slice is missing or doubled. */
export function mergeReplies(
  batch: Pick<Batch, 'asks'>,
  slices: readonly Slice[],
  replies: readonly SliceReply[],
): readonly Answer[] {
  const ordered = inSliceOrder(slices, replies);
  return batch.asks.map((ask, a) =>
    mergeAnswers(
      ask,
      ordered.map((reply) => defined(reply.answers[a], `answer ${a} of a slice`)),
    ),
  );
}

function mergeAnswers(ask: Ask, answers: readonly Answer[]): Answer {
  if (answers.some((answer) => answer.ask !== ask.ask)) {
    throw new MusterError('LOGICAL_ERROR', `A worker answered something else than ${ask.ask}`);
  }
  checkLengths(answers);
  switch (ask.ask) {
    case 'card':
      return { ask: 'card', counts: sum(answers as readonly AnswerOf<'card'>[]) };
    case 'any':
      return { ask: 'any', flags: or(answers as readonly AnswerOf<'any'>[]) };
    case 'digest':
      return { ask: 'digest', words: addDigests(answers as readonly AnswerOf<'digest'>[]) };
    case 'ids': {
      const lists = answers as readonly KeyAnswer[];
      const merged =
        ask.order === 'codes' ? joinKeyLists(lists) : mergeKeyLists(lists, { descending: false });
      checkIdsMax(merged.keys.values.length, ask.idsMax);
      return { ask: 'ids', ...merged };
    }
    case 'least':
    case 'greatest': {
      const options = { descending: ask.ask === 'greatest', keep: ask.n };
      return { ask: ask.ask, ...mergeKeyLists(answers as readonly KeyAnswer[], options) };
    }
    case 'rows':
      return mergeRows(answers as readonly AnswerOf<'rows'>[]);
  }
}

/** By their first slices. What the replies cover is exactly what was asked, each slice once. */
function inSliceOrder(
  slices: readonly Slice[],
  replies: readonly SliceReply[],
): readonly SliceReply[] {
  const places = new Map(slices.map((slice, place) => [sliceName(slice), place]));
  const covered = new Set<number>();
  const placed = replies.map((reply) => {
    const own = reply.slices.map((slice) => {
      const place = places.get(sliceName(slice));
      if (place === undefined) throw incomplete(`nobody asked for slice ${sliceName(slice)}`);
      if (covered.has(place)) throw incomplete(`slice ${sliceName(slice)} twice`);
      covered.add(place);
      return place;
    });
    return { reply, first: Math.min(...own) };
  });
  if (covered.size !== slices.length) {
    throw incomplete(`${covered.size} slices of ${slices.length}`);
  }
  return placed.toSorted((a, b) => a.first - b.first).map(({ reply }) => reply);
}

/** Every slice has the same rows: answers of numbers are equally long. */
function checkLengths(answers: readonly Answer[]): void {
  const lengths = new Set(answers.map(numbersIn));
  if (lengths.size > 1) throw incomplete(`${[...lengths].join(' and ')} numbers of two slices`);
}

function numbersIn(answer: Answer): number {
  switch (answer.ask) {
    case 'card':
      return answer.counts.length;
    case 'any':
      return answer.flags.length;
    case 'digest':
      return answer.words.length;
    default:
      return 0;
  }
}

function sliceName(slice: Slice): string {
  return `${slice.group}:${slice.codes.start}-${slice.codes.end}`;
}

function sum(answers: readonly AnswerOf<'card'>[]): Float64Array {
  const total = Float64Array.from(answers[0]?.counts ?? []);
  for (const { counts } of answers.slice(1)) {
    for (let r = 0; r < total.length; r++) {
      total[r] = (total[r] as number) + (counts[r] as number);
    }
  }
  return total;
}

function or(answers: readonly AnswerOf<'any'>[]): Uint8Array {
  const all = Uint8Array.from(answers[0]?.flags ?? []);
  for (const { flags } of answers.slice(1)) {
    for (let r = 0; r < all.length; r++) all[r] = (all[r] as number) | (flags[r] as number);
  }
  return all;
}

function addDigests(answers: readonly AnswerOf<'digest'>[]): Uint32Array {
  const total = Uint32Array.from(answers[0]?.words ?? []);
  for (const { words } of answers.slice(1)) {
    for (let at = 0; at < total.length; at += 4) addDigest(total, at, words.subarray(at, at + 4));
  }
  return total;
}

/** total[at, at + 4) += words, over 128 bits, little end first. */
export function addDigest(total: Uint32Array, at: number, words: ArrayLike<number>): void {
  let carry = 0;
  for (let w = 0; w < 4; w++) {
    const word = (total[at + w] as number) + (words[w] as number) + carry;
    total[at + w] = word;
    carry = word > 0xffff_ffff ? 1 : 0;
  }
}

/** In the order of their numbers, each once; replies of several slices may interleave. */
function mergeRows(answers: readonly AnswerOf<'rows'>[]): AnswerOf<'rows'> {
  const filled = answers
    .filter((answer) => answer.rows > 0)
    .toSorted((a, b) => (a.rowNumbers[0] as number) - (b.rowNumbers[0] as number));
  const first = defined(filled[0] ?? answers[0], 'a reply with rows');
  if (filled.length <= 1) return first;
  const rows = filled.reduce((before, answer) => before + answer.rows, 0);
  const rowNumbers = new Float64Array(rows);
  let end = 0;
  for (const answer of filled) {
    rowNumbers.set(answer.rowNumbers, end);
    end += answer.rows;
  }
  const columns = first.columns.map((_, i) =>
    concatColumns(filled.map((answer) => defined(answer.columns[i], 'a column of rows'))),
  );
  return inRowOrder({ ask: 'rows', rows, rowNumbers, columns });
}

function inRowOrder(answer: AnswerOf<'rows'>): AnswerOf<'rows'> {
  const { rows, rowNumbers } = answer;
  if (ascends(rowNumbers)) return answer;
  const order = Int32Array.from({ length: rows }, (_, i) => i);
  order.sort((a, b) => (rowNumbers[a] as number) - (rowNumbers[b] as number));
  const ordered = Float64Array.from(order, (i) => rowNumbers[i] as number);
  if (!ascends(ordered)) throw incomplete('a row from two slices');
  const columns = answer.columns.map((column) => take(column, order));
  return { ask: 'rows', rows, rowNumbers: ordered, columns };
}

function ascends(numbers: Float64Array): boolean {
  for (let i = 1; i < numbers.length; i++) {
    if ((numbers[i] as number) <= (numbers[i - 1] as number)) return false;
  }
  return true;
}

function incomplete(what: string): MusterError {
  return new MusterError('LOGICAL_ERROR', `The workers' answer is not whole: ${what}`);
}
