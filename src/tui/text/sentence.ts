/** Clauses as one sentence: joined by `; `, with a capital first and one full stop at the end; empty without clauses. */
export function sentenceOf(clauses: readonly string[]): string {
  const said = clauses.map(clause => clause.trim().replace(/\.+$/u, '')).filter(clause => clause !== '');
  return said.length === 0 ? '' : `${said.join('; ').replace(/^\p{Lowercase}/u, letter => letter.toUpperCase())}.`;
}
