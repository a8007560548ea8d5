// What can be made to go wrong with a request to `FaultServer`, and with which.

import type { IncomingMessage } from 'node:http';

export interface SeenRequest {
  readonly method: string;
  readonly key: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage['headers'];
  /** Its connection carried a request before. */
  readonly reused: boolean;
}

export type FaultAction =
  /** Answers so without doing anything. */
  | {
      readonly do: 'status';
      readonly status: number;
      readonly code: string;
      /** Tells that the bucket is there. */
      readonly region?: string;
    }
  /** Kills the socket without doing anything. */
  | { readonly do: 'kill' }
  /** Does it, then kills the socket instead of answering. */
  | { readonly do: 'store-then-kill' }
  /** Never answers. */
  | { readonly do: 'stall' }
  /** Sends this fraction of the body, then kills the socket, or goes silent. */
  | { readonly do: 'cut-body' | 'stall-body'; readonly fraction: number }
  /** A 206 that is consistent in itself, of fewer bytes than asked. */
  | { readonly do: 'short-range'; readonly bytes: number }
  /** 200 and the whole object. */
  | { readonly do: 'ignore-range' }
  /** Another Date; undefined sends none. */
  | { readonly do: 'date'; readonly date: string | undefined }
  /** A 200 whose body is an error, as CompleteMultipartUpload may answer. */
  | { readonly do: 'error-in-200'; readonly code: string }
  /** The same, after doing it. */
  | { readonly do: 'store-then-error-in-200'; readonly code: string }
  /** A web page, as a proxy answers. */
  | { readonly do: 'page'; readonly status: number; readonly type?: 'text/plain' }
  /** Right bytes with a CRC-32 that isn't theirs: the whole object's, or nothing's. */
  | { readonly do: 'checksum'; readonly of: 'whole' | 'nothing' }
  /** One byte is wrong, and the CRC-32 is what it was before. */
  | { readonly do: 'damage' }
  /** The same, and the body breaks off half way. */
  | { readonly do: 'damaged-and-cut' }
  /** The second half of the body comes after this time. */
  | { readonly do: 'slow-body'; readonly ms: number };

export interface Fault {
  readonly when: (request: SeenRequest) => boolean;
  /** How many of those requests; by default one. */
  readonly times?: number;
  readonly action: FaultAction;
}
