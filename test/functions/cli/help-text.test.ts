// Help and the reference say what the tables say: every flag, variable, key, default and example.

import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { exitCodes } from '../../../functions/cli/exit-codes.ts';
import { helpOf, overview } from '../../../functions/cli/help-text.ts';
import { flagOf, optionNames, options, variablesOf } from '../../../functions/cli/options.ts';
import { subcommands } from '../../../functions/cli/subcommands.ts';

const reference = readFileSync(new URL('../../../docs/reference/cli.md', import.meta.url), 'utf8');

test('the overview lists every command', () => {
  for (const { name, summary } of subcommands) {
    expect(overview()).toMatch(new RegExp(`^  ${name} +.*`, 'm'));
    expect(overview()).toContain(summary);
  }
});

test.each(subcommands)('help of $name has its flags and an example', (subcommand) => {
  const help = helpOf(subcommand);
  expect(help).toContain(`muster ${subcommand.name}`);
  expect(subcommand.examples.length).toBeGreaterThan(0);
  for (const example of subcommand.examples) expect(help).toContain(`  ${example}\n`);
  for (const name of subcommand.options) {
    const { places } = options[name];
    if (places.includes('flag')) expect(help).toMatch(new RegExp(`^  --${flagOf(name)}\\b`, 'm'));
    else if (places.includes('environment')) expect(help).toContain(variablesOf(name)[0]);
    else expect(help).toContain(`"${name}"`);
  }
  expect(help).not.toMatch(/(MUSTER_\w+) .*\(\1\)/);
  for (const line of help.split('\n')) expect(line.length).toBeLessThanOrEqual(100);
});

test.each(optionNames)('the reference has option %s', (name) => {
  const { places, placeholder, fallback, help } = options[name];
  const code = (text: string): string => `\`${text}\``;
  const row = [
    places.includes('flag') ? code(`--${flagOf(name)} ${placeholder}`.trimEnd()) : '',
    places.includes('environment') ? variablesOf(name).map(code).join(', ') : '',
    places.includes('file') ? code(name) : '',
    fallback ?? '',
    help.replaceAll('|', '\\|'),
  ];
  expect(reference).toContain(`\n| ${row.join(' | ')} |\n`);
});

test('the reference has every command and exit code', () => {
  for (const { name } of subcommands) expect(reference).toContain(`| \`muster ${name}\` |`);
  const codes = [...reference.matchAll(/^\| (\d+) \|/gm)].map((match) => Number(match[1]));
  expect(codes).toEqual(Object.values(exitCodes));
});
