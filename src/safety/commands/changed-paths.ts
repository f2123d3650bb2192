import {partsThatMayBePaths} from '../paths/path-parts.ts';
import type {CommandForms} from './command-forms.ts';
import {effectsOf, readingOf} from './effects.ts';
import {hasTrait, isInterpreter, isShell, isSubcommand, rowFor, rowOf} from './known-programs.ts';
import {layers} from './layers.ts';
import {foldersEnteredByOptions, fromFolders, foldersEntered, operandsWritten, outputFolders} from './command-paths.ts';
import {type Role, wordsOf} from './program-table.ts';
import {isHarmlessAwk, isHarmlessSed} from './script-languages.ts';

/** A path that a command changes, for rules about files. */
export interface ChangedPath {
  readonly name: string;
  /** `folder`: the path, or an entry directly in it. `tree`: also anything below it. `perhaps`: a tree, but uncertain. */
  readonly extent: 'file' | 'folder' | 'tree' | 'perhaps';
}

/** Returns the paths that a command's programs change. Rules about files apply to these too. */
export function changedPaths(command: CommandForms): readonly ChangedPath[] {
  const own = command.calls.flatMap(words => [...changedBy(words), ...(isFed(words) ? changedByFed(words) : [])]);
  const text = scriptWords(command);
  const found = [
    ...own,
    ...(own.some(({name}) => name.includes('{}')) ? [...placesFed(command.calls), ...perhaps([...command.words])] : []),
    ...perhaps(text.flatMap(word => [...word.matchAll(writtenInScript)].map(([, file = '']) => file)).filter(isName)),
    ...(text.some(word => writingCode.test(word)) ? perhaps(text.flatMap(tokensOf)) : []),
  ];
  const folders = foldersEntered(command.forms);
  return found.flatMap(({name, extent}) => fromFolders([name], folders).map(each => ({name: each, extent})));
}

/** Returns the names in the command's scripts and code, which may read the named files. */
export const namesInScripts = (command: CommandForms): readonly string[] =>
  fromFolders([...new Set(scriptWords(command).flatMap(tokensOf))], foldersEntered(command.forms));

const perhaps = (names: readonly string[]): readonly ChangedPath[] => names.map(name => ({name, extent: 'perhaps'}));

const trees = (names: readonly string[]): readonly ChangedPath[] => names.map(name => ({name, extent: 'tree'}));

/** Returns what the command after `xargs` changes if its input names files. */
const changedByFed = (words: readonly string[]): readonly ChangedPath[] =>
  layers(words)
    .slice(1)
    .flatMap(layer => changedBy([...layer.words, '{}']));

/** Returns the current folder if file names come from a source that names no folder. */
const placesFed = (calls: CommandForms['calls']): readonly ChangedPath[] =>
  calls.some(words => isFed(words) && !/^g?find [^-(!\\]/u.test(words.join(' '))) ? trees(['.']) : [];

/** True if the program runs a command on file names that are not among its words: `xargs`, `find -exec`. */
const isFed = ([program = '']: readonly string[]): boolean =>
  hasTrait(program, 'input-words') || rowOf(program)?.wraps?.options !== undefined;

function changedBy(written: readonly string[]): readonly ChangedPath[] {
  const [program = '', ...given] = written;
  const args = program === 'git' ? given.slice(given.findIndex(isSubcommand)) : given;
  const words = [program, ...args];
  const row = rowFor(words)?.row;
  const effects = effectsOf(words);
  const all = (...roles: readonly Role[]): readonly string[] =>
    effects.flatMap(({role, word}) => (roles.includes(role) ? [word] : []));
  const isDeep = args.some(word => /^-\w*[rRa]|^--(?:recursive|archive)/u.test(word)) || all('from').length > 0;
  const [module] = effects.filter(({role}) => role === 'module');
  const removes = hasTrait(program, 'removes') || hasTrait(program, 'rights');
  const extent = (removes && (isDeep || row?.operands === undefined)) || hasTrait(program, 'moves') ? 'tree' : 'folder';
  return [
    ...all('target', 'into').flatMap(target => [
      {name: target, extent: 'folder'} as const,
      ...all('from', 'source', 'link', 'rename').map(
        source => ({name: `${target}/${lastName(source)}`, extent: isDeep ? 'tree' : 'file'}) as const,
      ),
    ]),
    ...(row?.operands === 'create*' ? [] : operandsWritten(words).map((name): ChangedPath => ({name, extent}))),
    ...changedByRow(words),
    ...(module === undefined ? [] : changedBy([module.word, ...module.rest])),
  ];
}

const lastName = (path: string): string =>
  /([^/]*)\/*$/u.exec(path.replaceAll(/\$.*$/gu, '*'))?.[1]?.replace(/^\.\.$/u, '.') ?? '';

/** Returns the paths that a program changes according to `ProgramRow.edits`. */
function changedByRow([program = '', ...given]: readonly string[]): readonly ChangedPath[] {
  // `tar xf a` is `tar -xf a`.
  const args = program.endsWith('tar')
    ? given.map((word, at) => (at === 0 ? word.replace(/^(?=\w+$)/u, '-') : word))
    : given;
  const words = [program, ...args];
  const found = rowFor(words);
  const edits = wordsOf(found?.row.edits ?? rowOf(program)?.edits);
  if (edits.length === 0) return [];
  const {options, operands} = readingOf(words);
  const has = new Set([...args.map(word => word.replace(/=.*$/su, '')), ...options.map(({name}) => name)]);
  const isOff = edits.some(word => word.startsWith('!') && has.has(word.slice(1)));
  const isOn = edits.some(word => has.has(word) && (word.startsWith('-') || !isOff)) || (edits.includes('*') && !isOff);
  const letters = edits.find(word => /^\.\w*$/u.test(word))?.slice(1);
  if (!isOn)
    // The archive that is written.
    return hasTrait(program, 'unpacks')
      ? args.flatMap((word, at) =>
          /^-\w*[cru]\w*f$/u.test(args[at - 1] ?? '') ? [{name: word, extent: 'file'} as const] : [],
        )
      : [];
  if (letters !== undefined) {
    const entered = letters === '' ? [] : [...outputFolders(args, letters), ...foldersEnteredByOptions(args)];
    return trees(entered.length === 0 ? ['.'] : entered);
  }
  if (edits.includes('last')) return trees(operands.slice(-1));
  const rest = words.slice(found?.words.length);
  const named = rest.flatMap(partsThatMayBePaths).map(word => word.replace(/\/?\.\.\.$/u, '') || '.');
  // An operand after an option may be its value.
  const isNamed = rest.some((word, at) => {
    const before = rest[at - 1] ?? '';
    return /^[^-()!\\;]/u.test(word) && !edits.includes(word) && (edits.includes(before) || !before.startsWith('-'));
  });
  return trees(isNamed || edits.includes('named') ? named : [...named, '.']);
}

/** Returns the words that may be scripts that change or read files, including the input of the program that runs them. */
function scriptWords({calls, words}: CommandForms): readonly string[] {
  const scripts = new Set(calls.map(scriptsOf));
  return [...words].filter(
    word =>
      scripts.has('any') ||
      (scripts.has('sed') && !isHarmlessSed(word)) ||
      (scripts.has('awk') && !isHarmlessAwk(word)),
  );
}

/** Returns the kind of scripts that a program takes. `any` may also come from its input. */
function scriptsOf([program = '', ...args]: readonly string[]): 'sed' | 'awk' | 'any' | 'none' {
  const has = (option: RegExp): boolean => args.some(word => option.test(word));
  const [role] = wordsOf(rowOf(program)?.operands);
  if (role === 'sed' || role === 'awk') return has(/^(?:-\w*f|--file)/u) ? 'any' : role;
  if (hasTrait(program, 'database') || /^(?:n?vim?|ex|ed|emacs)$/u.test(program)) return 'any';
  if (!isInterpreter(program) && !isShell(program)) return 'none';
  return has(/^-\w*[ceEpr]$|^--(?:eval|print)/u) || !has(/^[^-]/u) ? 'any' : 'none';
}

const tokensOf = (word: string): readonly string[] =>
  word
    .split(/[\s'"`;{}()<>|&,=]+/u)
    .flatMap(token => [token, token.replace(/^\W*\d*[rRwW]/u, '')])
    .filter(isName);

const isName = (token: string): boolean => /[\w~]|^\.$/u.test(token);

/** Matches the files that scripts of sed, awk, editors and databases write to. */
const writtenInScript =
  /(?:(?<![A-Za-z])[gpiIMm\d]*[wW]|\bw(?:rite|q)?!?|>{1,2}|\.(?:output|once|save|backup|excel|log|trace|clone|archive|dump)|\\[ogw]\w*|\bto|\btee|\b(?:out|dump)file|writefile\()\s*["']?([^\s"';{}]+)/gu;

/** Matches code that may change a file. */
const writingCode =
  /writ|unlink|\brm\b|rm(?:tree|Sync|dir)|remove|renam|os\.replace|move|copy|\bcp|\bmv\b|trunc|mkdir|touch|delet|append|open\w*\s*\([^)]*,\s*(?:mode\s*=\s*)?['"][^'"]*[wax+>]|['"]\s*>|File\.open/iu;
