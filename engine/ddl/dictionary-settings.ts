// Which dictionaries a new table's bitmap columns use: the `muster_` settings of CREATE TABLE, held
// against what the database's dictionaries have fixed. A contradiction names both sides.

import { MusterError } from '../../base/errors.ts';
import { decodeUtf8 } from '../../base/utf8.ts';
import type { DictionaryId, DictionarySchema, GroupRule } from '../../catalog/schema.ts';
import type { Snapshot } from '../../catalog/snapshot.ts';
import { type DataType, formatType } from '../../storage-format/data-type.ts';
import { domainOfIds, type KeyDomain } from '../../storage-format/key-list.ts';
import type { LiteralValue, Setting } from '../sql/ast.ts';
import { parseGroupBy } from './grouping.ts';

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
  /** Absent: by id. */
  readonly groupBy?: readonly string[];
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
  const groupBy: GroupRule =
    asked.groupBy === undefined ? { rule: 'id' } : { rule: 'columns', columns: asked.groupBy };
  if (domains.size === 0) {
    if (asked.dictionary !== undefined || asked.groups !== undefined || asked.groupBy) {
      throw new MusterError(
        'BAD_ARGUMENTS',
        'Settings muster_dictionary, muster_groups and muster_group_by need a column of type AggregateFunction(groupBitmap, ...), or muster_id_column: this table has none',
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
    const name = asked.dictionary ?? defaultName(domain, groupBy);
    const existing = [...snapshot.dictionaries.values()].find((known) => known.name === name);
    if (existing !== undefined) {
      checkRule(existing, groupBy);
      checkAgainst(existing, asked, domain);
      byDomain.set(domain, existing.id);
      continue;
    }
    const id = (snapshot.nextDictionaryId + created.length) as DictionaryId;
    const groups = asked.groups ?? groupsDefault;
    created.push({ ...fixedChoices, id, name, domain, groups, groupBy });
    byDomain.set(domain, id);
  }
  checkGroupCounts(groupBy, [...byDomain.values()], { snapshot, created });
  return { byDomain, created };
}

/** A row is whole in one group, of all dictionaries alike. */
function checkGroupCounts(
  groupBy: GroupRule,
  ids: readonly DictionaryId[],
  known: { readonly snapshot: Snapshot; readonly created: readonly DictionarySchema[] },
): void {
  if (groupBy.rule === 'id') return;
  const all = [...known.snapshot.dictionaries.values(), ...known.created];
  const used = all.filter(({ id }) => ids.includes(id));
  if (new Set(used.map(({ groups }) => groups)).size <= 1) return;
  throw new MusterError(
    'BAD_ARGUMENTS',
    `A table grouped by columns needs dictionaries of as many groups, but they have ${used.map(({ name, groups }) => `${name}: ${groups}`).join(', ')}`,
  );
}

/** What no statement can choose yet. */
const fixedChoices = { hashFunction: 1, valueEncoding: 1 } as const;

function defaultName(domain: KeyDomain, groupBy: GroupRule): string {
  const suffix = groupBy.rule === 'id' ? '' : `_by_${groupBy.columns.join('_')}`;
  return `default_${domain}${suffix}`;
}

function checkRule(existing: DictionarySchema, asked: GroupRule): void {
  if (ruleText(existing.groupBy) === ruleText(asked)) return;
  throw new MusterError(
    'BAD_ARGUMENTS',
    `Setting muster_group_by = '${ruleText(asked)}' contradicts dictionary '${existing.name}', which was created with muster_group_by = '${ruleText(existing.groupBy)}'; name another muster_dictionary`,
  );
}

function ruleText(groupBy: GroupRule): string {
  return groupBy.rule === 'id' ? 'id' : groupBy.columns.join(', ');
}

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
  let groupBy: readonly string[] | undefined;
  for (const setting of settings) {
    if (!setting.name.startsWith('muster_')) continue;
    if (setting.name === 'muster_dictionary') dictionary = dictionaryName(setting.value);
    else if (setting.name === 'muster_groups') groups = groupCount(setting.value);
    else if (setting.name === 'muster_group_by') groupBy = parseGroupBy(setting.value);
    else if (setting.name !== 'muster_id_column')
      throw new MusterError('UNKNOWN_SETTING', `Unknown setting '${setting.name}'`);
  }
  return {
    ...(dictionary === undefined ? {} : { dictionary }),
    ...(groups === undefined ? {} : { groups }),
    ...(groupBy === undefined ? {} : { groupBy }),
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
