import {wrapperOpenAt} from '../commands/layers.ts';
import {type CommandPattern, fixedWords} from './command-pattern.ts';
import type {PermissionRule} from './permission-rule.ts';

/** The wrapper that a pattern lets run any program, because the pattern names no program after it: `sudo` for `sudo:*`. */
export function unrestrictedWrapper(pattern: CommandPattern): string | undefined {
  const {words, open} = fixedWords(pattern);
  return open && words.length > 0 ? wrapperOpenAt([...words, 'any'], words.length) : undefined;
}

/**
 * Returns the problem with an allow rule that allows no command of its wrapper, as half a sentence. Returns `undefined` if there
 * is none.
 */
export function ineffectiveRuleProblem({about}: PermissionRule): string | undefined {
  const wrapper = about.kind === 'commands' ? unrestrictedWrapper(about.pattern) : undefined;
  return wrapper === undefined
    ? undefined
    : `${wrapper} runs any other program, so the rule has to name that program, too`;
}
