import {fixedWords} from './command-pattern.ts';
import type {PermissionRule} from './permission-rule.ts';
import {wrapperWords} from './wrapper-words.ts';

/** True if a rule for commands may let a wrapper run any program. Needs no rows of programs, and decides most rules: `npm run *`. */
export function beginsWithWrapper({about}: PermissionRule): boolean {
  if (about.kind !== 'commands') return false;
  const {words, open} = fixedWords(about.pattern);
  if (!open) return false;
  const [first = '', ...rest] = words;
  const name = first.slice(first.lastIndexOf('/') + 1);
  const subcommands = wrapperWords.get(name);
  // Assignments, expansions and the dynamic loader.
  if (/[=$]/u.test(first) || name.startsWith('ld') || (name === '' && words.length > 0)) return true;
  return subcommands !== undefined && (subcommands.length === 0 || rest.some(word => subcommands.includes(word)));
}
