import { expect, it } from 'vitest';
import { membersMax, refuseTooMany } from '../../storage-format/members-max.ts';

it('refuses more members than the most, and says what to do', () => {
  refuseTooMany(membersMax);
  expect(() => refuseTooMany(membersMax + 1)).toThrow(
    /a set of 134217729 members: at most 134217728 .* give it as several/,
  );
});
