// What S3 keeps and promises, as plain data in memory: objects, uploads in parts, conditions, ranges,
// listings. Strict: what S3 refuses is refused. `fault-server.ts` speaks HTTP for it.

import { createHash } from 'node:crypto';

interface StoredObject {
  readonly body: Buffer;
  readonly etag: string;
  readonly modified: number;
}

interface Upload {
  readonly key: string;
  readonly initiated: number;
  readonly parts: Map<number, StoredObject>;
}

/** An error reply of S3's. */
export class S3Error extends Error {
  readonly status: number;
  readonly code: string;
  /** Where the bucket is, which some refusals tell. */
  readonly region: string | undefined;

  constructor(status: number, code: string, region?: string) {
    super(code);
    this.status = status;
    this.code = code;
    this.region = region;
  }
}

/** How a store that is not S3 misbehaves, for the start-up probe; and where this one is. */
export interface Habits {
  readonly ignoresConditions?: boolean;
  /** This many racing creates win before the condition begins to hold. */
  readonly winners?: number;
  readonly keepsVersions?: boolean;
  readonly listsUnsorted?: boolean;
  readonly listedDateSkewMs?: number;
  readonly keepsRemoved?: boolean;
  /** By default us-east-1; requests signed for another are refused. */
  readonly region?: string;
  /** Its clock against this machine's. Requests signed 15 minutes off are refused. */
  readonly clockAheadMs?: number;
  /** Session tokens that have expired. */
  readonly expiredTokens?: ReadonlySet<string>;
}

const partBytesMin = 5 * 1024 * 1024;

export class S3Model {
  readonly objects = new Map<string, StoredObject>();
  readonly uploads = new Map<string, Upload>();
  readonly #habits: Habits;
  readonly #wins = new Map<string, number>();
  #uploadCount = 0;

  constructor(habits: Habits) {
    this.#habits = habits;
  }

  put(key: string, body: Buffer, condition: string | undefined): StoredObject {
    this.#checkCondition(key, condition);
    const stored = storedOf(body, Date.now());
    this.objects.set(key, stored);
    return stored;
  }

  get(key: string, ifMatch: string | undefined): StoredObject {
    const stored = this.objects.get(key);
    if (stored === undefined) throw new S3Error(404, 'NoSuchKey');
    if (ifMatch !== undefined && ifMatch !== stored.etag)
      throw new S3Error(412, 'PreconditionFailed');
    return stored;
  }

  remove(keys: readonly string[]): void {
    if (this.#habits.keepsRemoved === true) return;
    for (const key of keys) this.objects.delete(key);
  }

  list(query: { readonly prefix: string; readonly after: string; readonly max: number }) {
    const keys = [...this.objects.keys()].filter(
      (key) => key.startsWith(query.prefix) && key > query.after,
    );
    keys.sort();
    if (this.#habits.listsUnsorted === true) keys.reverse();
    const page = keys.slice(0, query.max);
    const skew = (this.#habits.listedDateSkewMs ?? 0) + (this.#habits.clockAheadMs ?? 0);
    const contents = page.map((key) => {
      const { body, etag, modified } = this.get(key, undefined);
      return { key, bytes: body.length, etag, modified: modified + skew };
    });
    return { contents, truncated: keys.length > page.length };
  }

  createUpload(key: string): string {
    const uploadId = `upload-${++this.#uploadCount}`;
    this.uploads.set(uploadId, { key, initiated: Date.now(), parts: new Map() });
    return uploadId;
  }

  putPart(target: { uploadId: string; key: string; number: number }, body: Buffer): StoredObject {
    const part = storedOf(body, Date.now());
    this.#upload(target.uploadId, target.key).parts.set(target.number, part);
    return part;
  }

  completeUpload(
    target: { readonly uploadId: string; readonly key: string },
    parts: readonly { readonly number: number; readonly etag: string }[],
    condition: string | undefined,
  ): StoredObject {
    const upload = this.#upload(target.uploadId, target.key);
    const bodies = parts.map(({ number, etag }, place) => {
      const part = upload.parts.get(number);
      if (part === undefined || part.etag !== etag) throw new S3Error(400, 'InvalidPart');
      if (number <= (parts[place - 1]?.number ?? 0)) throw new S3Error(400, 'InvalidPartOrder');
      const isLast = place === parts.length - 1;
      if (!isLast && part.body.length < partBytesMin) throw new S3Error(400, 'EntityTooSmall');
      return part.body;
    });
    this.#checkCondition(target.key, condition);
    const stored = storedOf(Buffer.concat(bodies), upload.initiated);
    this.objects.set(target.key, stored);
    this.uploads.delete(target.uploadId);
    return stored;
  }

  abortUpload(uploadId: string, key: string): void {
    this.#upload(uploadId, key);
    this.uploads.delete(uploadId);
  }

  #upload(uploadId: string, key: string): Upload {
    const upload = this.uploads.get(uploadId);
    if (upload === undefined || upload.key !== key) throw new S3Error(404, 'NoSuchUpload');
    return upload;
  }

  #checkCondition(key: string, condition: string | undefined): void {
    if (condition === undefined || this.#habits.ignoresConditions === true) return;
    if (condition !== '*') throw new S3Error(501, 'NotImplemented');
    const wins = (this.#wins.get(key) ?? 0) + 1;
    this.#wins.set(key, wins);
    if (!this.objects.has(key) || wins <= (this.#habits.winners ?? 1)) return;
    throw new S3Error(412, 'PreconditionFailed');
  }
}

interface Slice {
  readonly start: number;
  readonly end: number;
}

/** The slice that an HTTP Range asks for, clamped as S3 does. */
export function sliceOf(range: string, size: number): Slice {
  const match = /^bytes=(\d+)-(\d*)$/.exec(range);
  if (match === null) throw new S3Error(400, 'InvalidArgument');
  const start = Number(match[1]);
  const end = match[2] === '' ? size : Math.min(Number(match[2]) + 1, size);
  if (start >= size || end <= start) throw new S3Error(416, 'InvalidRange');
  return { start, end };
}

function storedOf(body: Buffer, modified: number): StoredObject {
  return { body, modified, etag: `"${createHash('md5').update(body).digest('hex')}"` };
}
