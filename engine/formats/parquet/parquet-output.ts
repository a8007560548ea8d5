// FORMAT Parquet of an answer: its one block through the writer.

import { sliceRows } from '../../../storage-format/column-rows.ts';
import type { OutputInput } from '../output-input.ts';
import { ParquetWriter } from './parquet-writer.ts';

const sliceRowsMax = 65_536;

export function* parquetBytes({ columns, block, options }: OutputInput): Generator<Uint8Array> {
  const writer = new ParquetWriter(columns, options.settings);
  for (let start = 0; start < block.rows; start += sliceRowsMax) {
    const end = Math.min(start + sliceRowsMax, block.rows);
    yield* writer.add({
      rows: end - start,
      columns: block.columns.map((column) => sliceRows(column, start, end)),
    });
  }
  yield* writer.finish();
}
