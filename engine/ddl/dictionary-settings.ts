// Which dictionaries a new table's bitmap columns use: the `muster_` settings of CREATE TABLE, held
// against what the database's dictionaries have fixed. A contradiction names both sides.

import { MusterError } from '../../base/errors.ts';
import { decodeUtf8 } from '../../base/utf8.ts';
import type { DictionaryId, DictionarySchema } from '../../catalog/schema.ts';
import type { Snapshot } from '../../catalog/snapshot.ts';
import { type DataType, formatType } from '../../storage-format/data-type.ts';
import { domainOfIds, type KeyDomain } from '../../storage-format/key-list.ts';
import type { LiteralValue, Setting } from '../sql/ast.ts';

const groupsDefault = 4;
const groupsMax = 4096;

export interface DictionaryChoice {
  /** Dictionary of each key domain that the table's bitmap columns need. */
  readonly byDomain: ReadonlyMap<KeyDomain, DictionaryId>;
  /** Those that do not exist yet. */
  readonly created: readonly DictionarySchema[];
}

interface DictionarySettings {
  readonly dictionary?: string;
  readonly groups?: number;
}

/** The key domain of a bitmap's ids; throws 43 for types that can't be ids, 48 for later ones. */
export function keyDomainOf(id: DataType): KeyDomain {
  if (/^U?Int(8|16|32|64)$/.test(id.kind)) return 'integer';
  if (id.kind === 'String' || id.kind === 'UUID') return domainOfIds(id);
  throw new MusterError(
    'ILLEGAL_TYPE_OF_ARGUMENT',
    `Illegal type ${formatType(id)} of argument for aggregate function groupBitmap: ids are integers of 8 to 64 bits, String or UUID`,
  );
}

/** Chooses, and where needed makes, the dictionaries of a table with these key domains. */
export function chooseDictionaries(
  snapshot: Snapshot,
  settings: readonly Setting[],
  domains: ReadonlySet<KeyDomain>,
): DictionaryChoice {
  const asked = readDictionarySettings(settings);
  if (domains.size === 0) {
    if (asked.dictionary !== undefined || asked.groups !== undefined) {
      throw new MusterError(
        'BAD_ARGUMENTS',
        'Settings muster_dictionary and muster_groups need a column of type AggregateFunction(groupBitmap, ...): this table has none',
      );
    }
    return { byDomain: new Map(), created: [] };
  }
  if (asked.dictionary !== undefined && domains.size > 1) {
    throw new MusterError(
      'BAD_ARGUMENTS',
      `Setting muster_dictionary = '${asked.dictionary}' names one id space, but the table's bitmap columns have ids of two domains: ${[...domains].join(' and ')}`,
    );
  }
  const byDomain = new Map<KeyDomain, DictionaryId>();
  const created: DictionarySchema[] = [];
  for (const domain of domains) {
    const name = asked.dictionary ?? `default_${domain}`;
    const existing = [...snapshot.dictionaries.values()].find((known) => known.name === name);
    if (existing !== undefined) {
      checkAgainst(existing, asked, domain);
      byDomain.set(domain, existing.id);
      continue;
    }
    const id = (snapshot.nextDictionaryId + created.length) as DictionaryId;
    const groups = asked.groups ?? groupsDefault;
    created.push({ ...fixedChoices, id, name, domain, groups });
    byDomain.set(domain, id);
  }
  return { byDomain, created };
}

/** What no statement can choose yet. */
const fixedChoices = { groupBy: { rule: 'id' }, hashFunction: 1, valueEncoding: 1 } as const;

function checkAgainst(
  existing: DictionarySchema,
  asked: DictionarySettings,
  domain: KeyDomain,
): void {
  if (existing.domain !== domain) {
    throw new MusterError(
      'BAD_ARGUMENTS',
      `Dictionary '${existing.name}' holds ids of domain ${existing.domain}, but the table's bitmap column has ids of domain ${domain}`,
    );
  }
  if (asked.groups !== undefined && asked.groups !== existing.groups) {
    throw new MusterError(
      'BAD_ARGUMENTS',
      `Setting muster_groups = ${asked.groups} contradicts dictionary '${existing.name}', which was created with muster_groups = ${existing.groups}; leave the setting out, or name another muster_dictionary`,
    );
  }
}

function readDictionarySettings(settings: readonly Setting[]): DictionarySettings {
  let dictionary: string | undefined;
  let groups: number | undefined;
  for (const setting of settings) {
    if (!setting.name.startsWith('muster_')) continue;
    if (setting.name === 'muster_dictionary') dictionary = dictionaryName(setting.value);
    else if (setting.name === 'muster_groups') groups = groupCount(setting.value);
    else if (setting.name === 'muster_group_by') checkGroupBy(setting.value);
    else if (setting.name === 'muster_id_column') {
      throw new MusterError('NOT_IMPLEMENTED', 'Setting muster_id_column is not supported yet');
    } else throw new MusterError('UNKNOWN_SETTING', `Unknown setting '${setting.name}'`);
  }
  return {
    ...(dictionary === undefined ? {} : { dictionary }),
    ...(groups === undefined ? {} : { groups }),
  };
}

function dictionaryName(value: LiteralValue): string {
  const text = value.kind === 'string' ? decodeUtf8(value.value) : '';
  if (text !== '' && text.length <= 200) return text;
  throw new MusterError(
    'BAD_ARGUMENTS',
    'Setting muster_dictionary takes a name of 1 to 200 characters in quotes',
  );
}

function groupCount(value: LiteralValue): number {
  const count = value.kind === 'integer' ? Number(value.value) : Number.NaN;
  if (Number.isInteger(count) && count >= 1 && count <= groupsMax) return count;
  throw new MusterError(
    'BAD_ARGUMENTS',
    `Setting muster_groups takes a whole number from 1 to ${groupsMax}`,
  );
}

function checkGroupBy(value: LiteralValue): void {
  if (value.kind === 'string' && value.value === 'id') return;
  throw new MusterError('NOT_IMPLEMENTED', "Setting muster_group_by: only 'id' is supported yet");
}
