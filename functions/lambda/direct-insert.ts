// INSERTs by Invoke, without HTTP: rows in the event, or in an object of the store under inbox/, which
// is read as a stream. Who may invoke the function may insert: IAM has judged that. A failure is thrown,
// so that Lambda repeats and reports an asynchronous call; give insert_deduplication_token where a
// repetition must not count twice.

import { createGunzip } from 'node:zlib';
import { MusterError } from '../../base/errors.ts';
import { isObjectKey } from '../../object-store/object-key.ts';
import type { ObjectKey, ObjectStore } from '../../object-store/port.ts';
import { describeError } from '../http/error-text.ts';
import type { QueryEngine } from '../query-engine.ts';
import { unpacked } from '../unpacking.ts';
import type { InsertEvent } from './function-event.ts';

const inbox = 'inbox/';
const chunkBytes = 8 * 1024 * 1024;

interface InsertPorts {
  readonly engine: QueryEngine;
  readonly store: ObjectStore;
  readonly queryId: string;
  readonly signal: AbortSignal;
}

/** Throws an Error whose message is ClickHouse's. */
export async function insertDirectly(event: InsertEvent, ports: InsertPorts): Promise<object> {
  const { engine, queryId, signal } = ports;
  try {
    const result = await engine.execute({
      queryId,
      text: event.query,
      database: 'default',
      parameters: new Map(),
      settings: new Map(),
      signal,
      body: dataOf(event, ports),
    });
    return { muster: 1, inserted: { queryId, rows: result.statistics.writtenRows } };
  } catch (error) {
    throw new Error(describeError(error).text.trimEnd(), { cause: error });
  }
}

function dataOf(event: InsertEvent, ports: InsertPorts): AsyncIterable<Uint8Array> {
  const { data } = event;
  if (data.in === 'body') return once(data.bytes);
  const { key } = data;
  if (!key.startsWith(inbox) || !isObjectKey(key)) {
    throw new MusterError(
      'BAD_ARGUMENTS',
      `Key ${JSON.stringify(key)} is refused: rows are read from keys ${inbox}... of the store`,
    );
  }
  const raw = objectChunks(key, ports);
  return key.endsWith('.gz') ? decompressed(raw) : raw;
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

async function* objectChunks(
  key: ObjectKey,
  { store, signal }: InsertPorts,
): AsyncGenerator<Uint8Array> {
  const { objects } = await store.list({ prefix: key, max: 1, signal });
  const found = objects.find((object) => object.key === key);
  if (found === undefined) {
    throw new MusterError('BAD_ARGUMENTS', `There is no object ${key} in the store`);
  }
  for (let start = 0; start < found.bytes; start += chunkBytes) {
    const range = { start, end: Math.min(start + chunkBytes, found.bytes) };
    const part = await store.read(key, range, { signal });
    if (part !== undefined) yield part.bytes;
  }
}

async function* decompressed(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* unpacked(chunks, createGunzip());
  } catch (cause) {
    if (cause instanceof MusterError) throw cause;
    throw new MusterError('INCORRECT_DATA', 'The compressed rows are damaged or cut off', {
      cause,
    });
  }
}
