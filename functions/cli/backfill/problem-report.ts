// The report of a backfill: what was left out, a JSON object a line, written as it happens. Threads may
// find the same bad file each: it is said once.

import { closeSync, openSync, writeSync } from 'node:fs';
import type { FileProblem } from '../../../engine/backfill/load-files.ts';
import { UsageError } from '../exit-codes.ts';

export class ProblemReport {
  readonly #path: string | undefined;
  readonly #file: number | undefined;
  readonly #said = new Set<string>();

  private constructor(path: string | undefined, file: number | undefined) {
    this.#path = path;
    this.#file = file;
  }

  /** Written over, where it is there. */
  static open(path: string | undefined): ProblemReport {
    if (path === undefined) return new ProblemReport(undefined, undefined);
    try {
      return new ProblemReport(path, openSync(path, 'w'));
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause);
      throw new UsageError(`The report can't be written: ${why}`);
    }
  }

  get count(): number {
    return this.#said.size;
  }

  /** For a sentence: `: see report.jsonl`. */
  get where(): string {
    return this.#path === undefined ? '' : `: see ${this.#path}`;
  }

  add({ file, row, column, reason }: FileProblem): void {
    const line = JSON.stringify({ file, row, column, reason });
    if (this.#said.has(line)) return;
    this.#said.add(line);
    if (this.#file === undefined) process.stderr.write(`${line}\n`);
    else writeSync(this.#file, `${line}\n`);
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
  }
}
