// RowBinary, cut into chunks of one byte up to all at once.

import { test } from 'vitest';
import { expectRows, numberAndText } from './reading.ts';

test('RowBinary: widths, Nullable, arrays, headers', async () => {
  const columns = [
    ['a', 'Int16'],
    ['b', 'Nullable(UInt64)'],
    ['c', 'Array(Float32)'],
  ] as const;
  const row = [
    0xfe, 0xff, 0, 255, 255, 255, 255, 255, 255, 255, 255, 1, 0, 0, 0x80, 0x3f, 0, 0, 1, 0,
  ];
  await expectRows({ format: 'RowBinary', columns, data: Uint8Array.from(row) }, [
    [-2, 2n ** 64n - 1n, [1]],
    [0, null, []],
  ]);
  const named = [
    2,
    1,
    0x62,
    1,
    0x61,
    6,
    ...Buffer.from('String'),
    5,
    ...Buffer.from('UInt8'),
    1,
    0x78,
    7,
  ];
  const data = Uint8Array.from(named);
  await expectRows({ format: 'RowBinaryWithNamesAndTypes', columns: numberAndText, data }, [
    [7, 'x'],
  ]);
});
