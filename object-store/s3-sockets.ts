// The connections to a store: kept alive between requests, as many as requests may be under way,
// and not trusted when they have been idle.
//
// An environment that was frozen wakes with sockets that the other side closed long ago, before the
// event loop has told us: idle ones are dropped by age before each request, by the wall clock too
// (a suspended machine's monotonic clock may have stood still), and all of them when one breaks.

import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { Duplex } from 'node:stream';
import type { Clock } from '../base/clock.ts';

/** Shorter than what stores and balancers allow (S3 closes after some 5 to 20 s). */
const idleMsMax = 4_000;

interface Moment {
  readonly monotonic: number;
  readonly wall: number;
}

export interface SocketCounts {
  readonly inUse: number;
  readonly idle: number;
  /** Requests that wait for a socket. */
  readonly queued: number;
}

export class S3Sockets {
  readonly http: HttpAgent;
  readonly https: HttpsAgent;
  readonly #clock: Clock;
  readonly #idleSince = new WeakMap<object, Moment>();

  constructor(max: number, clock: Clock) {
    this.#clock = clock;
    const options = { keepAlive: true, maxSockets: max, maxFreeSockets: max, timeout: idleMsMax };
    this.http = this.#watched(new HttpAgent(options));
    this.https = this.#watched(new HttpsAgent(options));
  }

  counts(): SocketCounts {
    const agents = [this.http, this.https];
    const sum = (of: 'sockets' | 'freeSockets' | 'requests') =>
      agents.flatMap((agent) => Object.values(agent[of])).reduce((n, all) => n + all!.length, 0);
    return { inUse: sum('sockets'), idle: sum('freeSockets'), queued: sum('requests') };
  }

  /** To be called before a request. */
  dropStale(): void {
    const now = this.#now();
    this.#drop((since) => {
      const idle = Math.max(now.monotonic - since.monotonic, now.wall - since.wall);
      return idle > idleMsMax;
    });
  }

  /** After one broke: the next request makes a connection of its own, with a fresh look-up. */
  dropIdle(): void {
    this.#drop(() => true);
  }

  close(): void {
    this.http.destroy();
    this.https.destroy();
  }

  #drop(condition: (since: Moment) => boolean): void {
    for (const agent of [this.http, this.https]) {
      for (const sockets of Object.values(agent.freeSockets)) {
        for (const socket of sockets ?? []) {
          const since = this.#idleSince.get(socket);
          if (since === undefined || condition(since)) socket.destroy();
        }
      }
    }
  }

  #watched<A extends HttpAgent>(agent: A): A {
    agent.on('free', (socket: Duplex) => this.#idleSince.set(socket, this.#now()));
    return agent;
  }

  #now(): Moment {
    return { monotonic: this.#clock.monotonic(), wall: this.#clock.now() };
  }
}
