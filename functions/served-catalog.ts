// The catalog as servers, functions and the command line open it: with the database in which
// statements run that name none, as in ClickHouse.

import type { Clock } from '../base/clock.ts';
import { openCatalog } from '../catalog/catalog.ts';
import type { Catalog } from '../catalog/port.ts';
import type { ObjectStore } from '../object-store/port.ts';

const databaseOfNamelessStatements = 'default';

/** Makes the database where it is missing: one look at the names, where it is there. */
export async function openServedCatalog(store: ObjectStore, clock: Clock): Promise<Catalog> {
  const catalog = await openCatalog(store, { clock });
  const known = await catalog.databases();
  if (!known.includes(databaseOfNamelessStatements)) {
    await catalog.createDatabase(databaseOfNamelessStatements);
  }
  return catalog;
}
