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

export function readInputSettings(settings: ReadonlyMap<string, string>): InputSettings {
  if (!flag(settings, 'input_format_null_as_default', true)) {
    throw new MusterError(
      'NOT_IMPLEMENTED',
      'Setting input_format_null_as_default = 0 is not supported',
    );
  }
  return {
    setInput: readSetInput(settings.get('aggregate_function_input_format') ?? 'state'),
    skipUnknownFields: flag(settings, 'input_format_skip_unknown_fields', true),
    useHeader: flag(settings, 'input_format_with_names_use_header', true),
    detectHeader: flag(settings, 'input_format_csv_detect_header', true),
    csvDelimiter: readDelimiter(settings.get('format_csv_delimiter') ?? ','),
    timeZone: settings.get('session_timezone') || 'UTC',
  };
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
