// The arguments of file(), s3() and url(), checked: what is asked for, never yet opened. What a
// request says in messages and plans is its `label`, which holds no credentials.
//
//   file(path [, format [, structure [, compression]]])
//   url(address [, format [, structure]])
//   s3(address [, NOSIGN | key id, secret [, session token]] [, format [, structure [, compression]]])

import { MusterError } from '../../base/errors.ts';
import type { NamedType } from '../../storage-format/data-type.ts';
import { formatsByEnding } from '../formats/file-endings.ts';
import { inputFormatNames } from '../formats/input-formats.ts';
import { outputFormat } from '../formats/output.ts';
import { parseStructure } from '../plan/input-structure.ts';

export type FileFunction = 'file' | 's3' | 'url';

export interface FileRequest {
  readonly function: FileFunction;
  /** A path, an address of S3 or a URL; may be a pattern. */
  readonly address: string;
  /** ClickHouse's name; absent: by the name's ending. */
  readonly format: string | undefined;
  readonly structure: readonly NamedType[] | undefined;
  readonly compression: Compression | undefined;
  readonly credentials: FileCredentials | undefined;
  readonly label: string;
}

export type FileCredentials =
  | 'anonymous'
  | {
      readonly accessKeyId: string;
      readonly secretAccessKey: string;
      readonly sessionToken?: string;
    };

export type Compression = 'none' | 'gzip' | 'brotli' | 'zstd';

export function isFileFunction(name: string): name is FileFunction {
  return name === 'file' || name === 's3' || name === 'url';
}

/** `words`: the arguments as texts, with the word NOSIGN as `undefined`. */
export function fileRequest(
  name: FileFunction,
  words: readonly (string | undefined)[],
): FileRequest {
  const [address, ...rest] = words;
  if (address === undefined || address === '') {
    throw new MusterError(
      'BAD_ARGUMENTS',
      `Table function ${name} takes an address as its first argument`,
    );
  }
  const keys = name === 's3' ? credentialsOf(rest) : { taken: 0, credentials: undefined };
  const [format, structure, compression, ...others] = rest.slice(keys.taken);
  if (others.length > 0) {
    throw new MusterError(
      'NUMBER_OF_ARGUMENTS_DOESNT_MATCH',
      `Table function ${name} has too many arguments`,
    );
  }
  return {
    function: name,
    address,
    format: format === undefined || format === 'auto' ? undefined : checkedFormat(format),
    structure:
      structure === undefined || structure === 'auto' ? undefined : parseStructure(structure),
    compression: compressionOf(compression),
    credentials: keys.credentials,
    label: `${name}('${withoutSecrets(address)}')`,
  };
}

interface Keys {
  readonly taken: number;
  readonly credentials: FileCredentials | undefined;
}

/** As ClickHouse: what is no format's name is a key. */
function credentialsOf(words: readonly (string | undefined)[]): Keys {
  const [first, secret, third] = words;
  if (words.length === 0) return { taken: 0, credentials: undefined };
  if (first === undefined) return { taken: 1, credentials: 'anonymous' };
  if (first === 'auto' || isFormat(first)) return { taken: 0, credentials: undefined };
  if (secret === undefined || isFormat(secret)) {
    throw new MusterError(
      'BAD_ARGUMENTS',
      'Table function s3: the second argument is neither a format nor, with a third one, an access key',
    );
  }
  const keys = { accessKeyId: first, secretAccessKey: secret };
  if (third === undefined || third === 'auto' || isFormat(third)) {
    return { taken: 2, credentials: keys };
  }
  return { taken: 3, credentials: { ...keys, sessionToken: third } };
}

function isFormat(word: string): boolean {
  if (word === 'Parquet' || inputFormatNames().includes(word)) return true;
  try {
    outputFormat(word);
    return true;
  } catch {
    return false;
  }
}

function checkedFormat(word: string): string {
  if (isFormat(word)) return word;
  // Says which name is near.
  return outputFormat(word).name;
}

function compressionOf(word: string | undefined): Compression | undefined {
  if (word === undefined || word === 'auto') return undefined;
  const known = compressions[word];
  if (known !== undefined) return known;
  throw new MusterError(
    'BAD_ARGUMENTS',
    `Compression '${word}' is not one of: none, gzip, br, zstd, auto`,
  );
}

const compressions: Readonly<Record<string, Compression | undefined>> = {
  none: 'none',
  gzip: 'gzip',
  gz: 'gzip',
  br: 'brotli',
  brotli: 'brotli',
  zstd: 'zstd',
  zst: 'zstd',
};

const endings: Readonly<Record<string, string | undefined>> = {
  ...formatsByEnding,
  pq: 'Parquet',
  arrow: 'Arrow',
};

/** By the ending: `a.csv.gz` is CSV in gzip. */
export function kindOfName(name: string): {
  readonly format: string | undefined;
  readonly compression: Compression;
} {
  const parts = (/[^/?#]*(?=[?#]|$)/.exec(name)?.[0] ?? name).toLowerCase().split('.').slice(1);
  const last = parts.at(-1) ?? '';
  const packed = last === 'none' ? undefined : compressions[last];
  const ending = packed === undefined ? last : (parts.at(-2) ?? '');
  return { format: endings[ending], compression: packed ?? 'none' };
}

/** An address without user, password and query. */
export function withoutSecrets(address: string): string {
  return address
    .replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/@]*@/i, '$1[HIDDEN]@')
    .replace(/\?(?=.*(?:sig|key|token|secret|password|credential)).*$/i, '?[HIDDEN]');
}
