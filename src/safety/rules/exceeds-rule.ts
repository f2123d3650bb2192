import {effectsOf} from '../commands/effects.ts';
import {actsOf, isA} from '../commands/known-programs.ts';
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
 * Whether a simple command does more than the allow rule that covers its words was written for. It does if a wrapper runs a program
 * that the rule does not name (`sudo rm x`, `Bash(sudo:*)`). It does where an option that the rule's text does not contain makes it
 * run another program, load code from outside the workspace, or write a file that is outside
 * the workspace or protected; tests and scripts of the project also where an argument of theirs names a place outside the workspace,
 * since what they do with it is theirs. Writing an ordinary file of the workspace does not count: a rule that allows a command allows that.
 */
export function exceedsRule(words: readonly string[], {about}: PermissionRule, where: Place): boolean {
  if (about.kind === 'commands') {
    const {words: fixed, open} = fixedWords(about.pattern);
    const isOpen = open && fixed.length > 0 && words.length > fixed.length;
    if (isOpen && (wrapperOpenAt(words, fixed.length) !== undefined || runsArguments(plainCall(words)))) return true;
  }
  const namedInRule = new Set(
    about.kind === 'commands' ? about.pattern.text.replaceAll(/["'\\]/gu, '').split(/\s+/u) : [],
  );
  if (runsProjectCode(words.join(' ')) && words.some(word => !namedInRule.has(word) && namesPlaceOutside(word, where)))
    return true;
  return nestedCommands(words).some(([program = '', ...args]) => {
    const name = program.slice(program.lastIndexOf('/') + 1).replace(/@[\w.^~-]+$/u, '');
    if (isA(name, 'database') && args.some(word => !namedInRule.has(word) && actsOutside(word))) return true;
    if (effectsOf([name, ...args]).some(({role, word}) => !namedInRule.has(word) && actsByRole(role, word, where)))
      return true;
    return actsOf([name, ...args]).some(
      ({option, word, act, value}) =>
        !namedInRule.has(option) && !namedInRule.has(word) && (act === 'runs' || !isOrdinaryFile(value, act, where)),
    );
  });
}

/** The command by its program's name, without the options before its subcommand: `git -C x bisect run` is `git bisect run`. */
function plainCall([program = '', ...args]: readonly string[]): string {
  const at = args.findIndex((word, index) => !word.startsWith('-') && !/^-[Cc]$/u.test(args[index - 1] ?? ''));
  return [program.slice(program.lastIndexOf('/') + 1), ...(at < 0 ? args : args.slice(at))].join(' ');
}

/** Whether a word, or the value in it, is a path that leads out of the workspace: `/tmp/x.js`, `--config=../x`, `-r/tmp/x`. */
function namesPlaceOutside(word: string, where: Place): boolean {
  return [
    ...word.matchAll(/(?:^-[A-Za-z]?|^|[=,;'"\s@]|:(?!\/\/))((?:~|\/|(?:[\w.-]+\/)*\.\.(?=\/|$))[^\s,;'"]*)/gu),
  ].some(([, path]) => !isOrdinaryFile(path, 'loads', where));
}

/** The command itself, and the commands that it runs: `npx eslint` runs `eslint`, and `python -m pytest` runs `pytest`. */
function nestedCommands(words: readonly string[]): readonly (readonly string[])[] {
  const starts = commandStarts(words).filter(at => at > 0);
  // The words behind the name of a package are arguments of that package, not of what runs it.
  const ownWords = isA(programName(words[0] ?? ''), 'packages')
    ? words.slice(0, Math.min(...starts, words.length))
    : words;
  return [ownWords, ...starts.map(at => words.slice(at))].flatMap(each => [each, ...runByName(each)]);
}

/** What a program runs by the name of a module or a script: `pytest -x` of `python -m pytest -x`. */
function runByName(words: readonly string[]): readonly (readonly string[])[] {
  const module = effectsOf(words).find(({role, word}) => role === 'module' && !/^(?:run|exec|x|dlx)$/u.test(word));
  return module === undefined ? [] : [[module.word, ...module.rest]];
}

interface Place {
  readonly directories: readonly string[];
  readonly context: PathContext;
}

function isOrdinaryFile(value: string | undefined, act: 'writes' | 'loads', {directories, context}: Place): boolean {
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

/** Whether a script runs a command or writes a file that is not ordinary, or is read from outside of the workspace. */
const actsByRole = (role: Role, word: string, where: Place): boolean =>
  role === 'sed'
    ? !isHarmlessSed(word) && sedCommandThatActs.test(word)
    : role === 'code'
      ? !isOrdinaryFile(word, 'loads', where)
      : (role === 'awk' || role === 'script') && awkActs(word, where);

/** Matches sed's commands `e` (run) and `w` (write), and the flags of `s` with these names, wherever they may occur in a script. */
const sedCommandThatActs =
  /(?:^|[;{}\n\d$!/|#,@]\s*)[gpiIM\d]*(?:[wW]|e(?=$|[\s;}]))|(?:^|[;{}\n])\s*(?:[\d,$]+|\/[^/]*\/)\s*!?\s*e/u;

/** Whether a script of awk runs a command, or writes a file that is not ordinary. */
const awkActs = (script: string, where: Place): boolean =>
  !isHarmlessAwk(script) &&
  (/\bsystem\b|\bgetline\b|@|(?<!\|)\|(?!\|)/u.test(script) ||
    [...script.matchAll(/\bprintf?\b[^;}\n]*?>{1,2}\s*(?:"([^"\\]*)")?/gu)].some(
      ([, file]) => file === undefined || !isOrdinaryFile(file, 'writes', where),
    ));

/** A query may stand in the word of its option: `-e'system x'`. */
const actsOutside = (word: string): boolean =>
  [word, word.replace(/^-[A-Za-z]|^--[a-z-]+=/u, '')].some(text => actsOutsideDatabase.test(text));

/** Matches what runs a program or writes a file in a query, or in one of the database client's own commands. */
const actsOutsideDatabase =
  /\\(?:[!ow]|copy\b|i(?:r|nclude\w*)?(?![a-z])|[esPT.](?![a-z])|ef\b|ev\b|g[a-z]*\s*\||lo_\w+|setenv\b|set\b[^\n]*`)|^\s*\.(?:shell|system|sh|load|output|once|backup|save|log|excel|read|import\s+["']?\||www|open|clone|restore|trace|ar|archive|cd)\b|\b(?:writefile|load_extension|readfile|edit)\s*\(|\binto\s+(?:out|dump)file\b|\b(?:to|from)\s+program\b|(?:^|[;\n])\s*(?:system|source|tee|pager|edit)\b|\bcopy\b[^;]*\bto\b|\bexport\s+database\b|(?:^|;)\s*(?:force\s+)?(?:install|load)\b|\battach\b/iu;
