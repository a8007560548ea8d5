// What a request and a second cost, in US dollars: the one place with prices in it. AWS, region
// us-east-1, list prices without free tiers and without discounts, as of November 2026:
// https://aws.amazon.com/s3/pricing/ (S3 Standard) and https://aws.amazon.com/lambda/pricing/.
//
// Not in it: storage, traffic out of the region, and the start of a cold function before its handler.

/** Of a function's processor. */
export type Architecture = 'arm64' | 'x86_64';

interface Prices {
  readonly store: {
    /** GET and HEAD. */
    readonly read: number;
    /** PUT, POST, COPY and the requests of an upload in parts. */
    readonly write: number;
    readonly list: number;
    /** DELETE is free. */
    readonly remove: number;
  };
  readonly functions: {
    /** One GB (1024 MB) for one second. */
    readonly gbSecond: Readonly<Record<Architecture, number>>;
    readonly invocation: number;
  };
}

export const prices: Prices = {
  store: {
    read: 0.0004 / 1_000,
    write: 0.005 / 1_000,
    list: 0.005 / 1_000,
    remove: 0,
  },
  functions: {
    gbSecond: { arm64: 0.000_013_333_4, x86_64: 0.000_016_666_7 },
    invocation: 0.2 / 1_000_000,
  },
};
