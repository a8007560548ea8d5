// VALUES, cut into chunks of one byte up to all at once: same rows, same errors.

import { describe, test } from 'vitest';
import { expectError, expectRows, numberAndText } from './reading.ts';

describe('Values', () => {
  const values = (data: string) => ({ format: 'Values', columns: numberAndText, data });

  test('literals', async () => {
    await expectRows(values(" (1,'x'),( '2' , 'y\\'z''s' )(3,NULL);"), [
      [1, 'x'],
      [2, "y'z's"],
      [3, ''],
    ]);
    await expectRows(values('(DEFAULT, DEFAULT)'), [[0, '']]);
  });

  test('expressions and mistakes', async () => {
    await expectError(values("(1,'x'),(toUInt8(2),'y')"), 48, /Expressions in VALUES.*row 2/);
    await expectError(values("(1,'x'),(2,'y'"), 27, /'\)' of the row/);
    await expectError(values("(1,'x"), 26, /closing quote/);
    await expectError(values("(1,'x',2)"), 27, /expected '\)'/);
  });
});
