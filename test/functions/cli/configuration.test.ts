import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, test } from 'vitest';
import { Configuration } from '../../../functions/cli/configuration.ts';
import { UsageError } from '../../../functions/cli/exit-codes.ts';
import { optionNames, options, variablesOf } from '../../../functions/cli/options.ts';

const folder = mkdtempSync(join(tmpdir(), 'muster-configuration-'));
afterAll(() => rmSync(folder, { recursive: true }));

function file(values: unknown, name = 'muster.json'): string {
  const path = join(folder, name);
  writeFileSync(path, typeof values === 'string' ? values : JSON.stringify(values));
  return path;
}

/** A value that the option takes, two different ones. */
function sampleOf(name: keyof typeof options, which: 0 | 1 | 2): string {
  const { takes } = options[name];
  switch (takes.kind) {
    case 'number':
      return String(takes.min + which);
    case 'choice':
      return takes.choices[which] ?? '';
    case 'switch':
      return which === 1 ? 'false' : 'true';
    case 'path':
      return join(folder, `path${which}`);
    default:
      return `text${which}`;
  }
}

describe.each(optionNames.filter((name) => name !== 'config'))('%s', (name) => {
  const { places } = options[name];
  const config = file({ [name]: sampleOf(name, 2) }, `${name}.json`);
  const variables = { [variablesOf(name)[0] ?? '']: sampleOf(name, 1) };
  const flags = { [name]: sampleOf(name, 0) };

  it('is taken from flags, environment, file, in this order', () => {
    const inFile = places.includes('file');
    const from = inFile ? { config } : {};
    if (places.includes('flag')) {
      const all = Configuration.read({ ...from, ...flags }, variables);
      expect(all.get(name)).toMatchObject({ value: sampleOf(name, 0), place: 'flag' });
    }
    if (places.includes('environment')) {
      const both = Configuration.read(from, variables);
      expect(both.get(name)).toMatchObject({ value: sampleOf(name, 1), place: 'environment' });
    } else {
      expect(Configuration.read({}, variables).get(name)).toBeUndefined();
    }
    if (inFile) {
      const last = Configuration.read({}, { MUSTER_CONFIG: config });
      expect(last.get(name)?.place).toBe('file');
      const expected = options[name].takes.kind === 'users' ? /text2/ : sampleOf(name, 2);
      expect(last.text(name)).toMatch(expected);
    } else {
      expect(() => Configuration.read({ config }, {})).toThrow(/is no option/);
    }
    expect(Configuration.read({}, {}).get(name)).toBeUndefined();
  });
});

test('variables of others come after our own', () => {
  const both = { MUSTER_ENDPOINT: 'http://ours', AWS_ENDPOINT_URL: 'http://theirs' };
  expect(Configuration.read({}, both).text('endpoint')).toBe('http://ours');
  expect(Configuration.read({}, { AWS_ENDPOINT_URL: 'x' }).get('endpoint')).toEqual({
    value: 'x',
    place: 'environment',
    where: 'AWS_ENDPOINT_URL',
  });
  expect(Configuration.read({}, { MUSTER_PORT: '' }).get('port')).toBeUndefined();
});

test('what other commands are told, rightly or wrongly, is none of our business', () => {
  const config = file({ port: 'x', url: 'http://there' });
  const read = Configuration.read({ config }, { MUSTER_WORKERS: 'many' }, ['url', 'config']);
  expect(read.text('url')).toBe('http://there');
  expect(read.get('port')).toBeUndefined();
  expect(
    Configuration.read({}, { MUSTER_CONFIG: config, MUSTER_URL: 'u' }, ['url']).text('url'),
  ).toBe('u');
});

test('numbers, lists and switches', () => {
  const config = file({ workerUrls: ['http://a:1', 'http://b:2'], port: 7, demo: true });
  const read = Configuration.read({ config }, { MUSTER_DEMO: '0' });
  expect(read.number('port')).toBe(7);
  expect(read.list('workerUrls')).toEqual(['http://a:1', 'http://b:2']);
  expect(read.switched('demo')).toBe(false);
  expect(Configuration.read({ config }, {}).switched('demo')).toBe(true);
  expect(read.switched('port')).toBe(false);
  expect(Configuration.read({ workerUrls: 'a, b,' }, {}).list('workerUrls')).toEqual(['a', 'b']);
});

test('paths of a file are relative to it', () => {
  const config = file({ data: 'here', tlsCert: '/abs.pem' });
  const read = Configuration.read({ config }, {});
  expect(read.text('data')).toBe(join(folder, 'here'));
  expect(read.text('tlsCert')).toBe('/abs.pem');
});

test.each<[string, () => unknown, RegExp]>([
  ['a flag', () => Configuration.read({ port: 'x' }, {}), /^--port is a whole number.*not 'x'\.$/],
  ['a variable', () => Configuration.read({}, { MUSTER_PORT: '65536' }), /^MUSTER_PORT is a whole/],
  ['a key', () => Configuration.read({ config: file({ port: 1.5 }) }, {}), /^"port" in .*json is/],
  ['a choice', () => Configuration.read({ logLevel: 'loud' }, {}), /one of silent, error/],
  ['a switch', () => Configuration.read({}, { MUSTER_DEMO: 'maybe' }), /true or false/],
  ['an empty text', () => Configuration.read({ host: '' }, {}), /--host is not empty/],
  ['a typo', () => Configuration.read({ config: file({ prot: 1 }) }, {}), /do you mean 'port'\?/],
  [
    'no JSON',
    () => Configuration.read({ config: file('{"password": "s3cret') }, {}),
    /not JSON\.$/,
  ],
  ['a list', () => Configuration.read({ config: file([]) }, {}), /not a JSON object/],
  ['an object', () => Configuration.read({ config: file({ host: {} }) }, {}), /neither text nor/],
  ['no file', () => Configuration.read({ config: join(folder, 'none') }, {}), /it is not there/],
])('%s that is wrong is refused in one sentence', (_, read, message) => {
  expect(read).toThrow(UsageError);
  expect(read).toThrow(message);
  expect(read).not.toThrow(/s3cret/);
});
