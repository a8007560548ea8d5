// The rules of the house that a program can check: layers, doors of third-party packages, sizes,
// bans, mirrored tests. An exception carries its reason, and fails when it is no longer needed.

import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseSync } from 'vite';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));
const layers = [
  'base',
  'kernels',
  'storage-format',
  'object-store',
  'catalog',
  'engine',
  'functions',
];
const siblings = new Set(['storage-format>object-store', 'object-store>storage-format']);
const fileLinesMax = 400;
const functionLinesMax = 70;

/** Files and functions past the caps, each with its reason. */
const sizeExceptions: ReadonlyMap<string, string> = new Map([]);

/** Suites under test/ that mirror no single source file. */
const suites =
  /(^|\/)(tidy|properties|contract|layouts|mutants|damage|store-counts)|-fault|fault(s|y-)|^test\/(integration|golden)\//;

interface SourceFile {
  readonly path: string;
  readonly text: string;
}

const sources = layers.flatMap((layer) => collect(layer));
const tests = collect('test').filter((file) => file.path !== 'test/tidy.test.ts');
const benches = [...collect('bench'), ...collect('console'), ...collect('localstack')];

function collect(folder: string): SourceFile[] {
  const at = join(root, folder);
  if (!existsSync(at)) return [];
  return readdirSync(at).flatMap((name) => {
    const path = join(folder, name);
    if (name === 'node_modules' || name.startsWith('.')) return [];
    if (statSync(join(root, path)).isDirectory()) return collect(path);
    return name.endsWith('.ts') ? [{ path, text: readFileSync(join(root, path), 'utf8') }] : [];
  });
}

function importsOf(file: SourceFile): string[] {
  const statements = /^(?:import|export)\b[^;'"=]*?\bfrom\s+'([^']+)'|^import\s+'([^']+)'/gm;
  return [...file.text.matchAll(statements)].map((match) => match[1] ?? match[2] ?? '');
}

function layerOf(path: string): string {
  return path.split('/')[0] ?? '';
}

function offences(files: readonly SourceFile[], pattern: RegExp, allowed: readonly string[]) {
  return files
    .filter((file) => !allowed.includes(file.path))
    .flatMap((file) =>
      file.text.split('\n').flatMap((line, i) => {
        const code = line.replace(/\/\/.*$/, '').replace(/^\s*\*.*$/, '');
        return pattern.test(code) ? [`${file.path}:${i + 1}: ${line.trim()}`] : [];
      }),
    );
}

describe('layers', () => {
  it('lower never imports higher, siblings do not know each other', () => {
    const wrong: string[] = [];
    for (const file of sources) {
      for (const specifier of importsOf(file).filter((name) => name.startsWith('.'))) {
        const target = layerOf(normalize(join(dirname(file.path), specifier)));
        const from = layerOf(file.path);
        const upward = layers.indexOf(target) > layers.indexOf(from);
        if (!layers.includes(target) || upward || siblings.has(`${from}>${target}`)) {
          wrong.push(`${file.path} imports ${specifier}`);
        }
      }
    }
    expect(wrong).toEqual([]);
  });

  it('a third-party package enters a layer through one file', () => {
    const doors = new Map<string, Set<string>>();
    for (const file of sources) {
      for (const specifier of importsOf(file)) {
        if (specifier.startsWith('.') || specifier.startsWith('node:')) continue;
        const [scope = '', name = ''] = specifier.split('/');
        const packageName = scope.startsWith('@') ? `${scope}/${name}` : scope;
        const key = `${layerOf(file.path)}: ${packageName}`;
        doors.set(key, (doors.get(key) ?? new Set()).add(file.path));
      }
    }
    const wide = [...doors].filter(([, files]) => files.size > 1).map(([k, f]) => [k, ...f]);
    expect(wide).toEqual([]);
  });
});

describe('sizes', () => {
  const found = new Set<string>();
  const tooLarge: string[] = [];
  for (const file of [...sources, ...benches, ...tests]) {
    const lines = file.text.split('\n').length - 1;
    if (lines > fileLinesMax) report(file.path, lines);
  }
  for (const file of sources) {
    for (const [name, length] of functionLengths(file)) {
      if (length > functionLinesMax) report(`${file.path}#${name}`, length);
    }
  }

  function report(name: string, lines: number): void {
    found.add(name);
    if (!sizeExceptions.has(name)) tooLarge.push(`${name}: ${lines} lines`);
  }

  it(`files have at most ${fileLinesMax} lines, functions ${functionLinesMax}`, () => {
    expect(tooLarge).toEqual([]);
  });

  it('no exception is stale', () => {
    expect([...sizeExceptions.keys()].filter((name) => !found.has(name))).toEqual([]);
  });
});

const functionTypes: ReadonlySet<unknown> = new Set([
  'FunctionDeclaration',
  'FunctionExpression',
  'ArrowFunctionExpression',
]);

function functionLengths(file: SourceFile): [string, number][] {
  const lengths: [string, number][] = [];
  const lineAt = (offset: number): number => file.text.slice(0, offset).split('\n').length;
  const visit = (node: unknown, name: string): void => {
    if (Array.isArray(node)) {
      for (const child of node) visit(child, name);
      return;
    }
    if (typeof node !== 'object' || node === null) return;
    const record = node as Record<string, unknown>;
    const own = nameOf(record) ?? name;
    if (functionTypes.has(record.type)) {
      const body = record.body as { start: number; end: number } | null;
      if (body !== null) lengths.push([own, lineAt(body.end) - lineAt(body.start) + 1]);
    }
    for (const value of Object.values(record)) visit(value, own);
  };
  visit(parseSync(file.path, file.text).program.body, 'module');
  return lengths;
}

function nameOf(node: Record<string, unknown>): string | undefined {
  for (const field of ['id', 'key']) {
    const id = node[field] as { name?: unknown } | null | undefined;
    if (typeof id?.name === 'string') return id.name;
  }
  return undefined;
}

describe('bans', () => {
  it('the clock, randomness and timers are read in base/clock.ts alone', () => {
    // How long a connection may be idle is the connection's own.
    const pattern =
      /\bDate\.now\(|\bnew Date\(\)|\bMath\.random\(|\bperformance\.now\(|\b(?<!outgoing\.)set(Timeout|Interval)\(|\brandomBytes\(|\brandomUUID\(/;
    expect(offences(sources, pattern, ['base/clock.ts'])).toEqual([]);
  });

  it('the environment is read in functions/environment.ts alone', () => {
    expect(offences(sources, /\bprocess\.env\b/, ['functions/environment.ts'])).toEqual([]);
  });

  it('no default exports, enums, namespaces, any or unfinished business', () => {
    const pattern =
      /^export default|^\s*(export )?(const )?enum |^\s*(export )?namespace |: any\b|\bas any\b|@ts-ignore/;
    expect(offences([...sources, ...benches, ...tests], pattern, vitestConfigs)).toEqual([]);
    const marks = [...sources, ...benches].filter((file) => /\b(TODO|FIXME|XXX)\b/.test(file.text));
    expect(marks.map((file) => file.path)).toEqual([]);
  });

  it('names of files say a concept, in kebab case', () => {
    const wrong = [...sources, ...benches, ...tests]
      .map((file) => file.path)
      .filter((path) => {
        const name = path.split('/').at(-1) ?? '';
        return (
          !/^[a-z0-9]+(-[a-z0-9]+)*(\.test)?\.ts$/.test(name) ||
          /^(utils?|helpers?|common|misc|types|index)\.ts$/.test(name)
        );
      });
    expect(wrong).toEqual([]);
  });

  it('every source file begins by saying what it is', () => {
    const silent = [...sources, ...benches].filter(
      (file) => !/^(#!.*\n)?(\/\/|\/\*)/.test(file.text),
    );
    expect(silent.map((file) => file.path)).toEqual([]);
  });
});

const vitestConfigs = ['vitest.config.ts', 'vitest.integration.config.ts'];

describe('mirrors', () => {
  it('a unit test stands where its source stands', () => {
    const orphans = tests
      .map((file) => relative('.', file.path))
      .filter((path) => path.endsWith('.test.ts') && !suites.test(path))
      .filter((path) => {
        const source = path.slice('test/'.length).replace(/\.test\.ts$/, '');
        return !['', '.ts', '.mjs'].some((end) => existsSync(join(root, `${source}${end}`)));
      });
    expect(orphans).toEqual([]);
  });
});
