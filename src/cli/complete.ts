import type {Argument, Command, Option} from 'commander';
import {visibleLine} from '../base/visible.ts';
import {print} from '../app/output.ts';
import type {AskedKind, Candidate} from './known-values.ts';
import {makeProgram, openCommand} from './program.ts';

/** Completions for the word at the cursor: words, or files or folders that the shell looks up. */
interface Completions {
  readonly kind: 'words' | 'file' | 'directory';
  readonly words: readonly Candidate[];
}

/**
 * Runs `weft __complete [--next] -- WORDS`, which the scripts in `completions/` call on TAB. WORDS are the words after `weft` up to the
 * cursor. The last one is completed, or with `--next` a new word after them. The first line of the output is the kind of completion.
 * Each further line is a word, a tab and its description. The shell drops words that don't match.
 */
export async function printCompletions(args: readonly string[]): Promise<void> {
  const [first = '', before = ''] = args;
  const asked = askedKinds.find(kind => kind === first);
  // The scripts of weft 0.1 ask for the values of one kind.
  if (asked !== undefined) return print((await askWeft(asked, before)).map(line).join(''));
  const words = args.slice(args.indexOf('--') + 1);
  const program = makeProgram('commands');
  const found = await completionsFor(first === '--next' ? [...words, ''] : words, {
    program,
    open: name => openCommand(program, name),
    ask: askWeft,
  });
  print(`${found.kind}\n${found.words.map(line).join('')}`);
}

const line = ([word, about]: Candidate): string => `${word}\t${oneLine(about)}\n`;

const askWeft = async (kind: AskedKind, before: string): Promise<readonly Candidate[]> =>
  (await import('./known-values.ts')).knownValues(kind, before);

const oneLine = (text: string): string => visibleLine(text.replaceAll(/\s+/gu, ' ').trim());

const askedKinds: readonly AskedKind[] = ['session', 'model', 'setting', 'value', 'server'];

interface CompletionSources {
  readonly program: Command;
  /** Loads the flags and subcommands of one of the program's commands. */
  readonly open: (name: string) => Promise<unknown>;
  /** Returns the values of a kind; `before` is the word before the cursor. */
  readonly ask: (kind: AskedKind, before: string) => Promise<readonly Candidate[]>;
}

/** How many of the next words belong to an option: none, exactly one, at most one, or all up to the next option. */
type Takes = 'none' | 'one' | 'maybe' | 'many';

/** Reads the words before the last one, and returns what the last one can be. */
export async function completionsFor(
  words: readonly string[],
  {program, open, ask}: CompletionSources,
): Promise<Completions> {
  const current = words.at(-1) ?? '';
  const valuesOf = async (named: Option | Argument | undefined): Promise<Completions> => {
    const kind = kindOf(named);
    if (kind === 'file' || kind === 'directory') return {kind, words: []};
    const choices = named?.argChoices?.map(choice => [choice, ''] as const);
    return {kind: 'words', words: choices ?? (kind === 'words' ? [] : await ask(kind, words.at(-2) ?? ''))};
  };
  let command = program;
  /** The commands that commander's own `help` command accepts. */
  let topics: readonly Command[] = [];
  let option: Option | undefined;
  let takes: Takes = 'none';
  let args = 0;
  let hasEnded = false;
  for (const word of words.slice(0, -1)) {
    if (takes === 'one') takes = 'none';
    else if (!hasEnded && /^-.*=|^--$/u.test(word)) {
      hasEnded = word === '--';
      takes = 'none';
    } else if (!hasEnded && /^-./u.test(word)) {
      option = optionNamed(word, command);
      takes = arityOf(option);
    } else if (takes === 'maybe') takes = 'none';
    else if (takes === 'none') {
      const next: Command | undefined = args === 0 ? subcommands(command).find(each => isNamed(each, word)) : undefined;
      if (next === undefined) args += 1;
      else {
        if (command === program) await open(next.name());
        topics = command.commands.includes(next) ? [] : subcommands(command).filter(each => each !== next);
        command = next;
      }
    }
  }
  const [, flag] = takes === 'one' || hasEnded ? [] : (/^(-.*?)=/u.exec(current) ?? []);
  if (flag !== undefined) {
    const {kind, words: values} = await valuesOf(optionNamed(flag, command));
    return {kind, words: values.map(([word, about]) => [`${flag}=${word}`, about])};
  }
  if (takes !== 'one' && !hasEnded && current.startsWith('-')) return {kind: 'words', words: flagsOf(command)};
  if (takes !== 'none') return valuesOf(option);
  const names = args === 0 ? (topics.length > 0 ? topics : subcommands(command)).flatMap(namesOf) : [];
  const {kind, words: values} = await valuesOf(topics.length > 0 ? undefined : argumentAt(args, command));
  return {kind, words: [...names, ...values]};
}

const subcommands = (command: Command): readonly Command[] => command.createHelp().visibleCommands(command);

const isNamed = (command: Command, word: string): boolean => [command.name(), ...command.aliases()].includes(word);

const namesOf = (command: Command): readonly Candidate[] =>
  [command.name(), ...command.aliases()].map(name => [name, command.description()]);

const optionNamed = (flag: string, {options}: Command): Option | undefined =>
  options.find(({short, long}) => short === flag || long === flag);

function arityOf(option: Option | undefined): Takes {
  if (option === undefined || !(option.required || option.optional)) return 'none';
  if (option.variadic) return 'many';
  return option.required ? 'one' : 'maybe';
}

const flagsOf = (command: Command): readonly Candidate[] =>
  command
    .createHelp()
    .visibleOptions(command)
    .flatMap(({short, long, description}) =>
      [short, long].flatMap((flag): readonly Candidate[] => (flag == null ? [] : [[flag, description]])),
    );

function argumentAt(index: number, {registeredArguments}: Command): Argument | undefined {
  const last = registeredArguments.at(-1);
  return registeredArguments[index] ?? (last?.variadic === true ? last : undefined);
}

/** Derives the kind of a value from its placeholder: `<file>`, `<dir>`, `<session>`. */
function kindOf(named: Option | Argument | undefined): Completions['kind'] | AskedKind {
  if (named === undefined || named.argChoices !== undefined) return 'words';
  const name = 'flags' in named ? (/[<[]([^\]>.]+)(?:\.{3})?[\]>]/u.exec(named.flags)?.[1] ?? '') : named.name();
  const words = name.toLowerCase().split(/[^a-z]+/u);
  if (words.some(word => ['dir', 'dirs', 'directory', 'folder'].includes(word))) return 'directory';
  if (words.some(word => ['file', 'files', 'path', 'paths'].includes(word))) return 'file';
  return askedKinds.find(kind => kind === name) ?? 'words';
}
