import { expect, test } from 'vitest';
import { MusterError } from '../../../base/errors.ts';
import { StatementError } from '../../../functions/cli/connection/connection.ts';
import {
  didYouMean,
  ending,
  SilentExit,
  UnreachableError,
  UsageError,
} from '../../../functions/cli/exit-codes.ts';

test('each kind of failure has its code and its sentence', () => {
  expect(ending(new UsageError('no'))).toEqual({ exitCode: 2, say: 'no' });
  expect(ending(new UnreachableError('gone'))).toEqual({ exitCode: 3, say: 'gone' });
  expect(ending(new SilentExit(130))).toEqual({ exitCode: 130 });
  const refused = { code: 62, errorName: 'SYNTAX_ERROR', message: 'what?' };
  expect(ending(new StatementError(refused))).toEqual({
    exitCode: 1,
    say: 'what? (SYNTAX_ERROR, 62)',
  });
  expect(ending(new MusterError('S3_ERROR', 'no bucket')).exitCode).toBe(3);
  expect(ending(new MusterError('NETWORK_ERROR', 'port in use')).exitCode).toBe(3);
  expect(ending(new MusterError('CORRUPTED_DATA', 'x')).exitCode).toBe(1);
  expect(ending(new Error('a bug')).say).toContain('exit-codes.test.ts');
});

test('the nearest name, or none', () => {
  expect(didYouMean('prot', ['port', 'host'])).toBe(": do you mean 'port'?");
  expect(didYouMean('xyz', ['port', 'host'])).toBe('.');
});
