import { expect, test } from 'vitest';
import { isJsonSample, jsonColumns } from '../../../../functions/cli/load/json-sample.ts';

test('JSON is told by its first characters', () => {
  expect(['{"a":1}', '\ufeff {', '[{"a":1}]', ' [\n {'].every(isJsonSample)).toBe(true);
  expect(['[1,2],3', 'a,b', '"{"', ''].some(isJsonSample)).toBe(false);
});

test('columns are the keys of all objects, with types of the table or of the values', () => {
  const sample = [
    '{"day":"2026-01-01","id":18446744073709551615,"tags":["a"],"ok":true,"x":1}',
    '{"id":2,"name":"b","x":null,"nested":{"y":1}}',
    '{"id":3,"cut',
  ].join('\n');
  const columns = [{ name: 'day', type: 'Date32' }];
  expect(jsonColumns(sample, columns)).toEqual([
    { name: 'day', type: 'Date32' },
    { name: 'id', type: 'UInt64' },
    { name: 'tags', type: 'Array(String)' },
    { name: 'ok', type: 'Bool' },
    { name: 'x', type: 'Nullable(UInt64)' },
    { name: 'name', type: 'String' },
    { name: 'nested', type: 'String' },
  ]);
  expect(jsonColumns('[{"a":1},\n{"a":-2}]', [])).toEqual([{ name: 'a', type: 'Int64' }]);
});
