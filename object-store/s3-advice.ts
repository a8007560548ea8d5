// From a failure of S3's to the sentence that callers see: what was asked, what came, what to do.

import { secretFreeUrl } from '../base/secret-free-url.ts';
import type { Clock } from '../base/clock.ts';
import { type ErrorName, MusterError } from '../base/errors.ts';
import { S3Failure } from './s3-failure.ts';

/** Where requests go, for messages. */
export interface S3Place {
  readonly bucket: string;
  readonly region: string;
  /** Undefined: AWS's own. */
  readonly endpoint: string | undefined;
  readonly clock: Pick<Clock, 'now'>;
}

/** What callers of the port see; errors that are ours already, and cancellations, pass. */
export function storeError(error: unknown, place: S3Place): unknown {
  if (!(error instanceof S3Failure)) return error;
  const advice = adviceOf(error, place);
  const message = advice === undefined ? error.message : `${error.message}; ${advice}`;
  return new MusterError(errorNameOf(error), message, { cause: error });
}

function errorNameOf({ kind }: S3Failure): ErrorName {
  if (kind === 'damaged') return 'CHECKSUM_DOESNT_MATCH';
  const isPassing = ['transient', 'conflict', 'broken', 'throttled'].includes(kind);
  return isPassing ? 'NETWORK_ERROR' : 'S3_ERROR';
}

const regionCodes = new Set([
  'PermanentRedirect',
  'TemporaryRedirect',
  'AuthorizationHeaderMalformed',
  'IllegalLocationConstraintException',
]);
const certificateCodes = new Set([
  'CERT_HAS_EXPIRED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

function adviceOf(failure: S3Failure, place: S3Place): string | undefined {
  const { code, status } = failure;
  const isElsewhere = failure.region !== undefined && failure.region !== place.region;
  const isRedirect = status !== undefined && status >= 300 && status < 400;
  if (regionCodes.has(code) || isRedirect || (status === 400 && isElsewhere)) {
    return regionAdvice(failure, place);
  }
  if (code === 'RequestTimeTooSkewed') return clockAdvice(failure, place);
  if (certificateCodes.has(code)) {
    return `the certificate of ${target(place)} is not trusted: check it, or name its authority in NODE_EXTRA_CA_CERTS`;
  }
  if (code === 'EPROTO') return `${target(place)} speaks no TLS: is it an http:// endpoint?`;
  return fixedAdvice(code, place) ?? (status === 403 ? permissionAdvice(failure) : undefined);
}

function fixedAdvice(code: string, place: S3Place): string | undefined {
  switch (code) {
    case 'NoSuchBucket':
      return `there is no bucket ${place.bucket} at ${target(place)}: create it, or correct the store's address`;
    case 'InvalidAccessKeyId':
      return 'the store does not know these credentials: check AWS_ACCESS_KEY_ID or AWS_PROFILE';
    case 'SignatureDoesNotMatch':
      return 'the secret does not belong to the access key: check AWS_SECRET_ACCESS_KEY';
    case 'ExpiredToken':
    case 'TokenRefreshRequired':
    case 'InvalidToken':
      return 'the credentials have expired and no newer ones were found: renew them and start again';
    case 'CredentialsProviderError':
      return 'no credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE, or give this machine a role';
    case 'SlowDown':
    case 'ServiceUnavailable':
    case 'TooManyRequests':
      return 'the store asks for fewer requests: try again later, or raise what it allows';
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `the name of ${target(place)} is not known: check the endpoint, the region and the DNS`;
    case 'ECONNREFUSED':
      return `nothing listens at ${target(place)}: check the endpoint, and that the store is running`;
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
    case 'ETIMEDOUT':
    case 'TimeoutError':
      return `${target(place)} does not answer: check the endpoint, the network with its DNS and firewalls`;
    case 'ForeignReply':
    case 'NotFound':
    case 'Unknown':
      return `a proxy seems to answer for ${target(place)}: let the store's name pass there, or correct the endpoint`;
    case 'ChecksumMismatch':
      return 'it came so twice, by two connections: the object or the way to it is damaged';
    default:
      return undefined;
  }
}

function regionAdvice({ region }: S3Failure, place: S3Place): string {
  return region === undefined || region === place.region
    ? `the bucket ${place.bucket} is not in region ${place.region}: set AWS_REGION to the bucket's`
    : `the bucket ${place.bucket} is in region ${region}, not ${place.region}: set AWS_REGION=${region}`;
}

function clockAdvice({ date }: S3Failure, place: S3Place): string {
  const minutes = date === undefined ? 0 : Math.round((place.clock.now() - date) / 60_000);
  if (minutes === 0) return "this machine's clock differs from the store's: set it by NTP";
  const way = minutes > 0 ? 'ahead of' : 'behind';
  return `this machine's clock is about ${Math.abs(minutes)} minutes ${way} the store's: set it by NTP`;
}

/** By the verb. Without s3:ListBucket, S3 answers 403 for what doesn't exist. */
function permissionAdvice({ request }: S3Failure): string {
  const [verb = ''] = request.split(' s3://');
  if (verb === 'GET' || verb === 'HEAD') {
    return 'these credentials may not read here: grant s3:GetObject and s3:ListBucket';
  }
  if (verb === 'LIST') return 'these credentials may not list the bucket: grant s3:ListBucket';
  if (verb === 'DELETE') return 'these credentials may not delete here: grant s3:DeleteObject';
  if (verb === 'GET VERSIONING') {
    return 'whether the bucket keeps old versions must be known: grant s3:GetBucketVersioning';
  }
  return 'these credentials may not write here, only questions can be answered: grant s3:PutObject';
}

function target({ endpoint, region }: S3Place): string {
  return endpoint === undefined ? `AWS (${region})` : secretFreeUrl(endpoint);
}
