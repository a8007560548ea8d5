// That the examples run is tested over a server (test/integration/console.test.ts).

import { expect, it } from 'vitest';
import { demoDatabase, demoExamples, firstExample } from '../../console/examples.ts';
import { splitStatements } from '../../console/statements.ts';
import { demoDatabase as loadedDatabase } from '../../functions/demo/demo-database.ts';

it('asks the database that the demo loads', () => {
  expect(demoDatabase).toBe(loadedDatabase);
});

it('each example is one statement, begins with what it asks, and asks the demo', () => {
  for (const { sql } of demoExamples) {
    expect(sql).toMatch(/^-- .*[?.]\n/);
    expect(sql).toContain(`FROM ${demoDatabase}.`);
    expect(splitStatements(sql).length).toBe(1);
  }
  expect(firstExample.sql).not.toContain('FROM');
});
