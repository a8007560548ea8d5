import { expect, it } from 'vitest';
import { aggregateNames } from '../../../engine/plan/bind-aggregate.ts';
import { counterpartOf } from '../../../engine/plan/foreign-names.ts';
import { isSetFunction } from '../../../engine/plan/set-functions.ts';

it.each([
  ['bitmapCount', 'bitmapCardinality'],
  ['bitmap_count', 'bitmapCardinality'],
  ['bitmap_and', 'bitmapAnd'],
  ['BITMAP_UNION_COUNT', 'groupBitmapMerge'],
  ['rb_cardinality', 'bitmapCardinality'],
  ['bitmap_to_array', 'bitmapToArray'],
  ['bitmap_intersect', 'groupBitmapAndState'],
  ['bitmap_and_not_count', 'bitmapAndnotCardinality'],
  ['to_bitmap', 'bitmapBuild'],
])('%s is %s here', (foreign, ours) => {
  expect(counterpartOf(foreign)).toBe(ours);
  expect(isSetFunction(ours) || aggregateNames().includes(ours)).toBe(true);
});

it('knows nothing of other names', () => {
  expect(counterpartOf('upperr')).toBeUndefined();
});
