import { expect, test } from 'vitest';
import { parseCommandLine } from '../../../functions/cli/arguments.ts';
import { UsageError } from '../../../functions/cli/exit-codes.ts';
import { flagOf, options } from '../../../functions/cli/options.ts';
import { subcommands } from '../../../functions/cli/subcommands.ts';

const parse = (line: string) => parseCommandLine(line === '' ? [] : line.split(' '));

function parsed(line: string) {
  const command = parse(line);
  if (command.kind === 'help') throw new Error(`${line} asks for help`);
  const { subcommand, flags, operands } = command;
  return { name: subcommand.name, flags, operands };
}

test('flags and operands of a subcommand', () => {
  expect(parsed('serve --port 0 --host=::1 --no-demo')).toEqual({
    name: 'serve',
    flags: { port: '0', host: '::1', demo: 'false' },
    operands: [],
  });
  expect(parsed('serve --demo').flags).toEqual({ demo: 'true' });
  expect(parsed('load t a.csv - --header no')).toEqual({
    name: 'load',
    flags: { header: 'no' },
    operands: ['t', 'a.csv', '-'],
  });
  expect(parsed('sql -f x.sql').flags).toEqual({ file: 'x.sql' });
  expect(parseCommandLine(['sql', '--', '-1'])).toMatchObject({ operands: ['-1'] });
});

test('help and version, in all their spellings', () => {
  for (const line of ['', '--help', '-h', 'help']) {
    expect(parse(line)).toEqual({ kind: 'help', subcommand: undefined });
  }
  for (const line of ['sql --help', 'sql -h', 'help sql', 'sql --format CSV --help x y']) {
    expect(parse(line)).toMatchObject({ kind: 'help', subcommand: { name: 'sql' } });
  }
  for (const line of ['version', '--version', '-v']) expect(parsed(line).name).toBe('version');
});

test.each(subcommands)('every flag of $name is taken', ({ name, options: names, operands }) => {
  const required = ['t', 'f'].slice(0, operands.min);
  for (const option of names.filter((one) => options[one].places.includes('flag'))) {
    const isSwitch = options[option].takes.kind === 'switch';
    const words = [name, ...required, `--${flagOf(option)}`, ...(isSwitch ? [] : ['1'])];
    expect(parseCommandLine(words)).toMatchObject({
      kind: 'run',
      flags: { [option]: isSwitch ? 'true' : '1' },
    });
  }
});

test.each([
  ['srve', /^There is no command 'srve': do you mean 'serve'\?$/],
  ['start-it-all', /There is no command 'start-it-all'\. See muster --help\.$/],
  ['--port 1 serve', /^The command comes first, before --port/],
  ['serve now', /'now' is too much: muster serve takes flags only/],
  ['serve --prot 1', /has no flag --prot: do you mean '--port'\?$/],
  ['serve --nonsense', /has no flag --nonsense: see muster serve --help\.$/],
  ['serve --port', /--port wants a value: --port P\./],
  ['serve --demo=1', /--demo takes no value/],
  ['serve --no-port', /has no flag --no-port/],
  ['serve --password hunter2', /--password is no flag.*environment or the configuration file/],
  ['serve --worker-secret s', /--worker-secret is no flag/],
  ['load t', /muster load takes a table and files: see muster load --help/],
  ['sql a b', /'b' is too much/],
])('%s is refused in one sentence', (line, message) => {
  expect(() => parse(line)).toThrow(UsageError);
  expect(() => parse(line)).toThrow(message);
});
