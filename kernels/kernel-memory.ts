// A WebAssembly memory and the kernels over it; the only door to WebAssembly. Memory is shared, so that
// threads can work on one, and growing it never detaches a view: old views stay valid, but end where
// the memory ended. Addresses are plain numbers, always multiples of 16 as handed out here.
//
// Two ways to get room. `reserve` is for what stays: it is never given back before the whole memory
// is dropped. `scratch` is for one call: the same room every time.

import { assert } from '../base/assert.ts';
import { MusterError } from '../base/errors.ts';
import { kernelCode } from './kernel-code.ts';

/** As the sources under assembly/ say; all numbers are 32 bits, results may be signed. */
export interface KernelCalls {
  countBits(at: number, bytes: number): number;
  countAnd(a: number, b: number, bytes: number): number;
  countTree(program: number, steps: number, bytes: number, room: number): number;
  countPairs(
    pairs: number,
    count: number,
    directory: number,
    start: number,
    end: number,
    out: number,
  ): void;
  orCodes(codes: number, count: number, bits: number): void;
  maxCode(codes: number, count: number): number;
  bitsToCodes(bits: number, bytes: number, base: number, out: number): number;
  bitsToShorts(bits: number, bytes: number, out: number): number;
  orContainers(
    bits: number,
    firstKey: number,
    bytes: number,
    directory: number,
    containers: number,
  ): void;
  crc32c(crc: number, at: number, bytes: number, tables: number): number;
  foldFar(at: number, bytes: number, rest: number): number;
  foldNear(at: number, bytes: number, rest: number): number;
  hashIntegers(keys: number, count: number, out: number): void;
  hashStrings(bytes: number, offsets: number, count: number, out: number): void;
  groupIntegers(
    groupCount: number,
    keys: number,
    count: number,
    room: number,
    codes: number,
    groups: number,
    known: number,
  ): void;
  probeIntegers(
    levels: number,
    records: number,
    groupCount: number,
    keys: number,
    count: number,
    room: number,
    codes: number,
    groups: number,
    known: number,
  ): void;
  numberIntegers(
    records: number,
    keys: number,
    from: number,
    to: number,
    room: number,
    codes: number,
    groups: number,
    known: number,
    owners: number,
  ): void;
  clearBytes(at: number, bytes: number): void;
  countNew(groups: number, known: number, from: number, to: number, counts: number): void;
  spreadIntegers(
    records: number,
    shift: number,
    nexts: number,
    buckets: number,
    keys: number,
    from: number,
    to: number,
    room: number,
    codes: number,
    groups: number,
    known: number,
    failed: number,
  ): void;
  spreadStrings(
    records: number,
    shift: number,
    nexts: number,
    buckets: number,
    bytes: number,
    offsets: number,
    from: number,
    to: number,
    room: number,
    codes: number,
    groups: number,
    known: number,
    failed: number,
  ): void;
  fillRuns(
    runs: number,
    from: number,
    to: number,
    buckets: number,
    stride: number,
    shares: number,
    strings: number,
    clear: number,
    failed: number,
  ): void;
  sealRuns(runs: number, from: number, to: number, bounds: number, tables: number): void;
  buildIntegers(record: number, keys: number, count: number, first: number, room: number): void;
  probeStrings(
    levels: number,
    records: number,
    groupCount: number,
    bytes: number,
    offsets: number,
    count: number,
    room: number,
    codes: number,
    groups: number,
    known: number,
  ): void;
  numberStrings(
    records: number,
    bytes: number,
    offsets: number,
    from: number,
    to: number,
    room: number,
    codes: number,
    groups: number,
    known: number,
    owners: number,
  ): void;
  buildStrings(
    record: number,
    bytes: number,
    offsets: number,
    places: number,
    count: number,
    first: number,
  ): void;
  placeStrings(record: number, places: number): void;
  sealPages(record: number, from: number, to: number, keys: number, tables: number): void;
  plainDelimitedRows(
    fields: number,
    fieldsEnd: number,
    at: number,
    end: number,
    rowsMax: number,
    delimiter: number,
    stop: number,
  ): number;
  plainObjectRows(
    fields: number,
    fieldsEnd: number,
    at: number,
    end: number,
    rowsMax: number,
    stop: number,
  ): number;
  printIntegers(
    keys: number,
    count: number,
    signed: number,
    affixes: number,
    before: number,
    after: number,
    fours: number,
    out: number,
  ): number;
  sipHashIntegers(values: number, count: number, out: number): void;
  sortKeys(keys: number, count: number, spare: number, counts: number): number;
}

/** What other threads need to work on the same memory; survives postMessage. */
export interface LinearMemory {
  readonly buffer: SharedArrayBuffer;
  grow(pages: number): number;
}

interface WebAssemblyDoor {
  readonly Module: new (code: Uint8Array) => object;
  readonly Instance: new (
    module: object,
    imports: { readonly env: { readonly memory: LinearMemory } },
  ) => { readonly exports: unknown };
  readonly Memory: new (limits: {
    readonly initial: number;
    readonly maximum: number;
    readonly shared: true;
  }) => LinearMemory;
}

const webAssembly = (globalThis as unknown as { readonly WebAssembly: WebAssemblyDoor })
  .WebAssembly;
const pageBytes = 65536;
const pagesMax = 65536;
/** Address 0 is nobody's. */
const firstAddress = 64;

let compiled: object | undefined;

/** Compiled once for this thread; survives postMessage. */
export function kernelModule(): object {
  compiled ??= new webAssembly.Module(Buffer.from(kernelCode, 'base64'));
  return compiled;
}

export class KernelMemory {
  readonly memory: LinearMemory;
  readonly calls: KernelCalls;
  #end: number;
  #scratch = { at: 0, bytes: 0 };

  /** Over a memory of its own, or over one of another thread: then nothing may be reserved here. */
  constructor(memory?: LinearMemory) {
    this.memory = memory ?? new webAssembly.Memory({ initial: 1, maximum: pagesMax, shared: true });
    const { exports } = new webAssembly.Instance(kernelModule(), { env: { memory: this.memory } });
    this.calls = exports as KernelCalls;
    this.#end = memory === undefined ? firstAddress : Number.POSITIVE_INFINITY;
  }

  /** Bytes handed out so far. */
  get bytes(): number {
    return this.#end;
  }

  /** Zeros, until the memory is dropped. MEMORY_LIMIT_EXCEEDED beyond 4 GiB. */
  reserve(bytes: number): number {
    assert(this.#end !== Number.POSITIVE_INFINITY, 'only its owner reserves memory');
    const at = this.#end;
    const end = at + Math.ceil(bytes / 16) * 16;
    const missing = end - this.memory.buffer.byteLength;
    if (end > pagesMax * pageBytes) {
      throw new MusterError(
        'MEMORY_LIMIT_EXCEEDED',
        `Memory limit exceeded: kernels can use 4 GiB, and ${end} bytes were needed`,
      );
    }
    if (missing > 0) this.#grow(missing);
    this.#end = end;
    return at;
  }

  /** By an eighth at least: to grow takes a call to the system. */
  #grow(missing: number): void {
    const { byteLength } = this.memory.buffer;
    const wanted = Math.ceil(Math.max(missing, byteLength / 8) / pageBytes);
    this.memory.grow(Math.min(wanted, pagesMax - byteLength / pageBytes));
  }

  /** Room for one call: what an earlier call left there is undefined. */
  scratch(bytes: number): number {
    if (bytes > this.#scratch.bytes) {
      const room = Math.max(bytes, 2 * this.#scratch.bytes, pageBytes);
      // The last thing that was reserved is extended in place.
      const last = this.#scratch.at + this.#scratch.bytes === this.#end;
      const added = this.reserve(last ? room - this.#scratch.bytes : room);
      this.#scratch = { at: last ? this.#scratch.at : added, bytes: room };
    }
    return this.#scratch.at;
  }

  u8(at: number, length: number): Uint8Array<SharedArrayBuffer> {
    return new Uint8Array(this.memory.buffer, at, length);
  }

  u16(at: number, length: number): Uint16Array<SharedArrayBuffer> {
    return new Uint16Array(this.memory.buffer, at, length);
  }

  u32(at: number, length: number): Uint32Array<SharedArrayBuffer> {
    return new Uint32Array(this.memory.buffer, at, length);
  }

  u64(at: number, length: number): BigUint64Array<SharedArrayBuffer> {
    return new BigUint64Array(this.memory.buffer, at, length);
  }
}

let own: KernelMemory | undefined;

/** This thread's memory for calls that leave nothing behind. */
export function scratchKernels(): KernelMemory {
  own ??= new KernelMemory();
  return own;
}
