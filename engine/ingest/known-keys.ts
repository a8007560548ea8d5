// What an insert has found out about its ids, attempt by attempt. Codes never change and are never given
// again, so after a lost race only ids that were unknown are looked up, and only among codes given since.

import type { KeyList } from '../../storage-format/key-list.ts';
import type { DictionaryRef } from '../batch/batch.ts';
import type { DictionaryReader, FoundKeys } from '../dictionary/dictionary-reader.ts';
import { selectKeys } from '../dictionary/key-selection.ts';

interface Attempt {
  readonly found: FoundKeys;
  /** Of the dictionary as it was looked at. */
  readonly namespace: number;
  readonly dictionary: number;
  readonly nextCodes: readonly number[];
}

const attempts = new WeakMap<KeyList, Attempt>();

export interface EncodeRequest {
  readonly reader: DictionaryReader;
  readonly ref: DictionaryRef;
  readonly namespace: number;
  readonly group: number | undefined;
}

/** As DictionaryReader.encode. `keys`: the same object in every attempt. */
export async function encodeAgain(keys: KeyList, request: EncodeRequest): Promise<FoundKeys> {
  const { ref, namespace, reader, group } = request;
  const options = group === undefined ? {} : { group };
  const before = attempts.get(keys);
  const known = before?.namespace === namespace && before.dictionary === ref.dictionary;
  const found =
    known && before !== undefined
      ? await encodeRest(keys, request, before)
      : await reader.encode(keys, ref, options);
  const { dictionary, nextCodes } = ref;
  attempts.set(keys, { found, namespace, dictionary, nextCodes });
  return found;
}

async function encodeRest(
  keys: KeyList,
  { ref, reader, group }: EncodeRequest,
  before: Attempt,
): Promise<FoundKeys> {
  const since = ref.segments.filter(
    (segment) => segment.base + segment.count > (before.nextCodes[segment.group] ?? 0),
  );
  const open: number[] = [];
  before.found.known.forEach((is, i) => is === 0 && open.push(i));
  if (since.length === 0 || open.length === 0) return before.found;
  const rest = selectKeys(keys, Uint32Array.from(open));
  const options = group === undefined ? {} : { group };
  const now = await reader.encode(rest, { ...ref, segments: since }, options);
  const codes = before.found.codes.slice();
  const known = before.found.known.slice();
  open.forEach((at, i) => {
    codes[at] = now.codes[i] as number;
    known[at] = now.known[i] as number;
  });
  return { groups: before.found.groups, codes, known };
}
