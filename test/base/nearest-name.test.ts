import { expect, it } from 'vitest';
import { nearestName, suggestion } from '../../base/nearest-name.ts';

it.each([
  ['lable', 'label'],
  ['valeu', 'value'],
  ['userz', 'users'],
  ['Label', 'label'],
  ['bitmapCardinalty', 'bitmapCardinality'],
])('%s is a slip of %s', (slip, name) => {
  expect(nearestName(slip, ['value', 'users', 'label', 'bitmapCardinality'])).toBe(name);
});

it('does not guess where nothing is near', () => {
  expect(nearestName('foo', ['label', 'value'])).toBeUndefined();
  expect(suggestion('foo', ['label'])).toBe('');
  expect(suggestion('lable', ['label'])).toBe(". Maybe you meant: ['label']");
});
