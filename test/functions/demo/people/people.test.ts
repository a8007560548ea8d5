import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { generatePeople } from '../../../../functions/demo/people/people.ts';

function digest(people: number, seed: number): string {
  const made = generatePeople({ people, seed });
  const hash = createHash('sha256').update(made.ids);
  for (const table of made.tables) {
    for (const { scalars, members } of table.rows()) {
      hash.update(JSON.stringify(scalars)).update(members);
    }
  }
  return hash.digest('hex');
}

test('the same people on every machine and after every change of this code', () => {
  expect(digest(50_000, 7)).toBe(
    '52b39f642576e5262c7c3d13809daee7cff198137e7c28212dfdc5e7b5168c13',
  );
  expect(digest(1000, 1)).not.toBe(digest(1000, 2));
});

test('ids and members ascend, without repetition', () => {
  const { ids, tables } = generatePeople({ people: 5000, seed: 3 });
  expect(ids.every((id, i) => i === 0 || id > (ids[i - 1] ?? 0n))).toBe(true);
  for (const table of tables) {
    for (const { members } of table.rows()) {
      expect(members.every((person, i) => i === 0 || person > (members[i - 1] ?? 0))).toBe(true);
    }
  }
});
