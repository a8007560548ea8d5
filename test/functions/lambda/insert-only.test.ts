import { describe, expect, it } from 'vitest';
import { insertOnly } from '../../../functions/lambda/insert-only.ts';
import { Session } from '../../engine/queries/session.ts';

async function ask(text: string): Promise<string> {
  const { engine } = await Session.open();
  await engine.execute({
    queryId: 'set-up',
    text: 'CREATE DATABASE IF NOT EXISTS default',
    database: 'default',
    parameters: new Map(),
    settings: new Map(),
  });
  const asked = { queryId: 'q', database: 'default', parameters: new Map(), settings: new Map() };
  return await insertOnly(engine)
    .execute({ ...asked, text })
    .then(
      () => 'done',
      (error: { readonly errorName: string }) => error.errorName,
    );
}

describe('an engine for ingest', () => {
  it.each([
    ['SELECT 1', 'SUPPORT_IS_DISABLED'],
    ['-- INSERT\nDROP TABLE t', 'SUPPORT_IS_DISABLED'],
    ['EXPLAIN INSERT INTO t VALUES (1)', 'SUPPORT_IS_DISABLED'],
    ['/* c */ insert INTO missing VALUES (1)', 'UNKNOWN_TABLE'],
  ])('%s: %s', async (text, expected) => {
    expect(await ask(text)).toBe(expected);
  });
});
