import type {TextRange} from '../domain/risk.ts';
import {commandForms, type CommandForms} from './command-forms.ts';
import {oneSpaced} from './one-spaced.ts';
import type {ParsedCommand} from './read-command.ts';
import type {Argument} from './shell/argument.ts';
import {readsPrograms} from './text-that-runs.ts';

/**
 * The forms of a command as `commandForms` reads them off its text, and those of what its words come to: `$'\x72m'`, `{rm,-r}`
 * and a loop's `$name` are known only after the full parse. That also tells which of them are run.
 */
export function resolvedForms(command: string, parsed: ParsedCommand): CommandForms {
  const read = commandForms(command);
  if (parsed.extent === 'partial') return read;
  const {calls} = parsed;
  const texts = mayResolve.test(command)
    ? textsOf(calls.filter(({range}) => mayResolve.test(command.slice(range.from, range.to))))
    : [];
  const resolved = texts.map(text => commandForms(text));
  const forms = [...new Set([...read.forms, ...resolved.flatMap(each => each.forms)])];
  let run: readonly string[] | undefined;
  return {
    forms,
    run: () => (run ??= readsPrograms(command, calls) || calls.length > mostTexts ? forms : formsRun(command, calls)),
    words: new Set([...read.words, ...resolved.flatMap(({words}) => [...words])]),
    redirected: read.redirected,
    extent: [read, ...resolved].some(({extent}) => extent === 'partial') ? 'partial' : 'whole',
  };
}

interface CallWords {
  readonly range: TextRange;
  readonly words: readonly Argument[];
}

/** What the words of each call come to, with all that wraps and names programs looked into, and each call as it is written. */
function formsRun(command: string, calls: readonly CallWords[]): readonly string[] {
  const written = calls.map(({range}) => command.slice(range.from, range.to)).filter(text => !text.includes('<<'));
  return [
    ...new Set([
      ...[...textsOf(calls), ...written].flatMap(text => commandForms(text, 'as it stands').forms),
      ...written.map(text => oneSpaced(text)),
    ]),
  ];
}

function textsOf(calls: readonly CallWords[]): readonly string[] {
  const texts = new Set<string>();
  for (const {words} of calls) {
    if (texts.size >= mostTexts) break;
    for (const variant of variantsOf(words)) texts.add(variant.map(quoted).join(' '));
  }
  return [...texts];
}

/** What the plain reading leaves as it stands. */
const mayResolve = /[$`{]/u;

/** Texts that are looked at for one command; it bounds the time. */
const mostTexts = 5000;

const mostVariants = 64;

/** Ways in which the words may come out; one that is not known stands as a substitution does. */
function variantsOf(words: readonly Argument[]): readonly (readonly string[])[] {
  let variants: readonly (readonly string[])[] = [[]];
  for (const {value} of words) {
    const texts = typeof value === 'string' ? ['$()'] : value.map(({text}) => text);
    const more = variants.flatMap(variant => texts.map(text => [...variant, text]));
    variants = more.length > mostVariants ? variants.map(variant => [...variant, '$()']) : more;
  }
  return variants;
}

const quoted = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`;
