// The words of the command line, read into a subcommand, its flags and its operands, or a question
// for help. Mistakes are one sentence with the nearest name.

import { parseArgs } from 'node:util';
import { didYouMean, UsageError } from './exit-codes.ts';
import { flagOf, type OptionName, options } from './options.ts';
import { type Subcommand, subcommands } from './subcommands.ts';

type CommandLine =
  /** Of one subcommand, or of all. */
  | { readonly kind: 'help'; readonly subcommand: Subcommand | undefined }
  | {
      readonly kind: 'run';
      readonly subcommand: Subcommand;
      readonly flags: Readonly<Partial<Record<OptionName, string>>>;
      readonly operands: readonly string[];
    };

/** Throws UsageError. */
export function parseCommandLine(words: readonly string[]): CommandLine {
  const [first, ...rest] = words;
  if (first === undefined || first === '--help' || first === '-h') {
    return { kind: 'help', subcommand: undefined };
  }
  if (first === 'help') {
    return { kind: 'help', subcommand: rest[0] === undefined ? undefined : named(rest[0]) };
  }
  if (first === '--version' || first === '-v') return parseRest(named('version'), rest);
  return parseRest(named(first), rest);
}

function named(name: string): Subcommand {
  const found = subcommands.find((subcommand) => subcommand.name === name);
  if (found !== undefined) return found;
  const what = name.startsWith('-')
    ? `The command comes first, before ${name}: see muster --help.`
    : `There is no command '${name}'${didYouMean(
        name,
        subcommands.map((known) => known.name),
      )}`;
  throw new UsageError(what.endsWith("'.") ? `${what} See muster --help.` : what);
}

function parseRest(subcommand: Subcommand, words: readonly string[]): CommandLine {
  const flags: Partial<Record<OptionName, string>> = {};
  const operands: string[] = [];
  for (const token of tokensOf(subcommand, words)) {
    if (token.kind === 'positional') operands.push(token.value);
    if (token.kind !== 'option') continue;
    if (token.name === 'help' || token.rawName === '-h') return { kind: 'help', subcommand };
    const [name, value] = readFlag(subcommand, token);
    flags[name] = value;
  }
  const { min, max, what } = subcommand.operands;
  const tooMany = operands[max];
  if (tooMany !== undefined) {
    throw new UsageError(`'${tooMany}' is too much: muster ${subcommand.name} takes ${what}.`);
  }
  if (operands.length < min) {
    throw new UsageError(`muster ${subcommand.name} takes ${what}: see ${helpOf(subcommand)}.`);
  }
  return { kind: 'run', subcommand, flags, operands };
}

interface FlagToken {
  readonly name: string;
  readonly rawName: string;
  readonly value?: string | undefined;
}

function tokensOf(subcommand: Subcommand, words: readonly string[]) {
  const declared = subcommand.options.flatMap((name) => {
    const type = isSwitch(name) ? ('boolean' as const) : ('string' as const);
    const short = name === 'file' ? { short: 'f' } : {};
    return [[flagOf(name), { type, ...short }] as const];
  });
  const { tokens } = parseArgs({
    args: [...words],
    allowPositionals: true,
    strict: false,
    tokens: true,
    options: { ...Object.fromEntries(declared), help: { type: 'boolean', short: 'h' } },
  });
  return tokens;
}

function readFlag(subcommand: Subcommand, token: FlagToken): readonly [OptionName, string] {
  const positive = token.name.replace(/^no-/, '');
  const flagged = subcommand.options.filter((name) => options[name].places.includes('flag'));
  const name =
    flagged.find((known) => flagOf(known) === token.name) ??
    flagged.find((known) => flagOf(known) === positive && isSwitch(known));
  if (name === undefined) throw unknownFlag(subcommand, token, flagged);
  if (isSwitch(name)) {
    if (token.value !== undefined) {
      throw new UsageError(
        `${token.rawName} takes no value: --${flagOf(name)} or --no-${flagOf(name)}.`,
      );
    }
    return [name, String(token.name !== `no-${flagOf(name)}`)];
  }
  if (token.value === undefined) {
    const { placeholder } = options[name];
    throw new UsageError(`${token.rawName} wants a value: ${token.rawName} ${placeholder}.`);
  }
  return [name, token.value];
}

function isSwitch(name: OptionName): boolean {
  return options[name].takes.kind === 'switch';
}

function unknownFlag(
  subcommand: Subcommand,
  token: FlagToken,
  known: readonly OptionName[],
): UsageError {
  if (subcommand.options.some((name) => flagOf(name) === token.name)) {
    return new UsageError(
      `${token.rawName} is no flag, for everybody on the machine can read those: ` +
        'give it by the environment or the configuration file.',
    );
  }
  const near = didYouMean(token.name, ['help', ...known.map(flagOf)]).replace("'", "'--");
  const see = near === '.' ? `: see ${helpOf(subcommand)}.` : near;
  return new UsageError(`muster ${subcommand.name} has no flag ${token.rawName}${see}`);
}

function helpOf(subcommand: Subcommand): string {
  return `muster ${subcommand.name} --help`;
}
