// The layout test through worker processes, which share nothing with the root but a directory: the
// corpus answers as it does in one process with one slice.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../base/clock.ts';
import { ChildProcessInvoker } from '../../engine/batch/child-process-invoker.ts';
import { DirectoryStore } from '../../object-store/directory-store.ts';
import { answersOf, type DataName, differences, fillSession } from '../engine/queries/corpus.ts';
import { Session } from '../engine/queries/session.ts';

const directory = mkdtempSync(path.join(tmpdir(), 'muster-layouts-'));
const main = fileURLToPath(new URL('../../dist/functions/worker-main.js', import.meta.url));

afterAll(() => rmSync(directory, { recursive: true, force: true }));

const layouts: readonly { data: DataName; groups: number; rangesPerGroup: number }[] = [
  { data: 'sparse', groups: 7, rangesPerGroup: 3 },
  { data: 'dense', groups: 3, rangesPerGroup: 3 },
];

describe('worker processes answer as one process does', () => {
  it.each(layouts)('%o', { timeout: 120_000 }, async ({ data, groups, rangesPerGroup }) => {
    const single = await Session.open();
    await fillSession(single, 1, data);
    const expected = await answersOf(single);
    const place = path.join(directory, data);
    const invoker = new ChildProcessInvoker({
      workers: 2,
      command: {
        program: process.execPath,
        arguments: [main, JSON.stringify({ store: place })],
        environment: process.env,
      },
    });
    const store = await DirectoryStore.open(place, systemClock);
    const session = await Session.open({ store, invoker, rangesPerGroup });
    try {
      await fillSession(session, groups, data);
      expect(differences(expected, await answersOf(session))).toEqual([]);
      expect(invoker.processIds.length).toBe(2);
    } finally {
      await invoker.close();
    }
  });
});
