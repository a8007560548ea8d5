// Arrow's IPC format, read batch by batch; the engine's only door to `apache-arrow`. A file is read as
// the stream that follows its first 8 bytes. Columns of types that Muster has not are left out.

import {
  type DataType as ArrowType,
  CompressionType,
  compressionRegistry,
  type Data,
  RecordBatchReader,
  Type,
} from 'apache-arrow';
import { MusterError } from '../../base/errors.ts';
import type { Column, NumberArray, WideArray } from '../../storage-format/column.ts';
import type { DataType, NamedType } from '../../storage-format/data-type.ts';
import { take } from '../library/columns/take.ts';
import { checkArrowArray } from './arrow-arrays.ts';
import { arrowMessages } from './arrow-messages.ts';
import { notArrow } from './arrow-metadata.ts';
import { unpackLz4Frame } from './lz4-frames.ts';
import { unpackBoundedZstdFrame } from './zstd-frames.ts';

export interface ArrowBatch {
  readonly rows: number;
  readonly values: readonly Column[];
}

interface ArrowInput {
  readonly columns: readonly NamedType[];
  readonly batches: AsyncIterable<ArrowBatch>;
}

compressionRegistry.set(CompressionType.LZ4_FRAME, {
  decode: (packed) => ofLength(packed, unpackLz4Frame(Buffer.from(packed))),
});
compressionRegistry.set(CompressionType.ZSTD, {
  decode: (packed) => ofLength(packed, unpackBoundedZstdFrame(Buffer.from(packed))),
});

/** INCORRECT_DATA for what is no Arrow. */
export async function readArrow(bytes: AsyncIterable<Uint8Array>): Promise<ArrowInput> {
  const reader = await refusing(async () => {
    const opened = await RecordBatchReader.from(arrowMessages(bytes));
    await opened.open();
    return opened;
  });
  const fields = reader.schema.fields.map((field, at) => ({
    at,
    name: field.name,
    kind: kindOf(field.type),
    nullable: field.nullable,
  }));
  const known = fields.filter((field) => field.kind !== undefined);
  const columns = known.map(
    ({ name, kind, nullable }): NamedType => ({ name, type: typeOf(kind!, nullable) }),
  );
  const batches = async function* (): AsyncGenerator<ArrowBatch> {
    const iterator = reader[Symbol.asyncIterator]();
    for (;;) {
      const next = await refusing(async () => await iterator.next());
      if (next.done === true) return;
      const { data, numRows } = next.value;
      const values = known.map(({ at, kind }) => {
        const array = data.children[at] as Data;
        checkArrowArray(array, kind!, numRows);
        return valuesOf(array, kind!);
      });
      yield { rows: numRows, values };
    }
  };
  return { columns, batches: batches() };
}

/**
 * The length that the buffer should have stands in the 8 bytes before it; nobody else compares them.
 * Typed arrays of 64 bits want it at a multiple of 8.
 */
function ofLength(packed: Uint8Array, bytes: Uint8Array): Uint8Array {
  const said = new DataView(packed.buffer, packed.byteOffset - 8, 8).getBigInt64(0, true);
  if (Number(said) === bytes.length)
    return bytes.byteOffset % 8 === 0 ? bytes : new Uint8Array(bytes);
  throw notArrow(`a buffer of ${bytes.length} bytes says that it has ${said}`);
}

/** What a column of Arrow is to us. */
type Kind =
  | { readonly of: 'number' | 'wide'; readonly type: DataType }
  | { readonly of: 'bool' | 'bytes' | 'days'; readonly type: DataType }
  | { readonly of: 'list'; readonly type: DataType; readonly item: Kind }
  | { readonly of: 'dictionary'; readonly type: DataType; readonly inner: Kind };

/** What types of Arrow have, each its own. */
interface ArrowFields {
  readonly bitWidth: number;
  readonly isSigned: boolean;
  readonly precision: number;
  readonly unit: number;
  readonly dictionary: ArrowType;
}

function kindOf(type: ArrowType): Kind | undefined {
  const fields = type as unknown as ArrowFields;
  switch (type.typeId) {
    case Type.Int:
      return integer(fields.bitWidth, fields.isSigned);
    case Type.Float:
      // Half floats, 16 bits, are left out.
      if (fields.precision === 1) return { of: 'number', type: { kind: 'Float32' } };
      return fields.precision === 2 ? { of: 'number', type: { kind: 'Float64' } } : undefined;
    case Type.Bool:
      return { of: 'bool', type: { kind: 'Bool' } };
    case Type.Utf8:
    case Type.Binary:
    case Type.LargeUtf8:
    case Type.LargeBinary:
      return { of: 'bytes', type: { kind: 'String' } };
    case Type.Date:
      return fields.unit === 0 ? { of: 'days', type: { kind: 'Date' } } : undefined;
    case Type.Timestamp:
      return { of: 'wide', type: { kind: 'DateTime64', precision: 3 * fields.unit } };
    case Type.List: {
      const item = kindOf((type.children[0] as { readonly type: ArrowType }).type);
      return item === undefined || item.of === 'list'
        ? undefined
        : { of: 'list', type: { kind: 'Array', item: item.type }, item };
    }
    case Type.Dictionary: {
      const inner = kindOf(fields.dictionary);
      return inner === undefined ? undefined : { of: 'dictionary', type: inner.type, inner };
    }
    default:
      return undefined;
  }
}

function integer(bits: number, signed: boolean): Kind {
  const kind = `${signed ? 'Int' : 'UInt'}${bits}` as 'Int8';
  return { of: bits === 64 ? 'wide' : 'number', type: { kind } };
}

function typeOf({ of, type }: Kind, nullable: boolean): DataType {
  return nullable && of !== 'list' ? { kind: 'Nullable', inner: type } : type;
}

function valuesOf(data: Data, kind: Kind): Column {
  const { length, offset } = data;
  const nulls = nullsOf(data);
  const withNulls = nulls === undefined ? {} : { nulls };
  switch (kind.of) {
    case 'number':
      return { kind: 'number', values: numbersOf(data), ...withNulls };
    case 'wide':
      return { kind: 'wide', values: (data.values as WideArray).slice(0, length), ...withNulls };
    case 'days':
      return {
        kind: 'number',
        values: Uint16Array.from(numbersOf(data), dayOf),
        ...withNulls,
      };
    case 'bool': {
      const bits = data.values as Uint8Array;
      const values = Uint8Array.from({ length }, (_, i) => bitAt(bits, offset + i));
      return { kind: 'number', values, ...withNulls };
    }
    case 'bytes': {
      const ends = data.valueOffsets as Int32Array | BigInt64Array;
      const bytes = Buffer.from(
        (data.values as Uint8Array).buffer,
        (data.values as Uint8Array).byteOffset,
        (data.values as Uint8Array).byteLength,
      );
      const values = Array.from({ length }, (_, i) =>
        bytes.toString('latin1', Number(ends[i]), Number(ends[i + 1])),
      );
      return { kind: 'string', values, ...withNulls };
    }
    case 'list': {
      const ends = data.valueOffsets as Int32Array;
      const first = ends[0] ?? 0;
      const offsets = Uint32Array.from({ length: length + 1 }, (_, i) => (ends[i] ?? 0) - first);
      const all = valuesOf(data.children[0] as Data, kind.item);
      const index = Int32Array.from({ length: offsets[length] ?? 0 }, (_, i) => first + i);
      return { kind: 'array', offsets, items: take(all, index) };
    }
    default: {
      const parts = data.dictionary?.data ?? [];
      if (parts.length !== 1) throw notArrow('a dictionary in several pieces');
      const index = Int32Array.from(numbersOf(data));
      return take(
        valuesOf(parts[0] as Data, kind.inner),
        withMissing(index, nulls),
        nulls !== undefined,
      );
    }
  }
}

function withMissing(index: Int32Array, nulls: Uint8Array | undefined): Int32Array {
  return nulls === undefined ? index : index.map((at, i) => (nulls[i] === 1 ? -1 : at));
}

/** Values of the batch's rows; those behind them are padding. */
function numbersOf({ values, length }: Data): NumberArray {
  return (values as NumberArray).slice(0, length);
}

function nullsOf({ nullCount, nullBitmap, length, offset }: Data): Uint8Array | undefined {
  if (nullCount === 0 || nullBitmap.length === 0) return undefined;
  return Uint8Array.from({ length }, (_, i) => 1 - bitAt(nullBitmap, offset + i));
}

function bitAt(bits: Uint8Array, at: number): number {
  return ((bits[at >> 3] ?? 0) >> (at & 7)) & 1;
}

function dayOf(day: number): number {
  if (day >= 0 && day < 65_536) return day;
  throw new MusterError('VALUE_IS_OUT_OF_RANGE_OF_DATA_TYPE', `Day ${day} is out of range of Date`);
}

async function refusing<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof MusterError) throw cause;
    throw notArrow(cause instanceof Error ? cause.message : String(cause), cause);
  }
}
