// Scans whose rows' codes may stand for their ids in a statement: all sets of such ids that it reads must
// be of the same dictionary. A set of another one can still meet ids, and never codes.

import { groupingColumns, idColumn } from '../ddl/grouping.ts';
import type { DataType } from '../../storage-format/data-type.ts';
import { domainOfIds, type KeyDomain } from '../../storage-format/key-list.ts';
import type { Operator, Plan, ScannedTable } from './physical-plan.ts';

type Scan = Extract<Operator, { op: 'scan' }>;

/** An id space that sets of the statement are of. */
interface Space {
  readonly domain: KeyDomain;
  readonly name: string;
}

/** As the plan's scans hold them. */
export function codedTables(plan: Plan): ReadonlySet<ScannedTable> {
  const scans = plan.nodes.flatMap(({ operator }) => (operator.op === 'scan' ? [operator] : []));
  const spaces = scans.flatMap((scan) => [...setSpaces(scan), ...idSpace(scan)]);
  const isAlone = ({ domain, name }: Space) =>
    spaces.every((other) => other.domain !== domain || other.name === name);
  return new Set(scans.filter((scan) => idSpace(scan).some(isAlone)).map(({ table }) => table));
}

/** Tables grouped by columns give their sets as ids, which meet any others. */
function setSpaces({ table, columns }: Scan): readonly Space[] {
  if (groupingColumns(table.schema) !== undefined) return [];
  return columns.flatMap((at) => {
    const { type, dictionary } = table.schema.columns[at]!;
    if (type.kind !== 'Bitmap' || dictionary === undefined) return [];
    return [spaceOf(type.id, table.database, dictionary)];
  });
}

function idSpace({ table }: Scan): readonly Space[] {
  const { schema, idDictionary, database } = table;
  const column = schema.columns[idColumn(schema) ?? -1];
  if (column === undefined || idDictionary === undefined) return [];
  return [spaceOf(column.type, database, idDictionary)];
}

function spaceOf(id: DataType, database: string, dictionary: number): Space {
  return { domain: domainOfIds(id), name: `${dictionary} of ${database}` };
}
