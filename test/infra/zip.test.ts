import { unzipSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import { sha256, zipOf } from '../../infra/zip.mjs';

const bytes = (text: string) => Buffer.from(text, 'utf8');

describe('zips depend on what is in them alone', () => {
  it('in whatever order it is given, and whenever', async () => {
    const one = zipOf({ b: bytes('2'), a: bytes('1') });
    await new Promise((resolve) => setTimeout(resolve, 5));
    const other = zipOf({ a: bytes('1'), b: bytes('2') });
    expect(sha256(other)).toBe(sha256(one));
    expect(sha256(zipOf({ a: bytes('1'), b: bytes('3') }))).not.toBe(sha256(one));
  });

  it('and hold it', () => {
    const files = unzipSync(zipOf({ 'index.mjs': bytes('export {}'), 'roaring.node': bytes('x') }));
    expect(Object.keys(files)).toEqual(['index.mjs', 'roaring.node']);
    expect(Buffer.from(files['index.mjs'] ?? []).toString()).toBe('export {}');
  });

  it('readable by everybody', () => {
    const zip = Buffer.from(zipOf({ a: bytes('1') }));
    const central = zip.indexOf('PK\x01\x02', 0, 'latin1');
    expect((zip.readUInt32LE(central + 38) >>> 16).toString(8)).toBe('100644');
  });
});
