// Words with a meaning after an item or a table, where an alias without AS could stand: they are no
// aliases there. Lists as ClickHouse 26.7 has them (measured word by word).

import type { Token } from './token.ts';

const afterBoth =
  'ALL ANTI ANY ARRAY AS ASOF BETWEEN CROSS ELSE EXCEPT FORMAT FROM FULL GLOBAL GROUP HAVING ' +
  'ILIKE INNER INTERSECT INTO JOIN LEFT LIKE LIMIT NATURAL NOT OFFSET ON ONLY ORDER PASTE ' +
  'PREWHERE QUALIFY RIGHT SAMPLE SEMI SETTINGS UNION USING WHERE WINDOW WITH PARALLEL FETCH';
const notItemAliases = new Set(`${afterBoth} AND DIV FINAL IN MOD OR REGEXP STREAM`.split(' '));
/** FINAL and SAMPLE follow a table; a table alias can't be called so without AS. */
const notTableAliases = new Set(`${afterBoth} FINAL LOCAL SELECT STREAM`.split(' '));
/** Words that begin something where an operand is expected, or that no name may be. */
const openers = new Set(
  (
    'ALL CASE CAST COLUMNS DATE DISTINCT EXISTS EXTRACT FALSE FROM INF INFINITY INTERVAL NAN NOT ' +
    'NULL SELECT TIMESTAMP TOP TRUE WITH IS VALUES'
  ).split(' '),
);

export function isItemAlias(token: Token): boolean {
  return isAlias(token, notItemAliases);
}

export function isTableAlias(token: Token): boolean {
  return isAlias(token, notTableAliases);
}

/** Whether a bare word could be misread as a keyword somewhere, so that printing quotes it. */
export function isKeyword(word: string): boolean {
  const key = word.toUpperCase();
  return notItemAliases.has(key) || notTableAliases.has(key) || openers.has(key);
}

function isAlias(token: Token, refused: ReadonlySet<string>): boolean {
  return token.kind === 'quoted' || (token.kind === 'word' && !refused.has(token.key));
}
