// The settings that input formats honour, read once per insert. Others of ClickHouse's that begin
// with input_format_ or format_ are accepted and change nothing here.

import { MusterError } from '../../base/errors.ts';
import type { SetInput } from './set-builder.ts';

export interface InputSettings {
  readonly setInput: SetInput;
  readonly skipUnknownFields: boolean;
  /** Headers name the columns; off: fields are taken in the order of the insert. */
  readonly useHeader: boolean;
  /** A first CSV or TSV row that only holds column names is a header. */
  readonly detectHeader: boolean;
  /** Byte between CSV fields. */
  readonly csvDelimiter: number;
  readonly timeZone: string;
}

export function readInputSettings(
  settings: ReadonlyMap<string, string>,
  timeZone: string,
): InputSettings {
  refuse(settings);
  return {
    setInput: readSetInput(settings.get('aggregate_function_input_format') ?? 'state'),
    skipUnknownFields: flag(settings, 'input_format_skip_unknown_fields', true),
    useHeader: flag(settings, 'input_format_with_names_use_header', true),
    detectHeader: flag(settings, 'input_format_csv_detect_header', true),
    csvDelimiter: readDelimiter(settings.get('format_csv_delimiter') ?? ','),
    timeZone: settings.get('session_timezone') || timeZone,
  };
}

/** Settings that would change what is read, with the values that change nothing. */
const refused: Readonly<Record<string, readonly string[]>> = {
  input_format_null_as_default: ['1', 'true'],
  input_format_allow_errors_num: ['0'],
  input_format_allow_errors_ratio: ['0'],
  format_csv_allow_single_quotes: ['0', 'false'],
};

function refuse(settings: ReadonlyMap<string, string>): void {
  for (const [name, accepted] of Object.entries(refused)) {
    const value = settings.get(name);
    if (value === undefined || accepted.includes(value)) continue;
    throw new MusterError('NOT_IMPLEMENTED', `Setting ${name} = '${value}' is not supported`);
  }
}

function flag(settings: ReadonlyMap<string, string>, name: string, absent: boolean): boolean {
  const text = settings.get(name);
  if (text === undefined) return absent;
  return text === '1' || text === 'true';
}

function readSetInput(text: string): SetInput {
  if (text === 'state' || text === 'array' || text === 'value') return text;
  throw new MusterError(
    'BAD_ARGUMENTS',
    `Setting aggregate_function_input_format is 'state', 'array' or 'value', not '${text}'`,
  );
}

function readDelimiter(text: string): number {
  const code = text.charCodeAt(0);
  if (text.length === 1 && code < 128 && code !== 0x22 && code !== 0x0a) return code;
  throw new MusterError(
    'BAD_ARGUMENTS',
    `Setting format_csv_delimiter is one character, not '${text}'`,
  );
}
