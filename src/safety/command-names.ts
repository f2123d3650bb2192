import {filesWritten} from './beyond-rule.ts';
import type {CommandForms} from './command-forms.ts';

/** What in a command may name a file; nothing that is one is left out where the words are literal. */
export interface CommandNames {
  readonly mentioned: readonly string[];
  /** What is surely written to: the targets of redirections, and what programs that only change files are given. */
  readonly written: readonly string[];
}

/** Words of one command that are looked at; a text with more has names enough to be asked about. */
const mostNames = 20_000;

/**
 * The words of a command that may be paths, each also from the folders it changes to (`cd secret && cat key`). Parts of words
 * count: `--file=a`, `-fa`, `@a`, `HEAD:a`.
 */
export function namesInCommand(command: CommandForms): CommandNames {
  const folders = foldersEntered(command.forms);
  const mentioned = fromFolders([...command.words].flatMap(pathsIn), folders);
  const operands = command.forms.flatMap(form => operandsWritten(form.split(' ')));
  const written = fromFolders([...command.redirected, ...operands], folders);
  return {mentioned, written};
}

/** The files that a program changes, by its operands and options. */
export const operandsWritten = (words: readonly string[]): readonly string[] => [
  ...writtenBy(words),
  ...filesWritten(words),
];

function pathsIn(written: string): readonly string[] {
  // Where a variable or a substitution leads is taken to be here.
  const word = written.replace(/^\$(?:HOME|\{HOME\})(?=\/|$)/u, '~').replace(/^\$(?:\(\)|\w+|\{\w+\})(?=\/)/u, '.');
  const parts = word.split(/[=:@,]/u);
  const stuck = /^-[A-Za-z]./u.test(word) ? [word.slice(2)] : [];
  return [word, ...(parts.length > 1 ? parts : []), ...stuck].filter(part => part !== '' && !part.startsWith('-'));
}

function foldersEntered(forms: readonly string[]): readonly string[] {
  const folders: string[] = [];
  for (const form of forms) {
    const [, entered] =
      /^(?:cd|pushd)(?: -[LPe@]+| --)* (\S+)/u.exec(form) ?? /^(?:git|make|tar)\b.* -C (\S+)/u.exec(form) ?? [];
    if (entered !== undefined && !folders.includes(entered)) folders.push(entered);
    if (folders.length >= mostFolders) break;
  }
  // One after the other as well as each by itself.
  const chained = folders.map((_, at) => folders.slice(0, at + 1).reduce(joined));
  return [...new Set([...folders, ...chained])];
}

const mostFolders = 8;

function fromFolders(names: readonly string[], folders: readonly string[]): readonly string[] {
  const all = new Set(names);
  for (const folder of folders) for (const name of names) all.add(joined(folder, name));
  return [...all].slice(0, mostNames);
}

const joined = (folder: string, name: string): string => (/^[/~]/u.test(name) ? name : `${folder}/${name}`);

/** The operands of programs that do nothing but change what they are given. */
function writtenBy([program = '', ...words]: readonly string[]): readonly string[] {
  const operands = words.filter(word => !word.startsWith('-'));
  if (program === 'dd') return operands.filter(word => word.startsWith('of=')).map(word => word.slice(3));
  if (program === 'sed' || program === 'perl')
    return words.some(word => /^-\w*i|^--in-place/u.test(word)) ? operands : [];
  if (program === 'cp' || program === 'install' || program === 'ln') return operands.slice(-1);
  return changers.has(program) ? operands : [];
}

const changers: ReadonlySet<string> = new Set(
  'rm rmdir unlink shred mv tee touch truncate chmod chown chgrp mkdir mkfifo patch ex ed vi vim nano emacs sponge'.split(
    ' ',
  ),
);

/** A folder all of whose files a command may look into; `visible` leaves out names that begin with a dot. */
export interface SearchedFolder {
  readonly folder: string;
  readonly names: 'all' | 'visible';
}

/** Where the command searches whole folders for what is in their files: `grep -r`, `rg`, what `xargs` is fed. */
export function searchedFolders(command: CommandForms): readonly SearchedFolder[] {
  const searches = command.forms.flatMap(form => searchOf(form.split(' ')));
  if (searches.length === 0) return [];
  const entered = foldersEntered(command.forms);
  return searches.flatMap(({folder, names}) => fromFolders([folder], entered).map(each => ({folder: each, names})));
}

const isOption = (word: string): boolean => word.startsWith('-');

function searchOf([program = '', ...words]: readonly string[]): readonly SearchedFolder[] {
  const given = words.filter(word => !word.startsWith('-'));
  const folders = (names: SearchedFolder['names'], operands: readonly string[]): readonly SearchedFolder[] =>
    (operands.length === 0 ? ['.'] : operands).map(folder => ({folder, names}));
  const has = (option: RegExp): boolean => words.some(word => option.test(word));
  if (program === 'xargs' || program === 'parallel') return folders('all', []);
  if (program === 'rgrep' || program === 'ugrep') return folders('all', given.slice(1));
  if (
    /^[efz]?grep$/u.test(program) &&
    has(/^(?:-\w*[rR]\w*|--recursive|--dereference-recursive|--directories=recurse)$/u)
  ) {
    return folders('all', given.slice(1));
  }
  if (/^(?:rg|ag|ack)$/u.test(program)) {
    return folders(has(/^(?:-\w*[.u]\w*|--hidden|--unrestricted|--no-ignore.*)$/u) ? 'all' : 'visible', given.slice(1));
  }
  if (program === 'find' && has(/^-(?:exec|ok)/u)) return folders('all', words.slice(0, words.findIndex(isOption)));
  if (/^(?:tar|zip|rsync)$/u.test(program) || (/^(?:cp|diff)$/u.test(program) && has(/^(?:-\w*[rRa]|--recursive)/u)))
    return folders('all', given);
  return program === 'git' && given[0] === 'grep' ? folders('all', given.slice(2)) : [];
}
