import { expect, test } from 'vitest';
import { parseCommand, UsageError } from '../../../functions/cli/arguments.ts';
import type { Environment } from '../../../functions/environment.ts';

const none: Environment = {
  port: undefined,
  host: undefined,
  data: undefined,
  store: undefined,
  endpoint: undefined,
  workers: undefined,
  region: undefined,
};
const parse = (line: string, environment = none) => parseCommand(line.split(' '), environment);

test('defaults, flags, environment', () => {
  expect(parse('serve')).toEqual({
    kind: 'serve',
    options: {
      host: '127.0.0.1',
      port: 8123,
      store: './muster-data',
      endpoint: undefined,
      region: undefined,
      workers: { kind: 'in-process' },
      users: [],
      tls: undefined,
      queriesMax: 100,
      logLevel: 'info',
    },
  });
  const line =
    'serve --port 0 --host ::1 --store s3://b/p --endpoint http://h --worker-processes 3';
  expect(parse(line, { ...none, region: 'eu-1', port: '5' })).toMatchObject({
    options: {
      host: '::1',
      port: 0,
      store: 's3://b/p',
      endpoint: 'http://h',
      workers: { kind: 'processes', count: 3 },
      region: 'eu-1',
    },
  });
  expect(parse('serve', { ...none, port: '5', data: './d' })).toMatchObject({
    options: { port: 5, store: './d' },
  });
  expect(parse('serve --help')).toEqual({ kind: 'help' });
  expect(parse('--version')).toEqual({ kind: 'version' });
  expect(parseCommand([], none)).toEqual({ kind: 'help' });
});

test.each([
  ['serve --host 0.0.0.0', /^Host 0\.0\.0\.0 is refused: Muster has no users yet/],
  ['serve --host example.com', /refused/],
  ['serve --port 70000', /--port is a whole number up to 65535, not '70000'/],
  ['serve --port x', /--port/],
  ['serve --worker-processes -1', /./],
  ['serve --data a --store b', /two stores/],
  ['serve now', /'now' is too much/],
  ['start', /Unknown command 'start'/],
  ['serve --nope', /--nope.*try muster --help/],
])('%s is refused in one sentence', (line, message) => {
  expect(() => parse(line)).toThrow(UsageError);
  expect(() => parse(line)).toThrow(message);
});
