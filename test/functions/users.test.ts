import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { openUsers } from '../../functions/users.ts';

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const bytes = (text: string) => Buffer.from(text, 'utf8');

describe('users', () => {
  const users = openUsers([
    { name: 'ada', sha256: sha256('pässword') },
    { name: 'bob', sha256: sha256('x').toUpperCase() },
  ]);

  it('those who are set up, with their passwords', () => {
    expect(users.authenticate({ user: 'ada', password: bytes('pässword') })).toBe('ada');
    expect(users.authenticate({ user: 'bob', password: bytes('x') })).toBe('bob');
    expect(users.open).toBe(false);
  });

  it('one refusal, whatever is wrong', () => {
    const messages = [
      ['ada', 'password'],
      ['ada', ''],
      ['', ''],
      ['default', ''],
      ['eve', 'x'],
    ].map(([user = '', password = '']) => {
      try {
        return users.authenticate({ user, password: bytes(password) });
      } catch (error) {
        return String(error).replace(/: \w+: /, ': ? ');
      }
    });
    expect(new Set(messages)).toEqual(
      new Set([
        'MusterError: ? Authentication failed: password is incorrect, or there is no user with such name',
      ]),
    );
  });

  it('without any: default, whose password is empty', () => {
    const nobody = openUsers([]);
    expect(nobody.open).toBe(true);
    expect(nobody.authenticate({ user: '', password: bytes('') })).toBe('default');
    expect(nobody.authenticate({ user: 'default', password: bytes('') })).toBe('default');
    expect(() => nobody.authenticate({ user: 'default', password: bytes('x') })).toThrow(/default/);
    expect(() => nobody.authenticate({ user: 'eve', password: bytes('') })).toThrow(/eve/);
  });

  it('an empty password among others leaves the door open', () => {
    expect(openUsers([{ name: 'a', sha256: sha256('') }]).open).toBe(true);
  });

  it('no SHA-256', () => {
    expect(() => openUsers([{ name: 'a', sha256: 'secret' }])).toThrow(/sha256 of user a/);
  });
});
