// Thrift's compact protocol, as much of it as Parquet's headers and footer need: structs of numbers,
// texts, structs and lists. Values are described as data and written at once.
//
//   struct:  for each field  [id - previous id : 4 bits][type : 4 bits]  value ...  then a 0 byte
//   integer: zigzag, 7 bits a byte, low ones first      text: length, bytes
//   list:    [count : 4 bits or 15 and a varint][type : 4 bits]  values ...

export type ThriftValue =
  | { readonly kind: 'i8' | 'i32' | 'i64'; readonly value: number }
  | { readonly kind: 'bool'; readonly value: boolean }
  | { readonly kind: 'text'; readonly value: string }
  | { readonly kind: 'struct'; readonly fields: ThriftFields }
  | {
      readonly kind: 'list';
      readonly of: 'i32' | 'text' | 'struct';
      readonly items: ThriftValue[];
    };

/** By field id, ascending; undefined fields are left out. */
export type ThriftFields = readonly (readonly [id: number, value: ThriftValue | undefined])[];

export const i8 = (value: number): ThriftValue => ({ kind: 'i8', value });
export const i32 = (value: number): ThriftValue => ({ kind: 'i32', value });
export const i64 = (value: number): ThriftValue => ({ kind: 'i64', value });
export const bool = (value: boolean): ThriftValue => ({ kind: 'bool', value });
export const text = (value: string): ThriftValue => ({ kind: 'text', value });
export const struct = (...fields: ThriftFields): ThriftValue => ({ kind: 'struct', fields });
export const list = (of: 'i32' | 'text' | 'struct', items: ThriftValue[]): ThriftValue => ({
  kind: 'list',
  of,
  items,
});

export function encodeThrift(...fields: ThriftFields): Uint8Array {
  const out: number[] = [];
  writeFields(fields, out);
  return Uint8Array.from(out);
}

const typeNumbers = { i8: 3, i32: 5, i64: 6, text: 8, list: 9, struct: 12 } as const;

function writeFields(fields: ThriftFields, out: number[]): void {
  let previous = 0;
  for (const [id, value] of fields) {
    if (value === undefined) continue;
    const type = value.kind === 'bool' ? (value.value ? 1 : 2) : typeNumbers[value.kind];
    out.push(((id - previous) << 4) | type);
    previous = id;
    if (value.kind !== 'bool') writeValue(value, out);
  }
  out.push(0);
}

function writeValue(value: ThriftValue, out: number[]): void {
  switch (value.kind) {
    case 'i8':
      out.push(value.value & 0xff);
      return;
    case 'i32':
    case 'i64':
      // Zigzag; none of ours is negative.
      writeVarint(2 * value.value, out);
      return;
    case 'text': {
      const bytes = Buffer.from(value.value, 'utf8');
      writeVarint(bytes.length, out);
      for (const byte of bytes) out.push(byte);
      return;
    }
    case 'struct':
      writeFields(value.fields, out);
      return;
    case 'list': {
      const count = value.items.length;
      const type = typeNumbers[value.of];
      if (count < 15) out.push((count << 4) | type);
      else {
        out.push(0xf0 | type);
        writeVarint(count, out);
      }
      for (const item of value.items) writeValue(item, out);
      return;
    }
    default:
      throw new Error('booleans are in the type of their field');
  }
}

function writeVarint(value: number, out: number[]): void {
  let rest = value;
  while (rest >= 0x80) {
    out.push((rest % 0x80) | 0x80);
    rest = Math.floor(rest / 0x80);
  }
  out.push(rest);
}
