// The HTTP worker of `muster worker`: takes invocations of roots on other machines and evaluates them
// here, with nothing but the store.

import { MusterError } from '../base/errors.ts';
import type { LogLevel } from './serve-options.ts';

export interface WorkerServerOptions {
  readonly host: string;
  /** 0: any that is free. */
  readonly port: number;
  /** A directory or s3://bucket/prefix: the same one as the roots'. */
  readonly store: string;
  readonly endpoint: string | undefined;
  readonly region: string | undefined;
  /** Shared with the roots; requests without it are refused. */
  readonly secret: string;
  readonly logLevel: LogLevel;
}

export interface WorkerServer {
  readonly port: number;
  /** Takes nothing new, and lets what runs finish for up to `graceMs`. */
  close(graceMs?: number): Promise<void>;
}

export async function startWorkerServer(_: WorkerServerOptions): Promise<WorkerServer> {
  await Promise.resolve();
  throw new MusterError('SUPPORT_IS_DISABLED', 'Workers over HTTP are not there yet');
}
