import {collapseSpaces} from '../../base/clip.ts';
import type {TextRange} from '../../domain/risk.ts';
import type {Argument} from '../shell/expansion.ts';
import {readShell, type ShellWord} from '../shell/loose-reader.ts';
import {mayRunHereDocument} from './programs-in-arguments.ts';
import {commandStarts, maxLayers, programName, shellTextsFrom} from './layers.ts';
import type {CommandAnalysis} from './analyze-command.ts';

/** The texts that ask and deny rules are compared with: the command, each of its parts, and each part without its wrappers. */
export interface CommandForms {
  /** The distinct forms, with one space between words. */
  readonly forms: readonly string[];
  /**
   * The forms that are run, without here-document lines and other mere text. Equals `forms` if it cannot be known which are run.
   */
  readonly run: () => readonly string[];
  /** Every word without quotes, as far as weft knows it. Any word that may name a file is included. */
  readonly words: ReadonlySet<string>;
  /** The words of each command and of the commands that its wrappers run. Programs have their bare names. */
  readonly calls: readonly (readonly string[])[];
  /** The words after redirection operators. */
  readonly redirected: ReadonlySet<string>;
  /** `partial`: some of the command was not parsed because it is nested too deep or too long. */
  readonly extent: 'whole' | 'partial';
}

/** The maximum number of characters that all scripts in the command (`bash -c "…"`) may have, which bounds the time. */
const longestInnerScripts = (command: string): number => 8 * command.length + 10_000;

/**
 * Returns the forms of a command. `in every way` reads it three times: as a whole, line by line, and split at every operator,
 * quoted or not. However the shell reads it, its commands are among these. `as it stands` reads it once, because its commands are
 * certainly known. Scripts that it passes to another shell are still read in every way.
 */
export function commandForms(command: string, reading: 'in every way' | 'as it stands' = 'in every way'): CommandForms {
  const forms = new Set<string>();
  const named = new Set<string>();
  const redirected = new Set<string>();
  const calls: (readonly string[])[] = [];
  // The three readings share many commands, as do long chains.
  const known = new Set<string>();
  const texts = new Set([command]);
  let charactersLeft = longestInnerScripts(command);
  let extent: CommandForms['extent'] = 'whole';
  // Scripts that are passed to a shell are added while the loop runs.
  for (const text of texts) {
    for (const piece of reading === 'as it stands' && text === command ? [text] : piecesOf(text)) {
      forms.add(collapseSpaces(piece));
      const read = readShell(piece);
      if (read.extent === 'partial') extent = 'partial';
      for (const {plain} of read.redirected) redirected.add(plain);
      for (const words of read.commands) {
        const written = words.length === 1 ? (words[0]?.raw ?? '') : words.map(({raw}) => raw).join('\0');
        if (known.has(written)) continue;
        known.add(written);
        const plain = words.map(word => word.plain);
        for (const word of plain) named.add(word);
        const starts = commandStarts(plain);
        if (starts.length >= maxLayers) extent = 'partial';
        for (const form of formsOf(words, {plain, starts})) forms.add(form);
        calls.push(...starts.map(at => [programName(plain[at] ?? ''), ...plain.slice(at + 1)]));
        for (const inner of starts.flatMap(at => shellTextsFrom(plain, at))) {
          if (texts.has(inner)) continue;
          charactersLeft -= inner.length;
          if (charactersLeft < 0) extent = 'partial';
          else texts.add(inner);
        }
      }
    }
  }
  const read = [...forms];
  return {forms: read, run: () => read, words: named, calls, redirected, extent};
}

const piecesOf = (text: string): ReadonlySet<string> =>
  new Set([text, ...text.split('\n'), ...text.split(/[;&|\n(){}`]/u)]);

/** Returns the words from each start to the end: as written, without quotes, and with the program's bare name. */
function formsOf(
  words: readonly ShellWord[],
  {plain, starts}: {readonly plain: readonly string[]; readonly starts: readonly number[]},
): readonly string[] {
  const written = tails(words.map(({raw}) => collapseSpaces(raw)));
  const unquoted = tails(plain.map(collapseSpaces));
  return starts.flatMap(at => {
    const program = plain[at] ?? '';
    const name = programName(program);
    const bare = name === program ? [] : [collapseSpaces(`${name} ${unquoted(at + 1)}`)];
    const direct = subcommandStarts(plain, at).map(from => collapseSpaces(`${name} ${unquoted(from)}`));
    return [written(at), unquoted(at), ...bare, ...direct];
  });
}

/** Returns where the words continue after the program's own options: at `push` in `git -C x push`. */
function subcommandStarts(words: readonly string[], at: number): readonly number[] {
  const starts = new Set<number>();
  let from = at + 1;
  while (from < words.length && from - at < maxLayers && /^-./u.test(words[from] ?? '')) {
    // It is not known whether an option takes a value, so both positions count.
    starts.add(from + 1).add(from + 2);
    const isValue = !/^-./u.test(words[from + 1] ?? '-') && /^-./u.test(words[from + 2] ?? '');
    from += isValue ? 2 : 1;
  }
  return [...starts].filter(start => start < words.length && !/^-./u.test(words[start] ?? ''));
}

/** Returns a function that joins the words from an index to the end. It reuses one text in which all words are joined. */
function tails(words: readonly string[]): (from: number) => string {
  const joined = words.join(' ');
  let length = 0;
  const offsets = words.map(word => {
    const offset = length;
    length += word.length + 1;
    return offset;
  });
  return from => joined.slice(offsets[from] ?? joined.length);
}

/**
 * Returns the forms that `commandForms` finds in a command's text, and those of its expanded words. `$'\x72m'`, `{rm,-r}` and the
 * `$name` of a loop are known only from the analysis, which also tells which forms are run.
 */
export function resolvedForms(command: string, parsed: CommandAnalysis): CommandForms {
  const read = commandForms(command);
  if (parsed.reading === 'unparsed') return read;
  const {invocations} = parsed;
  const texts = mayResolve.test(command)
    ? textsOf(invocations.filter(({range}) => mayResolve.test(command.slice(range.from, range.to))))
    : [];
  const resolved = texts.map(text => commandForms(text));
  const forms = [...new Set([...read.forms, ...resolved.flatMap(each => each.forms)])];
  let run: readonly string[] | undefined;
  return {
    forms,
    run: () =>
      (run ??=
        mayRunHereDocument(command, invocations) || invocations.length > maxTexts
          ? forms
          : formsRun(command, invocations)),
    words: new Set([...read.words, ...resolved.flatMap(({words}) => [...words])]),
    calls: [read, ...resolved].flatMap(({calls}) => calls),
    redirected: read.redirected,
    extent: [read, ...resolved].some(({extent}) => extent === 'partial') ? 'partial' : 'whole',
  };
}

interface InvocationWords {
  readonly range: TextRange;
  readonly words: readonly Argument[];
}

/** Returns the forms of each invocation's expanded words, and of each invocation as written. */
function formsRun(command: string, invocations: readonly InvocationWords[]): readonly string[] {
  const written = invocations
    .map(({range}) => command.slice(range.from, range.to))
    .filter(text => !text.includes('<<'));
  return [
    ...new Set([
      ...[...textsOf(invocations), ...written].flatMap(text => commandForms(text, 'as it stands').forms),
      ...written.map(text => collapseSpaces(text)),
    ]),
  ];
}

function textsOf(invocations: readonly InvocationWords[]): readonly string[] {
  const texts = new Set<string>();
  for (const {words} of invocations) {
    if (texts.size >= maxTexts) break;
    for (const variant of variantsOf(words)) texts.add(variant.map(quoted).join(' '));
  }
  return [...texts];
}

/** Matches what the loose reader does not expand. */
const mayResolve = /[$`{]/u;

/** The maximum number of texts that are examined for one command, which bounds the time. */
const maxTexts = 5000;

const maxVariants = 64;

/** Returns the possible expansions of the words. An unknown word becomes `$()`, like a substitution. */
function variantsOf(words: readonly Argument[]): readonly (readonly string[])[] {
  let variants: readonly (readonly string[])[] = [[]];
  for (const {value} of words) {
    const texts = typeof value === 'string' ? ['$()'] : value.map(({text}) => text);
    const more = variants.flatMap(variant => texts.map(text => [...variant, text]));
    variants = more.length > maxVariants ? variants.map(variant => [...variant, '$()']) : more;
  }
  return variants;
}

const quoted = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`;
