// Real ClickHouse in this process (the npm package chdb, installed under test/), for comparison.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

interface ChdbSession {
  query(sql: string, format?: string): string;
  cleanup(): void;
}

/** A database of its own in a temporary folder. */
export class ClickHouseOracle {
  readonly #session: ChdbSession;
  readonly #folder: string;

  private constructor(session: ChdbSession, folder: string) {
    this.#session = session;
    this.#folder = folder;
  }

  static open(packageJson: string): ClickHouseOracle {
    const { Session } = createRequire(pathToFileURL(packageJson))('chdb') as {
      Session: new (path: string) => ChdbSession;
    };
    const folder = mkdtempSync(join(tmpdir(), 'muster-oracle-'));
    return new ClickHouseOracle(new Session(join(folder, 'db')), folder);
  }

  query(sql: string, format = 'TabSeparated'): string {
    return this.#session.query(sql, format);
  }

  /** Loads RowBinary bytes through a file. */
  insertRowBinary(table: string, structure: string, chunks: Iterable<Uint8Array>): void {
    const file = join(this.#folder, 'rows.bin');
    writeFileSync(file, Buffer.concat([...chunks]));
    this.query(`INSERT INTO ${table} SELECT * FROM file('${file}', RowBinary, '${structure}')`);
    rmSync(file);
  }

  close(): void {
    this.#session.cleanup();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
