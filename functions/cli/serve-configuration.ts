// What serve and worker are told, from the configuration: which options belong together, which
// exclude one another, and what is refused because it would be open to everybody.

import { createHash } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { secretFreeUrl } from '../../base/secret-free-url.ts';
import { invocationMsMin } from '../../engine/batch/fan-out/fan-out-plan.ts';
import type { LogLevel, ServeOptions, TlsFiles, User, WorkerPool } from '../serve-options.ts';
import type { Configuration } from './configuration.ts';
import { UsageError } from './exit-codes.ts';
import type { OptionName } from './options.ts';

export interface StoreOptions {
  /** A directory or s3://bucket/prefix. */
  readonly store: string;
  readonly endpoint: string | undefined;
  readonly region: string | undefined;
}

const secretCharactersMin = 16;
const threadsDefaultMax = 4;
const lambdaConcurrencyDefault = 64;
const queriesMaxDefault = 100;

export function serveOptionsOf(
  configuration: Configuration,
  defaults: { readonly logLevel: LogLevel },
): ServeOptions {
  const host = configuration.text('host') ?? '127.0.0.1';
  const users = usersOf(configuration);
  if (users.length === 0 && !isLoopback(host)) {
    throw new UsageError(
      `Host ${host} is refused without users, for other machines reach it: set MUSTER_USER and ` +
        'MUSTER_PASSWORD, or "users" in muster.json, or listen on 127.0.0.1.',
    );
  }
  return {
    host,
    port: configuration.number('port') ?? 8123,
    ...storeOptionsOf(configuration),
    workers: workerPoolOf(configuration),
    users,
    tls: tlsOf(configuration),
    queriesMax: configuration.number('queriesMax') ?? queriesMaxDefault,
    files: configuration.text('files'),
    privateUrls: configuration.switched('privateUrls'),
    logLevel: logLevelOf(configuration, defaults.logLevel),
  };
}

export function storeOptionsOf(configuration: Configuration): StoreOptions {
  const stores = configuration.foremost(['data', 'store']);
  if (stores.length > 1) {
    const names = stores.map(({ where }) => where).join(' and ');
    throw new UsageError(`${names} name two stores: give one of them.`);
  }
  const [given] = stores;
  if (given?.name === 'store' && !/^(s3|dir):/.test(given.value)) {
    throw new UsageError(
      `${given.where} is s3://bucket/prefix, not '${given.value}': a directory is --data.`,
    );
  }
  return {
    store: given?.value ?? './muster-data',
    endpoint: configuration.text('endpoint'),
    region: configuration.text('region'),
  };
}

export function logLevelOf(configuration: Configuration, fallback: LogLevel): LogLevel {
  return (configuration.text('logLevel') as LogLevel | undefined) ?? fallback;
}

function isLoopback(host: string): boolean {
  return /^(localhost|127(\.\d{1,3}){3}|::1)$/.test(host);
}

export function threadsDefault(): number {
  return Math.min(threadsDefaultMax, availableParallelism());
}

const pools: readonly OptionName[] = [
  'workers',
  'workerProcesses',
  'workerUrls',
  'lambdaFunctions',
];

/** The first place that says where sets are evaluated decides, and may say it once only. */
export function workerPoolOf(configuration: Configuration): WorkerPool {
  const [given, second] = configuration.foremost(pools);
  if (given === undefined) {
    return { kind: 'threads', count: threadsDefault() };
  }
  if (second !== undefined) {
    throw new UsageError(
      `${given.where} and ${second.where} name two places to evaluate sets in: give one of them.`,
    );
  }
  const count = Number(given.value);
  switch (given.name) {
    case 'workers':
      return count === 0 ? { kind: 'in-process' } : { kind: 'threads', count };
    case 'workerProcesses':
      return count === 0 ? { kind: 'in-process' } : { kind: 'processes', count };
    case 'workerUrls':
      return {
        kind: 'http',
        addresses: workerAddresses(configuration),
        secret: workerSecretOf(configuration),
      };
    default:
      return {
        kind: 'lambda',
        functions: configuration.list('lambdaFunctions'),
        branchFunction: configuration.text('lambdaBranchFunction'),
        concurrency: configuration.number('lambdaConcurrency') ?? lambdaConcurrencyDefault,
        invocationMsMin: configuration.number('lambdaInvocationMs') ?? invocationMsMin,
      };
  }
}

function workerAddresses(configuration: Configuration): readonly string[] {
  const addresses = configuration.list('workerUrls');
  for (const address of addresses) {
    if (/^dns:[^:/\s]+:\d{1,5}$/.test(address)) continue;
    if (/^https?:\/\/[^/\s]+\/?$/.test(address) && URL.canParse(address)) continue;
    throw new UsageError(
      `'${secretFreeUrl(address)}' is no address of a worker: expected http://host:port or dns:name:port.`,
    );
  }
  return addresses;
}

export function workerSecretOf(configuration: Configuration): string {
  const secret = configuration.text('workerSecret');
  if (secret === undefined) {
    throw new UsageError(
      'Workers over HTTP need a secret that they and the server share: set MUSTER_WORKER_SECRET, ' +
        'or "workerSecret" in the configuration file.',
    );
  }
  if (secret.length >= secretCharactersMin) return secret;
  throw new UsageError(`The workers' secret has fewer than ${secretCharactersMin} characters.`);
}

function tlsOf(configuration: Configuration): TlsFiles | undefined {
  const certificate = configuration.text('tlsCert');
  const key = configuration.text('tlsKey');
  if (certificate === undefined && key === undefined) return undefined;
  if (certificate !== undefined && key !== undefined) return { certificate, key };
  const [given, missing] = key === undefined ? ['certificate', '--tls-key'] : ['key', '--tls-cert'];
  throw new UsageError(`TLS has a ${given} only: give ${missing}, too.`);
}

/** Those of the file, and the one of MUSTER_USER and MUSTER_PASSWORD, who wins over the file's. */
export function usersOf(configuration: Configuration): readonly User[] {
  const listed = parseUsers(configuration.text('users'));
  const password = configuration.text('password');
  if (password === undefined) {
    const user = configuration.get('user');
    const isListed = listed.some(({ name }) => name === user?.value);
    if (user === undefined || isListed) return listed;
    throw new UsageError(
      `${user.where} names a user without a password: set MUSTER_PASSWORD, or list the user in ` +
        '"users" of the configuration file.',
    );
  }
  const name = configuration.text('user') ?? 'default';
  return [...listed.filter((other) => other.name !== name), { name, sha256: sha256(password) }];
}

function parseUsers(json: string | undefined): readonly User[] {
  if (json === undefined) return [];
  const users: unknown = JSON.parse(json);
  const form =
    '"users" is a list of {"name": ..., "passwordSha256": ...} or "password" in its place';
  if (!Array.isArray(users)) throw new UsageError(`${form}.`);
  const parsed = users.map((user: unknown, i): User => {
    const refused = new UsageError(`${form}; number ${i + 1} is not like that.`);
    if (typeof user !== 'object' || user === null) throw refused;
    const { name, password, passwordSha256, ...others } = user as Record<string, unknown>;
    if (typeof name !== 'string' || name === '' || Object.keys(others).length > 0) throw refused;
    if (typeof password === 'string' && password !== '' && passwordSha256 === undefined) {
      return { name, sha256: sha256(password) };
    }
    const isDigest = typeof passwordSha256 === 'string' && /^[0-9a-fA-F]{64}$/.test(passwordSha256);
    if (!isDigest || password !== undefined) throw refused;
    return { name, sha256: passwordSha256.toLowerCase() };
  });
  const twice = parsed.find((user, i) => parsed.findIndex(({ name }) => name === user.name) < i);
  if (twice !== undefined) throw new UsageError(`"users" has two users named '${twice.name}'.`);
  return parsed;
}

function sha256(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex');
}
