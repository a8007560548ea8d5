// The settings that output formats honour, read once per answer. An output_format_ setting that
// would change an answer and is not honoured is refused when it asks for something.

import { MusterError } from '../../base/errors.ts';

export interface OutputSettings {
  readonly quote64: boolean;
  readonly quoteDenormals: boolean;
  readonly escapeSlashes: boolean;
  readonly arrayOfRows: boolean;
  readonly namedTuplesAsObjects: boolean;
  readonly writeStatistics: boolean;
  readonly csvDelimiter: string;
  readonly csvNull: string;
  readonly tsvNull: string;
  readonly dateTime: 'simple' | 'iso' | 'unix_timestamp';
  readonly timeZone: string;
  readonly arrowStringsAsText: boolean;
  readonly arrowDatesAsNumbers: boolean;
}

/** Of other formats, or without effect on the ones that are here. */
const harmless = new RegExp(
  `^output_format_(${[
    'pretty|parquet|arrow|orc|avro|protobuf|msgpack|bson|native|xml|sql|markdown|schema',
    'parallel|compression|binary|values|json_validate|json_skip|json_map|csv_serialize',
    'enable_streaming|always_write|trim',
  ].join('|')})`,
);

/** Of the harmless ones' families, and not harmless where they are on. */
const refused: ReadonlySet<string> = new Set([
  'output_format_pretty_use_nbsp_for_padding',
  'output_format_arrow_low_cardinality_as_dictionary',
]);

const honoured: ReadonlySet<string> = new Set([
  'output_format_json_quote_64bit_integers',
  'output_format_json_quote_denormals',
  'output_format_json_escape_forward_slashes',
  'output_format_json_array_of_rows',
  'output_format_json_named_tuples_as_objects',
  'output_format_write_statistics',
]);

export function readOutputSettings(settings: ReadonlyMap<string, string>): OutputSettings {
  for (const [name, value] of settings) {
    const isFine = honoured.has(name) || (harmless.test(name) && !refused.has(name));
    if (!name.startsWith('output_format_') || isFine) continue;
    if (value === '0' || value === '' || value === 'false') continue;
    throw new MusterError('NOT_IMPLEMENTED', `Setting ${name} = '${value}' is not supported`);
  }
  const flag = (name: string, absent: boolean): boolean => {
    const text = settings.get(`output_format_${name}`);
    return text === undefined ? absent : text === '1' || text === 'true';
  };
  return {
    quote64: flag('json_quote_64bit_integers', false),
    quoteDenormals: flag('json_quote_denormals', false),
    escapeSlashes: flag('json_escape_forward_slashes', true),
    arrayOfRows: flag('json_array_of_rows', false),
    namedTuplesAsObjects: flag('json_named_tuples_as_objects', true),
    writeStatistics: flag('write_statistics', true),
    csvDelimiter: settings.get('format_csv_delimiter') || ',',
    csvNull: settings.get('format_csv_null_representation') ?? '\\N',
    tsvNull: settings.get('format_tsv_null_representation') ?? '\\N',
    dateTime: readDateTimeFormat(settings.get('date_time_output_format') ?? 'simple'),
    timeZone: settings.get('session_timezone') || 'UTC',
    arrowStringsAsText: flag('arrow_string_as_string', true),
    arrowDatesAsNumbers: flag('arrow_date_as_uint16', false),
  };
}

function readDateTimeFormat(text: string): 'simple' | 'iso' | 'unix_timestamp' {
  if (text === 'simple' || text === 'iso' || text === 'unix_timestamp') return text;
  throw new MusterError(
    'BAD_ARGUMENTS',
    `Setting date_time_output_format is 'simple', 'iso' or 'unix_timestamp', not '${text}'`,
  );
}
