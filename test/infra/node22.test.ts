import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { neededGlibc, refuseNewGlibc } from '../../infra/node22.mjs';

const folder = mkdtempSync(join(tmpdir(), 'muster-glibc-'));
const named = (...versions: string[]) => Buffer.from(`\0${versions.join('\0')}\0`, 'latin1');

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('the glibc that a compiled file needs', () => {
  it('is the newest of those that it names', () => {
    expect(neededGlibc(named('GLIBC_2.2.5', 'GLIBC_2.33', 'GLIBC_2.4'))).toEqual([2, 33]);
    expect(neededGlibc(named('GLIBCXX_3.4.30', 'GLIBC_2.9'))).toEqual([2, 9]);
    expect(neededGlibc(named())).toEqual([0, 0]);
  });

  it('must not be newer than that of nodejs22.x', () => {
    const file = join(folder, 'roaring.node');
    writeFileSync(file, named('GLIBC_2.34'));
    refuseNewGlibc(file);
    writeFileSync(file, named('GLIBC_2.35'));
    expect(() => refuseNewGlibc(file)).toThrow(/needs glibc 2\.35, and nodejs22\.x has 2\.34/);
  });
});
