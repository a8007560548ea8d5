// Settings, on three lists: honoured (they change what Muster does), harmless (a client may send
// them; no answer depends on them here) and refused (they would change an answer in a way that
// Muster doesn't implement: 48). A name on no list is 115, with the nearest known name.

import { MusterError } from '../base/errors.ts';
import { suggestion } from '../base/nearest-name.ts';

/** The honoured settings with their values for one query. */
export interface QuerySettings {
  /** Bytes that aggregation, sorting and gathered rows may hold at the root. */
  readonly maxMemoryUsage: number;
  /** 0: no limit but the root's own. */
  readonly maxResultRows: number;
  readonly resultOverflowMode: 'throw' | 'break';
  /** Seconds; 0: the server's own limit. */
  readonly maxExecutionTime: number;
  /** Rows that scans may bring to the root; 0: no limit. */
  readonly maxRowsToRead: number;
  /** Groups that one GROUP BY may have; 0: no limit but memory. */
  readonly maxRowsToGroupBy: number;
  /** Rows that a join may give; 0: no limit but the root's own. */
  readonly maxRowsInJoin: number;
  /** Ids that one query may gather from its sets at the root. */
  readonly maxIdsInResult: number;
  readonly joinUseNulls: boolean;
  readonly preferColumnNameToAlias: boolean;
  /** Empty: the server's zone, which is UTC. */
  readonly sessionTimezone: string;
  readonly insertDeduplicationToken: string;
  /** False: tokens are not looked at. */
  readonly insertDeduplicate: boolean;
  readonly asyncInsert: boolean;
  readonly waitForAsyncInsert: boolean;
  readonly maxPartitionsPerInsertBlock: number;
  /** Whether this process merges stripes after an insert. */
  readonly backgroundCompaction: boolean;
  /** As written, for what reads its own settings (formats, ingest). */
  readonly raw: ReadonlyMap<string, string>;
}

const mebibyte = 1024 * 1024;

type Reader = (text: string, name: string) => unknown;

/** Name of the setting -> field, reader of its text, value when absent. */
const honoured: Readonly<Record<string, readonly [keyof QuerySettings, Reader, unknown]>> = {
  max_memory_usage: ['maxMemoryUsage', readMemory, 512 * mebibyte],
  max_result_rows: ['maxResultRows', readCount, 0],
  result_overflow_mode: ['resultOverflowMode', readOverflowMode, 'throw'],
  max_execution_time: ['maxExecutionTime', readSeconds, 0],
  max_rows_to_read: ['maxRowsToRead', readCount, 0],
  max_rows_to_group_by: ['maxRowsToGroupBy', readCount, 0],
  max_rows_in_join: ['maxRowsInJoin', readCount, 0],
  muster_max_ids_in_result: ['maxIdsInResult', readCount, 100_000_000],
  join_use_nulls: ['joinUseNulls', readFlag, false],
  prefer_column_name_to_alias: ['preferColumnNameToAlias', readFlag, false],
  session_timezone: ['sessionTimezone', (text: string) => text, ''],
  insert_deduplication_token: ['insertDeduplicationToken', (text: string) => text, ''],
  insert_deduplicate: ['insertDeduplicate', readFlag, true],
  async_insert: ['asyncInsert', readFlag, false],
  wait_for_async_insert: ['waitForAsyncInsert', readFlag, true],
  max_partitions_per_insert_block: ['maxPartitionsPerInsertBlock', readCount, 100],
  muster_background_compaction: ['backgroundCompaction', readFlag, true],
};

/** Read by the formats, by ingest or by the HTTP edge from the raw map. */
const readElsewhere =
  /^(input_format_|output_format_|format_|date_time_(input|output)_format$|aggregate_function_input_format$|wait_end_of_query$|buffer_size$|default_format$|enable_http_compression$|http_|send_progress_in_http_headers$|compress$|decompress$|cancel_http_readonly_queries_on_client_close$|session_(id|timeout|check)$|quota_key$|role$|query_id$|database$|user$|add_http_cors_header$)/;

const harmless =
  /^(max_threads|max_insert_threads|max_block_size|preferred_block_size_bytes|max_insert_block_size|min_insert_block_size_(rows|bytes)|log_queries.*|log_comment|log_.*|priority|use_.*|load_balancing|async_insert.*|wait_for_async_insert.*|readonly|connect_timeout.*|receive_timeout|send_timeout|max_query_size|max_ast_.*|max_parser_.*|allow_experimental_.*|allow_suspicious_.*|enable_analyzer|allow_nullable_key|optimize_.*|query_plan_.*|compile_.*|distributed_.*|insert_quorum.*|insert_distributed_sync|max_bytes_.*|max_memory_usage_for_user|max_concurrent_.*|mutations_sync|alter_sync|prefer_.*|do_not_merge_across_partitions_select_final|final|force_.*|parallel_.*|cluster_for_parallel_replicas|max_parallel_replicas|query_cache_.*|stream_.*|poll_interval|idle_connection_timeout|enable_.*|min_.*|materialized_views_.*|deduplicate_blocks_in_dependent_materialized_views|joined_subquery_requires_alias|asterisk_.*|timeout_.*|max_download_.*|network_.*|output_format)$/;

/** Each would change an answer; a value that asks for nothing ('0', '') is accepted. */
export const refusedSettings: ReadonlySet<string> = new Set([
  'extremes',
  'limit',
  'offset',
  'additional_result_filter',
  'additional_table_filters',
  'group_by_use_nulls',
  'union_default_mode',
  'any_join_distinct_right_table_keys',
  'aggregate_functions_null_for_empty',
  'transform_null_in',
  'prefer_global_in_and_join',
  'totals_mode',
  'group_by_overflow_mode',
  'read_overflow_mode',
  'timeout_overflow_mode',
  'data_type_default_nullable',
  'count_distinct_implementation',
]);

/** Throws UNKNOWN_SETTING (115), NOT_IMPLEMENTED (48) or CANNOT_PARSE_NUMBER (72). */
export function readSettings(raw: ReadonlyMap<string, string>): QuerySettings {
  const values: Record<string, unknown> = { raw };
  for (const name in honoured) {
    const [field, , absent] = honoured[name]!;
    values[field] = absent;
  }
  for (const [name, text] of raw) {
    const known = Object.hasOwn(honoured, name) ? honoured[name] : undefined;
    if (known !== undefined) values[known[0]] = known[1](text, name);
    else checkOther(name, text);
  }
  return values as unknown as QuerySettings;
}

/** Names and values of the honoured settings, for system.settings. */
export function listSettings(
  settings: QuerySettings,
): readonly { readonly name: string; readonly value: string; readonly changed: boolean }[] {
  return Object.entries(honoured).map(([name, [field]]) => {
    const value = settings[field];
    const text = typeof value === 'boolean' ? String(Number(value)) : `${value as string | number}`;
    return { name, value: text, changed: settings.raw.has(name) };
  });
}

function checkOther(name: string, text: string): void {
  if (refusedSettings.has(name)) {
    if (text === '' || text === '0' || text === 'false') return;
    throw new MusterError('NOT_IMPLEMENTED', `Setting ${name} = '${text}' is not supported`);
  }
  if (readElsewhere.test(name) || harmless.test(name)) return;
  throw new MusterError(
    'UNKNOWN_SETTING',
    `Unknown setting '${name}'${suggestion(name, [...Object.keys(honoured), ...refusedSettings])}`,
  );
}

function readCount(text: string, name: string): number {
  const count = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(count)) return count;
  if (/^\d+$/.test(text)) return Number.MAX_SAFE_INTEGER;
  throw cannotParse(text, name, 'a whole number');
}

function readMemory(text: string, name: string): number {
  const bytes = readCount(text, name);
  return bytes === 0 ? Number.MAX_SAFE_INTEGER : bytes;
}

function readSeconds(text: string, name: string): number {
  const seconds = Number(text);
  if (text !== '' && Number.isFinite(seconds) && seconds >= 0) return seconds;
  throw cannotParse(text, name, 'a number of seconds');
}

function readFlag(text: string, name: string): boolean {
  if (text === '1' || text === 'true') return true;
  if (text === '0' || text === 'false' || text === '') return false;
  throw cannotParse(text, name, '0 or 1');
}

function readOverflowMode(text: string, name: string): string {
  if (text === 'throw' || text === 'break') return text;
  throw cannotParse(text, name, "'throw' or 'break'");
}

function cannotParse(text: string, name: string, expected: string): MusterError {
  return new MusterError(
    'CANNOT_PARSE_NUMBER',
    `Setting ${name} takes ${expected}, not '${text.slice(0, 100)}'`,
  );
}
