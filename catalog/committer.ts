// Commits to one namespace: proposals of this process queue behind one head at a time, and those
// that fit go into it together (SPEC.md, "Commit"). Proposals are made outside the queue, so that a
// slow one holds nobody up; those that must be made again are made one after another, so that they
// do not make each other stale for ever.

import { MusterError } from '../base/errors.ts';
import type { CommitBatch } from './batch-change.ts';
import type { CatalogState } from './catalog-state.ts';
import { type AnyProposal, addProposal, type BatchOutcome, emptyBatch } from './commit-batch.ts';
import type { CatalogIo, HeadChain } from './head-chain.ts';
import { type CreationOutcome, createHead } from './head-creation.ts';
import { HeadBuilder, type NextHead } from './next-head.ts';

interface StateRequest {
  propose(state: CatalogState, attempt: number): Promise<AnyProposal | undefined>;
  readonly deadline?: number;
  readonly signal?: AbortSignal;
  /** Whose requests these are; of a head that says several commits, the first one's. */
  readonly io?: CatalogIo;
}

interface StateCommit {
  readonly state: CatalogState;
  readonly lostRaces: number;
}

interface Made {
  readonly base: CatalogState;
  readonly proposal: AnyProposal | undefined;
}

type MemberEnd = 'committed' | 'stale';

interface Member {
  readonly request: StateRequest;
  readonly proposal: AnyProposal;
  /** What the proposal was made for. */
  readonly base: CatalogState;
  lostRaces: number;
  readonly end: (end: MemberEnd) => void;
  readonly fail: (error: unknown) => void;
}

/** One head says at most so many commits: a bound of its size. */
const membersMax = 64;
const pauseMs = 20;
const pauseMaxMs = 1_000;

/** One for each namespace and process: its queue is what puts commits together. */
export class Committer {
  readonly #chain: HeadChain;
  readonly #builder: HeadBuilder;
  #queue: Member[] = [];
  #draining = false;
  #reproposing: Promise<unknown> = Promise.resolve();

  constructor(chain: HeadChain) {
    this.#chain = chain;
    this.#builder = new HeadBuilder(chain.parts);
  }

  /** See commit.ts. Alone and without a race: one PUT, and no other request. */
  async commit(request: StateRequest): Promise<StateCommit> {
    let lostRaces = 0;
    const attempt = async (number: number): Promise<StateCommit | undefined> => {
      const made = await this.#propose(request, number);
      if (made.proposal === undefined) return { state: made.base, lostRaces };
      const ended = await this.#enqueue(request, { ...made, proposal: made.proposal, lostRaces });
      lostRaces = ended.lostRaces;
      if (ended.end === 'stale') return undefined;
      return { state: this.#known(), lostRaces };
    };
    const first = await attempt(0);
    return first ?? this.#oneByOne(attempt);
  }

  async #oneByOne(
    attempt: (number: number) => Promise<StateCommit | undefined>,
  ): Promise<StateCommit> {
    const before = this.#reproposing;
    const run = async (): Promise<StateCommit> => {
      await before;
      for (let number = 1; ; number++) {
        const done = await attempt(number);
        if (done !== undefined) return done;
      }
    };
    const running = run();
    this.#reproposing = running.catch(() => undefined);
    return running;
  }

  /** Giving up, by undefined or by a throw, is believed only of a state that was the newest. */
  async #propose(request: StateRequest, attempt: number): Promise<Made> {
    const known = this.#chain.known;
    const base = known ?? (await this.#chain.refresh(request.io));
    checkTime(request, this.#chain);
    let made: Made;
    try {
      made = { base, proposal: await request.propose(base, attempt) };
      if (made.proposal !== undefined || known === undefined) return made;
    } catch (error) {
      if (known === undefined || (await this.#chain.refresh(request.io)) === base) throw error;
      return this.#propose(request, attempt);
    }
    return (await this.#chain.refresh(request.io)) === base
      ? made
      : this.#propose(request, attempt);
  }

  #enqueue(
    request: StateRequest,
    made: Pick<Member, 'base' | 'proposal' | 'lostRaces'>,
  ): Promise<{ readonly end: MemberEnd; readonly lostRaces: number }> {
    return new Promise((resolve, reject) => {
      const member: Member = {
        ...made,
        request,
        end: (end) => resolve({ end, lostRaces: member.lostRaces }),
        fail: reject,
      };
      this.#queue.push(member);
      if (this.#draining) return;
      this.#draining = true;
      void this.#drain();
    });
  }

  async #drain(): Promise<void> {
    // Those that became ready in the same turn go together.
    await Promise.resolve();
    let lostInARow = 0;
    while (this.#queue.length > 0) {
      const members = this.#queue.splice(0, membersMax);
      try {
        lostInARow = (await this.#commitTogether(members)) ? 0 : lostInARow + 1;
        if (lostInARow > 0) await this.#pause(lostInARow);
      } catch (error) {
        for (const member of members) member.fail(error);
      }
    }
    this.#draining = false;
  }

  /** One head. False where the race was lost: its members are first in the queue again. */
  async #commitTogether(members: readonly Member[]): Promise<boolean> {
    const chain = this.#chain;
    const { clock } = chain.parts;
    const state = this.#known();
    const seenNewest = chain.seenNewest;
    const date = Math.max(state.head.date, Math.floor(seenNewest));
    const { batch, added, stale } = await this.#gather(
      emptyBatch(state, { commitId: clock.randomId(), date }),
      members,
    );
    if (added.length > 0) {
      const io = ioOf(added, chain);
      const next = await this.#settle(added, () => this.#builder.build(batch, io));
      if (next === undefined) return this.#endStale(stale);
      const outcome = await this.#settle(added, () => this.#create(batch, next, seenNewest, added));
      if (outcome?.outcome === 'lost') {
        await chain.refresh(io);
        this.#requeue(added);
        this.#endStale(stale);
        return false;
      }
      if (outcome?.outcome === 'won') {
        chain.adopt(next.state, outcome.date);
        for (const member of added) member.end('committed');
      }
    }
    return this.#endStale(stale);
  }

  async #gather(empty: CommitBatch, members: readonly Member[]) {
    let batch = empty;
    const added: Member[] = [];
    const stale: Member[] = [];
    for (const [i, member] of members.entries()) {
      const outcome = await this.#check(batch, member);
      switch (outcome?.outcome) {
        case 'added':
          batch = outcome.batch;
          added.push(member);
          break;
        case 'known':
          member.end('committed');
          break;
        case 'wait':
          this.#queue.unshift(...members.slice(i));
          return { batch, added, stale };
        case 'stale':
          if (outcome.misfit && batch === empty && member.base === empty.state) {
            member.fail(new Error(`a proposal does not fit its own head: ${outcome.reason}`));
          } else stale.push(member);
          break;
        case undefined:
          break;
      }
    }
    return { batch, added, stale };
  }

  async #check(batch: CommitBatch, member: Member): Promise<BatchOutcome | undefined> {
    try {
      checkTime(member.request, this.#chain);
      return await addProposal(batch, member.proposal, ioOf([member], this.#chain).pages);
    } catch (error) {
      member.fail(error);
      return undefined;
    }
  }

  #create(
    batch: CommitBatch,
    next: NextHead,
    seenNewest: number,
    members: readonly Member[],
  ): Promise<CreationOutcome> {
    const { version, commitId } = batch.record;
    const deadlines = members.map(({ request }) => request.deadline ?? Infinity);
    const deadline = Math.max(...deadlines);
    return createHead(this.#chain, {
      version,
      commitId,
      body: next.body,
      seenNewest,
      io: ioOf(members, this.#chain),
      ...(deadline === Infinity ? {} : { deadline }),
    });
  }

  /** The work's error is the error of every member. */
  async #settle<T>(members: readonly Member[], work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      for (const member of members) member.fail(error);
      return undefined;
    }
  }

  #requeue(members: readonly Member[]): void {
    const { lostRacesMax } = this.#chain.parts.limits;
    for (const member of members) member.lostRaces++;
    const tired = members.filter((member) => member.lostRaces > lostRacesMax);
    for (const member of tired) {
      const message = `lost ${member.lostRaces} races for the next head; nothing was written`;
      member.fail(new MusterError('UNFINISHED', message));
    }
    this.#queue.unshift(...members.filter((member) => !tired.includes(member)));
  }

  #endStale(members: readonly Member[]): true {
    for (const member of members) member.end('stale');
    return true;
  }

  #known(): CatalogState {
    const { known } = this.#chain;
    if (known === undefined) throw new Error('commits begin from a known head');
    return known;
  }

  async #pause(lostInARow: number): Promise<void> {
    const { clock } = this.#chain.parts;
    const longest = Math.min(pauseMaxMs, pauseMs * 2 ** Math.min(lostInARow - 1, 10));
    await clock.sleep(clock.random() * longest);
  }
}

function ioOf(members: readonly Member[], chain: HeadChain): CatalogIo {
  return members[0]?.request.io ?? chain.parts;
}

function checkTime({ signal, deadline }: StateRequest, chain: HeadChain): void {
  if (signal?.aborted === true) {
    throw new MusterError('QUERY_WAS_CANCELLED', 'the commit was cancelled; nothing was written');
  }
  if (deadline !== undefined && chain.parts.clock.now() > deadline) {
    throw new MusterError(
      'TIMEOUT_EXCEEDED',
      'the commit passed its deadline; nothing was written',
    );
  }
}
