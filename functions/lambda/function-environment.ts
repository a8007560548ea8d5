// What Lambda tells a function about its environment, and what follows from it: the name by which
// traces know it, and how much it may keep in memory.

import type { FunctionSize } from '../../engine/cost/cost-ledger.ts';
import type { WorkerIdentity } from '../../engine/worker/worker-environment.ts';
import type { Environment } from '../environment.ts';

/** Lambda's own default. */
const memoryMbDefault = 128;

/** A log stream belongs to one environment; process ids inside of it are always the same. */
export function identityOf(environment: Environment, processId: number): WorkerIdentity {
  const stream = environment['AWS_LAMBDA_LOG_STREAM_NAME'] ?? '';
  const parts = [environment['AWS_LAMBDA_FUNCTION_NAME'], stream.slice(-12), String(processId)];
  const name = parts.filter((part) => part !== undefined && part !== '').join('/');
  return { name, memoryMb: memoryMbOf(environment) };
}

/** What a second of the environment is charged by; `processor` as Node names it. */
export function functionSizeOf(environment: Environment, processor: string): FunctionSize {
  const architecture = processor === 'arm64' ? 'arm64' : 'x86_64';
  return { memoryMb: memoryMbOf(environment), architecture };
}

/** Two fifths: the rest is for the work itself, and for Node. */
export function cacheBytesOf(environment: Environment): number {
  return Math.floor(memoryMbOf(environment) * 1024 * 1024 * 0.4);
}

function memoryMbOf(environment: Environment): number {
  const given = Number(environment['AWS_LAMBDA_FUNCTION_MEMORY_SIZE']);
  return Number.isSafeInteger(given) && given > 0 ? given : memoryMbDefault;
}
