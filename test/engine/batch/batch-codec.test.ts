import { expect, test } from 'vitest';
import { MusterError } from '../../../base/errors.ts';
import type { Invocation, SliceReply } from '../../../engine/batch/batch.ts';
import {
  decodeInvocation,
  decodeReplies,
  encodeFailure,
  encodeInvocation,
  encodeReplies,
} from '../../../engine/batch/batch-codec.ts';

const slice = { group: 1, codes: { start: 0, end: 2 ** 32 } };

const invocation: Invocation = {
  slices: [slice],
  batch: {
    format: 1,
    namespace: 3,
    queryId: 'é\u{1f600}',
    deadline: 1e15,
    sources: [{ groups: 2, stripes: [{ shape: 'unsplit', rows: 3, parts: [] }] }],
    dictionaries: [
      { dictionary: 1, domain: 'integer', groups: 2, nextCodes: [5, 6], segments: [] },
    ],
    sets: [
      { op: 'stored', dictionary: 0, source: 0, columnId: 4, rows: Int32Array.of(0, -1, 2) },
      {
        op: 'raw',
        dictionary: 0,
        ids: {
          keys: { domain: 'integer', values: BigUint64Array.of(2n ** 64n - 1n, 0n) },
          offsets: Uint32Array.of(0, 2),
          ordinals: Uint32Array.of(0, 1),
        },
      },
    ],
    fragments: [],
    asks: [{ ask: 'card', of: 0 }],
  },
};

test('invocations and replies survive the journey', () => {
  expect(decodeInvocation(encodeInvocation(invocation))).toEqual(invocation);
  const replies: SliceReply[] = [
    { slice, answers: [{ ask: 'card', counts: Float64Array.of(1, 2 ** 40) }] },
  ];
  expect(decodeReplies(encodeReplies(replies))).toEqual(replies);
});

test('a MusterError is raised again as it was, anything else as a logical error', () => {
  const position = { offset: 1, line: 2, column: 3 };
  const sent = new MusterError('TOO_MANY_ROWS', 'too many', { position });
  expect(() => decodeReplies(encodeFailure(sent))).toThrow(
    expect.objectContaining({
      errorName: 'TOO_MANY_ROWS',
      message: 'too many',
      code: 158,
      position,
    }),
  );
  expect(() => decodeReplies(encodeFailure(new TypeError('oops')))).toThrow(
    expect.objectContaining({ errorName: 'LOGICAL_ERROR', message: 'TypeError: oops' }),
  );
});

test('messages of the wrong kind and batches of another format are refused', () => {
  expect(() => decodeInvocation(encodeReplies([]))).toThrow(/replies/);
  expect(() => decodeReplies(encodeInvocation(invocation))).toThrow(/invocation/);
  const batch = { ...invocation.batch, format: 2 } as unknown as Invocation['batch'];
  expect(() => decodeInvocation(encodeInvocation({ batch, slices: [] }))).toThrow(/format 2/);
});
