// What the backfill function is called with: a place in S3 and a job; the same as the input of a batch of
// Step Functions' Distributed Map; or what S3 says of new objects, for a job that is configured. Checked
// field by field; what is not known is refused.

import { type BackfillJob, parseSetWish } from '../../engine/backfill/backfill-job.ts';
import { lambdaProtocol as protocol } from '../../engine/batch/lambda-event.ts';
import { MusterError } from '../../base/errors.ts';
import { type FilePlace, parseBucketPlace } from '../backfill/file-place.ts';

export interface BackfillEvent {
  readonly files: FilePlace;
  readonly job: BackfillJob;
}

const known: ReadonlySet<string> = new Set([
  'place',
  'names',
  'items',
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

/**
 * `{"muster": 1, "backfill": {...}}`, or `{"Items": [...], "BatchInput": {"muster": 1, "backfill": {...}}}`, or
 * `{"Records": [...]}` of S3's, whose job is `configured`, the text of what "backfill" would be. BAD_ARGUMENTS
 * for anything else.
 */
export function parseBackfillEvent(event: unknown, configured?: string): BackfillEvent {
  const { muster, backfill, Items, BatchInput, Records } = record(event, 'the event');
  if (Items !== undefined) return parseBatch(Items, BatchInput);
  if (Records !== undefined) return parseJob({ ...configuredJob(configured), items: Records });
  if (muster !== protocol || backfill === undefined) throw refused('it is no such event');
  return parseJob(record(backfill, '"backfill"'));
}

function parseBatch(items: unknown, input: unknown): BackfillEvent {
  const { muster, backfill } = record(input, '"BatchInput"');
  if (muster !== protocol) throw refused('"BatchInput" is no such event');
  return parseJob({ ...record(backfill, '"backfill"'), items });
}

function configuredJob(json: string | undefined): Fields {
  if (json === undefined) {
    throw new MusterError(
      'BAD_ARGUMENTS',
      'S3 tells of new objects, and this function has no MUSTER_BACKFILL that says where they go',
    );
  }
  try {
    return record(JSON.parse(json) as unknown, 'MUSTER_BACKFILL');
  } catch (cause) {
    if (cause instanceof MusterError) throw cause;
    throw new MusterError('BAD_ARGUMENTS', 'MUSTER_BACKFILL is no JSON', { cause });
  }
}

function parseJob(fields: Fields): BackfillEvent {
  const stranger = Object.keys(fields).find((name) => !known.has(name));
  if (stranger !== undefined) throw refused(`"${stranger}" is not known`);
  const place = text(fields, 'place');
  const table = text(fields, 'table');
  if (place === undefined || !place.startsWith('s3://')) throw refused('"place" is no s3://...');
  if (table === undefined) throw refused('"table" is missing');
  return {
    files: { place, names: namesOf(fields, place) },
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

/** Of "names" or "items"; undefined: all. */
function namesOf(fields: Fields, place: string): readonly string[] | undefined {
  const { items } = fields;
  if (items === undefined) return texts(fields, 'names');
  if (!Array.isArray(items)) throw refused('the items are no list');
  return items.map((item) => nameOf(parseItem(item), place));
}

interface Item {
  /** Undefined: that of the place. */
  readonly bucket: string | undefined;
  readonly key: string;
}

/** A key; an object of S3's ListObjectsV2 or of a manifest; a record of S3's notifications. */
function parseItem(item: unknown): Item {
  if (typeof item === 'string') return { bucket: undefined, key: item };
  const fields = record(item, 'an item');
  if (fields['s3'] !== undefined) {
    const s3 = record(fields['s3'], '"s3"');
    const [bucket, object] = [record(s3['bucket'], '"bucket"'), record(s3['object'], '"object"')];
    return itemOf(text(bucket, 'name'), decodedKey(text(object, 'key')));
  }
  return itemOf(
    text(fields, 'bucket') ?? text(fields, 'Bucket'),
    text(fields, 'key') ?? text(fields, 'Key'),
  );
}

function itemOf(bucket: string | undefined, key: string | undefined): Item {
  if (key === undefined) throw refused('an item has no key');
  return { bucket, key };
}

/** Notifications write keys as forms do. */
function decodedKey(key: string | undefined): string | undefined {
  try {
    return key === undefined ? undefined : decodeURIComponent(key.replaceAll('+', ' '));
  } catch {
    throw refused(`the key ${key} is not encoded as S3 encodes keys`);
  }
}

/** Within the place: a file is known by it, however it was told. */
function nameOf({ bucket, key }: Item, place: string): string {
  const address = parseBucketPlace(place);
  const prefix = address?.key.replace(/\/*$/, '') ?? '';
  const start = prefix === '' ? '' : `${prefix}/`;
  const isElsewhere = bucket !== undefined && bucket !== address?.bucket;
  if (isElsewhere || !key.startsWith(start)) {
    const where = `s3://${bucket ?? address?.bucket}/${key}`;
    throw new MusterError('BAD_ARGUMENTS', `${where} is not below ${place}`);
  }
  return key.slice(start.length);
}

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
