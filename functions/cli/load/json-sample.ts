// The beginning of JSON lines, or of an array of objects: which fields there are, of which types.

import { isBitmap, type NamedColumn, suggestedType } from './column-types.ts';

const sampledObjects = 100;

export function isJsonSample(sample: string): boolean {
  return /^\ufeff?\s*(\{|\[\s*\{)/.test(sample);
}

/** Types are the table's for columns of the same name, else what the values suggest. */
export function jsonColumns(
  sample: string,
  columns: readonly NamedColumn[],
): readonly NamedColumn[] {
  const values = new Map<string, unknown[]>();
  for (const object of objectsOf(sample)) {
    for (const [name, value] of Object.entries(object)) {
      values.set(name, [...(values.get(name) ?? []), value]);
    }
  }
  return [...values].map(([name, given]) => {
    const known = columns.find((column) => column.name === name && !isBitmap(column.type));
    return { name, type: known?.type ?? typeOf(given) };
  });
}

function typeOf(values: readonly unknown[]): string {
  if (values.some(Array.isArray)) {
    return `Array(${typeOf(values.flat())})`;
  }
  if (values.every((value) => typeof value === 'boolean')) return 'Bool';
  return suggestedType(
    values.map((value) =>
      typeof value === 'string' || typeof value === 'number'
        ? String(value)
        : value === null
          ? ''
          : '{}',
    ),
  );
}

/** One a line; what is cut off or spans lines is left out. */
function objectsOf(sample: string): readonly Readonly<Record<string, unknown>>[] {
  const lines = sample
    .replace(/^\ufeff?\s*\[/, '')
    .split('\n')
    .slice(0, sampledObjects);
  return lines.flatMap((line) => {
    try {
      // Digits that a double can't hold are kept as text, as far as types are concerned.
      const exact = line
        .trim()
        .replace(/[,\]]+$/, '')
        .replace(/([:[,]\s*)(-?\d{16,})(?=\s*[,}\]])/g, '$1"$2"');
      const value: unknown = JSON.parse(exact);
      return isObject(value) ? [value] : [];
    } catch {
      return [];
    }
  });
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
