/**
 * Where a bracket expression of a regular expression ends, behind its `]`, when it begins with the `[` at `from`; `undefined` when it
 * does not end. A `]` right after the opening, and one of `[:alpha:]` and the like, does not end it.
 */
export function bracketEnd(text: string, from: number): number | undefined {
  bracket.lastIndex = from;
  const match = bracket.exec(text);
  return match === null ? undefined : from + match[0].length;
}

const bracket = /\[\^?\]?(?:\[[:.=][^\]]*\]|[^\]])*\]/uy;
