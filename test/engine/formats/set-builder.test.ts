// Bitmaps in every format that can say one: as lists of ids, as single ids, as ClickHouse's states.

import { describe, test } from 'vitest';
import { encodeState } from '../../../storage-format/clickhouse-state.ts';
import { expectError, expectRows } from './reading.ts';

const users = [
  ['tag', 'String'],
  ['users', 'AggregateFunction(groupBitmap, UInt64)'],
] as const;

describe('bitmaps', () => {
  const ids = [0n, 2n ** 53n + 1n, 2n ** 63n, 2n ** 64n - 1n];

  test('JSON arrays are exact, NULL ids are ignored, duplicates collapse', async () => {
    const data = `{"tag":"x","users":[${ids.join(', ')}, null, 0, "${2n ** 63n}"]}{"tag":"y"}`;
    await expectRows({ format: 'JSONEachRow', columns: users, data }, [
      ['x', ids],
      ['y', []],
    ]);
    const over = `{"users":[${2n ** 64n}]}`;
    await expectError({ format: 'JSONEachRow', columns: users, data: over }, 321, /out of range/);
    const half = '{"users":[1.5]}';
    await expectError({ format: 'JSONEachRow', columns: users, data: half }, 27, /'1.5'/);
  });

  test('negative ids are sign-extended patterns', async () => {
    for (const type of ['Int8', 'Int32', 'Int64']) {
      const columns = [['u', `AggregateFunction(groupBitmap, ${type})`]] as const;
      await expectRows({ format: 'JSONEachRow', columns, data: '{"u":[-1,-5,7]}' }, [
        [[7n, 2n ** 64n - 5n, 2n ** 64n - 1n]],
      ]);
    }
  });

  test('string ids', async () => {
    const columns = [['u', 'AggregateFunction(groupBitmap, String)']] as const;
    await expectRows({ format: 'JSONEachRow', columns, data: '{"u":["b","a","b",null]}' }, [
      [['a', 'b']],
    ]);
  });

  test('as text of arrays and of values', async () => {
    const settings = { aggregate_function_input_format: 'array' };
    await expectRows({ format: 'TSV', columns: users, data: 'x\t[1,2,NULL]\n', settings }, [
      ['x', [1n, 2n]],
    ]);
    await expectRows({ format: 'CSV', columns: users, data: 'x,"[3]"\ny,[1,2]\nz,\n', settings }, [
      ['x', [3n]],
      ['y', [1n, 2n]],
      ['z', []],
    ]);
    const value = { aggregate_function_input_format: 'value' };
    await expectRows({ format: 'TSV', columns: users, data: 'x\t5\n', settings: value }, [
      ['x', [5n]],
    ]);
  });

  test('as states: raw in RowBinary, escaped in text', async () => {
    const state = encodeState(BigUint64Array.from(ids), 'UInt64');
    const many = encodeState(
      BigUint64Array.from({ length: 5000 }, (_, i) => BigInt(3 * i)),
      'UInt64',
    );
    const row = (bytes: Uint8Array) => Buffer.concat([Buffer.from([1, 0x78]), bytes]);
    const data = Buffer.concat([row(state), row(many)]);
    const rows = [
      ['x', ids],
      ['x', Array.from({ length: 5000 }, (_, i) => BigInt(3 * i))],
    ];
    await expectRows({ format: 'RowBinary', columns: users, data }, rows);
    const escaped = Buffer.from(state)
      .toString('latin1')
      .replaceAll('\\', '\\\\')
      .replaceAll('\0', '\\0')
      .replaceAll('\t', '\\t')
      .replaceAll('\n', '\\n');
    const text = Buffer.from(`x\t${escaped}\n`, 'latin1');
    await expectRows({ format: 'TSV', columns: users, data: text }, [['x', ids]]);
    const cut = data.subarray(0, data.length - 1);
    await expectError({ format: 'RowBinary', columns: users, data: cut }, 33, /row 2; byte/);
    const broken = Buffer.from([0, 7, 0]);
    await expectError({ format: 'RowBinary', columns: users, data: broken }, 117, /row 1/);
  });
});
