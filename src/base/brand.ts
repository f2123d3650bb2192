declare const brand: unique symbol;

/** A `T` that the parser named after the brand has accepted. Values of different brands cannot be mixed up: a `TaskId` isn't a `SessionId`. */
export type Brand<T, Name extends string> = T & {readonly [brand]: Name};
