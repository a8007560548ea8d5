// Requests as bytes on a connection: nothing between the test and the server.

import { request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'vitest';
import { systemClock } from '../../../base/clock.ts';
import { type EdgeOptions, HttpEdge } from '../../../functions/http/edge.ts';
import { listen } from '../../../functions/listen.ts';
import { ScriptedEngine } from './scripted-engine.ts';

interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
  readonly text: string;
  /** The connection broke before the answer's end. */
  readonly broken: boolean;
}

interface Asking {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Several pieces are sent as chunks; one with its length. */
  readonly body?: string | Uint8Array | readonly (string | Uint8Array)[];
}

export function ask(port: number, path: string, asking: Asking = {}): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const { method = asking.body === undefined ? 'GET' : 'POST', headers = {}, body } = asking;
    const outgoing = request({ port, host: '127.0.0.1', path, method, headers }, (incoming) => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      const finish = (broken: boolean) => {
        const whole = Buffer.concat(chunks);
        const { statusCode: status = 0, headers: found } = incoming;
        resolve({ status, headers: found, body: whole, text: whole.toString('utf8'), broken });
      };
      incoming.on('error', () => finish(true));
      incoming.on('end', () => finish(false));
    });
    outgoing.on('error', reject);
    if (Array.isArray(body)) {
      for (const piece of body) outgoing.write(piece);
      outgoing.end();
    } else outgoing.end(body);
  });
}

export interface Running {
  readonly port: number;
  readonly engine: ScriptedEngine;
  readonly edge: HttpEdge;
  running(): number;
  close(graceMs?: number): Promise<void>;
}

export async function startScripted(
  options: Partial<EdgeOptions> & { readonly stallMs?: number } = {},
): Promise<Running> {
  const engine = new ScriptedEngine();
  const clock = systemClock;
  const edge = new HttpEdge({ engine, clock, ...options });
  const { stallMs } = options;
  const server = await listen({ edge, clock, host: '127.0.0.1', port: 0, stallMs });
  return {
    port: server.port,
    engine,
    edge,
    running: () => server.running(),
    close: (graceMs = 50) => server.close(graceMs),
  };
}

export async function until(condition: () => boolean): Promise<void> {
  for (let i = 0; i < 500 && !condition(); i++) await delay(10);
  expect(condition()).toBe(true);
}
