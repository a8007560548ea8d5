// What a command is told, from flags, environment, configuration file and nothing else, in this
// order: the first place that gives an option wins. Values are checked here against options.ts;
// what they mean together is the business of the command.

import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { Environment } from '../environment.ts';
import { didYouMean, UsageError } from './exit-codes.ts';
import {
  flagOf,
  isSecret,
  type Option,
  type OptionName,
  optionNames,
  options,
  type Place,
  variablesOf,
} from './options.ts';

interface Given {
  readonly value: string;
  readonly place: Place;
  /** How the one who gave it calls it: `--port`, `MUSTER_PORT`, `port in ./muster.json`. */
  readonly where: string;
}

type Flags = Readonly<Partial<Record<OptionName, string>>>;

const defaultFile = './muster.json';

export class Configuration {
  readonly #given: ReadonlyMap<OptionName, Given>;

  private constructor(given: ReadonlyMap<OptionName, Given>) {
    this.#given = given;
  }

  /**
   * Of the options `names`; others may be given, for other commands. Throws UsageError for a value
   * that its option doesn't take, wherever it stands.
   */
  static read(
    flags: Flags,
    environment: Environment,
    names: readonly OptionName[] = optionNames,
  ): Configuration {
    const isFileRead = names.includes('config');
    const file = isFileRead ? readFile(flags.config ?? environment['MUSTER_CONFIG']) : undefined;
    const given = new Map<OptionName, Given>();
    for (const name of names) {
      const found =
        fromFlags(name, flags) ?? fromEnvironment(name, environment) ?? fromFile(name, file);
      if (found === undefined) continue;
      check(name, found);
      given.set(name, found);
    }
    return new Configuration(given);
  }

  /** Undefined: given nowhere. */
  get(name: OptionName): Given | undefined {
    return this.#given.get(name);
  }

  text(name: OptionName): string | undefined {
    return this.#given.get(name)?.value;
  }

  number(name: OptionName): number | undefined {
    const value = this.text(name);
    return value === undefined ? undefined : Number(value);
  }

  switched(name: OptionName): boolean | undefined {
    const value = this.text(name);
    return value === undefined ? undefined : value === 'true';
  }

  list(name: OptionName): readonly string[] {
    const items = (this.text(name) ?? '').split(',').map((item) => item.trim());
    return items.filter((item) => item !== '');
  }

  /** Of these, the ones that the first place that gives any gives. */
  foremost(names: readonly OptionName[]): readonly (Given & { readonly name: OptionName })[] {
    const all = names.flatMap((name) => {
      const given = this.#given.get(name);
      return given === undefined ? [] : [{ ...given, name }];
    });
    for (const place of ['flag', 'environment', 'file'] as const) {
      const here = all.filter((given) => given.place === place);
      if (here.length > 0) return here;
    }
    return [];
  }
}

function fromFlags(name: OptionName, flags: Flags): Given | undefined {
  const value = flags[name];
  return value === undefined ? undefined : { value, place: 'flag', where: `--${flagOf(name)}` };
}

function fromEnvironment(name: OptionName, environment: Environment): Given | undefined {
  if (!options[name].places.includes('environment')) return undefined;
  for (const variable of variablesOf(name)) {
    const value = environment[variable];
    if (value === undefined || value === '') continue;
    const isSwitch = options[name].takes.kind === 'switch';
    return { value: isSwitch ? switchText(value) : value, place: 'environment', where: variable };
  }
  return undefined;
}

function switchText(value: string): string {
  if (value === '1' || value === 'yes') return 'true';
  return value === '0' || value === 'no' ? 'false' : value;
}

interface ConfigurationFile {
  readonly path: string;
  readonly values: Readonly<Record<string, unknown>>;
}

/** `path` undefined: the default one, if it is there. */
function readFile(path: string | undefined): ConfigurationFile | undefined {
  const from = path ?? defaultFile;
  let content: string;
  try {
    content = readFileSync(from, 'utf8');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (path === undefined && code === 'ENOENT') return undefined;
    const why = code === 'ENOENT' ? 'it is not there' : message;
    throw new UsageError(`The configuration file ${from} can't be read: ${why}.`);
  }
  const values = parseJson(content, from);
  const known = optionNames.filter((name) => options[name].places.includes('file'));
  for (const key of Object.keys(values)) {
    if ((known as readonly string[]).includes(key)) continue;
    const near = didYouMean(key, known);
    throw new UsageError(`'${key}' in ${from} is no option${near}`);
  }
  return { path: from, values };
}

function parseJson(content: string, path: string): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(content);
  } catch {
    // The parser's message quotes what it read, and that may be a password.
    throw new UsageError(`The configuration file ${path} is not JSON.`);
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return value as Readonly<Record<string, unknown>>;
  }
  throw new UsageError(`The configuration file ${path} is not a JSON object.`);
}

function fromFile(name: OptionName, file: ConfigurationFile | undefined): Given | undefined {
  if (file === undefined || !Object.hasOwn(file.values, name)) return undefined;
  const { takes } = options[name];
  const value = file.values[name];
  const where = `"${name}" in ${file.path}`;
  const given = (text: string): Given => ({ value: text, place: 'file', where });
  if (takes.kind === 'users') return given(JSON.stringify(value));
  if (takes.kind === 'list' && Array.isArray(value)) return given(value.join(','));
  if (takes.kind === 'path' && typeof value === 'string') {
    return given(value.startsWith('s3:') ? value : resolve(dirname(file.path), value));
  }
  if (!['string', 'number', 'boolean'].includes(typeof value)) {
    throw new UsageError(`${where} is neither text nor number.`);
  }
  return given(String(value));
}

function check(name: OptionName, given: Given): void {
  const expected = expectation(options[name], given.value);
  if (expected === undefined) return;
  const quoted = isSecret(name) ? '' : `, not '${given.value}'`;
  throw new UsageError(`${given.where} is ${expected}${quoted}.`);
}

/** What the value should have been; undefined: it is that. */
function expectation({ takes }: Option, value: string): string | undefined {
  switch (takes.kind) {
    case 'number': {
      const fits = /^\d+$/.test(value) && Number(value) >= takes.min && Number(value) <= takes.max;
      return fits ? undefined : `a whole number from ${takes.min} to ${takes.max}`;
    }
    case 'choice':
      return takes.choices.includes(value) ? undefined : `one of ${takes.choices.join(', ')}`;
    case 'switch':
      return value === 'true' || value === 'false' ? undefined : 'true or false';
    case 'text':
    case 'path':
    case 'list':
      return value === '' ? 'not empty' : undefined;
    case 'users':
      return undefined;
  }
}
