// A little engine for tests of the edge: it knows a handful of statements, so that a test says what
// the engine does without a store. `stored` is what inserts that succeeded have brought.

import { MusterError } from '../../../base/errors.ts';
import { noCost } from '../../../engine/cost/query-cost.ts';
import { readInput } from '../../../engine/formats/read-input.ts';
import type { QueryRequest, QueryResult } from '../../../engine/query.ts';
import { readSettings } from '../../../engine/settings.ts';
import type { QueryEngine } from '../../../functions/query-engine.ts';
import { parseType } from '../../../storage-format/data-type-parser.ts';

export class ScriptedEngine implements QueryEngine {
  readonly requests: QueryRequest[] = [];
  readonly stored: number[] = [];
  aborted = 0;

  async execute(request: QueryRequest): Promise<QueryResult> {
    this.requests.push(request);
    readSettings(request.settings);
    const text = request.text.trim();
    const insert = /^INSERT INTO t (?:FORMAT (\w+)|(VALUES))$/.exec(text);
    if (insert !== null) return this.#insert(request, insert[1] ?? 'Values');
    const numbers = /^SELECT (\d+) numbers(?:\s+FORMAT (\w+))?$/.exec(text);
    if (numbers !== null) return rows(Number(numbers[1]), numbers[2]);
    if (text === 'SELECT broken numbers') return broken();
    if (text === 'SELECT for ever') return this.#forEver(request);
    throw new MusterError('SYNTAX_ERROR', `Syntax error: failed at position 1 (${text}).`);
  }

  async #insert(request: QueryRequest, format: string): Promise<QueryResult> {
    if (request.readOnly === true)
      throw new MusterError('READONLY', 'Cannot execute in readonly mode');
    const found: number[] = [];
    const columns = [{ name: 'n', type: parseType('UInt32') }];
    const body = request.body ?? empty();
    for await (const block of readInput({ format, columns, body, settings: request.settings })) {
      const column = block.columns[0];
      if (column?.kind === 'number') found.push(...column.values);
    }
    this.stored.push(...found);
    const written = { ...statistics(0), writtenRows: found.length };
    return { kind: 'done', statistics: written, cost: noCost };
  }

  #forEver(request: QueryRequest): Promise<QueryResult> {
    return new Promise((_, reject) => {
      request.signal?.addEventListener('abort', () => {
        this.aborted++;
        reject(request.signal?.reason);
      });
    });
  }
}

function rows(count: number, format?: string): QueryResult {
  const values = Uint32Array.from({ length: count }, (_, i) => i);
  return {
    kind: 'rows',
    columns: [{ name: 'n', type: parseType('UInt32') }],
    block: { rows: count, columns: [{ kind: 'number', values }] },
    statistics: statistics(count),
    cost: noCost,
    ...(format === undefined ? {} : { format }),
  };
}

/** Fails when row 800,000 is formatted: megabytes are out by then. */
function broken(): QueryResult {
  const values = new Proxy(new Uint32Array(1_000_000), {
    get: (target, key) => {
      if (key === '800000') throw new MusterError('CORRUPTED_DATA', 'corrupt part x');
      const value = Reflect.get(target, key) as unknown;
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  const result = rows(0);
  if (result.kind !== 'rows') throw new Error('rows');
  return { ...result, block: { rows: 1_000_000, columns: [{ kind: 'number', values }] } };
}

function statistics(count: number) {
  return {
    elapsedNs: 5,
    readRows: count,
    readBytes: 4 * count,
    writtenRows: 0,
    writtenBytes: 0,
    resultRows: count,
    dispatches: 0,
  };
}

async function* empty(): AsyncGenerator<Uint8Array> {}
