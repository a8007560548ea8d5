// How far a load is, on standard error.

import { systemClock } from '../../../base/clock.ts';
import { ProgressLine, type ProgressStream } from '../progress-line.ts';
import { bytesText, grouped, remainingText } from '../quantities.ts';

interface ProgressOptions {
  readonly stream: ProgressStream;
  /** Undefined: not known, so there is no telling when it ends. */
  readonly bytesTotal: number | undefined;
  readonly clock?: { monotonic(): number };
}

export class Progress {
  readonly #line: ProgressLine;
  readonly #bytesTotal: number;
  #bytes = 0;
  #rows = 0;

  constructor({ stream, bytesTotal = 0, clock = systemClock }: ProgressOptions) {
    this.#line = new ProgressLine(stream, clock);
    this.#bytesTotal = bytesTotal;
  }

  read(bytes: number): void {
    this.#bytes += bytes;
  }

  /** `what` is being read: the file. */
  rows(rows: number, what: string): void {
    this.#rows += rows;
    this.#line.paint(() => `${what}: ${this.#text()}`);
  }

  clear(): void {
    this.#line.clear();
  }

  #text(): string {
    const { elapsedMs } = this.#line;
    const perSecond = (count: number): number =>
      Math.round((count / Math.max(1, elapsedMs)) * 1000);
    const parts = [
      `${grouped(this.#rows)} rows`,
      `${grouped(perSecond(this.#rows))} rows/s`,
      bytesText(this.#bytes),
      `${bytesText(perSecond(this.#bytes))}/s`,
    ];
    if (this.#bytesTotal > 0 && this.#bytes > 0) {
      const share = Math.min(1, this.#bytes / this.#bytesTotal);
      parts.unshift(`${Math.floor(share * 100)} %`);
      parts.push(`${remainingText((elapsedMs * (1 - share)) / share)} left`);
    }
    return parts.join(', ');
  }
}
