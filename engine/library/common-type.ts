// The least type that holds the values of several: of array literals, if branches, UNION columns.
// ClickHouse's rules, without its Variant: where it would make one, the answer is error 386.

import { MusterError } from '../../base/errors.ts';
import { type DataType, formatType, isNullable, sameType } from '../../storage-format/data-type.ts';
import { float64, integerType, numericShape, storedShape } from './numeric-types.ts';

/** Throws NO_COMMON_TYPE (386). */
export function leastSupertype(types: readonly DataType[]): DataType {
  const first = types[0];
  if (first === undefined) return { kind: 'Nothing' };
  if (types.every((type) => sameType(type, first))) return first;
  const known = types.map(stripLowCardinality);
  const bare = known.map(stripNullable).filter((type) => type.kind !== 'Nothing');
  const nullable = known.some((type) => isNullable(type));
  const inner = bare.length === 0 ? ({ kind: 'Nothing' } as const) : bareSupertype(bare);
  return nullable ? makeNullable(inner) : inner;
}

/** As `leastSupertype`; undefined where there is none. */
export function commonType(types: readonly DataType[]): DataType | undefined {
  try {
    return leastSupertype(types);
  } catch (error) {
    if (error instanceof MusterError && error.errorName === 'NO_COMMON_TYPE') return undefined;
    throw error;
  }
}

/** Nullable of the type; arrays and tuples cannot be NULL and stay as they are. */
export function makeNullable(type: DataType): DataType {
  if (isNullable(type) || type.kind === 'Array' || type.kind === 'Tuple') return type;
  if (type.kind === 'LowCardinality') {
    return { kind: 'LowCardinality', inner: makeNullable(type.inner) };
  }
  return { kind: 'Nullable', inner: type };
}

export function stripNullable(type: DataType): DataType {
  return type.kind === 'Nullable' ? type.inner : type;
}

/** Removes LowCardinality at every depth. */
export function stripLowCardinality(type: DataType): DataType {
  switch (type.kind) {
    case 'LowCardinality':
      return stripLowCardinality(type.inner);
    case 'Nullable':
      return { kind: 'Nullable', inner: stripLowCardinality(type.inner) };
    case 'Array':
      return { kind: 'Array', item: stripLowCardinality(type.item) };
    case 'Tuple':
      return {
        kind: 'Tuple',
        fields: type.fields.map((f) => ({ ...f, type: stripLowCardinality(f.type) })),
      };
    default:
      return type;
  }
}

function bareSupertype(types: readonly DataType[]): DataType {
  const first = types[0] ?? { kind: 'Nothing' };
  if (types.every((type) => sameType(type, first))) return first;
  const result =
    arraySupertype(types) ??
    tupleSupertype(types) ??
    textSupertype(types) ??
    dateSupertype(types) ??
    boolSupertype(types) ??
    numberSupertype(types);
  if (result !== undefined) return result;
  throw new MusterError(
    'NO_COMMON_TYPE',
    `There is no supertype for types ${types.map(formatType).join(', ')}`,
  );
}

function arraySupertype(types: readonly DataType[]): DataType | undefined {
  const items: DataType[] = [];
  for (const type of types) {
    if (type.kind !== 'Array') return undefined;
    items.push(type.item);
  }
  return { kind: 'Array', item: leastSupertype(items) };
}

function tupleSupertype(types: readonly DataType[]): DataType | undefined {
  const first = types[0];
  if (first?.kind !== 'Tuple') return undefined;
  const sizes = first.fields.length;
  if (!types.every((type) => type.kind === 'Tuple' && type.fields.length === sizes)) {
    return undefined;
  }
  const fields = first.fields.map((field, i) => {
    const column = types.map((t) => (t.kind === 'Tuple' ? t.fields[i] : undefined) ?? field);
    const sameNames = column.every((f) => f.name === field.name);
    const type = leastSupertype(column.map((f) => f.type));
    return sameNames && field.name !== undefined ? { name: field.name, type } : { type };
  });
  return { kind: 'Tuple', fields };
}

function textSupertype(types: readonly DataType[]): DataType | undefined {
  const isText = (type: DataType) => type.kind === 'String' || type.kind === 'Enum8';
  if (!types.every(isText)) return undefined;
  if (types.some((type) => type.kind === 'String')) return { kind: 'String' };
  return undefined;
}

function dateSupertype(types: readonly DataType[]): DataType | undefined {
  let precision = -1;
  let time: DataType | undefined;
  for (const type of types) {
    if (type.kind === 'DateTime64') {
      if (type.precision > precision) time = type;
      precision = Math.max(precision, type.precision);
    } else if (type.kind === 'DateTime') time ??= type;
    else if (type.kind !== 'Date') return undefined;
  }
  return time;
}

/** Bool with UInt8 is Bool; with any other number it counts as UInt8. */
function boolSupertype(types: readonly DataType[]): DataType | undefined {
  return types.every((type) => type.kind === 'Bool' || type.kind === 'UInt8')
    ? { kind: 'Bool' }
    : undefined;
}

function numberSupertype(types: readonly DataType[]): DataType | undefined {
  let signedBytes = 0;
  let unsignedBytes = 0;
  let floatBytes = 0;
  for (const type of types) {
    const shape = type.kind === 'Enum8' ? storedShape(type) : numericShape(type);
    if (shape === undefined) return intervalSupertype(types);
    if (shape.float) floatBytes = Math.max(floatBytes, shape.bytes);
    else if (shape.signed) signedBytes = Math.max(signedBytes, shape.bytes);
    else unsignedBytes = Math.max(unsignedBytes, shape.bytes);
  }
  if (floatBytes > 0) return floatSupertype(floatBytes, Math.max(signedBytes, unsignedBytes));
  if (signedBytes === 0) return integerType(unsignedBytes, false);
  if (unsignedBytes < signedBytes) return integerType(signedBytes, true);
  return unsignedBytes === 8 ? undefined : integerType(unsignedBytes * 2, true);
}

function floatSupertype(floatBytes: number, integerBytes: number): DataType | undefined {
  if (integerBytes === 8) return undefined;
  return floatBytes === 4 && integerBytes <= 2 ? { kind: 'Float32' } : float64;
}

function intervalSupertype(types: readonly DataType[]): DataType | undefined {
  const interval = types.find((type) => type.kind === 'Interval');
  return interval !== undefined &&
    types.every((type) => sameType(type, interval) || numericShape(type) !== undefined)
    ? interval
    : undefined;
}
