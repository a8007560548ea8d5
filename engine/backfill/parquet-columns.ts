// What a Parquet file says of its columns; those that Muster has no type for are left out, since a
// backfill may well not want them.

import { MusterError } from '../../base/errors.ts';
import type { NamedType } from '../../storage-format/data-type.ts';
import type { RandomAccess } from '../files/random-access.ts';
import { ParquetFile } from '../formats/parquet/parquet-file.ts';
import { columnOfNode } from '../formats/parquet/parquet-schema.ts';

export async function parquetColumns(access: RandomAccess): Promise<readonly NamedType[]> {
  const file = await ParquetFile.open(access);
  return file.columns.flatMap((node): NamedType[] => {
    try {
      const { name, type } = columnOfNode(node);
      return [{ name, type }];
    } catch (error) {
      if (error instanceof MusterError && error.errorName === 'NOT_IMPLEMENTED') return [];
      throw error;
    }
  });
}
