/** The names of a table's columns and the rule below them, as they were written; empty where `source` begins with no table. */
export function tableHead(source: string): string {
  const namesEnd = source.indexOf('\n') + 1;
  const ruleEnd = source.indexOf('\n', namesEnd) + 1;
  if (namesEnd === 0 || ruleEnd === 0) return '';
  const rule = source.slice(namesEnd, ruleEnd).trim();
  const isTable = source.slice(0, namesEnd).includes('|') && rule.includes('-') && /^[ :|-]+$/u.test(rule);
  return isTable ? source.slice(0, ruleEnd) : '';
}
