// One attempt to create a head, followed to where its outcome is certain (SPEC.md, "Outcomes"). The
// body never changes while an earlier send of it may still land, and nothing is ever cleaned up.

import { MusterError } from '../base/errors.ts';
import type { CreateOutcome } from '../object-store/port.ts';
import type { CatalogIo, HeadChain } from './head-chain.ts';
import { headKey } from './keys.ts';
import type { CatalogVersion } from './schema.ts';
import { findCommitId } from './token-lookup.ts';

interface HeadAttempt {
  readonly version: CatalogVersion;
  readonly commitId: string;
  readonly body: Uint8Array;
  /** The store's Date when the replaced head, or one before it, was seen to be the newest. */
  readonly seenNewest: number;
  /** Absolute, by the clock; nothing is sent after it. */
  readonly deadline?: number;
  readonly io: CatalogIo;
}

/**
 * `won`: the head is ours; `date` is that of the reply to its creation, where that was the proof.
 * `lost`: another has its place. Throws UNKNOWN_STATUS_OF_INSERT where neither can be known, ABORTED
 * where it came late and is known not to be part of the chain.
 */
export type CreationOutcome =
  | { readonly outcome: 'won'; readonly date?: number }
  | { readonly outcome: 'lost' };

const pauseMs = 50;
const pauseMaxMs = 2_000;

/**
 * Sends the head until one outcome is certain, at most for `limits.doubtMs` or up to the deadline.
 * Requests: one PUT where it is won at once; a GET more where another head is there.
 */
export async function createHead(chain: HeadChain, attempt: HeadAttempt): Promise<CreationOutcome> {
  const { clock, limits } = chain.parts;
  const giveUpAt = clock.monotonic() + limits.doubtMs;
  let doubt: { readonly cause: unknown } | undefined;
  for (let tries = 0; ; tries++) {
    const over = attempt.deadline !== undefined && clock.now() > attempt.deadline;
    if (over || (tries > 0 && clock.monotonic() > giveUpAt)) {
      if (doubt !== undefined) return readBackOrUnknown(chain, attempt, doubt.cause);
      throw nothingLanded(chain, attempt, over);
    }
    const reply = await send(chain, attempt, doubt !== undefined);
    switch (reply.outcome) {
      case 'created':
        if (chain.isLate(reply.date, attempt.seenNewest)) return settleLate(chain, attempt);
        return { outcome: 'won', date: reply.date };
      case 'exists':
        return readBack(chain, attempt);
      case 'unknown':
        doubt = { cause: reply.cause };
        break;
      case 'conflict':
        break;
    }
    await clock.sleep(clock.random() * Math.min(pauseMaxMs, pauseMs * 2 ** Math.min(tries, 10)));
  }
}

/** A definite refusal is thrown on, unless an earlier send of the same body may yet land. */
async function send(
  chain: HeadChain,
  attempt: HeadAttempt,
  doubtful: boolean,
): Promise<CreateOutcome> {
  const { namespace } = chain.parts;
  try {
    return await attempt.io.store.create(headKey(namespace, attempt.version), attempt.body);
  } catch (cause) {
    if (cause instanceof MusterError && !doubtful) throw cause;
    return { outcome: 'unknown', cause };
  }
}

async function readBack(chain: HeadChain, attempt: HeadAttempt): Promise<CreationOutcome> {
  const found = await chain.readHead(attempt.version, attempt.io);
  if (found === undefined || chain.isLate(found.date, attempt.seenNewest))
    return settleLate(chain, attempt);
  return { outcome: found.head.commitId === attempt.commitId ? 'won' : 'lost' };
}

/** The list decides: the newest head's log says which commit made our version. */
async function settleLate(chain: HeadChain, attempt: HeadAttempt): Promise<CreationOutcome> {
  const newest = await chain.list(attempt.io);
  if (newest === undefined) throw unknownStatus(chain, attempt, 'the chain is gone');
  const commitId = await findCommitId(attempt.io.pages, newest, attempt.version);
  if (commitId === attempt.commitId) return { outcome: 'won' };
  if (commitId === undefined && attempt.version < newest.head.logFrom) {
    throw unknownStatus(chain, attempt, 'the commit log begins later');
  }
  throw new MusterError(
    'ABORTED',
    `commit ${attempt.commitId} came too late and was fenced off: version ${attempt.version} of ` +
      `namespace ${chain.parts.namespace} is another's; nothing of it is visible`,
  );
}

async function readBackOrUnknown(
  chain: HeadChain,
  attempt: HeadAttempt,
  cause: unknown,
): Promise<CreationOutcome> {
  const found = await chain.readHead(attempt.version, attempt.io).catch(() => undefined);
  if (found === undefined) throw unknownStatus(chain, attempt, cause);
  return readBack(chain, attempt);
}

function unknownStatus(chain: HeadChain, attempt: HeadAttempt, cause: unknown): MusterError {
  const { store, namespace } = chain.parts;
  return new MusterError(
    'UNKNOWN_STATUS_OF_INSERT',
    `commit ${attempt.commitId} of version ${attempt.version} of namespace ${namespace} in ` +
      `${store.id} has an unknown outcome: it may have happened, and nothing was deleted`,
    { cause },
  );
}

function nothingLanded(chain: HeadChain, attempt: HeadAttempt, over: boolean): MusterError {
  const what = `commit of version ${attempt.version} of namespace ${chain.parts.namespace}`;
  return over
    ? new MusterError('TIMEOUT_EXCEEDED', `${what} passed its deadline; nothing was written`)
    : new MusterError('UNFINISHED', `${what} met conflicts for too long; nothing was written`);
}
