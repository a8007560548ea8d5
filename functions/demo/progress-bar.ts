// One bar for one long work; a percentage where it can't move.

import { type Clock, systemClock } from '../../base/clock.ts';
import { ProgressLine, type ProgressStream } from '../cli/progress-line.ts';
import { durationText, remainingText } from '../cli/quantities.ts';

const cells = 30;

export class ProgressBar {
  readonly #title: string;
  readonly #stream: ProgressStream;
  readonly #line: ProgressLine;

  constructor(
    title: string,
    stream: ProgressStream,
    clock: Pick<Clock, 'monotonic'> = systemClock,
  ) {
    this.#title = title;
    this.#stream = stream;
    this.#line = new ProgressLine(stream, clock);
  }

  /** `share` of the work that is done, from 0 to 1. */
  at(share: number): void {
    this.#line.paint(() => this.#text(share));
  }

  /** Takes the bar away, so that something else can be said. */
  clear(): void {
    this.#line.clear();
  }

  /** The last line, which stays. */
  end(): void {
    this.clear();
    this.#stream.write(`${this.#title}: done in ${durationText(this.#line.elapsedMs)}\n`);
  }

  #text(share: number): string {
    const { elapsedMs, isMoving } = this.#line;
    const full = Math.round(share * cells);
    const bar = isMoving ? ` [${'#'.repeat(full)}${'.'.repeat(cells - full)}]` : ':';
    const isUnderWay = share > 0 && share < 1;
    const left = isUnderWay ? `, ${remainingText((elapsedMs * (1 - share)) / share)} left` : '';
    return `${this.#title}${bar} ${Math.floor(share * 100)} %${left}`;
  }
}
