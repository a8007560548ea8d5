// What --help says, made from the tables of subcommands and options.

import { flagOf, type OptionName, options, variablesOf } from './options.ts';
import { type Subcommand, subcommands } from './subcommands.ts';

const width = 96;

export function overview(): string {
  const names = Math.max(...subcommands.map(({ name }) => name.length));
  const lines = subcommands.map(({ name, summary }) => `  ${name.padEnd(names)}  ${summary}`);
  return `muster: exact set analytics over object storage, in ClickHouse's SQL

Usage
  muster COMMAND [flags]
  muster COMMAND --help

Commands
${lines.join('\n')}

Options are taken from flags, then from the environment (MUSTER_PORT for --port), then from
--config FILE or ./muster.json, then from the defaults. Passwords and secrets are never flags.

Exit codes: 0 done, 1 failed, 2 wrong usage, 3 server or store out of reach, 130 Ctrl-C.
`;
}

export function helpOf(subcommand: Subcommand): string {
  const { name, summary, usage, examples } = subcommand;
  const flags = subcommand.options.filter((option) => options[option].places.includes('flag'));
  const others = subcommand.options.filter((option) => !flags.includes(option));
  const parts = [
    `muster ${name}: ${summary}`,
    `Usage\n  muster ${name} ${usage}`.trimEnd(),
    examples.length === 0 ? '' : `Examples\n${examples.map((line) => `  ${line}`).join('\n')}`,
    flags.length === 0 ? '' : `Flags\n${table(flags, flagName, subcommand)}`,
    others.length === 0
      ? ''
      : `By environment or configuration file only\n${table(others, otherName, subcommand)}`,
  ];
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

function flagName(name: OptionName): string {
  return `--${flagOf(name)} ${options[name].placeholder}`.trimEnd();
}

function otherName(name: OptionName): string {
  return options[name].places.includes('environment') ? (variablesOf(name)[0] ?? '') : `"${name}"`;
}

function table(
  names: readonly OptionName[],
  title: (name: OptionName) => string,
  { wording }: Subcommand,
): string {
  const indent = Math.max(...names.map((name) => title(name).length)) + 4;
  return names
    .map((name) => {
      const lines = wrapped(wording?.[name] ?? description(name, title(name)), width - indent);
      return `  ${title(name)}`.padEnd(indent) + lines.join(`\n${' '.repeat(indent)}`);
    })
    .join('\n');
}

function description(name: OptionName, title: string): string {
  const { help, fallback, places } = options[name];
  const variable = places.includes('environment') ? variablesOf(name)[0] : undefined;
  const notes = [fallback === undefined ? undefined : `default: ${fallback}`, variable];
  const noted = notes.filter((note) => note !== undefined && note !== title).join('; ');
  return noted === '' ? help : `${help} (${noted})`;
}

function wrapped(text: string, columns: number): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + word.length + 1 > columns) {
      lines.push(line);
      line = '';
    }
    line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line];
}
