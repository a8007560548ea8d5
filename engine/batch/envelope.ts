// Plain data as bytes and back: a small JSON header in which typed arrays, bigints and lists of byte
// strings are replaced by references to binary segments. Not a storage format: both ends run the same
// version of Muster, and any other format number is refused. Little-endian machines only.
//
//   0  magic 'MSTE'   4  format (u32)   8  header bytes (u32)   12  0 (u32)
//   16 header (JSON, UTF-8), padded to 8
//   .. segments, each beginning at a multiple of 8 from the envelope's start
//
// A reference is an object with the one key '$': [kind, ...]. Typed arrays are decoded as views of
// the received bytes, without a copy; an array that occurs twice is sent once.

import { assert } from '../../base/assert.ts';
import { consecutive, consecutiveStart } from '../../base/consecutive.ts';
import { MusterError } from '../../base/errors.ts';
import { findRepeated } from './repeated-strings.ts';

const magic = 0x4554534d;
const format = 2;
const headerStart = 16;
const runMin = 64;
/** What a damaged message may ask for. */
const runMax = 2 ** 26;

const arrayTypes = {
  u1: Uint8Array,
  i1: Int8Array,
  u2: Uint16Array,
  i2: Int16Array,
  u4: Uint32Array,
  i4: Int32Array,
  f4: Float32Array,
  f8: Float64Array,
  i8: BigInt64Array,
  u8: BigUint64Array,
} as const;

type ArrayKind = keyof typeof arrayTypes;

const byteStringLists: ReadonlySet<unknown> = new Set(['string', 'uuid']);

type Plain = { [key: string]: unknown };

/**
 * `value`: plain data (objects, arrays, strings, numbers, bigints, booleans, null, typed arrays).
 * `values` beside `domain: 'string'`, `'uuid'` or `kind: 'string'` is taken as a list of byte strings.
 */
export function encodeEnvelope(value: unknown): Uint8Array {
  const packer = new Packer();
  const header = Buffer.from(JSON.stringify(packer.pack(value)), 'utf8');
  const dataStart = align(headerStart + header.length);
  const bytes = new Uint8Array(dataStart + packer.dataBytes);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, magic, true);
  view.setUint32(4, format, true);
  view.setUint32(8, header.length, true);
  bytes.set(header, headerStart);
  for (const segment of packer.segments) bytes.set(segment.bytes, dataStart + segment.offset);
  return bytes;
}

/** Holds on to `bytes`. UNKNOWN_FORMAT_VERSION for another version's, INCORRECT_DATA for others. */
export function decodeEnvelope(bytes: Uint8Array): unknown {
  const own = bytes.byteOffset % 8 === 0 ? bytes : Uint8Array.from(bytes);
  if (own.length < headerStart) throw incorrect(`${own.length} bytes`);
  const view = new DataView(own.buffer, own.byteOffset, own.length);
  if (view.getUint32(0, true) !== magic) throw incorrect('no magic number');
  const found = view.getUint32(4, true);
  if (found !== format) {
    throw new MusterError(
      'UNKNOWN_FORMAT_VERSION',
      `A message of format ${found} reached a process that speaks format ${format}: ` +
        'run the same version of Muster at the root and at its workers',
    );
  }
  const headerEnd = headerStart + view.getUint32(8, true);
  if (headerEnd > own.length) throw incorrect(`${own.length} of ${headerEnd} bytes`);
  const text = Buffer.from(own.buffer, own.byteOffset, own.length);
  try {
    const header: unknown = JSON.parse(text.toString('utf8', headerStart, headerEnd));
    return new Unpacker(text.subarray(Math.min(align(headerEnd), own.length))).unpack(header);
  } catch (error) {
    if (error instanceof MusterError) throw error;
    throw incorrect(error instanceof Error ? error.message : String(error));
  }
}

class Packer {
  readonly segments: { readonly offset: number; readonly bytes: Uint8Array }[] = [];
  dataBytes = 0;
  readonly #known = new Map<object, unknown>();

  pack(value: unknown): unknown {
    switch (typeof value) {
      case 'number':
        return Number.isFinite(value) && !Object.is(value, -0) ? value : packNumber(value);
      case 'bigint':
        return { $: ['n', value.toString()] };
      case 'string':
      case 'boolean':
        return value;
      case 'object':
        return value === null ? null : this.#packObject(value);
      default:
        assert(false, `an envelope cannot carry a ${typeof value}`);
    }
  }

  #packObject(value: object): unknown {
    if (Array.isArray(value)) return value.map((item) => this.pack(item));
    if (ArrayBuffer.isView(value)) return this.#once(value, () => this.#packArray(value));
    const prototype: unknown = Object.getPrototypeOf(value);
    assert(prototype === Object.prototype || prototype === null, 'an envelope carries plain data');
    const out: Plain = {};
    const plain = value as Plain;
    const bytes = byteStringLists.has(plain['domain']) || plain['kind'] === 'string';
    for (const key in plain) {
      const field = plain[key];
      if (field === undefined) continue;
      if (bytes && key === 'values' && Array.isArray(field)) {
        out[key] = this.#once(field, () => this.#packStrings(field as string[]));
      } else out[key] = this.pack(field);
    }
    return '$' in out ? { $: ['o', out] } : out;
  }

  #packArray(value: ArrayBufferView): unknown {
    const kind = arrayKind(value);
    if (value instanceof Int32Array && isRun(value)) return { $: ['r', value[0], value.length] };
    const bytes = new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
    return { $: [kind, this.#segment(bytes), bytes.length / arrayTypes[kind].BYTES_PER_ELEMENT] };
  }

  /** Where strings repeat, each is sent once, and places in the list as numbers. */
  #packStrings(values: readonly string[]): unknown {
    const repeated = findRepeated(values);
    if (repeated === undefined) return { $: this.#packEach(values) };
    const places = this.#packArray(repeated.places) as { $: readonly unknown[] };
    return { $: ['d', ...places.$, ...this.#packEach(repeated.distinct).slice(1)] };
  }

  #packEach(values: readonly string[]): readonly unknown[] {
    const offsets = new Uint32Array(values.length + 1);
    let end = 0;
    for (let i = 0; i < values.length; i++) {
      end += (values[i] as string).length;
      offsets[i + 1] = end;
    }
    const text = values.join('');
    // oxlint-disable-next-line no-control-regex -- bytes 0 to 31 are as good as any
    assert(!/[^\x00-\xff]/.test(text), 'a list of byte strings holds bytes only');
    const at = this.#segment(new Uint8Array(offsets.buffer));
    return ['s', at, values.length, this.#segment(Buffer.from(text, 'latin1')), end];
  }

  #once(value: object, pack: () => unknown): unknown {
    const known = this.#known.get(value);
    if (known !== undefined) return known;
    const packed = pack();
    this.#known.set(value, packed);
    return packed;
  }

  #segment(bytes: Uint8Array): number {
    const offset = this.dataBytes;
    this.segments.push({ offset, bytes });
    this.dataBytes = align(offset + bytes.length);
    return offset;
  }
}

class Unpacker {
  readonly #data: Buffer;

  constructor(data: Buffer) {
    this.#data = data;
  }

  unpack(value: unknown): unknown {
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) {
      for (let i = 0; i < value.length; i++) {
        if (typeof value[i] === 'object') value[i] = this.unpack(value[i]);
      }
      return value;
    }
    const plain = value as Plain;
    const reference = plain['$'];
    if (reference !== undefined) return this.#resolve(reference as [string, ...unknown[]]);
    for (const key in plain) {
      if (typeof plain[key] === 'object') plain[key] = this.unpack(plain[key]);
    }
    return plain;
  }

  #resolve(reference: readonly [string, ...unknown[]]): unknown {
    const [kind, first, length] = reference;
    if (kind === 'n') return BigInt(first as string);
    if (kind === 'f') return Number(first);
    if (kind === 'o') return this.#escaped(first as Plain);
    if (kind === 's') return this.#strings(reference.slice(1) as number[]);
    if (kind === 'd') return this.#repeated(reference);
    if (kind === 'r') return runOf(first as number, length as number);
    return this.#array(kind as ArrayKind, first as number, length as number);
  }

  #escaped(plain: Plain): Plain {
    for (const key in plain) plain[key] = this.unpack(plain[key]);
    return plain;
  }

  #array(kind: ArrayKind, offset: number, length: number): unknown {
    const Type = arrayTypes[kind];
    if (offset + length * Type.BYTES_PER_ELEMENT > this.#data.length) {
      throw incorrect(`it ends before byte ${offset} of its data`);
    }
    return new Type(this.#data.buffer as ArrayBuffer, this.#data.byteOffset + offset, length);
  }

  #repeated(reference: readonly [string, ...unknown[]]): string[] {
    const [, kind, at, length, ...strings] = reference;
    const places = this.#array(kind as ArrayKind, at as number, length as number) as Uint16Array;
    const distinct = this.#strings(strings as number[]);
    const out = new Array<string>(places.length);
    for (let i = 0; i < out.length; i++) out[i] = distinct[places[i] as number] as string;
    return out;
  }

  #strings(reference: readonly number[]): string[] {
    const [offsetsAt = 0, count = 0, bytesAt = 0, bytes = 0] = reference;
    const offsets = this.#array('u4', offsetsAt, count + 1) as Uint32Array;
    this.#array('u1', bytesAt, bytes);
    const text = this.#data.toString('latin1', bytesAt, bytesAt + bytes);
    const out = new Array<string>(count);
    for (let i = 0; i < count; i++) out[i] = text.slice(offsets[i], offsets[i + 1]);
    return out;
  }
}

function arrayKind(value: ArrayBufferView): ArrayKind {
  for (const kind in arrayTypes) {
    if (value instanceof arrayTypes[kind as ArrayKind]) return kind as ArrayKind;
  }
  throw new Error('assertion failed: an envelope carries typed arrays, not other views');
}

/** Rows of a scan are numbers that follow each other: two of them say it all. */
function isRun(value: Int32Array): boolean {
  if (value.length < runMin || value.length > runMax) return false;
  if (consecutiveStart(value) !== undefined) return true;
  const first = value[0] as number;
  for (let i = 1; i < value.length; i++) if (value[i] !== first + i) return false;
  return true;
}

function runOf(first: number, length: number): Int32Array {
  if (!(length >= 0 && length <= runMax)) throw incorrect(`it has a run of ${length} numbers`);
  if (first >= 0 && first + length < 2 ** 31) return consecutive(first, first + length);
  const run = new Int32Array(length);
  for (let i = 0; i < length; i++) run[i] = first + i;
  return run;
}

function packNumber(value: number): unknown {
  return { $: ['f', Object.is(value, -0) ? '-0' : String(value)] };
}

function align(offset: number): number {
  return (offset + 7) & ~7;
}

function incorrect(what: string): MusterError {
  return new MusterError('INCORRECT_DATA', `A message between root and worker is damaged: ${what}`);
}
