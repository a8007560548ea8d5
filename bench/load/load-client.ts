// One client of a server under load: asks, inserts, makes mistakes and leaves in the middle, in an
// order that follows from its seed. Everything it is answered is checked; what may not happen is kept.

import { Agent, type IncomingMessage, request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { seededRandom } from '../fan-out/seeded-random.ts';

interface ClientReport {
  /** How often each kind of request ended how: `count ok`, `insert 202`. */
  readonly outcomes: Map<string, number>;
  /** Answers that may not happen. */
  readonly unexpected: string[];
  insertedRows: number;
}

interface Action {
  readonly name: string;
  /** Of a hundred requests. */
  readonly share: number;
  readonly sql: string;
  /** Of an INSERT. */
  readonly rows?: readonly string[];
  /** Exactly, or the code of an error. */
  readonly expect?: string | RegExp;
  /** Leaves: before the answer, or after its first bytes. */
  readonly leave?: 'before' | 'within';
}

interface Reply {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly text: string;
}

const tagCount = 16;
const tagSize = 2000;

/** Before the load: tags 0..15, whose members are the multiples of tag + 1. */
export const setup: readonly (readonly [string, string])[] = [
  [
    'CREATE TABLE tags (tag UInt32, users AggregateFunction(groupBitmap, UInt64)) ' +
      'ENGINE = AggregatingMergeTree ORDER BY tag',
    '',
  ],
  ['INSERT INTO tags FORMAT JSONEachRow', tagRows()],
  ['CREATE TABLE log (client UInt32, n UInt32, note String) ENGINE = MergeTree ORDER BY n', ''],
];

function tagRows(): string {
  const rows = Array.from({ length: tagCount }, (_, tag) => {
    const users = Array.from({ length: tagSize }, (__, i) => i * (tag + 1));
    return JSON.stringify({ tag, users });
  });
  return rows.join('\n');
}

const commonMultiples = Math.ceil(tagSize / 2);

const questions: readonly Action[] = [
  {
    name: 'count',
    share: 30,
    sql: 'SELECT tag, groupBitmapMerge(users) FROM tags WHERE tag IN (3, 7) GROUP BY tag ORDER BY tag',
    expect: `3\t${tagSize}\n7\t${tagSize}\n`,
  },
  {
    name: 'and',
    share: 20,
    sql:
      'SELECT bitmapAndCardinality((SELECT groupBitmapMergeState(users) FROM tags WHERE tag = 0), ' +
      '(SELECT groupBitmapMergeState(users) FROM tags WHERE tag = 1))',
    expect: `${commonMultiples}\n`,
  },
  {
    name: 'rows',
    share: 10,
    sql: "SELECT count() > 0, max(client) < 1000 FROM log WHERE note LIKE '%a%'",
    expect: /^[01]\t1\n$/,
  },
  {
    name: 'long answer',
    share: 4,
    sql: 'SELECT number FROM numbers(300000)',
    expect: /\n299999\n$/,
  },
  { name: 'syntax', share: 6, sql: 'SELEC 1', expect: /^Code: 62\./ },
  { name: 'identifier', share: 5, sql: 'SELECT nope FROM tags', expect: /^Code: 47\./ },
  { name: 'setting', share: 2, sql: 'SELECT 1 SETTINGS nope = 1', expect: /^Code: 115\./ },
  {
    name: 'leaves before',
    share: 6,
    sql: 'SELECT sum(number) FROM numbers(400000)',
    leave: 'before',
  },
  { name: 'leaves within', share: 4, sql: 'SELECT number FROM numbers(2000000)', leave: 'within' },
];

const insertShare = 8;
const insertRows = 20;

export class LoadClient {
  readonly report: ClientReport = { outcomes: new Map(), unexpected: [], insertedRows: 0 };
  readonly #port: number;
  readonly #id: number;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });
  readonly #random: () => number;

  constructor(port: number, id: number, seed: number) {
    this.#port = port;
    this.#id = id;
    this.#random = seededRandom(seed * 1000 + id);
  }

  /** Asks one thing after the other until it is told to stop. */
  async run(stop: AbortSignal): Promise<void> {
    while (!stop.aborted) {
      const action = this.#next();
      try {
        await this.#do(action);
      } catch (error) {
        this.report.unexpected.push(`${action.name}: ${String(error)}`);
      }
    }
    this.#agent.destroy();
  }

  #next(): Action {
    let at = this.#random() * 100;
    for (const question of questions) {
      at -= question.share;
      if (at < 0) return question;
    }
    const rows = Array.from({ length: insertRows }, (_, i) => `${this.#id},${i},"a${i}"\n`);
    const sql = 'INSERT INTO log FORMAT CSV';
    return at < insertShare
      ? { name: 'insert', share: insertShare, sql, rows, expect: '' }
      : { name: 'insert left', share: 0, sql, rows, leave: 'before' };
  }

  async #do(action: Action): Promise<void> {
    const reply = await this.#ask(action);
    if (reply === undefined) {
      this.#count(`${action.name} left`);
      return;
    }
    const code = String(reply.headers['x-clickhouse-exception-code'] ?? '');
    if (code === '202') {
      this.#count(`${action.name} 202`);
      const { status, headers } = reply;
      if (status === 429 && Number(headers['retry-after']) > 0) {
        // Sooner than it is told to, for the door is what is tested here too.
        await delay(100 * Number(headers['retry-after']));
        return;
      }
      this.report.unexpected.push(`${action.name}: 202 with status ${status} and no Retry-After`);
      return;
    }
    const { expect } = action;
    const right = typeof expect === 'string' ? reply.text === expect : expect?.test(reply.text);
    this.#count(right === true ? `${action.name} ok` : `${action.name} WRONG`);
    if (right !== true) {
      this.report.unexpected.push(`${action.name}: ${reply.status} ${reply.text.slice(0, 300)}`);
    } else if (action.name === 'insert') this.report.insertedRows += insertRows;
  }

  /** Undefined where the client left. */
  #ask(action: Action): Promise<Reply | undefined> {
    const { sql, rows, leave } = action;
    const path = rows === undefined ? '/' : `/?query=${encodeURIComponent(sql)}`;
    return new Promise((resolve, reject) => {
      const options = { port: this.#port, host: '127.0.0.1', method: 'POST', path };
      const asking = request({ ...options, agent: leave === undefined ? this.#agent : false });
      const left = () => {
        asking.destroy();
        resolve(undefined);
      };
      asking.on('error', (error) => (leave === undefined ? reject(error) : resolve(undefined)));
      asking.on('response', (reply) => {
        const chunks: Buffer[] = [];
        reply.on('data', (chunk: Buffer) => (leave === 'within' ? left() : chunks.push(chunk)));
        reply.on('error', reject);
        reply.on('end', () => {
          const text = Buffer.concat(chunks).toString();
          resolve({ status: reply.statusCode ?? 0, headers: reply.headers, text });
        });
      });
      if (rows === undefined) asking.end(sql);
      else if (leave === undefined) asking.end(rows.join(''));
      else asking.write(rows.join(''));
      if (leave === 'before') setTimeout(left, 1 + this.#random() * 30);
    });
  }

  #count(outcome: string): void {
    const { outcomes } = this.report;
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
  }
}
