import {actsOf} from '../commands/known-programs.ts';
import {isHarmlessAwk, isHarmlessSed} from '../commands/script-languages.ts';
import {type PathContext, realParts, writtenParts} from '../paths/path-context.ts';
import type {PermissionRule} from './permission-rule.ts';
import {isAbsolutePath} from '../paths/path-parts.ts';
import {protectedPart} from '../paths/protected-paths.ts';
import {looksSecret} from '../paths/secret-paths.ts';
import {commandStarts, wrapperOpenAt} from '../commands/layers.ts';
import {fixedWords} from './command-pattern.ts';
import {runsArguments, runsProjectCode} from './suggested-rules.ts';

/**
 * Whether a simple command does more than the allow rule that covers its words was written for. It does if a wrapper runs a program
 * that the rule does not name (`sudo rm x`, `Bash(sudo:*)`). It does where an option that the rule's text does not contain makes it
 * run another program, load code from outside the workspace, or write a file that is outside
 * the workspace or protected; tests and scripts of the project also where an argument of theirs names a place outside the workspace,
 * since what they do with it is theirs. Writing an ordinary file of the workspace does not count: a rule that allows a command allows that.
 */
export function exceedsRule(
  words: readonly string[],
  {about}: PermissionRule,
  where: {readonly directories: readonly string[]; readonly context: PathContext},
): boolean {
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
    if (/^g?sed$/u.test(name)) return hasSedCommand(args, namedInRule);
    if (/^[gmn]?awk$/u.test(name) && hasAwkCommand(args, namedInRule, where)) return true;
    if (databaseClients.test(name) && args.some(word => !namedInRule.has(word) && actsOutside(word))) return true;
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
function namesPlaceOutside(word: string, where: Parameters<typeof isOrdinaryFile>[2]): boolean {
  return [
    ...word.matchAll(/(?:^-[A-Za-z]?|^|[=,;'"\s@]|:(?!\/\/))((?:~|\/|(?:[\w.-]+\/)*\.\.(?=\/|$))[^\s,;'"]*)/gu),
  ].some(([, path]) => !isOrdinaryFile(path, 'loads', where));
}

/** The command itself, and the commands that it runs: `npx eslint` runs `eslint`, and `python -m pytest` runs `pytest`. */
function nestedCommands(words: readonly string[]): readonly (readonly string[])[] {
  const [program = ''] = words;
  const name = program.slice(program.lastIndexOf('/') + 1);
  const starts = commandStarts(words).filter(at => at > 0);
  const first = Math.min(...starts, words.length);
  // The words behind the name of a package are arguments of that package, not of npx.
  const ownWords = /^(?:npx|pnpx|bunx)$/u.test(name) ? words.slice(0, first) : words;
  return [ownWords, ...starts.map(at => words.slice(at))].flatMap(each => [each, ...runByName(each)]);
}

/** What a program runs by the name of a module or a script: `pytest -x` of `python -m pytest -x`. */
function runByName([program = '', ...args]: readonly string[]): readonly (readonly string[])[] {
  const name = program.slice(program.lastIndexOf('/') + 1);
  const module = /^python[\d.]*$/u.test(name) ? args.indexOf('-m') + 1 : 0;
  if (module > 0) return [args.slice(module)];
  const script = /^(?:yarn|pnpm|bun)$/u.test(name)
    ? args.findIndex(word => !/^(?:-.*|run|exec|x|dlx)$/u.test(word))
    : -1;
  return script < 0 ? [] : [args.slice(script)];
}

function isOrdinaryFile(
  value: string | undefined,
  act: 'writes' | 'loads',
  {directories, context}: {readonly directories: readonly string[]; readonly context: PathContext},
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

/** Whether a script of sed runs a command or writes a file. A script that sed reads from a file is taken to do so. */
function hasSedCommand(args: readonly string[], namedInRule: ReadonlySet<string>): boolean {
  const scripts: string[] = [];
  let operands = 0;
  for (let at = 0; at < args.length; at += 1) {
    const word = args[at] ?? '';
    const [, attached] = /^(?:-[A-Za-df-z]*e|--expression=)([\s\S]+)$/u.exec(word) ?? [];
    if (/^(?:-[A-Za-z]*f|--file)/u.test(word) && !namedInRule.has(word)) return true;
    if (attached !== undefined) scripts.push(attached);
    else if (/^-[A-Za-z]*e$|^--expression$/u.test(word)) {
      at += 1;
      scripts.push(args[at] ?? '');
    } else if (!word.startsWith('-') || word === '-') {
      if (operands === 0 && scripts.length === 0) scripts.push(word);
      operands += 1;
    }
  }
  return scripts.some(script => !namedInRule.has(script) && !isHarmlessSed(script) && sedCommandThatActs.test(script));
}

/** Matches sed's commands `e` (run) and `w` (write), and the flags of `s` with these names, wherever they may occur in a script. */
const sedCommandThatActs =
  /(?:^|[;{}\n\d$!/|#,@]\s*)[gpiIM\d]*(?:[wW]|e(?=$|[\s;}]))|(?:^|[;{}\n])\s*(?:[\d,$]+|\/[^/]*\/)\s*!?\s*e/u;

/** Whether a script of awk runs a command, loads code from outside the workspace, or writes a file that is not ordinary. */
function hasAwkCommand(
  args: readonly string[],
  namedInRule: ReadonlySet<string>,
  where: {readonly directories: readonly string[]; readonly context: PathContext},
): boolean {
  const scripts: string[] = [];
  let isFromFile = false;
  for (let at = 0; at < args.length; at += 1) {
    const word = args[at] ?? '';
    if (/^(?:-[il]|--include|--load)/u.test(word)) return !namedInRule.has(word);
    if (/^(?:-[Fv]|--field-separator|--assign)$/u.test(word)) at += 1;
    else if (/^(?:-f|--file)/u.test(word)) {
      isFromFile = true;
      const value = /^(?:-f|--file=)(.+)$/u.exec(word)?.[1] ?? args[(at += 1)];
      if (!isOrdinaryFile(value, 'loads', where)) return true;
    } else if (/^(?:-e|--source)/u.test(word))
      scripts.push(/^(?:-e|--source=)(.+)$/su.exec(word)?.[1] ?? args[(at += 1)] ?? '');
    else if (!word.startsWith('-')) {
      if (!isFromFile && scripts.length === 0) scripts.push(word);
      break;
    }
  }
  return scripts.some(script => {
    if (namedInRule.has(script) || isHarmlessAwk(script)) return false;
    if (/\bsystem\b|\bgetline\b|@|(?<!\|)\|(?!\|)/u.test(script)) return true;
    return [...script.matchAll(/\bprintf?\b[^;}\n]*?>{1,2}\s*(?:"([^"\\]*)")?/gu)].some(
      ([, file]) => file === undefined || !isOrdinaryFile(file, 'writes', where),
    );
  });
}

const databaseClients = /^(?:psql|mysql|mariadb|sqlite3|duckdb)$/u;

/** A query may stand in the word of its option: `-e'system x'`. */
const actsOutside = (word: string): boolean =>
  [word, word.replace(/^-[A-Za-z]|^--[a-z-]+=/u, '')].some(text => actsOutsideDatabase.test(text));

/** Matches what runs a program or writes a file in a query, or in one of the database client's own commands. */
const actsOutsideDatabase =
  /\\(?:[!ow]|copy\b|i(?:r|nclude\w*)?(?![a-z])|[esPT.](?![a-z])|ef\b|ev\b|g[a-z]*\s*\||lo_\w+|setenv\b|set\b[^\n]*`)|^\s*\.(?:shell|system|sh|load|output|once|backup|save|log|excel|read|import\s+["']?\||www|open|clone|restore|trace|ar|archive|cd)\b|\b(?:writefile|load_extension|readfile|edit)\s*\(|\binto\s+(?:out|dump)file\b|\b(?:to|from)\s+program\b|(?:^|[;\n])\s*(?:system|source|tee|pager|edit)\b|\bcopy\b[^;]*\bto\b|\bexport\s+database\b|(?:^|;)\s*(?:force\s+)?(?:install|load)\b|\battach\b/iu;
