// What a query took, as rows of label and text: from the headers X-ClickHouse-Summary and
// X-Muster-Cost, whatever they hold, and from the browser's own clock.

import { bytesText, countText, durationText } from './cell-text.ts';

export interface Measure {
  readonly label: string;
  readonly text: string;
}

export interface ReplyTimes {
  /** From asking to the first byte, and to the last. */
  readonly waitedMs: number;
  readonly totalMs: number;
}

const summaryLabels: Readonly<Record<string, readonly [label: string, unit: Unit]>> = {
  elapsed_ns: ['Time in the server', 'ns'],
  read_rows: ['Rows read', 'count'],
  read_bytes: ['Bytes read', 'bytes'],
  result_rows: ['Rows of the answer', 'count'],
  result_bytes: ['Bytes of the answer', 'bytes'],
  written_rows: ['Rows written', 'count'],
  written_bytes: ['Bytes written', 'bytes'],
  memory_usage: ['Memory', 'bytes'],
};

type Unit = 'ns' | 'ms' | 'seconds' | 'count' | 'bytes' | 'dollars';

/** In the order of the labels; zeros are left out, but for what is always asked. */
export function summaryMeasures(header: string | null): readonly Measure[] {
  const fields = parsedObject(header);
  if (fields === undefined) return [];
  return Object.entries(summaryLabels).flatMap(([name, [label, unit]]) => {
    const value = Number(fields[name] ?? 0);
    const isBasic = name === 'elapsed_ns' || name === 'read_rows' || name === 'result_rows';
    return value === 0 && !isBasic ? [] : [{ label, text: inUnit(value, unit) }];
  });
}

export function timeMeasures(times: ReplyTimes): readonly Measure[] {
  return [
    { label: 'Until the first byte', text: durationText(times.waitedMs) },
    { label: 'Until the last byte', text: durationText(times.totalMs) },
  ];
}

/** JSON, flat or nested, with units by the names' ends, without zeros; other text is one row. */
export function costMeasures(header: string | null): readonly Measure[] {
  if (header === null || header.trim() === '') return [];
  const fields = parsedObject(header);
  return fields === undefined ? [{ label: 'Cost', text: header }] : flatten(fields, '');
}

/** `$0.0000014`, when the cost says so. */
export function dollarsOf(header: string | null): string | undefined {
  const dollars = parsedObject(header)?.['dollars'];
  return typeof dollars === 'number' ? dollarsText(dollars) : undefined;
}

function flatten(fields: Readonly<Record<string, unknown>>, prefix: string): readonly Measure[] {
  return Object.entries(fields).flatMap(([name, value]) => {
    const label = prefix === '' ? name : `${prefix} ${name}`;
    if (isObject(value)) return flatten(value, label);
    if (Array.isArray(value)) return [{ label: words(label), text: JSON.stringify(value) }];
    const number = typeof value === 'string' && value.trim() === '' ? Number.NaN : Number(value);
    const unit = unitOf(name);
    if (number === 0 && unit !== 'dollars') return [];
    const text = Number.isFinite(number) ? inUnit(number, unit) : String(value);
    return [{ label: words(label), text }];
  });
}

function unitOf(name: string): Unit {
  if (/bytes$/i.test(name)) return 'bytes';
  if (/(_ns|Ns)$/.test(name)) return 'ns';
  if (/(_ms|Ms|[mM]illiseconds)$/.test(name)) return 'ms';
  if (/(gb|gigabyte)_?seconds$/i.test(name)) return 'count';
  if (/seconds$/i.test(name)) return 'seconds';
  return /(dollars|usd|cost)$/i.test(name) ? 'dollars' : 'count';
}

function inUnit(value: number, unit: Unit): string {
  if (unit === 'bytes') return bytesText(value);
  if (unit === 'ns') return durationText(value / 1e6);
  if (unit === 'ms') return durationText(value);
  if (unit === 'seconds') return durationText(value * 1000);
  if (unit === 'dollars') return dollarsText(value);
  return Number.isInteger(value) ? countText(value) : String(Number(value.toPrecision(4)));
}

/** Queries cost millionths: always two digits that say something. */
function dollarsText(value: number): string {
  if (value === 0) return '$0';
  const decimals = Math.min(12, Math.max(2, 1 - Math.floor(Math.log10(Math.abs(value)))));
  return `$${value.toFixed(decimals)}`;
}

/** `s3_get_requests` and `s3GetRequests` -> `S3 get requests`; the text says the unit of times. */
function words(name: string): string {
  const spaced = name
    .replaceAll('_', ' ')
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .replace(/^gb seconds$/, 'GB-seconds')
    .replace(/ (seconds|ms|ns)$/, ' time');
  return spaced.charAt(0).toUpperCase() + spaced.slice(1);
}

function parsedObject(header: string | null): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(header ?? '');
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
