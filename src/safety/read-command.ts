import type {Ground} from './ground.ts';
import {agreesWithGrammar} from './shell/agrees-with-grammar.ts';
import {parseShell} from './shell/parse-shell.ts';
import type {Script} from './shell/shell-tree.ts';
import {withoutRepeats} from './shell/without-repeats.ts';
import {walkScript, type Judgement} from './walk-script.ts';

/** What a command consists of; or why that is not surely known. */
export type ParsedCommand =
  | (Judgement & {
      readonly extent: 'whole';
      /**
       * Whether the grammar agrees with this reading. Looked up once, when first asked: it is needed only before something is let
       * through.
       */
      readonly confirmed: () => Promise<boolean>;
    })
  | {readonly extent: 'partial'; readonly what: string; readonly at: number};

/** Reads a command that would start in `directory`. Never throws. */
export function readCommand(
  command: string,
  {directory, ground}: {readonly directory: string; readonly ground: Ground},
): ParsedCommand {
  const parsed = parseShell(command);
  if (parsed.tag === 'failed') return {extent: 'partial', ...parsed.error};
  let confirmed: Promise<boolean> | undefined;
  return {
    extent: 'whole',
    ...walkScript({text: command, script: parsed.value}, {directory, ground}),
    confirmed: () => (confirmed ??= confirm(command, parsed.value)),
  };
}

async function confirm(command: string, script: Script): Promise<boolean> {
  const short = withoutRepeats(command, script);
  if (short.length === command.length) return agreesWithGrammar(command, script);
  const parsed = parseShell(short);
  return parsed.tag === 'ok' && agreesWithGrammar(short, parsed.value);
}
