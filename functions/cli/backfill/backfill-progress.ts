// How far a backfill is, over all its threads: one moving line at a terminal, plain lines every few
// seconds elsewhere, and what was done at the end.

import type { BackfillEvent } from '../../../engine/backfill/run-backfill.ts';
import { harmlessText } from '../harmless-text.ts';
import { bytesText, countText, durationText, grouped, remainingText } from '../quantities.ts';

interface ProgressOptions {
  readonly stream: Pick<NodeJS.WriteStream, 'write' | 'isTTY' | 'columns'>;
  readonly clock: { monotonic(): number };
}

const movingMs = 200;
const plainMs = 3000;

export class BackfillProgress {
  readonly #options: ProgressOptions;
  readonly #began: number;
  #painted: number;
  #hasLine = false;
  #files = 0;
  #bytes = 0;
  /** Bytes that were left when the first thread looked. */
  #bytesAtFirst: number | undefined;
  /** What each thread believes to be left. */
  readonly #left = new Map<number, { readonly files: number; readonly bytes: number }>();
  #readMembers = 0;
  #readRows = 0;
  #loaded = { files: 0, bytes: 0, rows: 0, members: 0 };

  constructor(options: ProgressOptions) {
    this.#options = options;
    this.#began = options.clock.monotonic();
    this.#painted = this.#began;
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
    this.#paintIfDue();
  }

  clear(): void {
    if (this.#hasLine) this.#options.stream.write('\r\u001b[K');
    this.#hasLine = false;
  }

  summary(): string {
    const { files, bytes, rows, members } = this.#loaded;
    const elapsedMs = this.#options.clock.monotonic() - this.#began;
    const before = this.#files - files;
    const others = before > 0 ? `; ${grouped(before)} others were loaded before or left out` : '';
    return (
      `${countText(files, 'file')} loaded (${bytesText(bytes)}): ${countText(rows, 'row')}, ` +
      `${countText(members, 'membership')}, in ${durationText(elapsedMs)}${others}.\n`
    );
  }

  #paintIfDue(): void {
    const { stream, clock } = this.#options;
    const now = clock.monotonic();
    if (now - this.#painted < (stream.isTTY ? movingMs : plainMs)) return;
    this.#painted = now;
    const line = this.#line(now - this.#began);
    if (!stream.isTTY) {
      stream.write(`${line}\n`);
      return;
    }
    stream.write(
      `\r\u001b[K${harmlessText(line).slice(0, Math.max(20, (stream.columns || 80) - 1))}`,
    );
    this.#hasLine = true;
  }

  #line(elapsedMs: number): string {
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
