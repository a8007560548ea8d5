// Headers of input: which field of a row belongs to which column of the insert.

import { MusterError } from '../../base/errors.ts';
import { suggestion } from '../../base/nearest-name.ts';
import { decodeUtf8 } from '../../base/utf8.ts';
import { type DataType, formatType } from '../../storage-format/data-type.ts';
import { parseType } from '../../storage-format/data-type-parser.ts';
import type { InputBuilder } from './input-builder.ts';
import type { InputSettings } from './input-settings.ts';
import type { Target } from './row-reader.ts';

export interface FieldMap {
  /** Per field of a row; undefined: the field is skipped. */
  readonly fields: readonly (Target | undefined)[];
  /** Columns that no field gives. */
  readonly absent: readonly InputBuilder[];
}

export function fieldsInOrder(targets: readonly Target[]): FieldMap {
  return { fields: targets, absent: [] };
}

/** `names`: byte strings, in the order of the fields. */
export function fieldsByName(
  names: readonly string[],
  targets: readonly Target[],
  settings: InputSettings,
): FieldMap {
  const byName = new Map(targets.map((target) => [target.name, target]));
  const seen = new Set<string>();
  const fields = names.map((name, i) => {
    const target = byName.get(name);
    if (seen.has(name)) {
      throw new MusterError(
        'INCORRECT_DATA',
        `Duplicate field found while parsing format header: ${decodeUtf8(name)}`,
      );
    }
    seen.add(name);
    if (target === undefined && !settings.skipUnknownFields) throw unknownField(name, i, targets);
    return target;
  });
  const absent = targets.filter((target) => !seen.has(target.name));
  return { fields, absent: absent.map((target) => target.builder) };
}

/** Types in a header must be the columns' own. */
export function checkHeaderTypes(types: readonly string[], map: FieldMap): void {
  map.fields.forEach((target, i) => {
    const text = types[i];
    if (target === undefined || text === undefined) return;
    const found = formatType(parseType(decodeUtf8(text)));
    const expected = formatType(target.type);
    if (found === expected || found === formatType(withoutLowCardinality(target.type))) return;
    throw new MusterError(
      'INCORRECT_DATA',
      `Type of '${decodeUtf8(target.name)}' must be ${expected}, not ${found}`,
    );
  });
}

/** Whether a first row holds nothing but names of columns. */
export function looksLikeHeader(values: readonly string[], targets: readonly Target[]): boolean {
  const names = new Set(targets.map((target) => target.name));
  return values.length > 0 && values.every((value) => names.has(value));
}

function withoutLowCardinality(type: DataType): DataType {
  return type.kind === 'LowCardinality' ? type.inner : type;
}

function unknownField(name: string, index: number, targets: readonly Target[]): MusterError {
  const hint = suggestion(
    decodeUtf8(name),
    targets.map((target) => decodeUtf8(target.name)),
  );
  return new MusterError(
    'INCORRECT_DATA',
    `Unknown field found in format header: '${decodeUtf8(name)}' at position ${index}${hint}. ` +
      "Set the 'input_format_skip_unknown_fields' parameter explicitly to ignore and proceed",
  );
}
