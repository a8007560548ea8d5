// A Muster server as a person starts it: a process of its own over a directory, asked over HTTP.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { Agent, type IncomingHttpHeaders, request } from 'node:http';

/** A connection that idled longer may be closed by the server while this process was busy. */
const keptMs = 1000;
/** Of Linux's clock of processes. */
const ticksPerSecond = 100;

export interface Asked {
  readonly text: string;
  readonly ms: number;
  readonly bytesRead: number;
  /** Reads from the store. */
  readonly requests: number;
  /** Of the time, what the engine took, and of that the time that workers were at work. */
  readonly engineMs: number;
  readonly workerMs: number;
}

export class MusterProcess {
  readonly #child: ChildProcess;
  readonly #port: number;
  readonly #agent = new Agent({ keepAlive: true });
  #lastUse = Number.NEGATIVE_INFINITY;

  private constructor(child: ChildProcess, port: number) {
    this.#child = child;
    this.#port = port;
  }

  /** `main`: the built entry; `args`: after `serve`. Waits until it answers. */
  static async start(main: string, args: readonly string[]): Promise<MusterProcess> {
    const child = spawn(
      process.execPath,
      [main, 'serve', '--port', '0', '--log-level', 'error', ...args],
      {
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    );
    const port = await new Promise<number>((resolve, reject) => {
      let printed = '';
      child.stdout?.on('data', (chunk: Buffer) => {
        printed += chunk.toString();
        const match = /127\.0\.0\.1:(\d+)/.exec(printed);
        if (match !== null) resolve(Number(match[1]));
      });
      child.once('exit', (code) => reject(new Error(`the server ended with code ${code}`)));
    });
    return new MusterProcess(child, port);
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** The answer with what it took: `X-Muster-Cost`, and the time that a client waits. */
  async ask(sql: string): Promise<Asked> {
    const began = performance.now();
    const { text, headers } = await this.#request(sql);
    const ms = performance.now() - began;
    const cost = JSON.parse(String(headers['x-muster-cost'] ?? '{}')) as Record<string, number>;
    const summary = JSON.parse(String(headers['x-clickhouse-summary'] ?? '{}')) as {
      readonly elapsed_ns?: string;
    };
    return {
      text,
      ms,
      bytesRead: cost.bytes_read ?? 0,
      requests: cost.reads ?? 0,
      engineMs: Number(summary.elapsed_ns ?? 0) / 1e6,
      workerMs: 1000 * (cost.worker_seconds ?? 0),
    };
  }

  /** Processor time of the server, all its threads, in ms; Linux counts in steps of 10. */
  processorMs(): number {
    const fields = readFileSync(`/proc/${this.pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    return 10 * (Number(fields[11]) + Number(fields[12]));
  }

  /** Of the server's process since it started. */
  peakMemoryMb(): number {
    const status = readFileSync(`/proc/${this.pid}/status`, 'utf8');
    return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? Number.NaN) / 1024;
  }

  /** Processor time of the server's process since it started, all threads. */
  cpuSeconds(): number {
    const stat = readFileSync(`/proc/${this.pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
  }

  /** One request; `body` may be the statement alone or data for a statement in `sql`. */
  async query(sql: string, body?: Iterable<Uint8Array>): Promise<string> {
    return (await this.#request(sql, body)).text;
  }

  async #request(
    sql: string,
    body?: Iterable<Uint8Array>,
  ): Promise<{ readonly text: string; readonly headers: IncomingHttpHeaders }> {
    const path = body === undefined ? '/' : `/?query=${encodeURIComponent(sql)}`;
    return new Promise((resolve, reject) => {
      const agent = performance.now() - this.#lastUse < keptMs ? this.#agent : false;
      const call = request({ port: this.#port, host: '127.0.0.1', method: 'POST', path, agent });
      call.once('error', reject);
      call.once('response', (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.once('error', reject);
        response.once('end', () => {
          this.#lastUse = performance.now();
          const text = Buffer.concat(chunks).toString();
          if (response.statusCode === 200) resolve({ text, headers: response.headers });
          else reject(new Error(`${response.statusCode}: ${text}`));
        });
      });
      if (body === undefined) call.end(sql);
      else void writeAll(call, body);
    });
  }

  async stop(): Promise<void> {
    this.#agent.destroy();
    const exited = once(this.#child, 'exit');
    this.#child.kill('SIGTERM');
    await exited;
  }
}

async function writeAll(
  call: ReturnType<typeof request>,
  chunks: Iterable<Uint8Array>,
): Promise<void> {
  for (const chunk of chunks) if (!call.write(chunk)) await once(call, 'drain');
  call.end();
}
