// What the backfill function is called with: a place in S3 and a job, or the same with the names of a
// Step Functions Distributed Map's batch. Checked field by field; what is not known is refused.

import { type BackfillJob, parseSetWish } from '../../engine/backfill/backfill-job.ts';
import { lambdaProtocol as protocol } from '../../engine/batch/lambda-event.ts';
import { MusterError } from '../../base/errors.ts';
import type { FilePlace } from '../backfill/file-place.ts';

export interface BackfillEvent {
  readonly files: FilePlace;
  readonly job: BackfillJob;
}

const known: ReadonlySet<string> = new Set([
  'place',
  'names',
  'table',
  'database',
  'job',
  'format',
  'structure',
  'select',
  'sets',
  'onError',
  'settings',
]);

/** `{"muster": 1, "backfill": {...}}`. BAD_ARGUMENTS for anything else. */
export function parseBackfillEvent(event: unknown): BackfillEvent {
  const { muster, backfill } = record(event, 'the event');
  if (muster !== protocol || backfill === undefined) throw refused('it is no such event');
  const fields = record(backfill, '"backfill"');
  const stranger = Object.keys(fields).find((name) => !known.has(name));
  if (stranger !== undefined) throw refused(`"${stranger}" is not known`);
  const place = text(fields, 'place');
  const table = text(fields, 'table');
  if (place === undefined || !place.startsWith('s3://')) throw refused('"place" is no s3://...');
  if (table === undefined) throw refused('"table" is missing');
  return {
    files: { place, names: texts(fields, 'names') },
    job: {
      name: text(fields, 'job') ?? place,
      database: text(fields, 'database') ?? 'default',
      table,
      format: text(fields, 'format'),
      structure: text(fields, 'structure'),
      select: text(fields, 'select'),
      sets: Object.fromEntries((texts(fields, 'sets') ?? []).map(parseSetWish)),
      onError: text(fields, 'onError') === 'skip' ? 'skip' : 'stop',
      settings: settingsOf(fields['settings']),
    },
  };
}

type Fields = Readonly<Record<string, unknown>>;

function record(value: unknown, what: string): Fields {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Fields;
  throw refused(`${what} is no object`);
}

function text(fields: Fields, name: string): string | undefined {
  const value = fields[name];
  if (value === undefined || typeof value === 'string') return value;
  throw refused(`"${name}" is no text`);
}

function texts(fields: Fields, name: string): readonly string[] | undefined {
  const value = fields[name];
  if (value === undefined) return undefined;
  if (Array.isArray(value) && value.every((one) => typeof one === 'string')) return value;
  throw refused(`"${name}" is no list of texts`);
}

function settingsOf(value: unknown): Readonly<Record<string, string>> {
  if (value === undefined) return {};
  return Object.fromEntries(
    Object.entries(record(value, '"settings"')).map(([name, one]) => [name, String(one)]),
  );
}

function refused(why: string): MusterError {
  return new MusterError(
    'BAD_ARGUMENTS',
    `${why}: expected {"muster": 1, "backfill": {"place": "s3://...", "table", ...}}`,
  );
}
