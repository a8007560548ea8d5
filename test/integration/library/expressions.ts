// Constant expressions whose answers must be ClickHouse's, and the few that may differ.

import { arrayExpressions } from './arrays.ts';
import { conditionExpressions } from './conditions.ts';
import { conversionExpressions } from './conversion.ts';
import { dateExpressions } from './dates.ts';
import { numberExpressions } from './numbers.ts';
import { regularExpressions } from './regular-expressions.ts';
import { stringExpressions } from './strings.ts';

export type ExpressionsByTopic = Readonly<Record<string, readonly string[]>>;

export const expressionsByTopic: ExpressionsByTopic = {
  ...numberExpressions,
  ...conditionExpressions,
  ...conversionExpressions,
  ...stringExpressions,
  ...regularExpressions,
  ...dateExpressions,
  ...arrayExpressions,
};

/** Each is explained in docs/differences.md. */
export const knownDifferences: ReadonlySet<string> = new Set<string>([
  // ClickHouse makes a Variant of types without a common one.
  String.raw`if(0,2,'a')`,
]);
