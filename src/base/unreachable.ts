/** Ends an exhaustive switch: when the union gets a member that the switch has no case for, the call does not compile. */
export function unreachable(value: never): never {
  throw new Error(`no case for ${JSON.stringify(value)}`);
}

/** A text for each kind of a union. A kind without one does not compile. */
export type TextsByKind<Union extends {readonly kind: string}> = {
  readonly [Kind in Union['kind']]: (value: Union & {readonly kind: Kind}) => string;
};

export function textByKind<Union extends {readonly kind: string}>(value: Union, texts: TextsByKind<Union>): string {
  const kind: Union['kind'] = value.kind;
  return texts[kind](value);
}
