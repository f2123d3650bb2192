import {wrapperOpenAt} from '../commands/layers.ts';
import {type CommandPattern, fixedWords} from './command-pattern.ts';
import type {PermissionRule} from './permission-rule.ts';

/** The wrapper that would run any program by a pattern, since the pattern does not name the program: `sudo` for `sudo:*`. */
export function openWrapper(pattern: CommandPattern): string | undefined {
  const {words, open} = fixedWords(pattern);
  return open && words.length > 0 ? wrapperOpenAt([...words, 'any'], words.length) : undefined;
}

/** Why a rule that allows lets no command of its wrapper through, as half a sentence; `undefined` if it does. */
export function whyRuleAllowsNothing({about}: PermissionRule): string | undefined {
  const wrapper = about.kind === 'commands' ? openWrapper(about.pattern) : undefined;
  return wrapper === undefined
    ? undefined
    : `${wrapper} runs any other program, so the rule has to name that program, too`;
}
