// What the URL and the headers of a request say: text, parameters, settings, names of formats.

import { MusterError } from '../../base/errors.ts';
import { type Exchange, headerOf, searchOf } from './exchange.ts';

export interface QueryParameters {
  /** The URL's part of the statement. */
  readonly query: string;
  readonly queryId: string | undefined;
  readonly database: string;
  readonly defaultFormat: string;
  readonly waitEndOfQuery: boolean;
  readonly enableCompression: boolean;
  /** Values of {name:Type}. */
  readonly parameters: ReadonlyMap<string, string>;
  readonly settings: ReadonlyMap<string, string>;
}

type RequestHead = Pick<Exchange, 'url' | 'headers'>;

const idLengthMax = 256;

/** Parameters that are no settings and change nothing here. */
const ignored: ReadonlySet<string> = new Set([
  'user',
  'password',
  'quota_key',
  'session_id',
  'session_timeout',
  'session_check',
  'role',
  'buffer_size',
  'stacktrace',
  'client_protocol_version',
]);

/** `fields` of a multipart body count as parameters of the URL. */
export function readQueryParameters(
  head: RequestHead,
  fields: readonly (readonly [string, string])[] = [],
): QueryParameters {
  const parameters = new Map<string, string>();
  const settings = new Map<string, string>();
  const own = new Map<string, string>();
  for (const [name, value] of [...searchOf(head.url), ...fields]) {
    if (name === '' || ignored.has(name)) continue;
    if (name.startsWith('param_')) parameters.set(name.slice('param_'.length), value);
    else if (ownNames.has(name)) own.set(name, value);
    else settings.set(name, value);
  }
  refuseFraming(own);
  return {
    query: own.get('query') ?? '',
    queryId: checkedId(own.get('query_id') ?? headerOf(head.headers, 'x-clickhouse-query-id')),
    database: own.get('database') || headerOf(head.headers, 'x-clickhouse-database') || 'default',
    defaultFormat:
      headerOf(head.headers, 'x-clickhouse-format') || own.get('default_format') || 'TabSeparated',
    waitEndOfQuery: isOn(own.get('wait_end_of_query')),
    enableCompression: isOn(own.get('enable_http_compression')),
    parameters,
    settings,
  };
}

const ownNames: ReadonlySet<string> = new Set([
  'query',
  'query_id',
  'database',
  'default_format',
  'wait_end_of_query',
  'enable_http_compression',
  'compress',
  'decompress',
]);

function refuseFraming(own: ReadonlyMap<string, string>): void {
  for (const name of ['compress', 'decompress']) {
    if (!isOn(own.get(name))) continue;
    throw new MusterError(
      'NOT_IMPLEMENTED',
      `Parameter ${name} = 1 (ClickHouse's own block compression) is not supported; ` +
        'use Content-Encoding and enable_http_compression',
    );
  }
}

/** They stand in headers, logs and batches. BAD_ARGUMENTS (36). */
function checkedId(id: string | undefined): string | undefined {
  if (id === undefined || id.length <= idLengthMax) return id;
  const message = `The query_id has ${id.length} characters; at most ${idLengthMax} are allowed`;
  throw new MusterError('BAD_ARGUMENTS', message);
}

function isOn(value: string | undefined): boolean {
  return value === '1' || value === 'true';
}
