import { expect, test } from 'vitest';
import { MusterError } from '../../../base/errors.ts';
import { type Batch, batchFormat, type SliceReply } from '../../../engine/batch/batch.ts';
import {
  decodeBatch,
  decodeReply,
  decodeRequest,
  encodeBatch,
  encodeBranch,
  encodeFailure,
  encodeInvocation,
  encodeReply,
  encodeSpilled,
  spilledIn,
} from '../../../engine/batch/batch-codec.ts';
import { decodeEnvelope, encodeEnvelope } from '../../../engine/batch/envelope.ts';

const slice = { group: 1, codes: { start: 0, end: 2 ** 32 } };

const batch: Batch = {
  format: batchFormat,
  namespace: 3,
  queryId: 'é\u{1f600}',
  deadline: 1e15,
  sources: [{ groups: 2, stripes: [{ shape: 'unsplit', rows: 3, parts: [] }] }],
  dictionaries: [{ dictionary: 1, domain: 'integer', groups: 2, nextCodes: [5, 6], segments: [] }],
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
};

const head = { id: 'a1', queryId: batch.queryId, sentAt: 1.5e12 };
const request = { ...head, slices: [slice], batch: encodeBatch(batch) };
const usage = {
  worker: 'here',
  reads: 1,
  writes: 2,
  lists: 3,
  bytesRead: 4,
  bytesWritten: 5,
  busyMs: 0.5,
  memoryMb: 0,
  cold: true,
};
const replies: readonly SliceReply[] = [
  { slices: [slice], answers: [{ ask: 'card', counts: Float64Array.of(1, 2 ** 40) }] },
];

test('a batch is encoded once and travels as it is, without a copy at the other end', () => {
  const bytes = encodeInvocation(request);
  const decoded = decodeRequest(bytes);
  expect(decoded).toEqual({ message: 'invocation', format: batchFormat, ...request });
  if (!(decoded.batch instanceof Uint8Array)) throw new Error('not inline');
  const arrived = decodeBatch(decoded.batch);
  expect(arrived).toEqual(batch);
  const [stored] = arrived.sets;
  expect(stored?.op === 'stored' && stored.rows.buffer === bytes.buffer).toBe(true);
});

test('requests by reference, for inner nodes, and replies survive the journey', () => {
  const ref = { key: 'spill/3/0', bytes: 7, checksum: 9 };
  const branch = { ...head, replyBytesMax: 5, batch: ref, children: [[slice], [slice, slice]] };
  expect(decodeRequest(encodeBranch(branch))).toMatchObject({ message: 'branch', ...branch });
  const reply = encodeReply({ ...head, replies, usages: [usage] });
  expect(decodeReply(reply, head)).toMatchObject({ id: 'a1', replies, usages: [usage] });
  expect(spilledIn(reply)).toBeUndefined();
  expect(spilledIn(encodeSpilled(ref))).toMatchObject(ref);
});

test('a MusterError is raised again as it was, anything else as a logical error', () => {
  const position = { offset: 1, line: 2, column: 3 };
  const sent = new MusterError('TOO_MANY_ROWS', 'too many', { position });
  expect(() => decodeReply(encodeFailure(sent), head)).toThrow(
    expect.objectContaining({
      errorName: 'TOO_MANY_ROWS',
      message: 'too many',
      code: 158,
      position,
    }),
  );
  expect(() => decodeReply(encodeFailure(new TypeError('oops'), head.id), head)).toThrow(
    expect.objectContaining({ errorName: 'LOGICAL_ERROR', message: 'TypeError: oops' }),
  );
});

test('what answers another question is never taken', () => {
  const reply = encodeReply({ ...head, replies, usages: [] });
  expect(() => decodeReply(reply, { ...head, id: 'a2' })).toThrow(/another invocation \(a1\)/);
  expect(() => decodeReply(reply, { ...head, queryId: 'q' })).toThrow(/another query/);
  expect(() => decodeReply(encodeFailure(new Error('x'), 'a2'), head)).toThrow(/another invo/);
});

test('what is no message, and a reply without its parts, are refused in words', () => {
  const expected = { id: 'a', queryId: 'q' };
  for (const value of [null, 5, [], { message: 'reply', format: batchFormat, ...expected }]) {
    const refused = expect.objectContaining({ errorName: 'INCORRECT_DATA' });
    expect(() => decodeReply(encodeEnvelope(value), expected)).toThrow(refused);
  }
});

test('messages of the wrong kind and of another version are refused', () => {
  expect(() => decodeRequest(encodeReply({ ...head, replies, usages: [] }))).toThrow(/: reply/);
  expect(() => decodeReply(encodeInvocation(request), head)).toThrow(/: invocation/);
  const newer = (bytes: Uint8Array) =>
    encodeEnvelope({ ...(decodeEnvelope(bytes) as object), format: batchFormat + 1 });
  const refused = expect.objectContaining({
    errorName: 'UNKNOWN_FORMAT_VERSION',
    message: expect.stringContaining('Deploy both from the same version'),
  });
  expect(() => decodeRequest(newer(encodeInvocation(request)))).toThrow(refused);
  expect(() => decodeBatch(newer(encodeBatch(batch)))).toThrow(refused);
  const reply = encodeReply({ ...head, replies, usages: [] });
  expect(() => decodeReply(newer(reply), head)).toThrow(refused);
});
