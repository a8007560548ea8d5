// Branded primitives: numbers and strings that must not be mistaken for one another. A brand costs
// nothing at run time; each branded type has one checking constructor, beside the type's owner.

declare const brand: unique symbol;

/** A `T` that only the constructor named `Name` may make. */
export type Brand<T, Name extends string> = T & { readonly [brand]: Name };
