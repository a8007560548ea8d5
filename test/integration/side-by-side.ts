// A Muster server and ClickHouse, given the same statements.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { ClickHouseOracle } from '../../bench/clickhouse-oracle.ts';
import { MusterProcess } from '../../bench/muster-process.ts';
import { builtMain, testPackage } from './places.ts';

export class SideBySide {
  readonly muster: MusterProcess;
  readonly #oracle: ClickHouseOracle;
  readonly #folder: string | undefined;

  private constructor(muster: MusterProcess, oracle: ClickHouseOracle, folder?: string) {
    this.muster = muster;
    this.#oracle = oracle;
    this.#folder = folder;
  }

  /** Over `args`, by default a directory of its own. ClickHouse reads merged, as Muster does. */
  static async start(args?: readonly string[]): Promise<SideBySide> {
    const folder = args === undefined ? mkdtempSync(join(tmpdir(), 'muster-side-')) : undefined;
    const muster = await MusterProcess.start(builtMain, args ?? ['--data', folder ?? '']);
    const oracle = ClickHouseOracle.open(testPackage);
    oracle.query('SET final = 1, do_not_merge_across_partitions_select_final = 1');
    return new SideBySide(muster, oracle, folder);
  }

  /** Both do it, and give the same answer or the same error code: returned. */
  async same(sql: string): Promise<string> {
    const [ours, theirs] = [await this.ours(sql), this.#theirs(sql)];
    expect(ours, sql).toBe(theirs);
    return ours;
  }

  /** Each of the statements, one after another. */
  async all(statements: readonly string[]): Promise<void> {
    for (const sql of statements) await this.same(sql);
  }

  /** Muster's answer, or `error` and its code. */
  async ours(sql: string): Promise<string> {
    try {
      return await this.muster.query(sql);
    } catch (error) {
      return errorCode(error);
    }
  }

  async stop(): Promise<void> {
    this.#oracle.close();
    await this.muster.stop();
    if (this.#folder !== undefined) rmSync(this.#folder, { recursive: true, force: true });
  }

  #theirs(sql: string): string {
    try {
      return this.#oracle.query(sql);
    } catch (error) {
      return errorCode(error);
    }
  }
}

function errorCode(error: unknown): string {
  const code = /Code: (\d+)/.exec(String(error));
  return code === null ? String(error) : `error ${code[1]}`;
}
