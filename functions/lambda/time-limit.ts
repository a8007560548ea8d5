// The time that Lambda leaves a call, as every statement's own limit: what waits for throttled workers
// then gives up with a refusal that says so, and workers stop by the deadline of their batch, before
// the call as a whole is cut off. An environment has one call at a time.

import type { Clock } from '../../base/clock.ts';
import type { QueryEngine } from '../query-engine.ts';
import { answerMsMax } from './function-call.ts';

/** For the answer, and as much again: the call as a whole keeps so much for itself. */
const marginMsMax = 2 * answerMsMax;

export class TimeLimit {
  readonly #clock: Clock;
  #endsAt = Number.POSITIVE_INFINITY;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** A call begins that may take so long. */
  begin(leftMs: number): void {
    this.#endsAt = this.#clock.monotonic() + leftMs - Math.min(marginMsMax, leftMs / 3);
  }

  /** A longer or missing max_execution_time becomes what is left; one in the statement itself stays. */
  over(engine: QueryEngine): QueryEngine {
    return {
      execute: async (request) => {
        const left = (this.#endsAt - this.#clock.monotonic()) / 1000;
        const asked = Number(request.settings.get(name) ?? 0);
        if (left === Number.POSITIVE_INFINITY || (asked > 0 && asked <= left)) {
          return await engine.execute(request);
        }
        const limit = Math.max(0.001, left).toFixed(3);
        const settings = new Map(request.settings).set(name, limit);
        return await engine.execute({ ...request, settings });
      },
    };
  }
}

const name = 'max_execution_time';
