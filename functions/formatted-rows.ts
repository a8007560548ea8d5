// The rows of an answer in the format that its statement names, or else in the caller's: what HTTP and
// the command line hand on.

import { formatResult, outputFormat } from '../engine/formats/output.ts';
import type { QueryResult } from '../engine/query.ts';

type RowsResult = Extract<QueryResult, { readonly kind: 'rows' }>;

interface FormattedRows {
  /** The format's full name. */
  readonly format: string;
  readonly contentType: string;
  readonly chunks: Iterable<Uint8Array>;
}

/** Throws before the first chunk where format or settings are wrong. */
export function formattedRows(
  result: RowsResult,
  asked: { readonly format: string; readonly settings: ReadonlyMap<string, string> },
): FormattedRows {
  const { name, contentType } = outputFormat(result.format ?? asked.format);
  const { statistics, rowsBeforeLimit } = result;
  const chunks = formatResult(name, result, {
    settings: new Map([...asked.settings, ...(result.settings ?? [])]),
    statistics,
    ...(rowsBeforeLimit === undefined ? {} : { rowsBeforeLimit }),
  });
  return { format: name, contentType, chunks };
}
