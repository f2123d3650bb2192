import {failed, ok, type Outcome} from '../base/outcome.ts';
import type {CommandForms} from './command-forms.ts';
import {oneSpaced} from './one-spaced.ts';
import {fitsRun} from './wildcard.ts';

/** A pattern for commands: a `*` stands for any text; `beginning` (written `git status:*`) lets any arguments follow. */
export interface CommandPattern {
  readonly text: string;
  readonly reach: 'whole' | 'beginning';
}

/** Reads `git status:*` or `npm run *`; one without a command is refused. */
export function parseCommandPattern(written: string): Outcome<CommandPattern, string> {
  const beginning = written.trim().endsWith(':*') ? written.trim().slice(0, -2) : undefined;
  const text = oneSpaced(beginning ?? written);
  if (text === '') return failed('the pattern names no command; leave the parentheses out to mean every command');
  return ok({text, reach: beginning === undefined ? 'whole' : 'beginning'});
}

/** For rules that allow: only a single plain command, without chaining, redirection, substitution, expansion or escape. */
export const fitsPlainCommand = (pattern: CommandPattern, command: string): boolean =>
  !/[;&|<>`$(){}\n\r\\#*?~![\]]/u.test(command) && fitsText(pattern, oneSpaced(command));

/** For rules that ask or deny: some part of the command, in some form; also a command too tangled to be read to the end. */
export const fitsSomeForm = (pattern: CommandPattern, {forms, extent}: CommandForms): boolean =>
  extent === 'partial' || forms.some(form => fitsText(pattern, form));

const fitsText = ({text, reach}: CommandPattern, command: string): boolean =>
  fitsRun(text, command, characters) || (reach === 'beginning' && fitsRun(`${text} *`, command, characters));

const characters = {
  isStar: (wanted: string): boolean => wanted === '*',
  fits: (wanted: string, found: string): boolean => wanted === found,
};
