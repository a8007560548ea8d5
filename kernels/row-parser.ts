// Plain rows of CSV and JSON lines parsed at once, in WebAssembly memory (assembly/plain-rows.ts): a
// tenth of the time of reading them field by field. One memory serves all inputs of a thread, so that
// what was parsed must be taken before more is.

import { KernelMemory } from './kernel-memory.ts';

/** What a field of a row holds. */
export interface FieldShape {
  readonly kind: 'integer' | 'wide' | 'text';
  readonly isSigned: boolean;
  /** The largest `integer`. */
  readonly max: number;
  /** In JSON, in its quotes; else empty. */
  readonly key: Uint8Array;
}

/** Rows of fields between delimiters, or objects whose keys are in one order. */
export interface RowShape {
  readonly delimiter: number | undefined;
  readonly fields: readonly FieldShape[];
}

export interface ParsedRows {
  readonly rows: number;
  /** Of them. */
  readonly bytes: number;
  /** Of an `integer` field, as 32-bit patterns; of a `wide` one, as pairs of halves, low half first. */
  words(field: number): Uint32Array;
  /** Appends the byte strings of a `text` field; each must be taken, once. */
  texts(field: number, values: string[]): void;
}

export interface ParserInput {
  readonly bytes: Buffer;
  readonly start: number;
  readonly end: number;
  readonly rowsMax: number;
}

/** What is parsed at once. Lengths of texts have 18 bits. */
export const parsedBytesMax = 192 * 1024;
export const parsedRowsMax = 16_384;
export const parsedFieldsMax = 64;
/** Kernels read whole words, and as much as a key behind the input. */
export const keyBytesMax = 512;
const slack = 2 * keyBytesMax;
const fieldWords = 8;
const slotCount = 4096;
const slotWords = 6;
const kinds = { integer: 0, wide: 2, text: 4 } as const;
const noText = 0xffff_ffff;

/** Texts that a field had a short while ago. */
interface Slots {
  readonly at: number;
  readonly texts: string[];
}

class RowParser {
  readonly #kernels = new KernelMemory();
  readonly #slots: Slots[] = [];

  parse(input: ParserInput, shape: RowShape): ParsedRows {
    const { calls } = this.#kernels;
    const { fields, delimiter } = shape;
    const places = placesOf(fields);
    const base = this.#kernels.scratch(places.bytes);
    this.#describe(fields, base, places);
    const at = base + places.input;
    const end = at + this.#copyIn(input, at);
    const [first, last] = [base + places.program, base + places.keys];
    const most = Math.min(parsedRowsMax, input.rowsMax);
    const rows =
      delimiter === undefined
        ? calls.plainObjectRows(first, last, at, end, most, base)
        : calls.plainDelimitedRows(first, last, at, end, most, delimiter, base);
    const bytes = (this.#kernels.u32(base, 1)[0] ?? at) - at;
    return {
      rows,
      bytes,
      words: (field) => {
        const count = fields[field]?.kind === 'wide' ? 2 * rows : rows;
        return this.#kernels.u32(base + (places.columns[field] ?? 0), count);
      },
      texts: (field, values) => {
        const marks = this.#kernels.u32(base + (places.columns[field] ?? 0), rows);
        const starts = this.#kernels.u32(base + (places.starts[field] ?? 0), rows);
        const from = { bytes: input.bytes, shift: input.start - at };
        takeTexts(from, { marks, starts, known: this.#slotsOf(field).texts }, values);
      },
    };
  }

  #describe(fields: readonly FieldShape[], base: number, places: Places): void {
    const words = this.#kernels.u32(base + places.program, fieldWords * fields.length);
    let keyAt = base + places.keys;
    fields.forEach(({ kind, isSigned, max, key }, i) => {
      const columns = [base + (places.columns[i] ?? 0), base + (places.starts[i] ?? 0)];
      const slots = kind === 'text' ? this.#slotsOf(i).at : 0;
      const number = kinds[kind] + (isSigned ? 1 : 0);
      words.set([number, max, ...columns, keyAt, key.length, slots], fieldWords * i);
      this.#kernels.u8(keyAt, key.length).set(key);
      keyAt += keyBytesMax;
    });
  }

  /** Bytes that are parsed. */
  #copyIn({ bytes, start, end }: ParserInput, at: number): number {
    const length = Math.min(end - start, parsedBytesMax);
    const room = this.#kernels.u8(at, length + 1);
    room.set(bytes.subarray(start, start + length));
    room[length] = 0;
    return length;
  }

  #slotsOf(field: number): Slots {
    const known = this.#slots[field];
    if (known !== undefined) return known;
    const at = this.#kernels.reserve(4 * slotWords * slotCount);
    this.#kernels.u32(at, slotWords * slotCount).fill(noText);
    return (this.#slots[field] = { at, texts: new Array<string>(slotCount).fill('') });
  }
}

/** Within the room of one call: the place that a kernel stopped at, the program, keys, input, columns. */
interface Places {
  readonly program: number;
  readonly keys: number;
  readonly input: number;
  readonly columns: readonly number[];
  readonly starts: readonly number[];
  readonly bytes: number;
}

function placesOf(fields: readonly FieldShape[]): Places {
  const program = 16;
  const keys = program + 4 * fieldWords * fields.length;
  const input = keys + keyBytesMax * fields.length;
  let bytes = input + parsedBytesMax + slack;
  const taken = (size: number) => (bytes += size) - size;
  const columns = fields.map(({ kind }) => taken((kind === 'wide' ? 8 : 4) * parsedRowsMax));
  const starts = fields.map(({ kind }) => taken(kind === 'text' ? 4 * parsedRowsMax : 0));
  return { program, keys, input, columns, starts, bytes };
}

interface Marks {
  readonly marks: Uint32Array;
  readonly starts: Uint32Array;
  readonly known: string[];
}

/** As the kernel met them: slots change on the way. */
function takeTexts(
  { bytes, shift }: { readonly bytes: Buffer; readonly shift: number },
  { marks, starts, known }: Marks,
  values: string[],
): void {
  for (let i = 0; i < marks.length; i++) {
    const mark = marks[i] as number;
    const slot = (mark >>> 18) & 4095;
    if (mark >>> 30 === 0) {
      values.push(known[slot] as string);
      continue;
    }
    const start = (starts[i] as number) + shift;
    const text = bytes.toString('latin1', start, start + (mark & 0x3ffff));
    if (mark >>> 30 === 1) known[slot] = text;
    values.push(text);
  }
}

let parser: RowParser | undefined;

/** The rows at the beginning of `input` that are plain and whole. */
export function parsePlainRows(input: ParserInput, shape: RowShape): ParsedRows {
  parser ??= new RowParser();
  return parser.parse(input, shape);
}
