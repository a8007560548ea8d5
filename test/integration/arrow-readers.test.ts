// pyarrow opens every golden file, alone and as a byte range of an object shared with others. Its
// environment is made on first use under test/.cache, from the pinned test/pyarrow-requirements.txt.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { formatResult } from '../../engine/formats/output.ts';
import { encodePortable, setCardinality, setToCodes } from '../../storage-format/bitmap.ts';
import type { Column } from '../../storage-format/column.ts';
import { parseType } from '../../storage-format/data-type-parser.ts';
import { smallCardinalityMax } from '../../storage-format/set-column.ts';
import { setsOf } from '../../storage-format/set-vector.ts';
import { partSamples, segmentSamples } from '../golden/samples.ts';

const testFolder = fileURLToPath(new URL('..', import.meta.url));
const cache = `${testFolder}.cache`;
const environment = `${cache}/pyarrow-venv`;
const golden = `${testFolder}golden/1`;
const shared = `${cache}/shared-object.bin`;

interface Request {
  readonly path: string;
  readonly start: number;
  readonly end: number;
  readonly columns?: readonly string[];
}

interface Seen {
  readonly rows: number;
  readonly batches: number;
  readonly sameAsStream: boolean;
  readonly types: Readonly<Record<string, string>>;
  readonly sql: Readonly<Record<string, string>>;
  readonly columns: Readonly<Record<string, readonly unknown[]>>;
}

function makeEnvironment(): void {
  const requirements = readFileSync(`${testFolder}pyarrow-requirements.txt`, 'utf8');
  const stamp = `${environment}/installed.txt`;
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === requirements) return;
  mkdirSync(cache, { recursive: true });
  execFileSync('python3', ['-m', 'venv', environment], { stdio: 'pipe' });
  const pip = ['-m', 'pip', 'install', '--quiet', '-r', `${testFolder}pyarrow-requirements.txt`];
  execFileSync(`${environment}/bin/python`, pip, { stdio: 'pipe' });
  writeFileSync(stamp, requirements);
}

function ask(requests: readonly Request[]): Seen[] {
  const script = `${testFolder}storage-format/arrow-reader.py`;
  const input = requests.map((request) => JSON.stringify(request)).join('\n');
  const output = execFileSync(`${environment}/bin/python`, [script], {
    input,
    maxBuffer: 2 ** 28,
  });
  const lines = output.toString('utf8').trim().split('\n');
  return lines.map((line): Seen => JSON.parse(line));
}

const names = readdirSync(golden)
  .filter((name) => name.endsWith('.arrow'))
  .sort();

const sizeOf = (name: string) => readFileSync(`${golden}/${name}`).length;

describe('pyarrow', () => {
  let alone: ReadonlyMap<string, Seen> = new Map();
  const one = (name: string): Seen => alone.get(`${name}.arrow`)!;

  beforeAll(() => {
    makeEnvironment();
    const columns = (name: string) => {
      if (name.startsWith('segment')) return ['key'];
      return name.startsWith('part-scalars')
        ? ['c1', 'c4', 'c9', 'c17']
        : ['label', 'day', 'users'];
    };
    const requests = names.map((name) => ({
      path: `${golden}/${name}`,
      start: 0,
      end: sizeOf(name),
      columns: columns(name),
    }));
    const seen = ask(requests);
    alone = new Map(names.map((name, i) => [name, seen[i]!]));
  });

  it('validates every file, as file and as stream', () => {
    for (const [name, seen] of alone) expect([name, seen.sameAsStream]).toEqual([name, true]);
    expect(alone.size).toBeGreaterThan(10);
  });

  it('opens parts as byte ranges of a shared object', () => {
    const chunks: Uint8Array[] = [Buffer.alloc(24, 9)];
    let at = 24;
    const requests = names.map((name) => {
      const bytes = readFileSync(`${golden}/${name}`);
      const padding = (8 - (bytes.length % 8)) % 8;
      chunks.push(bytes, Buffer.alloc(padding));
      const request = { path: shared, start: at, end: at + bytes.length };
      at += bytes.length + padding;
      return request;
    });
    writeFileSync(shared, Buffer.concat(chunks));
    ask(requests).forEach((seen, i) => {
      const { rows, batches, types } = alone.get(names[i]!)!;
      expect(seen).toMatchObject({ rows, batches, types, sameAsStream: true });
    });
  });

  it('reads answers in the format Arrow, and in ArrowStream, which is what is in it', () => {
    const rows = 70_000;
    const types = ['UInt64', 'Nullable(String)', 'Date', 'DateTime64(2)', 'Array(Nothing)', 'Bool'];
    const items = { kind: 'number', values: new Uint8Array(0) } as const;
    const columns: readonly Column[] = [
      { kind: 'wide', values: BigUint64Array.from({ length: rows }, (_, i) => BigInt(i)) },
      {
        kind: 'string',
        values: Array.from({ length: rows }, (_, i) => `\xc3\xa9${i}`),
        nulls: Uint8Array.from({ length: rows }, (_, i) => i % 2),
      },
      { kind: 'number', values: Uint16Array.from({ length: rows }, (_, i) => i % 60_000) },
      { kind: 'wide', values: BigInt64Array.from({ length: rows }, (_, i) => BigInt(i)) },
      { kind: 'array', offsets: new Uint32Array(rows + 1), items },
      { kind: 'number', values: Uint8Array.from({ length: rows }, (_, i) => i % 2) },
    ];
    const answer = {
      columns: types.map((type, i) => ({ name: `c${i}`, type: parseType(type) })),
      block: { rows, columns },
    };
    const file = Buffer.concat([...formatResult('Arrow', answer, { settings: new Map() })]);
    const stream = Buffer.concat([...formatResult('ArrowStream', answer, { settings: new Map() })]);
    expect(file.subarray(8, 8 + stream.length).equals(stream)).toBe(true);
    const path = `${cache}/answer.arrow`;
    writeFileSync(path, file);
    const [seen] = ask([{ path, start: 0, end: file.length, columns: ['c1'] }]);
    expect(seen).toMatchObject({ rows, batches: 2, sameAsStream: true });
    expect(Object.values(seen!.types)).toEqual([
      'uint64',
      'string',
      'date32[day]',
      'timestamp[ms, tz=UTC]',
      'list<item: null not null>',
      'bool',
    ]);
    expect(seen!.columns['c1']!.slice(0, 3)).toEqual(['é0', null, 'é2']);
  });

  it('sees scalars as they are', () => {
    const seen = one('part-scalars');
    expect(seen.types).toMatchObject({
      c1: 'uint32',
      c4: 'uint64',
      c7: 'bool',
      c8: 'string',
      c9: 'binary',
      c10: 'fixed_size_binary[16]',
      c12: 'uint16',
      c14: 'timestamp[ms, tz=UTC]',
      c15: 'int64',
      c19: 'list<item: bool>',
    });
    expect(seen.sql['c16']).toBe("Enum8('a' = -1, 'b' = 2)");
    expect(seen.columns['c4']!.slice(0, 2)).toEqual([
      '18446744073709551615',
      '18446744073709551614',
    ]);
    expect(seen.columns['c9']!.slice(2, 4)).toEqual(['c3a9', 'ff00']);
    expect(seen.columns['c17']!.slice(0, 2)).toEqual([null, 's1']);
  });

  it('sees the sets of every shape', () => {
    const { block } = partSamples['part-batches']!;
    const expected = block.sets.get(5)!.flatMap((group) =>
      setsOf(group).map((set) => {
        const codes = [...setToCodes(set)];
        const large = setCardinality(set) > smallCardinalityMax;
        return {
          small: large ? null : codes,
          large: large ? Buffer.from(encodePortable(set)).toString('hex') : null,
          cardinality: codes.length,
          min: codes[0] ?? 0,
          max: codes.at(-1) ?? 0,
        };
      }),
    );
    expect(one('part-batches').columns['users']).toEqual(expected);
    const unsplit = partSamples['part-unsplit']!.block.sets.get(5)!.map(setsOf);
    const members = unsplit[0]!.map((_, row) =>
      unsplit.flatMap((group, g) => [...setToCodes(group[row]!)].map((code) => g * 2 ** 32 + code)),
    );
    expect(one('part-unsplit').columns['users']).toEqual(members);
  });

  it('sees the keys of segments', () => {
    expect(one('segment-strings').columns['key']).toEqual(
      segmentSamples['segment-strings']!.values,
    );
    const { values } = segmentSamples['segment-integers-small']!;
    const integers = Array.from({ length: values.length }, (_, i) =>
      Number(values[i]) < 2 ** 53 ? Number(values[i]) : String(values[i]),
    );
    expect(one('segment-integers-small').columns['key']).toEqual(integers);
    expect(one('segment-uuids').types['key']).toBe('fixed_size_binary[16]');
  });
});
