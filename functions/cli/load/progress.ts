// How far a load is, on standard error: one moving line at a terminal, plain lines every few
// seconds elsewhere.

import { systemClock } from '../../../base/clock.ts';
import { harmlessText } from '../harmless-text.ts';
import { bytesText, remainingText, grouped } from '../quantities.ts';

interface ProgressOptions {
  readonly stream: Pick<NodeJS.WriteStream, 'write' | 'isTTY' | 'columns'>;
  /** Undefined: not known, so there is no telling when it ends. */
  readonly bytesTotal: number | undefined;
  readonly clock?: { monotonic(): number };
}

const movingMs = 100;
const plainMs = 3000;

export class Progress {
  readonly #options: ProgressOptions;
  readonly #clock: { monotonic(): number };
  readonly #began: number;
  #painted: number;
  #hasLine = false;
  #bytes = 0;
  #rows = 0;

  constructor(options: ProgressOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#began = this.#clock.monotonic();
    this.#painted = this.#began;
  }

  read(bytes: number): void {
    this.#bytes += bytes;
  }

  /** `what` is being read: the file. */
  rows(rows: number, what: string): void {
    this.#rows += rows;
    const now = this.#clock.monotonic();
    if (now - this.#painted < (this.#isMoving() ? movingMs : plainMs)) return;
    this.#painted = now;
    this.#paint(`${what}: ${this.#line(now - this.#began)}`);
  }

  /** Takes the moving line away, so that something else can be said. */
  clear(): void {
    if (this.#hasLine) this.#options.stream.write('\r\u001b[K');
    this.#hasLine = false;
  }

  #isMoving(): boolean {
    return this.#options.stream.isTTY;
  }

  #paint(line: string): void {
    const { stream } = this.#options;
    if (!this.#isMoving()) {
      stream.write(`${line}\n`);
      return;
    }
    stream.write(
      `\r\u001b[K${harmlessText(line).slice(0, Math.max(20, (stream.columns || 80) - 1))}`,
    );
    this.#hasLine = true;
  }

  #line(elapsedMs: number): string {
    const { bytesTotal } = this.#options;
    const perSecond = (count: number): number => (count / Math.max(1, elapsedMs)) * 1000;
    const parts = [
      `${grouped(this.#rows)} rows`,
      `${grouped(Math.round(perSecond(this.#rows)))} rows/s`,
      bytesText(this.#bytes),
      `${bytesText(Math.round(perSecond(this.#bytes)))}/s`,
    ];
    if (bytesTotal !== undefined && bytesTotal > 0 && this.#bytes > 0) {
      const share = Math.min(1, this.#bytes / bytesTotal);
      parts.unshift(`${Math.floor(share * 100)} %`);
      parts.push(`${remainingText((elapsedMs * (1 - share)) / share)} left`);
    }
    return parts.join(', ');
  }
}
