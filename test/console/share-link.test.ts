import fc from 'fast-check';
import { expect, it } from 'vitest';
import { fragmentOf, textOfFragment } from '../../console/share-link.ts';

it('any text comes back from its link, which needs no escapes', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 200 }), (text) => {
      const fragment = fragmentOf(text);
      expect(fragment).toMatch(/^#[\w-]*$/);
      expect(textOfFragment(fragment)).toBe(text === '' ? undefined : text);
    }),
    { seed: 5, numRuns: 200 },
  );
});

it('what is no such link is nothing', () => {
  for (const fragment of ['', '#', '#%%%', '#/w', '#a']) {
    expect(textOfFragment(fragment)).toBeUndefined();
  }
});
