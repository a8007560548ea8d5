// What every output format gets: columns, rows and settings. Pieces of text (byte strings) come out.

import type { NamedType } from '../../storage-format/data-type.ts';
import type { QueryStatistics, ResultBlock } from '../query.ts';
import type { OutputSettings } from './output-settings.ts';

export interface OutputOptions {
  /** As the client sent them. */
  readonly settings: ReadonlyMap<string, string>;
  /** Documents say it; without it they say nothing was read. */
  readonly statistics?: QueryStatistics;
  readonly rowsBeforeLimit?: number;
}

export type Header = 'none' | 'names' | 'names-and-types';

export interface OutputInput {
  readonly columns: readonly NamedType[];
  readonly block: ResultBlock;
  readonly settings: OutputSettings;
  readonly options: OutputOptions;
  readonly header: Header;
}
