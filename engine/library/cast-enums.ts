// Numbers and other enums to enums (texts go through the value parser; an enum's own numbers are an
// Int8 column already).

import { assert } from '../../base/assert.ts';
import { MusterError } from '../../base/errors.ts';
import { type Column, columnLength } from '../../storage-format/column.ts';
import type { DataType } from '../../storage-format/data-type.ts';
import { unknownElement } from '../values/value-parser.ts';
import { doubles } from './number-lanes.ts';

type EnumType = DataType & { readonly kind: 'Enum8' };

/** From numbers by value, from another enum by name. Throws 691 for what is no member. */
export function castToEnum(column: Column, from: DataType, to: EnumType): Column {
  if (from.kind === 'Enum8') return renumber(column, from, to);
  const known = new Set(to.members.map((member) => member.value));
  const numbers = doubles({ type: from, column, constant: false }, columnLength(column));
  for (const value of numbers) {
    if (!known.has(value)) {
      throw new MusterError('UNKNOWN_ELEMENT_OF_ENUM', `Unexpected value ${value} in enum`);
    }
  }
  return { kind: 'number', values: Int8Array.from(numbers) };
}

function renumber(column: Column, from: EnumType, to: EnumType): Column {
  assert(column.kind === 'number', 'enums are numbers');
  const byName = new Map(to.members.map((member) => [member.name, member.value]));
  const names = new Map(from.members.map((member) => [member.value, member.name]));
  const values = new Int8Array(column.values.length);
  for (let i = 0; i < values.length; i++) {
    const name = names.get(column.values[i] ?? 0) ?? '';
    const value = byName.get(name);
    if (value === undefined) throw unknownElement(to, name);
    values[i] = value;
  }
  return { kind: 'number', values };
}
