// From flags to a backfill's job and the place of its files.

import { readFileSync } from 'node:fs';
import { type BackfillJob, parseSetWish } from '../../../engine/backfill/backfill-job.ts';
import { type FilePlace, parseManifest } from '../../backfill/file-place.ts';
import type { Configuration } from '../configuration.ts';
import { UsageError } from '../exit-codes.ts';
import { selectOverInput } from '../load/input-select.ts';

/** `operands`: table, perhaps with its database, and place. */
export function jobOf(configuration: Configuration, operands: readonly string[]): BackfillJob {
  const [target = '', place = ''] = operands;
  const dot = target.indexOf('.');
  const database = dot > 0 ? target.slice(0, dot) : (configuration.text('database') ?? 'default');
  const select = configuration.text('select');
  return {
    name: configuration.text('job') ?? place,
    database,
    table: target.slice(dot + 1),
    format: configuration.text('format'),
    structure: configuration.text('structure'),
    select: select === undefined ? undefined : selectOverInput(select),
    sets: Object.fromEntries(configuration.list('sets').map(parseSetWish)),
    onError: configuration.text('onError') === 'skip' ? 'skip' : 'stop',
    settings: {},
  };
}

export function filesOf(
  configuration: Configuration,
  [, place = '']: readonly string[],
): FilePlace {
  const manifest = configuration.text('manifest');
  return {
    place,
    names: manifest === undefined ? undefined : parseManifest(textOf(manifest)),
    endpoint: configuration.text('endpoint'),
    region: configuration.text('region'),
  };
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new UsageError(`The manifest can't be read: ${why}`);
  }
}
