import { expect, test } from 'vitest';
import type { Answer, Ask, Batch, SliceReply } from '../../../engine/batch/batch.ts';
import { mergeReplies } from '../../../engine/batch/merge.ts';

const slices = [0, 1, 2].map((group) => ({ group, codes: { start: 0, end: 2 ** 32 } }));

function merge(ask: Ask, answers: readonly Answer[]): Answer | undefined {
  const batch = { asks: [ask] } as unknown as Batch;
  const replies = answers.map((answer, i) => ({
    slices: slices.slice(i, i + 1),
    answers: [answer],
  }));
  return mergeReplies(batch, slices, replies.reverse())[0];
}

const integers = (...rows: bigint[][]) => ({
  offsets: Uint32Array.from([0, ...rows.map((_, r) => rows.slice(0, r + 1).flat().length)]),
  keys: { domain: 'integer', values: BigUint64Array.from(rows.flat()) } as const,
});
const strings = (...rows: string[][]) => ({
  offsets: Uint32Array.from([0, ...rows.map((_, r) => rows.slice(0, r + 1).flat().length)]),
  keys: { domain: 'string', values: rows.flat() } as const,
});

test('cards add, flags or', () => {
  const counts = [
    [1, 0],
    [2, 0],
    [4, 2 ** 33],
  ].map((row) => Float64Array.from(row));
  expect(
    merge(
      { ask: 'card', of: 0 },
      counts.map((c) => ({ ask: 'card', counts: c })),
    ),
  ).toEqual({
    ask: 'card',
    counts: Float64Array.of(7, 2 ** 33),
  });
  const flags = [
    [1, 0],
    [0, 0],
    [1, 0],
  ].map((row) => Uint8Array.from(row));
  expect(
    merge(
      { ask: 'any', of: 0 },
      flags.map((f) => ({ ask: 'any', flags: f })),
    ),
  ).toEqual({
    ask: 'any',
    flags: Uint8Array.of(1, 0),
  });
});

test('digests add with carry over 128 bits', () => {
  const ones = 0xffff_ffff;
  const words = [
    [ones, ones, ones, 0],
    [1, 0, 0, 0],
    [0, 0, 0, ones],
  ];
  const answers = words.map((w) => ({ ask: 'digest', words: Uint32Array.from(w) }) as const);
  expect(merge({ ask: 'digest', of: 0 }, answers)).toEqual({
    ask: 'digest',
    words: Uint32Array.of(0, 0, 0, 0),
  });
});

test('ids unite in unsigned order, and too many are an error, never a cut', () => {
  const parts = [integers([5n, 2n ** 63n], []), integers([1n], [7n]), integers([], [2n])];
  const answers = parts.map((part) => ({ ask: 'ids', ...part }) as const);
  expect(merge({ ask: 'ids', of: 0, idsMax: 5 }, answers)).toEqual({
    ask: 'ids',
    ...integers([1n, 5n, 2n ** 63n], [2n, 7n]),
  });
  expect(merge({ ask: 'ids', of: 0, idsMax: 5, order: 'codes' }, answers)).toEqual({
    ask: 'ids',
    ...integers([5n, 2n ** 63n, 1n], [7n, 2n]),
  });
  expect(() => merge({ ask: 'ids', of: 0, idsMax: 4 }, answers)).toThrow(
    expect.objectContaining({ code: 396 }),
  );
});

test('least and greatest keep n of each row, by id', () => {
  const from = new BigUint64Array(2);
  const least = [strings(['b'], ['x', 'y']), strings(['a', 'c'], []), strings([], ['w'])];
  expect(
    merge(
      { ask: 'least', of: 0, n: Float64Array.of(2, 2), from },
      least.map((part) => ({ ask: 'least', ...part })),
    ),
  ).toEqual({ ask: 'least', ...strings(['a', 'b'], ['w', 'x']) });
  const greatest = [integers([9n, 1n]), integers([2n ** 64n - 1n]), integers([10n, 3n])];
  expect(
    merge(
      { ask: 'greatest', of: 0, n: Float64Array.of(3) },
      greatest.map((part) => ({ ask: 'greatest', ...part })),
    ),
  ).toEqual({ ask: 'greatest', ...integers([2n ** 64n - 1n, 10n, 9n]) });
});

test('rows come from one slice', () => {
  const none = { ask: 'rows', rows: 0, rowNumbers: new Float64Array(0), columns: [] } as const;
  const some = { ask: 'rows', rows: 1, rowNumbers: Float64Array.of(4), columns: [] } as const;
  expect(merge({ ask: 'rows', fragment: 0 }, [none, some, none])).toEqual(some);
  expect(merge({ ask: 'rows', fragment: 0 }, [none, none, none])).toEqual(none);
  expect(() => merge({ ask: 'rows', fragment: 0 }, [some, some, none])).toThrow(/not whole/);
});

test('a missing, doubled or foreign slice fails the whole answer', () => {
  const card = { ask: 'card', counts: Float64Array.of(1) } as const;
  const batch = { asks: [{ ask: 'card', of: 0 }] } as unknown as Batch;
  const [first, second] = slices.map((slice): SliceReply => ({ slices: [slice], answers: [card] }));
  if (first === undefined || second === undefined) throw new Error('no slices');
  const foreign = { slices: [{ group: 9, codes: { start: 0, end: 9 } }], answers: [card] };
  for (const wrong of [
    [first, second],
    [first, second, second],
    [first, second, foreign],
  ]) {
    expect(() => mergeReplies(batch, slices, wrong)).toThrow(/not whole/);
  }
  const other = { ask: 'any', flags: Uint8Array.of(1) } as const;
  expect(() => merge({ ask: 'card', of: 0 }, [card, other, card])).toThrow(/something else/);
});

test('slices that do not count the same rows fail the whole answer', () => {
  const answers = [[1, 2], [3], [4, 5]].map(
    (row): Answer => ({ ask: 'card', counts: Float64Array.from(row) }),
  );
  expect(() => merge({ ask: 'card', of: 0 }, answers)).toThrow(/not whole: .* numbers/);
});
