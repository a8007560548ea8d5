// `muster load`: files into a table, each file one INSERT, so that a file is loaded whole or not at
// all. The first that fails ends the load, with what was loaded before it.

import { statSync } from 'node:fs';
import { systemClock } from '../../../base/clock.ts';
import { textOf } from '../connection/connection.ts';
import { openConnection } from '../connection/open-connection.ts';
import { ending, exitCodes, SilentExit, UsageError } from '../exit-codes.ts';
import { interruptible } from '../interruption.ts';
import { bytesText, countText, durationText } from '../quantities.ts';
import { Session } from '../sql/session.ts';
import type { Call } from '../subcommands.ts';
import { say } from '../terminal.ts';
import { type ByteSource, openSources } from './byte-source.ts';
import type { NamedColumn } from './column-types.ts';
import { type InputWishes, planInput } from './input-plan.ts';
import { quotedName } from './input-select.ts';
import { insertBody, sampleOf } from './insert-body.ts';
import { Progress } from './progress.ts';

interface Target {
  readonly session: Session;
  readonly table: string;
  readonly columns: readonly NamedColumn[];
  readonly wishes: InputWishes;
  readonly progress: Progress;
  readonly signal: AbortSignal;
  /** What is loaded, for the one who asks what is there after a failure. */
  readonly loaded: string[];
}

export async function load({ configuration, operands }: Call): Promise<number> {
  const [name = '', ...files] = operands;
  const bytesTotal = sizeOf(files);
  const header = configuration.text('header');
  const wishes: InputWishes = {
    format: configuration.text('format'),
    select: configuration.text('select'),
    structure: configuration.text('structure'),
    header: header === 'yes' || header === 'no' ? header : undefined,
  };
  if (wishes.structure !== undefined && wishes.select === undefined) {
    throw new UsageError('--structure says what --select reads: give both.');
  }
  return await interruptible(async (signal) => {
    const connection = await openConnection(configuration);
    try {
      const session = new Session(connection, configuration.text('database') ?? 'default');
      const table = name.split('.').map(quotedName).join('.');
      const columns = await columnsOf(session, table, signal);
      const progress = new Progress({ stream: process.stderr, bytesTotal });
      await loadAll(files, { session, table, columns, wishes, progress, signal, loaded: [] });
      return exitCodes.ok;
    } finally {
      await connection.close();
    }
  });
}

/** Undefined: standard input is among them. All must be there before the first is loaded. */
function sizeOf(files: readonly string[]): number | undefined {
  let total = 0;
  for (const file of files) {
    if (file === '-') continue;
    const stats = statSync(file, { throwIfNoEntry: false });
    if (stats === undefined) throw noFile(file);
    if (stats.isDirectory()) throw new UsageError(`${file} is a directory: name its files.`);
    total += stats.size;
  }
  return files.includes('-') ? undefined : total;
}

function noFile(file: string): UsageError {
  const how = /^https?:/.test(file)
    ? 'pipe what is behind an address: curl ... | muster load TABLE -'
    : file.startsWith('s3:')
      ? '`muster backfill` loads from a bucket'
      : undefined;
  return new UsageError(`There is no file ${file}${how === undefined ? '' : `: ${how}`}.`);
}

async function columnsOf(
  session: Session,
  table: string,
  signal: AbortSignal,
): Promise<readonly NamedColumn[]> {
  const text = `DESCRIBE TABLE ${table}`;
  const answer = await session.execute({ text, format: 'JSONCompactEachRow', signal });
  const lines = (await textOf(answer)).split('\n').filter((line) => line !== '');
  return lines.map((line) => {
    const [name = '', type = ''] = JSON.parse(line) as readonly string[];
    return { name, type };
  });
}

async function loadAll(files: readonly string[], target: Target): Promise<void> {
  for (const [i, file] of files.entries()) {
    let current = file;
    try {
      for await (const source of openSources(file, (bytes) => target.progress.read(bytes))) {
        current = source.name;
        await loadOne(source, target);
      }
    } catch (error) {
      target.progress.clear();
      const { say: why = String(error), exitCode } = ending(error);
      say(`${current}: ${target.signal.aborted ? 'stopped' : why}\n`);
      say(
        `Nothing of ${current} was loaded; ${before(target.loaded)}${after(files.slice(i + 1))}.\n`,
      );
      throw new SilentExit(target.signal.aborted ? exitCodes.interrupted : exitCode);
    }
  }
}

function before(loaded: readonly string[]): string {
  return loaded.length === 0
    ? 'nothing was loaded before it'
    : `loaded before it: ${loaded.join(', ')}`;
}

function after(files: readonly string[]): string {
  return files.length === 0 ? '' : `; not tried: ${files.join(', ')}`;
}

async function loadOne(source: ByteSource, target: Target): Promise<void> {
  const { session, table, columns, wishes, progress, signal, loaded } = target;
  const began = systemClock.monotonic();
  const { sample, whole, encoding } = await sampleOf(source.bytes);
  const plan = planInput({ name: source.inner, sample, whole }, columns, wishes);
  progress.clear();
  say(`${source.name}: ${plan.notes.join('; ')}\n`);
  const select = plan.select === undefined ? '' : ` ${plan.select}`;
  const text = `INSERT INTO ${table}${select} FORMAT ${plan.format}`;
  let bytes = 0;
  const body = insertBody(source.bytes, { ...plan, sample, encoding }, (chunk) => {
    bytes += chunk.bytes;
    // What is binary has no lines.
    progress.rows(plan.format === 'Parquet' ? 0 : chunk.lines, source.name);
  });
  const { settings } = plan;
  const answer = await session.execute({ text, format: 'TabSeparated', body, signal, settings });
  await textOf(answer);
  progress.clear();
  const { writtenRows, readRows } = answer.summary;
  const took = systemClock.monotonic() - began;
  const read = Math.max(readRows, writtenRows);
  const rows = plan.select === undefined ? writtenRows : read;
  const made = plan.select === undefined ? '' : ` became ${countText(writtenRows, 'row')}`;
  const rate = Math.round(rows / Math.max(0.001, took / 1000));
  say(
    `${source.name}: ${countText(rows, 'row')}${made}, ${bytesText(bytes)} ` +
      `in ${durationText(took)} (${countText(rate, 'row')}/s)\n`,
  );
  loaded.push(`${source.name} (${countText(writtenRows, 'row')})`);
}
