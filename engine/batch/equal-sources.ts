// Sources of a batch that are the same stripes: a table that is joined with itself is scanned twice,
// and sets of both scans are the same sets.

import type { Batch, SetColumn, StripeSource } from './batch.ts';

/** The columns with each source named as the first that is equal to it. */
export function overFirstSources({ sets, sources }: Batch): readonly SetColumn[] {
  if (sources.length < 2) return sets;
  const first = sources.map((source) => sources.findIndex((other) => isSame(source, other)));
  return sets.map((column) =>
    column.op === 'stored' ? { ...column, source: first[column.source] ?? column.source } : column,
  );
}

function isSame(a: StripeSource, b: StripeSource): boolean {
  if (a === b) return true;
  if (a.groups !== b.groups || a.stripes.length !== b.stripes.length) return false;
  return a.stripes.every((stripe, i) => {
    const other = b.stripes[i];
    if (other === undefined || stripe === other) return stripe === other;
    const isPart = stripe.parts.length === other.parts.length && stripe.rows === other.rows;
    return isPart && stripe.parts.every((part, p) => isSamePart(part, other.parts[p]));
  });
}

type Part = StripeSource['stripes'][number]['parts'][number];

function isSamePart(a: Part, b: Part | undefined): boolean {
  return a.object === b?.object && a.offset === b.offset;
}
