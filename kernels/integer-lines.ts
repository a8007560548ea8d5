// Integers as lines of text, printed in WebAssembly memory (assembly/print.ts): a tenth of the time of
// digits written by JavaScript (bench/kernels-bench). The twin is String(), in its test.

import { KernelMemory } from './kernel-memory.ts';

/** What stands before and behind the digits of each line; both short. */
export interface LineAffixes {
  readonly before: Uint8Array;
  readonly after: Uint8Array;
}

/** 64-bit patterns as pairs of halves, low half first. */
export interface PatternSource {
  readonly count: number;
  readonly isSigned: boolean;
  /** Writes patterns [start, start + out.length / 2) into `out`. */
  halves(start: number, out: Uint32Array): void;
}

const digitsMax = 20;
const zero = 0x30;
const numbers = 10_000;
/** Lines printed at once. */
const lineCount = 32_768;
/** Kernels write whole words: room behind the last line, and behind affixes. */
const slack = 16;
export const affixBytesMax = 1024;

/** A memory of its own: what is here stays the same size. */
class LinePrinter {
  readonly #kernels = new KernelMemory();
  readonly #fours: number;
  readonly #affixes: number;
  readonly #keys: number;

  constructor() {
    this.#fours = this.#kernels.reserve(4 * numbers);
    const fours = this.#kernels.u8(this.#fours, 4 * numbers);
    for (let i = 0; i < fours.length; i++) {
      fours[i] = zero + (Math.floor((i >>> 2) / 10 ** (3 - (i & 3))) % 10);
    }
    this.#affixes = this.#kernels.reserve(2 * affixBytesMax + slack);
    this.#keys = this.#kernels.reserve(8 * lineCount);
  }

  /** A fresh array: who takes it may keep it. */
  print(source: PatternSource, start: number, { before, after }: LineAffixes): Uint8Array {
    const count = Math.min(lineCount, source.count - start);
    const lineBytes = digitsMax + 1 + before.length + after.length;
    const room = this.#kernels.scratch(lineBytes * lineCount + slack);
    this.#kernels.u8(this.#affixes, before.length).set(before);
    this.#kernels.u8(this.#affixes + before.length, after.length).set(after);
    source.halves(start, this.#kernels.u32(this.#keys, 2 * count));
    const end = this.#kernels.calls.printIntegers(
      this.#keys,
      count,
      source.isSigned ? 1 : 0,
      this.#affixes,
      before.length,
      after.length,
      this.#fours,
      room,
    );
    const length = (end >>> 0) - room;
    const out = new Uint8Array(Buffer.allocUnsafeSlow(length).buffer);
    out.set(this.#kernels.u8(room, length));
    return out;
  }
}

let printer: LinePrinter | undefined;

/** Pieces of some ten thousand lines, in order. */
export function* integerLines(source: PatternSource, affixes: LineAffixes): Generator<Uint8Array> {
  printer ??= new LinePrinter();
  for (let start = 0; start < source.count; start += lineCount) {
    yield printer.print(source, start, affixes);
  }
}
