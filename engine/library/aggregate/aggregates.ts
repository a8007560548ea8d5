// All plain aggregate functions. Those over sets (groupBitmap and its kin) are the planner's.

import type { AggregateFunction } from '../aggregate-function.ts';
import { bitAggregates } from './bit-aggregates.ts';
import { distinctAggregates } from './distinct.ts';
import { extremeAggregates } from './extremes.ts';
import { sumAverageFunctions } from './sum-average.ts';

export const aggregateFunctions: readonly AggregateFunction[] = [
  ...sumAverageFunctions,
  ...extremeAggregates,
  ...distinctAggregates,
  ...bitAggregates,
];
