// Rows on their way into a table: plain columns as they are, bitmap columns as lists of ids.

import type { Column } from '../../storage-format/column.ts';
import type { IdLists } from '../batch/id-lists.ts';
import type { GivenLists } from '../batch/sorted-lists.ts';

export type InsertColumn = Column | SetInsertColumn;

export type SetInsertColumn =
  | { readonly kind: 'ids'; readonly ids: IdLists }
  /** As a format or rows give them: who takes them interns them, once. */
  | { readonly kind: 'lists'; readonly lists: GivenLists };

/** At most 65,536 rows where the source can choose; columns in the order of the insert. */
export interface InsertBlock {
  readonly rows: number;
  readonly columns: readonly InsertColumn[];
}
