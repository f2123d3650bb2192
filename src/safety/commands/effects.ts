import {rowOf} from './known-programs.ts';
import {programName} from './layers.ts';
import {optionTable, type Role, roleOf, wordsOf} from './program-table.ts';
import {readWords} from './read-words.ts';

/** What a program does with a word of its command. */
export interface Effect {
  readonly role: Role;
  /** The operand, or the value of an option. */
  readonly word: string;
  /** The words behind it. */
  readonly rest: readonly string[];
}

/** The one place that says what a program does with each of its words, as far as its row gives them roles. */
export function effectsOf([program = '', ...args]: readonly string[]): readonly Effect[] {
  const row = rowOf(programName(program)) ?? rowOf(programName(program).replace(/-?\d[\d.]*$/u, ''));
  if (row === undefined) return [];
  const read = readWords(args, {
    ...optionTable(row.options, row.is.has('digits')),
    unlisted: {value: 'none', role: 'text'},
  });
  const instead = wordsOf(row.instead);
  const isReplaced = read.some(word => word.kind === 'option' && instead.includes(word.name));
  const roles = wordsOf(row.operands).slice(isReplaced ? 1 : 0);
  const last = roles.at(-1)?.endsWith('*') === true ? roles.at(-1) : undefined;
  let operands = 0;
  const effect = (role: Role, word: string | undefined, at: number): readonly Effect[] =>
    word === undefined ? [] : [{role, word, rest: args.slice(at + 1)}];
  return read.flatMap(word => {
    if (word.kind === 'option') {
      const at = word.values[0] ?? word.at;
      return word.rule.value === 'none' && word.attached === undefined
        ? []
        : effect(word.rule.role, word.attached ?? args[at], at);
    }
    if (word.kind !== 'operand') return [];
    const role = roles[operands] ?? last;
    operands += 1;
    return role === undefined ? [] : effect(roleOf(role.replace('*', '')), args[word.at], word.at);
  });
}
