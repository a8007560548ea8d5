// ArrowStream and Arrow: an answer as Arrow's IPC stream or file, batch by batch, never compressed. Its
// messages are those of our parts (storage-format/arrow-envelope.ts).

import {
  type ArrowBlock,
  arrowEndOfStream,
  arrowHead,
  arrowSchema,
  arrowStreamHead,
  arrowTail,
} from '../../storage-format/arrow-envelope.ts';
import { BatchBody } from '../../storage-format/batch-body.ts';
import { appendArrow, arrowField } from './arrow-columns.ts';
import { columnAt } from './line-outputs.ts';
import type { OutputInput } from './output-input.ts';

const batchRows = 65_536;

export function* arrowBytes(input: OutputInput, as: 'stream' | 'file'): Generator<Uint8Array> {
  const { columns, settings, block } = input;
  const fields = columns.map((column, i) => arrowField(column, columnAt(input, i), settings));
  const schema = arrowSchema(fields, new Map());
  const head = as === 'file' ? arrowHead(schema) : arrowStreamHead(schema);
  yield head;
  const blocks: ArrowBlock[] = [];
  let offset = head.length;
  for (let start = 0; start < block.rows; start += batchRows) {
    const rows = { start, end: Math.min(start + batchRows, block.rows) };
    const body = new BatchBody();
    columns.forEach(({ type }, i) => {
      appendArrow(body, columnAt(input, i), { type, rows, settings });
    });
    const message = body.message(rows.end - rows.start);
    yield message;
    yield* body.finish();
    blocks.push({ offset, metadataLength: message.length, bodyLength: body.length });
    offset += message.length + body.length;
  }
  yield arrowEndOfStream();
  if (as === 'file') yield arrowTail(schema, blocks);
}
