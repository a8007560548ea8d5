import { expect, it } from 'vitest';
import { consecutive } from '../../../../base/consecutive.ts';
import { groupsNeeded } from '../../../../engine/library/aggregate/group-count.ts';
import { isOneGroup, oneGroup } from '../../../../engine/library/aggregate/one-group.ts';

it('rows of one group are told from numbers that happen to be 0', () => {
  const early = oneGroup(3);
  expect([...early]).toEqual([0, 0, 0]);
  expect(oneGroup(100_000).length).toBe(100_000);
  expect([isOneGroup(early), isOneGroup(oneGroup(0)), isOneGroup(new Uint32Array(3))]).toEqual([
    true,
    true,
    false,
  ]);
});

it('groups needed are as many as a look at each row says', () => {
  const following = consecutive(5, 9);
  const view = new Uint32Array(following.buffer, following.byteOffset, following.length);
  const nothing = new Uint32Array(following.buffer, following.byteOffset, 0);
  for (const groups of [oneGroup(4), oneGroup(0), view, nothing, Uint32Array.of(2, 7, 1)]) {
    expect(groupsNeeded(groups)).toBe(groups.reduce((most, one) => Math.max(most, one + 1), 0));
  }
});
