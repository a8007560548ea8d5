import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodeEnvelope, encodeEnvelope } from '../../../engine/batch/envelope.ts';

const wide = fc.bigInt(0n, 2n ** 64n - 1n);
const arrays = fc.oneof(
  fc.array(fc.nat(255)).map((a) => Uint8Array.from(a)),
  fc.array(fc.integer()).map((a) => Int32Array.from(a)),
  fc.array(fc.integer()).map((a) => Int8Array.from(a)),
  fc.array(fc.integer()).map((a) => Uint16Array.from(a)),
  fc.array(fc.integer()).map((a) => Int16Array.from(a)),
  fc.array(fc.nat()).map((a) => Uint32Array.from(a)),
  fc.array(fc.double()).map((a) => Float64Array.from(a)),
  fc.array(fc.float()).map((a) => Float32Array.from(a)),
  fc.array(wide).map((a) => BigUint64Array.from(a)),
  fc.array(wide).map((a) => BigInt64Array.from(a)),
);
const bytes = fc.array(fc.nat(255)).map((codes) => String.fromCharCode(...codes));
const leaf = fc.oneof(
  arrays,
  fc.double(),
  wide,
  fc.string({ unit: 'binary' }),
  fc.boolean(),
  fc.constant(null),
  fc.record({ domain: fc.constant('string'), values: fc.array(bytes) }),
);
const { tree } = fc.letrec((tie) => ({
  tree: fc.oneof(
    { maxDepth: 3 },
    leaf,
    fc.array(tie('tree'), { maxLength: 4 }),
    fc.dictionary(fc.constantFrom('a', 'kind', '$', 'length'), tie('tree'), {
      noNullPrototype: true,
    }),
  ),
}));

test('what goes in comes out, at any alignment of the received bytes', () => {
  fc.assert(
    fc.property(fc.record({ value: tree }), fc.nat(8), (value, shift) => {
      const encoded = encodeEnvelope(value);
      const moved = new Uint8Array(encoded.length + shift);
      moved.set(encoded, shift);
      expect(decodeEnvelope(moved.subarray(shift))).toEqual(value);
    }),
    { numRuns: 300 },
  );
});

test('typed arrays are views, and one array is sent once', () => {
  const codes = new Uint32Array(1000);
  const encoded = encodeEnvelope({ a: codes, b: codes });
  expect(encoded.length).toBeLessThan(4200);
  const decoded = decodeEnvelope(encoded) as { a: Uint32Array };
  expect(decoded.a.buffer).toBe(encoded.buffer);
});

test('numbers that follow each other are sent as two', () => {
  const run = Int32Array.from({ length: 100_000 }, (_, i) => i - 5);
  const broken = run.slice();
  broken[99_999] = 7;
  const decoded = decodeEnvelope(encodeEnvelope({ run, short: run.subarray(0, 3) }));
  expect(decoded).toEqual({ run, short: run.subarray(0, 3) });
  expect(encodeEnvelope({ run }).length).toBeLessThan(100);
  expect(decodeEnvelope(encodeEnvelope({ broken }))).toEqual({ broken });
});

test('another format, other bytes and missing bytes are refused', () => {
  const encoded = encodeEnvelope({ a: new Uint32Array(100) });
  const newer = Uint8Array.from(encoded);
  newer[4] = 3;
  expect(() => decodeEnvelope(newer)).toThrow(/format 3 reached a process that speaks format 2/);
  expect(() => decodeEnvelope(new Uint8Array(40))).toThrow(/damaged/);
  expect(() => decodeEnvelope(new Uint8Array(3))).toThrow(/damaged/);
  expect(() => decodeEnvelope(encoded.slice(0, 20))).toThrow(/damaged/);
  expect(() => decodeEnvelope(encoded.slice(0, 60))).toThrow(/damaged/);
});

test("a header that is no envelope's is damage, and no bug", () => {
  for (const header of [
    '{{{',
    '{"$":["r",0,1e9]}',
    '[{"$":["zz",0,1]}]',
    '{"$":["u4",1,2]}',
    '{"$":["n","x"]}',
  ]) {
    const message = new Uint8Array(64);
    message.set(encodeEnvelope('').subarray(0, 16));
    message[8] = header.length;
    message.set(Buffer.from(header), 16);
    expect(() => decodeEnvelope(message)).toThrow(/damaged/);
  }
});

test('what is not plain data is a bug', () => {
  expect(() => encodeEnvelope({ map: new Map() })).toThrow(/plain data/);
  expect(() => encodeEnvelope({ domain: 'string', values: ['\u0100'] })).toThrow(/bytes only/);
});
