/** Clauses as one sentence: joined by `; `, with a capital first and one full stop at the end; empty without clauses. */
export function sentenceOf(clauses: readonly string[]): string {
  const said = clauses.map(clause => clause.trim().replace(/\.+$/u, '')).filter(clause => clause !== '');
  const [first, ...rest] = [...said.join('; ')];
  return first === undefined ? '' : `${first.toUpperCase()}${rest.join('')}.`;
}
