import {effectsOf} from '../commands/effects.ts';
import {actingOptionsOf, hasTrait} from '../commands/known-programs.ts';
import type {Role} from '../commands/program-table.ts';
import {isHarmlessAwk, isHarmlessSed} from '../commands/script-languages.ts';
import {type PathContext, realParts, writtenParts} from '../paths/path-context.ts';
import type {PermissionRule} from './permission-rule.ts';
import {isAbsolutePath} from '../paths/path-parts.ts';
import {protectedPart} from '../paths/protected-paths.ts';
import {looksSecret} from '../paths/secret-paths.ts';
import {commandStarts, programName, wrapperOpenAt} from '../commands/layers.ts';
import {fixedWords} from './command-pattern.ts';
import {runsArguments, runsProjectCode} from './suggested-rules.ts';

/**
 * True if a simple command does more than the allow rule that matches its words was written for:
 * - A wrapper runs a program that the rule does not name (`sudo rm x`, `Bash(sudo:*)`).
 * - An option that is not in the rule's text makes the command run another program, load code from outside the workspace, or
 *   write a file that is protected or outside the workspace.
 * - An argument of a project test or script names a path outside the workspace. The project decides what it does with that path.
 *
 * Writing an ordinary workspace file does not count: a rule that allows a command allows that too.
 */
export function exceedsAllowRule(words: readonly string[], {about}: PermissionRule, where: RunLocation): boolean {
  if (about.kind === 'commands') {
    const {words: fixed, open} = fixedWords(about.pattern);
    const isOpen = open && fixed.length > 0 && words.length > fixed.length;
    if (isOpen && (wrapperOpenAt(words, fixed.length) !== undefined || runsArguments(plainCall(words)))) return true;
  }
  const namedInRule = new Set(
    about.kind === 'commands' ? about.pattern.text.replaceAll(/["'\\]/gu, '').split(/\s+/u) : [],
  );
  if (runsProjectCode(words.join(' ')) && words.some(word => !namedInRule.has(word) && namesPathOutside(word, where)))
    return true;
  return nestedCommands(words).some(([program = '', ...args]) => {
    const name = program.slice(program.lastIndexOf('/') + 1).replace(/@[\w.^~-]+$/u, '');
    if (hasTrait(name, 'database') && args.some(word => !namedInRule.has(word) && queryExceedsRule(word))) return true;
    if (
      effectsOf([name, ...args]).some(({role, word}) => !namedInRule.has(word) && scriptExceedsRule(role, word, where))
    )
      return true;
    return actingOptionsOf([name, ...args]).some(
      ({option, word, act, value}) =>
        !namedInRule.has(option) && !namedInRule.has(word) && (act === 'runs' || !isOrdinaryFile(value, act, where)),
    );
  });
}

/**
 * Returns the command with its program's base name, and without the options before its subcommand: `git -C x bisect run` becomes
 * `git bisect run`.
 */
function plainCall([program = '', ...args]: readonly string[]): string {
  const at = args.findIndex((word, index) => !word.startsWith('-') && !/^-[Cc]$/u.test(args[index - 1] ?? ''));
  return [program.slice(program.lastIndexOf('/') + 1), ...(at < 0 ? args : args.slice(at))].join(' ');
}

/** True if a word, or a value in it, is a path outside the workspace: `/tmp/x.js`, `--config=../x`, `-r/tmp/x`. */
function namesPathOutside(word: string, where: RunLocation): boolean {
  return [
    ...word.matchAll(/(?:^-[A-Za-z]?|^|[=,;'"\s@]|:(?!\/\/))((?:~|\/|(?:[\w.-]+\/)*\.\.(?=\/|$))[^\s,;'"]*)/gu),
  ].some(([, path]) => !isOrdinaryFile(path, 'loads', where));
}

/** Returns the command itself and the commands that it runs: `npx eslint` runs `eslint`, and `python -m pytest` runs `pytest`. */
function nestedCommands(words: readonly string[]): readonly (readonly string[])[] {
  const starts = commandStarts(words).filter(at => at > 0);
  // The words after a package's name are the package's arguments, not the package runner's.
  const ownWords = hasTrait(programName(words[0] ?? ''), 'packages')
    ? words.slice(0, Math.min(...starts, words.length))
    : words;
  return [ownWords, ...starts.map(at => words.slice(at))].flatMap(each => [each, ...runByName(each)]);
}

/** Returns the command that a program runs by the name of a module or script: `pytest -x` in `python -m pytest -x`. */
function runByName(words: readonly string[]): readonly (readonly string[])[] {
  const module = effectsOf(words).find(({role, word}) => role === 'module' && !/^(?:run|exec|x|dlx)$/u.test(word));
  return module === undefined ? [] : [[module.word, ...module.rest]];
}

interface RunLocation {
  readonly directories: readonly string[];
  readonly context: PathContext;
}

function isOrdinaryFile(
  value: string | undefined,
  act: 'writes' | 'loads',
  {directories, context}: RunLocation,
): boolean {
  if (value === undefined || value === '' || value === '-' || /^\/dev\/(?:null|stdout|stderr)$/u.test(value))
    return true;
  if (directories.length === 0 || /^~(?!\/|$)|[$`]/u.test(value)) return false;
  return directories.every(directory => {
    const path = isAbsolutePath(value) || value.startsWith('~') ? value : `${directory}/${value}`;
    const {place} = context.resolve(path);
    if (place === 'outside-workspace') return false;
    if (act === 'loads') return true;
    return [realParts(path, context), writtenParts(path, context)].every(
      parts => protectedPart(parts, context) === undefined && !looksSecret(parts.join('/')),
    );
  });
}

/** True if a script runs a command, writes a file that is not ordinary, or is read from outside the workspace. */
const scriptExceedsRule = (role: Role, word: string, where: RunLocation): boolean =>
  role === 'sed'
    ? !isHarmlessSed(word) && sedCommandThatActs.test(word)
    : role === 'code'
      ? !isOrdinaryFile(word, 'loads', where)
      : (role === 'awk' || role === 'script') && awkExceedsRule(word, where);

/** Matches sed's commands `e` (run) and `w` (write) anywhere in a script, and the flags of `s` with these names. */
const sedCommandThatActs =
  /(?:^|[;{}\n\d$!/|#,@]\s*)[gpiIM\d]*(?:[wW]|e(?=$|[\s;}]))|(?:^|[;{}\n])\s*(?:[\d,$]+|\/[^/]*\/)\s*!?\s*e/u;

/** True if an awk script runs a command, or writes a file that is not ordinary. */
const awkExceedsRule = (script: string, where: RunLocation): boolean =>
  !isHarmlessAwk(script) &&
  (/\bsystem\b|\bgetline\b|@|(?<!\|)\|(?!\|)/u.test(script) ||
    [...script.matchAll(/\bprintf?\b[^;}\n]*?>{1,2}\s*(?:"([^"\\]*)")?/gu)].some(
      ([, file]) => file === undefined || !isOrdinaryFile(file, 'writes', where),
    ));

/** True if a query runs a program or writes a file. The query may be part of its option's word: `-e'system x'`. */
const queryExceedsRule = (word: string): boolean =>
  [word, word.replace(/^-[A-Za-z]|^--[a-z-]+=/u, '')].some(text => actingQuery.test(text));

/** Matches the parts of a query, and a database client's own commands, that run a program or write a file. */
const actingQuery =
  /\\(?:[!ow]|copy\b|i(?:r|nclude\w*)?(?![a-z])|[esPT.](?![a-z])|ef\b|ev\b|g[a-z]*\s*\||lo_\w+|setenv\b|set\b[^\n]*`)|^\s*\.(?:shell|system|sh|load|output|once|backup|save|log|excel|read|import\s+["']?\||www|open|clone|restore|trace|ar|archive|cd)\b|\b(?:writefile|load_extension|readfile|edit)\s*\(|\binto\s+(?:out|dump)file\b|\b(?:to|from)\s+program\b|(?:^|[;\n])\s*(?:system|source|tee|pager|edit)\b|\bcopy\b[^;]*\bto\b|\bexport\s+database\b|(?:^|;)\s*(?:force\s+)?(?:install|load)\b|\battach\b/iu;
