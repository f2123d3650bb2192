import {commandForms, type CommandForms} from './command-forms.ts';
import type {ParsedCommand} from './read-command.ts';
import type {Argument} from './shell/argument.ts';

/**
 * The forms of a command as `commandForms` reads them off its text, and those of what its words come to: `$'\x72m'`, `{rm,-r}`
 * and a loop's `$name` are known only after the full parse.
 */
export function resolvedForms(command: string, parsed: ParsedCommand): CommandForms {
  const read = commandForms(command);
  if (parsed.extent === 'partial' || !mayResolve.test(command)) return read;
  const texts = new Set<string>();
  for (const {range, words} of parsed.calls) {
    if (texts.size >= mostTexts) break;
    if (!mayResolve.test(command.slice(range.from, range.to))) continue;
    for (const variant of variantsOf(words)) texts.add(variant.map(quoted).join(' '));
  }
  const resolved = [...texts].map(text => commandForms(text));
  return {
    forms: [...new Set([...read.forms, ...resolved.flatMap(({forms}) => forms)])],
    words: new Set([...read.words, ...resolved.flatMap(({words}) => [...words])]),
    redirected: read.redirected,
    extent: [read, ...resolved].some(({extent}) => extent === 'partial') ? 'partial' : 'whole',
  };
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
