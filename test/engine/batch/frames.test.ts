import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { FrameReader, frameHead } from '../../../engine/batch/frames.ts';

test('frames arrive whole and in order, however the stream is cut', () => {
  const bodies = fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 6 });
  fc.assert(
    fc.property(bodies, fc.integer({ min: 1, max: 20 }), (sent, chunkBytes) => {
      const stream = Buffer.concat(
        sent.flatMap((body, i) => [frameHead(i + 7, body.length), body]),
      );
      const reader = new FrameReader();
      const received = [];
      for (let at = 0; at < stream.length; at += chunkBytes) {
        received.push(...reader.push(stream.subarray(at, at + chunkBytes)));
      }
      expect(received).toEqual(sent.map((body, i) => ({ number: i + 7, body })));
    }),
  );
});
