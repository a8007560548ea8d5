// Assertions are for bugs of ours, never for bad input: input errors are `MusterError`s.

/** Throws when an invariant of ours is broken. `message` names the invariant and quotes the values. */
export function assert(condition: boolean, message: string): asserts condition {
  if (!condition) throw new Error(`assertion failed: ${message}`);
}

/** Narrows away `undefined`; for indexed reads whose bounds are known to hold. */
export function defined<T>(value: T | undefined, what: string): T {
  if (value === undefined) throw new Error(`assertion failed: ${what} is undefined`);
  return value;
}

/** Exhaustiveness of a switch over a discriminated union. */
export function assertNever(value: never): never {
  throw new Error(`assertion failed: unexpected variant ${JSON.stringify(value)}`);
}
