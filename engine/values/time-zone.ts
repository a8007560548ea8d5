// IANA time zones by way of the runtime's own tables (Intl). A zone's transitions are found once per
// span of 24 days and kept, so that an offset costs a few nanoseconds per value afterwards.
// Local times that do not exist or exist twice follow ClickHouse: see `toEpoch`.

import { defined } from '../../base/assert.ts';
import { MusterError } from '../../base/errors.ts';

const spanSeconds = 2 ** 21;
/** Spans are kept for 1900-01-01 .. 2300; outside, the nearest kept span's offset is used. */
const firstSpan = Math.floor(-2_208_988_800 / spanSeconds);
const lastSpan = Math.floor(10_413_792_000 / spanSeconds);
const unknownSpan = 2_000_000_000;

const zones = new Map<string, TimeZone>();

/** The zone of that name; throws BAD_ARGUMENTS for a name that nobody knows. */
export function timeZone(name: string): TimeZone {
  let zone = zones.get(name);
  if (zone === undefined) {
    zone = new TimeZone(name);
    zones.set(name, zone);
  }
  return zone;
}

export class TimeZone {
  readonly name: string;
  readonly isUtc: boolean;
  readonly #format: Intl.DateTimeFormat;
  /** Per span: offset at its start, second of its transition (if any), offset after that. */
  readonly #before = new Int32Array(lastSpan - firstSpan + 1).fill(unknownSpan);
  readonly #change = new Float64Array(lastSpan - firstSpan + 1);
  readonly #after = new Int32Array(lastSpan - firstSpan + 1);

  constructor(name: string) {
    this.name = name;
    this.isUtc = name === 'UTC' || name === 'GMT' || name === 'Etc/UTC';
    try {
      this.#format = new Intl.DateTimeFormat('en-US', {
        timeZone: name,
        timeZoneName: 'longOffset',
      });
    } catch {
      throw new MusterError('BAD_ARGUMENTS', `Cannot load time zone ${name}`);
    }
  }

  /** Seconds east of Greenwich at that second. */
  offsetAt(epochSeconds: number): number {
    if (this.isUtc) return 0;
    const span = Math.floor(epochSeconds / spanSeconds) - firstSpan;
    const index = Math.min(Math.max(span, 0), lastSpan - firstSpan);
    if (this.#before[index] === unknownSpan) this.#learn(index);
    const offsets = epochSeconds < (this.#change[index] ?? 0) ? this.#before : this.#after;
    return offsets[index] ?? 0;
  }

  /**
   * The second at which clocks in the zone show this local time (given as seconds since
   * 1970-01-01 of the local calendar). Of two, the first; a local time that was skipped is read
   * with the offset after the change, so it lies before it.
   */
  toEpoch(localSeconds: number): number {
    if (this.isUtc) return localSeconds;
    const earlier = this.offsetAt(localSeconds - 86_400);
    const later = this.offsetAt(localSeconds + 86_400);
    const first = localSeconds - earlier;
    if (earlier === later || this.offsetAt(first) === earlier) return first;
    return localSeconds - later;
  }

  /** The first second of the local day that holds this second. */
  startOfDay(epochSeconds: number): number {
    const local = epochSeconds + this.offsetAt(epochSeconds);
    return this.startOfLocalDay(Math.floor(local / 86_400));
  }

  startOfLocalDay(day: number): number {
    const midnight = day * 86_400;
    const start = this.toEpoch(midnight);
    if (start + this.offsetAt(start) >= midnight) return start;
    return midnight - this.offsetAt(start);
  }

  #learn(index: number): void {
    const start = (index + firstSpan) * spanSeconds;
    const before = this.#ask(start);
    const after = this.#ask(start + spanSeconds - 1);
    this.#after[index] = after;
    this.#change[index] = before === after ? start : this.#transition(start, before);
    this.#before[index] = before;
  }

  /** The first second of the span at `start` that no longer has offset `before`. */
  #transition(start: number, before: number): number {
    let low = start;
    let high = start + spanSeconds - 1;
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      if (this.#ask(middle) === before) low = middle;
      else high = middle;
    }
    return high;
  }

  #ask(epochSeconds: number): number {
    const text = this.#format.format(new Date(epochSeconds * 1000));
    const match = /GMT(?:([+-])(\d\d):(\d\d)(?::(\d\d))?)?/.exec(text);
    if (match?.[1] === undefined) return 0;
    const seconds =
      Number(defined(match[2], 'hours')) * 3600 +
      Number(defined(match[3], 'minutes')) * 60 +
      Number(match[4] ?? 0);
    return match[1] === '-' ? -seconds : seconds;
  }
}
