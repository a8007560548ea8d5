// What other engines (Doris, StarRocks, Roaring bitmaps in Spark and Postgres) call the functions of
// sets: only to say, of an unknown name, which function is meant.

const counterparts: ReadonlyMap<string, string> = new Map([
  ['bitmapcount', 'bitmapCardinality'],
  ['rbcardinality', 'bitmapCardinality'],
  ['bitmapsize', 'bitmapCardinality'],
  ['bitmapand', 'bitmapAnd'],
  ['bitmapintersection', 'bitmapAnd'],
  ['bitmapor', 'bitmapOr'],
  ['bitmapxor', 'bitmapXor'],
  ['bitmapnot', 'bitmapAndnot'],
  ['bitmapandnot', 'bitmapAndnot'],
  ['bitmapdifference', 'bitmapAndnot'],
  ['bitmapcontains', 'bitmapContains'],
  ['bitmaphasany', 'bitmapHasAny'],
  ['bitmaphasall', 'bitmapHasAll'],
  ['bitmapmin', 'bitmapMin'],
  ['bitmapmax', 'bitmapMax'],
  ['bitmaptoarray', 'bitmapToArray'],
  ['bitmapfromarray', 'bitmapBuild'],
  ['tobitmap', 'bitmapBuild'],
  ['bitmapandcount', 'bitmapAndCardinality'],
  ['bitmaporcount', 'bitmapOrCardinality'],
  ['bitmapxorcount', 'bitmapXorCardinality'],
  ['bitmapandnotcount', 'bitmapAndnotCardinality'],
  ['bitmapunion', 'groupBitmapMergeState'],
  ['bitmapintersect', 'groupBitmapAndState'],
  ['bitmapunioncount', 'groupBitmapMerge'],
  ['bitmapagg', 'groupBitmapState'],
]);

/** The function here that does what another engine's function of this name does. */
export function counterpartOf(name: string): string | undefined {
  return counterparts.get(name.toLowerCase().replaceAll('_', ''));
}
