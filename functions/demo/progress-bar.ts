// One bar for one long work: moving at a terminal, a line every few seconds elsewhere.

import { type Clock, systemClock } from '../../base/clock.ts';
import { durationText, remainingText } from '../cli/quantities.ts';

type Stream = Pick<NodeJS.WriteStream, 'write' | 'isTTY'>;

const cells = 30;
const movingMs = 100;
const plainMs = 3000;

export class ProgressBar {
  readonly #title: string;
  readonly #stream: Stream;
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #began: number;
  #painted: number;

  constructor(title: string, stream: Stream, clock: Pick<Clock, 'monotonic'> = systemClock) {
    this.#title = title;
    this.#stream = stream;
    this.#clock = clock;
    this.#began = clock.monotonic();
    this.#painted = this.#began;
  }

  /** `share` of the work that is done, from 0 to 1. */
  at(share: number): void {
    const now = this.#clock.monotonic();
    const { isTTY } = this.#stream;
    if (now - this.#painted < (isTTY ? movingMs : plainMs)) return;
    this.#painted = now;
    const full = Math.round(share * cells);
    const bar = `[${'#'.repeat(full)}${'.'.repeat(cells - full)}]`;
    const left =
      share === 0 || share === 1
        ? ''
        : `, ${remainingText(((now - this.#began) * (1 - share)) / share)} left`;
    const percent = ` ${Math.floor(share * 100)} %${left}`;
    this.#stream.write(
      isTTY ? `\r\u001b[K${this.#title} ${bar}${percent}` : `${this.#title}:${percent}\n`,
    );
  }

  /** Takes the bar away, so that something else can be said. */
  clear(): void {
    if (this.#stream.isTTY) this.#stream.write('\r\u001b[K');
  }

  /** The last line, which stays. */
  end(): void {
    const took = durationText(this.#clock.monotonic() - this.#began);
    this.clear();
    this.#stream.write(`${this.#title}: done in ${took}\n`);
  }
}
