/** Ends an exhaustive switch. If the union gets a member without a case in the switch, the call does not compile. */
export function unreachable(value: never): never {
  throw new Error(`no case for ${JSON.stringify(value)}`);
}

/** A function for each kind of a union. A kind without one does not compile. */
export type ByKind<Union extends {readonly kind: string}, Result> = {
  readonly [Kind in Union['kind']]: (value: Union & {readonly kind: Kind}) => Result;
};

export function byKind<Union extends {readonly kind: string}, Result>(
  value: Union,
  table: ByKind<Union, Result>,
): Result {
  const kind: Union['kind'] = value.kind;
  return table[kind](value);
}
