// How far a backfill is, over all its threads, on standard error, and what was done at the end.

import type { Clock } from '../../../base/clock.ts';
import type { BackfillEvent } from '../../../engine/backfill/run-backfill.ts';
import { ProgressLine, type ProgressStream } from '../progress-line.ts';
import { bytesText, countText, durationText, grouped, remainingText } from '../quantities.ts';

export class BackfillProgress {
  readonly #line: ProgressLine;
  #files = 0;
  #bytes = 0;
  /** Bytes that were left when the first thread looked. */
  #bytesAtFirst: number | undefined;
  /** What each thread believes to be left. */
  readonly #left = new Map<number, { readonly files: number; readonly bytes: number }>();
  #readMembers = 0;
  #readRows = 0;
  #loaded = { files: 0, bytes: 0, rows: 0, members: 0 };

  constructor(options: { readonly stream: ProgressStream; readonly clock: Clock }) {
    this.#line = new ProgressLine(options.stream, options.clock);
  }

  on(thread: number, event: BackfillEvent): void {
    switch (event.kind) {
      case 'listed':
        this.#files = event.files;
        this.#bytes = event.bytes;
        return;
      case 'left':
        this.#bytesAtFirst ??= event.bytes;
        this.#left.set(thread, event);
        break;
      case 'read':
        this.#readRows += event.rows;
        this.#readMembers += event.members;
        break;
      case 'loaded': {
        const { files, bytes, rows, members } = this.#loaded;
        this.#loaded = {
          files: files + event.files,
          bytes: bytes + event.bytes,
          rows: rows + event.rows,
          members: members + event.members,
        };
        break;
      }
      default:
        return;
    }
    this.#line.paint(() => this.#text());
  }

  clear(): void {
    this.#line.clear();
  }

  summary(): string {
    const { files, bytes, rows, members } = this.#loaded;
    const { elapsedMs } = this.#line;
    const before = this.#files - files;
    const others = before > 0 ? `; ${grouped(before)} others were loaded before or left out` : '';
    return (
      `${countText(files, 'file')} loaded (${bytesText(bytes)}): ${countText(rows, 'row')}, ` +
      `${countText(members, 'membership')}, in ${durationText(elapsedMs)}${others}.\n`
    );
  }

  #text(): string {
    const { elapsedMs } = this.#line;
    const left = [...this.#left.values()];
    const filesLeft = Math.min(this.#files, ...left.map(({ files }) => files));
    const bytesLeft = Math.min(this.#bytes, ...left.map(({ bytes }) => bytes));
    const mine = (this.#bytesAtFirst ?? 0) - bytesLeft;
    const perSecond = (count: number): string =>
      grouped(Math.round((count / Math.max(1, elapsedMs)) * 1000));
    const share = this.#bytes === 0 ? 1 : 1 - bytesLeft / this.#bytes;
    const parts = [
      `${Math.floor(100 * share)} %`,
      `${grouped(this.#files - filesLeft)} of ${countText(this.#files, 'file')}`,
      countText(this.#readRows, 'row'),
      `${grouped(this.#readMembers)} memberships, ${perSecond(this.#readMembers)}/s`,
    ];
    if (mine > 0) parts.push(`${remainingText((elapsedMs * bytesLeft) / mine)} left`);
    return parts.join(', ');
  }
}
