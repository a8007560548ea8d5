// What was asked before, kept in the home directory for its owner's eyes only, oldest first. Lines
// that begin with a space are not kept, as in shells.

import { appendFileSync, chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

const linesMax = 1000;
const ownerOnly = 0o600;

export class HistoryFile {
  readonly #path: string;

  constructor(path: string = join(homedir(), '.muster_history')) {
    this.#path = path;
  }

  /** Newest first, as readline takes them. A file that can't be read is as one that isn't there. */
  read(): string[] {
    try {
      if (!this.#isOurs()) return [];
      const lines = readFileSync(this.#path, 'utf8')
        .split('\n')
        .filter((line) => line !== '');
      if (lines.length > 2 * linesMax) this.#rewrite(lines.slice(-linesMax));
      return lines.slice(-linesMax).toReversed();
    } catch {
      return [];
    }
  }

  /** One line. A history that can't be written is no reason to stop. */
  add(entry: string): void {
    if (entry.startsWith(' ') || entry.trim() === '' || entry.includes('\n')) return;
    try {
      if (!this.#isOurs()) return;
      appendFileSync(this.#path, `${entry}\n`, { mode: ownerOnly });
      chmodSync(this.#path, ownerOnly);
    } catch {}
  }

  /** Who wants no history links it to /dev/null, whose mode is everybody's business. */
  #isOurs(): boolean {
    return statSync(this.#path, { throwIfNoEntry: false })?.isFile() ?? true;
  }

  #rewrite(lines: readonly string[]): void {
    writeFileSync(this.#path, `${lines.join('\n')}\n`, { mode: ownerOnly });
  }
}
