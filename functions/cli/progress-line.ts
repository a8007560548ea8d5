// One line about work that takes long: it moves at a terminal, and is said anew every few seconds
// elsewhere. What it says is its owner's.

import type { Clock } from '../../base/clock.ts';
import { harmlessText } from './harmless-text.ts';

export type ProgressStream = Pick<NodeJS.WriteStream, 'write' | 'isTTY'> &
  Partial<Pick<NodeJS.WriteStream, 'columns'>>;

const movingMs = 100;
const plainMs = 3000;

export class ProgressLine {
  readonly #stream: ProgressStream;
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #began: number;
  #painted: number;
  #isThere = false;

  constructor(stream: ProgressStream, clock: Pick<Clock, 'monotonic'>) {
    this.#stream = stream;
    this.#clock = clock;
    this.#began = clock.monotonic();
    this.#painted = this.#began;
  }

  get isMoving(): boolean {
    return this.#stream.isTTY;
  }

  /** Since the line was made. */
  get elapsedMs(): number {
    return this.#clock.monotonic() - this.#began;
  }

  /** `text` is asked for where it is time for another line. */
  paint(text: () => string): void {
    const now = this.#clock.monotonic();
    if (now - this.#painted < (this.isMoving ? movingMs : plainMs)) return;
    this.#painted = now;
    if (!this.isMoving) {
      this.#stream.write(`${text()}\n`);
      return;
    }
    const width = Math.max(20, (this.#stream.columns || 80) - 1);
    this.#stream.write(`\r\u001b[K${harmlessText(text()).slice(0, width)}`);
    this.#isThere = true;
  }

  /** Takes the moving line away, so that something else can be said. */
  clear(): void {
    if (this.#isThere) this.#stream.write('\r\u001b[K');
    this.#isThere = false;
  }
}
