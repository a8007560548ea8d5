// JSON by rows, cut into chunks of one byte up to all at once: same rows, same errors.

import { describe, test } from 'vitest';
import { expectError, expectRows, numberAndText } from './reading.ts';

describe('JSON', () => {
  const json = (data: string, settings = {}) => ({
    format: 'JSONEachRow',
    columns: numberAndText,
    data,
    settings,
  });

  test('rows with and without commas, an array around them, missing and unknown members', async () => {
    await expectRows(json('{"a":1,"b":"x"}\n{"b":5,"a":"2"},{"z":{"y":[1,"}"]}}{"a":null}\n'), [
      [1, 'x'],
      [2, '5'],
      [0, ''],
      [0, ''],
    ]);
    await expectRows(json(' [ {"a" : 1} , {"b":"y"} ] ;'), [
      [1, ''],
      [0, 'y'],
    ]);
    await expectRows(json(''), []);
    await expectRows(json('[]'), []);
  });

  test('strings are bytes', async () => {
    const bytes = (text: string) => Buffer.from(text).toString('latin1');
    await expectRows(json('{"b":"\\u00e9\\n\\"\\/é\\ud83d\\ude00"}'), [[0, bytes('é\n"/é😀')]]);
    await expectRows(json('{"b":[1,{"x":true}]}{"b":true}{"b":1.50}'), [
      [0, '[1,{"x":true}]'],
      [0, 'true'],
      [0, '1.50'],
    ]);
  });

  test('errors', async () => {
    await expectError(json('{"a":1}\n{"a":x}\n'), 27, /before: 'x}.*row 2; line 2, column 6/);
    await expectError(json('{"a":1}\n{"a":1,"a":2}\n'), 117, /Duplicate field.*a/);
    await expectError(json('{"a":1.0}'), 27, /'1.0' is not like UInt8/);
    await expectError(json('{"a":1'), 27, /at the end of input/);
    await expectError(json('[{"a":1}'), 27, /']' at the end of input/);
    await expectError(json('{"b":"x'), 26, /closing quote/);
    const strict = { input_format_skip_unknown_fields: '0' };
    await expectError(json('{"A":1}', strict), 117, /Unknown field.*: A.*Maybe you meant: \['a'\]/);
  });

  test('compact rows', async () => {
    const compact = (format: string, data: string) => ({ format, columns: numberAndText, data });
    await expectRows(compact('JSONCompactEachRow', '[1,"x"]\n[2, "y"]'), [
      [1, 'x'],
      [2, 'y'],
    ]);
    const named = '["b","z","a"]\n["String","Int8","UInt8"]\n["x",[],1]';
    await expectRows(compact('JSONCompactEachRowWithNamesAndTypes', named), [[1, 'x']]);
    await expectError(compact('JSONCompactEachRow', '[1]'), 27, /expected ',' before: ']'/);
  });
});
