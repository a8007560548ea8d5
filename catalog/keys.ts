// Every object key, formatted and parsed in this one file (SPEC.md, "Keys"). Keys hold ids and
// random hex alone: no name of a database, table or column ever becomes part of one, so that no
// name can steer a key out of its prefix or into somebody else's.

import { MusterError } from '../base/errors.ts';
import { objectKey } from '../object-store/object-key.ts';
import type { ObjectKey } from '../object-store/port.ts';
import type { CatalogVersion, NamespaceId } from './schema.ts';

/** The namespace that maps database names to namespace ids; its first head marks a store's root. */
export const rootNamespace = 0 as NamespaceId;

/** What a start-up probe that was killed may leave; nothing of the catalog's. */
export const startUpProbePrefix = 'probe/';

const versionCeiling = 2n ** 63n - 1n;
const invertedDigits = 16;
const randomIdPattern = /^[0-9a-f]{32}$/;
const dataNamePattern = /^[0-9a-f]{32}(?:-(?:0|[1-9][0-9]{0,3}))?$/;
const spillKeyPattern = /^spill\/(?:0|[1-9][0-9]*)\/[0-9a-f]{32}$/;
const headKeyPattern = /^catalog\/(0|[1-9][0-9]*)\/heads\/([0-9a-f]{16})$/;

/** Ascending keys are descending versions: a list of one key finds the newest. */
export function headKey(namespace: NamespaceId, version: CatalogVersion): ObjectKey {
  const inverted = (versionCeiling - BigInt(version)).toString(16).padStart(invertedDigits, '0');
  return objectKey(`${headPrefix(namespace)}${inverted}`);
}

export function headPrefix(namespace: NamespaceId): string {
  return `catalog/${namespace}/heads/`;
}

/** Undefined where the key is not a head's. */
export function parseHeadKey(
  key: ObjectKey,
): { readonly namespace: NamespaceId; readonly version: CatalogVersion } | undefined {
  const match = headKeyPattern.exec(key);
  if (match?.[1] === undefined || match[2] === undefined) return undefined;
  const version = versionCeiling - BigInt(`0x${match[2]}`);
  if (version < 1n || version > BigInt(Number.MAX_SAFE_INTEGER)) return undefined;
  return {
    namespace: Number(match[1]) as NamespaceId,
    version: Number(version) as CatalogVersion,
  };
}

export function pageKey(namespace: NamespaceId, pageId: string): ObjectKey {
  return objectKey(`catalog/${namespace}/pages/${checkedRandomId(pageId)}`);
}

/** `object`: a `PartPlace.object`, 32 hex digits and perhaps `-<group>`. */
export function dataKey(namespace: NamespaceId, object: string): ObjectKey {
  return objectKey(`data/${namespace}/${checkedDataName(object)}`);
}

/** Batches and replies too big to send; swept after a day. */
export function spillKey(namespace: NamespaceId, spillId: string): ObjectKey {
  return objectKey(`spill/${namespace}/${checkedRandomId(spillId)}`);
}

/** A spilled object's key as a message brings it: nothing else of the store may be read through it. */
export function parseSpillKey(text: string): ObjectKey {
  if (!spillKeyPattern.test(text)) throw illegalName('spilled object', text);
  return objectKey(text);
}

/** The name of a data object: a fresh random id, with the group where each group has its own. */
export function dataName(randomId: string, group?: number): string {
  return checkedDataName(group === undefined ? randomId : `${randomId}-${group}`);
}

/** The random id and the group of a data object's name. */
export function parseDataName(object: string): { readonly id: string; readonly group?: number } {
  const name = checkedDataName(object);
  const id = name.slice(0, 32);
  return name.length === 32 ? { id } : { id, group: Number(name.slice(33)) };
}

function checkedDataName(object: string): string {
  if (!dataNamePattern.test(object)) throw illegalName('data object', object);
  return object;
}

function checkedRandomId(id: string): string {
  if (!randomIdPattern.test(id)) throw illegalName('id', id);
  return id;
}

function illegalName(what: string, text: string): MusterError {
  return new MusterError(
    'BAD_ARGUMENTS',
    `${what} ${JSON.stringify(text)} must be 32 lower-case hex digits from the random source`,
  );
}
