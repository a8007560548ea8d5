// What a file's name says of its content: the format, and how it is packed.

import { MusterError } from '../../base/errors.ts';
import { formatsByEnding } from '../formats/file-endings.ts';

export type Packing = 'none' | 'gzip' | 'zstd' | 'lz4';

interface FileForm {
  /** ClickHouse's name. */
  readonly format: string;
  readonly packing: Packing;
}

const packings: Readonly<Record<string, Packing>> = {
  gz: 'gzip',
  gzip: 'gzip',
  zst: 'zstd',
  zstd: 'zstd',
  lz4: 'lz4',
};

const formats: Readonly<Record<string, string>> = {
  ...formatsByEnding,
  pq: 'Parquet',
  arrow: 'Arrow',
  feather: 'Arrow',
  ipc: 'Arrow',
  arrows: 'ArrowStream',
  native: 'Native',
  rowbinary: 'RowBinary',
};

/** `format`: what was asked for; it leaves the packing to the name. BAD_ARGUMENTS without either. */
export function formOfFile(name: string, format: string | undefined): FileForm {
  const endings = name.toLowerCase().split('/').at(-1)?.split('.').slice(1) ?? [];
  const packing = packings[endings.at(-1) ?? ''];
  const inner = packing === undefined ? endings.at(-1) : endings.at(-2);
  const named = format ?? formats[inner ?? ''];
  if (named === undefined) {
    throw new MusterError(
      'BAD_ARGUMENTS',
      `The name ${name} doesn't tell the file's format (.csv, .tsv, .jsonl, .parquet, .arrow, .native, .rowbinary, each also with .gz, .zst or .lz4): name one`,
    );
  }
  return { format: named, packing: packing ?? 'none' };
}
