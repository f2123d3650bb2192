declare const brand: unique symbol;

/** `T` that has been through the parser of its name: a `TaskId` cannot be passed for a `SessionId`. */
export type Brand<T, Name extends string> = T & {readonly [brand]: Name};
