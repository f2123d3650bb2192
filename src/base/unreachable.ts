/** Ends an exhaustive switch: when the union gets a member that the switch has no case for, the call does not compile. */
export function unreachable(value: never): never {
  throw new Error(`no case for ${JSON.stringify(value)}`);
}
