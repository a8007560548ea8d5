// Who may ask: users by name, with the SHA-256 of their passwords. Without configured users there is
// `default` with an empty password, as in a fresh ClickHouse. Whoever is refused learns nothing but
// that: not whether there is such a user, and not by the time it took.

import { createHash, timingSafeEqual } from 'node:crypto';
import { MusterError } from '../base/errors.ts';
import type { User } from './serve-options.ts';

/** Bytes as the client sent them; a missing user is `default`. */
export interface Credentials {
  readonly user: string;
  readonly password: Uint8Array;
}

export interface Users {
  /** Somebody comes in without a password: then pages of other sites must stay outside. */
  readonly open: boolean;
  /** The user's name. AUTHENTICATION_FAILED (516). */
  authenticate(credentials: Credentials): string;
}

const emptyDigest = createHash('sha256').digest();

/** No users given: `default` without a password. BAD_ARGUMENTS for what is no SHA-256. */
export function openUsers(users: readonly User[]): Users {
  const digests = new Map(users.map((user) => [user.name, digestFrom(user)]));
  if (digests.size === 0) digests.set('default', emptyDigest);
  // Nobody's: that of an unknown user is compared too, so that it takes as long.
  const nobody = Buffer.alloc(emptyDigest.length);
  return {
    open: [...digests.values()].some((digest) => digest.equals(emptyDigest)),
    authenticate({ user, password }) {
      const name = user === '' ? 'default' : user;
      const known = digests.get(name);
      const same = timingSafeEqual(digestOf(password), known ?? nobody);
      if (same && known !== undefined) return name;
      throw new MusterError(
        'AUTHENTICATION_FAILED',
        `${name}: Authentication failed: password is incorrect, or there is no user with such name`,
      );
    },
  };
}

function digestOf(password: Uint8Array): Buffer {
  return password.length === 0 ? emptyDigest : createHash('sha256').update(password).digest();
}

function digestFrom({ name, sha256 }: User): Buffer {
  if (/^[0-9a-f]{64}$/i.test(sha256)) return Buffer.from(sha256, 'hex');
  throw new MusterError(
    'BAD_ARGUMENTS',
    `The sha256 of user ${name} must be the 64 hex digits of its password's SHA-256`,
  );
}
