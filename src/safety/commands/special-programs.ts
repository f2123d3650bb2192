import {firstFound} from '../../base/first-found.ts';
import {effectOfRunning, type PartEffect, runsCode} from '../../domain/reason.ts';
import {isPublicVariable, type Argument, type ExpandedText} from '../shell/expansion.ts';
import {plainText, programProblem, type PathJudge} from './only-reads.ts';
import {rowOf} from './known-programs.ts';
import {optionTable} from './program-table.ts';
import {mayMatchSecrets, searchedNames, showsLittleContent, listedByFind} from './command-output.ts';

/**
 * Explains why a program whose arguments are a separate language may do more than read. Returns `none` for all other
 * programs.
 */
export function specialProgramProblem(
  name: string,
  args: readonly Argument[],
  judgePath: PathJudge,
): {readonly reason: PartEffect | undefined} | 'none' {
  switch (name) {
    case 'echo':
      return {reason: printedProblem(args, judgePath)};
    case 'printf':
      return {reason: printfProblem(args, judgePath)};
    case 'test':
      return {reason: testProblem(args, judgePath)};
    case '[':
      return {
        reason: plainText(args.at(-1)) === ']' ? testProblem(args.slice(0, -1), judgePath) : 'has no closing bracket',
      };
    case 'find':
    case 'gfind':
      return {reason: findProblem(args, judgePath)};
    case 'ps':
      return {reason: psProblem(args)};
    case 'printenv':
      return {reason: printenvProblem(args)};
    default:
      return 'none';
  }
}

const printenvProblem = (args: readonly Argument[]): PartEffect | undefined =>
  args.length > 0 && args.every(each => isPublicVariable(plainText(each) ?? '')) ? undefined : 'may show keys';

/** Checks that the options of ps do not show the environments of processes, as `e` without a dash does. */
function psProblem(args: readonly Argument[]): PartEffect | undefined {
  let value: 'expected' | 'no' = 'no';
  for (const argument of args) {
    const text = plainText(argument);
    if (text === undefined) return 'gets a value that is only known when it runs';
    if (value === 'expected') {
      if (!/^[\w.,%=:+-]+$/u.test(text) || /env/iu.test(text)) return `may do more than read with ${text}`;
      value = 'no';
    } else if (/^-(?:[AaefFlLjHTwMcrvx]*[opuCtGU]|-sort|-format|-pid|-user)$/u.test(text)) value = 'expected';
    else if (
      !/^(?:-[AaefFlLjHTwMcrvx]+|[AafFlLuwxHjTcMrv]+|\d+|-o[\w.,%=:]+|--(?:sort=[\w,+-]+|no-headers|forest|help))$/u.test(
        text,
      )
    ) {
      return `may do more than read with ${text}`;
    }
  }
  return undefined;
}

/** Explains why a program must not print its arguments: an unknown value may be a secret. */
function printedProblem(args: readonly Argument[], judgePath: PathJudge): PartEffect | undefined {
  for (const {value} of args) {
    if (value === 'unknown') return 'shows a value that may be a secret';
    if (value === 'opaque') continue;
    const reason = firstFound(value.filter(isWild), text => judgePath(text, 'named'));
    if (reason !== undefined) return reason;
  }
  return undefined;
}

function printfProblem(args: readonly Argument[], judgePath: PathJudge): PartEffect | undefined {
  const format = plainText(args[0]);
  // `-v` assigns, and a subscript in its name may run commands.
  if (format === undefined || (format.startsWith('-') && format !== '--')) return 'uses an unknown format';
  // `%n` assigns as well.
  const [text] = args.slice(format === '--' ? 1 : 0).map(plainText);
  if (text === undefined || /%[^%a-zA-Z]*n/u.test(text.replaceAll('%%', ''))) return 'uses an unknown format';
  return printedProblem(args.slice(1), judgePath);
}

const aboutFiles = new Set('-a -b -c -d -e -f -g -h -k -p -r -s -u -w -x -G -L -N -O -S'.split(' '));
const aboutTexts = new Set(['-n', '-z', '-t']);
const comparing = new Set('= == != < > =~ -eq -ne -lt -le -gt -ge -nt -ot -ef'.split(' '));

function testProblem(args: readonly Argument[], judgePath: PathJudge): PartEffect | undefined {
  const texts = args.map(plainText);
  for (const [at, argument] of args.entries()) {
    const text = texts[at];
    const before = texts[at - 1] ?? '';
    if (text === undefined) {
      // An unknown word could be an operator, unless one is next to it.
      const beside =
        aboutFiles.has(before) || aboutTexts.has(before) || comparing.has(before) || comparing.has(texts[at + 1] ?? '');
      if (!beside && args.length > 1) return 'makes an unknown test';
    } else if (text === '-v' || text === '-R' || text === '-o') {
      // `-v` evaluates subscripts, which may run commands; `-o` is both "or" and a question about the shell.
      if (text !== '-o' || at === 0) return 'tests a variable, which can run code';
    }
    const {value} = argument;
    if (!aboutFiles.has(before) || before === '-a' || typeof value === 'string') continue;
    const reason = firstFound(value, each => judgePath(each, 'named'));
    if (reason !== undefined) return reason;
  }
  return undefined;
}

/** Judges `[[ … ]]`. Comparing numbers evaluates expressions, which may run commands. */
export function doubleTestProblem(args: readonly Argument[], judgePath: PathJudge): PartEffect | undefined {
  const texts = args.map(plainText);
  for (const [at, argument] of args.entries()) {
    const text = texts[at];
    if (text === '-v' || text === '-R') return 'tests a variable, which can run code';
    if (text !== undefined && /^-(?:eq|ne|lt|le|gt|ge)$/u.test(text)) {
      const numbers = [args[at - 1], args[at + 1]].every(
        each =>
          each !== undefined &&
          typeof each.value !== 'string' &&
          each.value.every(number => /^-?\d+$/u.test(number.text)),
      );
      if (!numbers) return 'compares values that may not be numbers, which can run code';
    }
    const {value} = argument;
    if (!aboutFiles.has(texts[at - 1] ?? '') || typeof value === 'string') continue;
    const reason = firstFound(value, each => judgePath({...each, style: 'plain'}, 'named'));
    if (reason !== undefined) return reason;
  }
  return undefined;
}

function findProblem(args: readonly Argument[], judgePath: PathJudge): PartEffect | undefined {
  const tests = optionTable(rowOf('find')?.options).options;
  let at = 0;
  while (at < args.length) {
    const argument = args[at];
    const text = plainText(argument);
    if (
      argument === undefined ||
      (text !== undefined && /^(?:[-!(),]|$)/u.test(text) && text !== '-H' && text !== '-P')
    )
      break;
    at += 1;
    if (text === '-H' || text === '-P') continue;
    if (typeof argument.value === 'string' || argument.value.some(startsWild)) return 'searches in unknown folders';
    const reason = firstFound(argument.value, folder => judgePath(folder, 'named'));
    if (reason !== undefined) return reason;
  }
  const roots = args.slice(0, at);
  while (at < args.length) {
    const text = plainText(args[at]);
    const value = args[at + 1];
    const test = text === undefined ? undefined : tests.get(text);
    if (test?.value === 'none' || /^[!(),]$/u.test(text ?? '')) at += 1;
    else if (test !== undefined && value !== undefined) {
      if (test.role === 'text') {
        if (!isFixed(value)) return `uses ${text ?? ''} with an unknown value`;
      } else {
        if (typeof value.value === 'string' || value.value.some(startsWild)) return 'reads an unknown file';
        const reason = firstFound(value.value, file => judgePath(file, 'named'));
        if (reason !== undefined) return reason;
      }
      at += 2;
    } else if (text === '-exec') {
      const end = args.findIndex((each, index) => index > at && /^[;+]$/u.test(plainText(each) ?? ''));
      if (end < 0) return 'runs an unknown command';
      const reason = findExecProblem(args, {from: at + 1, end, roots}, judgePath);
      if (reason !== undefined) return reason;
      at = end + 1;
    } else return runsCode(`may do more than read with ${text ?? 'this argument'}`);
  }
  return undefined;
}

/**
 * Judges a command that find runs for the files it found: `{}` means paths that begin with the folder in which it
 * looks.
 */
function findExecProblem(
  args: readonly Argument[],
  {from, end, roots}: {readonly from: number; readonly end: number; readonly roots: readonly Argument[]},
  judgePath: PathJudge,
): PartEffect | undefined {
  const [program, ...rest] = args.slice(from, end);
  const name = plainText(program);
  if (name === undefined || name.includes('/') || name === 'git') return 'runs an unknown program';
  const tests = testsBeforeExec(args.slice(roots.length, from - 1).map(each => plainText(each) ?? ''));
  const pattern = searchedNames(tests);
  if (pattern === undefined && !showsLittleContent.has(name)) return `runs ${name} on files that may hold secrets`;
  if (pattern !== undefined && mayMatchSecrets(pattern)) return 'reads files whose names say that they hold secrets';
  const listed = listedByFind(
    roots.flatMap(({value}) => (typeof value === 'string' ? ['.'] : value.map(folderOf))),
    tests,
  );
  const found = rest.map((argument): Argument => {
    const text = plainText(argument);
    return text?.includes('{}') === true
      ? {
          ...argument,
          value:
            text === '{}'
              ? [
                  {
                    // The names begin with the search's starting folder, so they are not options.
                    text: `./${pattern ?? '**'}`,
                    style: showsLittleContent.has(name) ? 'searched' : 'found',
                    from: 'here',
                    listed,
                  },
                ]
              : 'unknown',
        }
      : argument;
  });
  const special = name === 'find' || name === 'gfind' ? 'none' : specialProgramProblem(name, found, judgePath);
  const reason = special === 'none' ? programProblem(name, found, judgePath) : special.reason;
  return reason === undefined ? undefined : effectOfRunning(name, reason);
}

/** Returns the tests on the files of a command. The words after another `-exec` may be that command's, or other tests. */
function testsBeforeExec(texts: readonly string[]): readonly string[] {
  const other = texts.indexOf('-exec');
  if (other < 0) return texts;
  return texts.slice(other).some(text => /^(?:-or?|[,)])$/u.test(text)) ? [] : texts.slice(0, other);
}

/** Returns the folder that contains all expansions of a text. */
const folderOf = ({text, style}: ExpandedText): string =>
  style === 'plain' ? text : style === 'wild' ? (/^[^*?[]*\//u.exec(text)?.[0] ?? '.') : '.';

/** True if the argument is plain, or a bare pattern with an ending such as `*.ts`, which none of find's own words has. */
const isFixed = ({value}: Argument): boolean =>
  typeof value !== 'string' &&
  value.every(({text, style}) => style === 'plain' || /^\*?[^/*?[]*\.[A-Za-z]+$/u.test(text));

const startsWild = ({text, style}: ExpandedText): boolean => style !== 'plain' && /^[*?[(!,-]/u.test(text);

const isWild = ({style}: ExpandedText): boolean => style === 'wild';
