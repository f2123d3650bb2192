/** Ends an exhaustive switch: a member added to the union without a case no longer compiles here. */
export function unreachable(value: never): never {
  throw new Error(`no case for ${JSON.stringify(value)}`);
}
