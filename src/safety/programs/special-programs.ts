import {isShown, type Argument, type Text} from '../shell/argument.ts';
import {plainText, whyNotReadOnly, type PathJudge} from './judge-program.ts';
import {seekSecrets, soughtNames, tellsLittle, toldByFind} from './names-of-files.ts';

/** Why a program whose arguments are a language of their own is not known to only read; `none` for all other programs. */
export function whyNotSpecial(
  name: string,
  given: readonly Argument[],
  judgePath: PathJudge,
): {readonly reason: string | undefined} | 'none' {
  switch (name) {
    case 'echo':
      return {reason: whyNotShown(given, judgePath)};
    case 'printf':
      return {reason: whyNotPrintf(given, judgePath)};
    case 'test':
      return {reason: whyNotTest(given, judgePath)};
    case '[':
      return {reason: plainText(given.at(-1)) === ']' ? whyNotTest(given.slice(0, -1), judgePath) : 'is not closed'};
    case 'find':
    case 'gfind':
      return {reason: whyNotFind(given, judgePath)};
    case 'ps':
      return {reason: whyNotPs(given)};
    case 'printenv':
      return {reason: whyNotPrintenv(given)};
    default:
      return 'none';
  }
}

const whyNotPrintenv = (given: readonly Argument[]): string | undefined =>
  given.length > 0 && given.every(each => isShown(plainText(each) ?? '')) ? undefined : 'can show keys';

/** Options of ps that do not show the environments of processes; without a dash an `e` would. */
function whyNotPs(given: readonly Argument[]): string | undefined {
  let value: 'expected' | 'no' = 'no';
  for (const argument of given) {
    const text = plainText(argument);
    if (text === undefined) return 'is given something that is only known when it runs';
    if (value === 'expected') {
      if (!/^[\w.,%=:+-]+$/u.test(text) || /env/iu.test(text)) return `is not known to only read with \`${text}\``;
      value = 'no';
    } else if (/^-(?:[AaefFlLjHTwMcrvx]*[opuCtGU]|-sort|-format|-pid|-user)$/u.test(text)) value = 'expected';
    else if (
      !/^(?:-[AaefFlLjHTwMcrvx]+|[AafFlLuwxHjTcMrv]+|\d+|-o[\w.,%=:]+|--(?:sort=[\w,+-]+|no-headers|forest|help))$/u.test(
        text,
      )
    ) {
      return `is not known to only read with \`${text}\``;
    }
  }
  return undefined;
}

/** Anything may be shown but values that nobody knows: they may be secrets. */
function whyNotShown(given: readonly Argument[], judgePath: PathJudge): string | undefined {
  for (const {value} of given) {
    if (value === 'unknown') return 'shows a value that may be a secret';
    if (value === 'opaque') continue;
    const reason = value
      .filter(isWild)
      .map(text => judgePath(text, 'named'))
      .find(isSaid);
    if (reason !== undefined) return reason;
  }
  return undefined;
}

function whyNotPrintf(given: readonly Argument[], judgePath: PathJudge): string | undefined {
  const format = plainText(given[0]);
  // `-v` assigns, and a subscript in its name may run commands.
  if (format === undefined || (format.startsWith('-') && format !== '--')) return 'has a format that is not known';
  // `%n` assigns, too.
  const [text] = given.slice(format === '--' ? 1 : 0).map(plainText);
  if (text === undefined || /%[^%a-zA-Z]*n/u.test(text.replaceAll('%%', ''))) return 'has a format that is not known';
  return whyNotShown(given.slice(1), judgePath);
}

const aboutFiles = new Set('-a -b -c -d -e -f -g -h -k -p -r -s -u -w -x -G -L -N -O -S'.split(' '));
const aboutTexts = new Set(['-n', '-z', '-t']);
const comparing = new Set('= == != < > =~ -eq -ne -lt -le -gt -ge -nt -ot -ef'.split(' '));

function whyNotTest(given: readonly Argument[], judgePath: PathJudge): string | undefined {
  const texts = given.map(plainText);
  for (const [at, argument] of given.entries()) {
    const text = texts[at];
    const before = texts[at - 1] ?? '';
    if (text === undefined) {
      // What is not known could be an operator itself, unless one stands beside it.
      const beside =
        aboutFiles.has(before) || aboutTexts.has(before) || comparing.has(before) || comparing.has(texts[at + 1] ?? '');
      if (!beside && given.length > 1) return 'has a test that is not known';
    } else if (text === '-v' || text === '-R' || text === '-o') {
      // `-v` works out subscripts, which may run commands; `-o` is both "or" and a question about the shell.
      if (text !== '-o' || at === 0) return 'asks about a variable';
    }
    const {value} = argument;
    if (!aboutFiles.has(before) || before === '-a' || typeof value === 'string') continue;
    const reason = value.map(each => judgePath(each, 'named')).find(isSaid);
    if (reason !== undefined) return reason;
  }
  return undefined;
}

/** `[[ … ]]`: comparing numbers works out expressions, which may run commands. */
export function whyNotDoubleTest(given: readonly Argument[], judgePath: PathJudge): string | undefined {
  const texts = given.map(plainText);
  for (const [at, argument] of given.entries()) {
    const text = texts[at];
    if (text === '-v' || text === '-R') return 'asks about a variable';
    if (text !== undefined && /^-(?:eq|ne|lt|le|gt|ge)$/u.test(text)) {
      const numbers = [given[at - 1], given[at + 1]].every(
        each =>
          each !== undefined &&
          typeof each.value !== 'string' &&
          each.value.every(number => /^-?\d+$/u.test(number.text)),
      );
      if (!numbers) return 'compares what may not be numbers';
    }
    const {value} = argument;
    if (!aboutFiles.has(texts[at - 1] ?? '') || typeof value === 'string') continue;
    const reason = value.map(each => judgePath({...each, style: 'plain'}, 'named')).find(isSaid);
    if (reason !== undefined) return reason;
  }
  return undefined;
}

const alone = new Set(
  (
    '-print -print0 -ls -depth -d -prune -o -or -a -and -not ! ( ) , -empty -readable -writable -executable -mount -xdev -true -false ' +
    '-daystart -nouser -nogroup -noleaf -nowarn -quit -noignore_readdir_race'
  ).split(' '),
);
const withText = new Set(
  (
    '-name -iname -path -ipath -wholename -iwholename -regex -iregex -regextype -type -xtype -size -mtime -mmin -atime -amin -ctime -cmin ' +
    '-maxdepth -mindepth -perm -user -group -uid -gid -links -inum -lname -ilname -fstype -printf -newermt -newerct -newerat -used'
  ).split(' '),
);
const withFile = new Set(['-newer', '-anewer', '-cnewer', '-samefile']);

function whyNotFind(given: readonly Argument[], judgePath: PathJudge): string | undefined {
  let at = 0;
  while (at < given.length) {
    const argument = given[at];
    const text = plainText(argument);
    if (
      argument === undefined ||
      (text !== undefined && /^(?:[-!(),]|$)/u.test(text) && text !== '-H' && text !== '-P')
    )
      break;
    at += 1;
    if (text === '-H' || text === '-P') continue;
    if (typeof argument.value === 'string' || argument.value.some(startsWild))
      return 'looks in folders that are not known';
    const reason = argument.value.map(folder => judgePath(folder, 'named')).find(isSaid);
    if (reason !== undefined) return reason;
  }
  const roots = given.slice(0, at);
  while (at < given.length) {
    const text = plainText(given[at]);
    const value = given[at + 1];
    if (text !== undefined && alone.has(text)) at += 1;
    else if (text !== undefined && withText.has(text) && value !== undefined) {
      if (!isFixed(value)) return `has \`${text}\` with a value that is not known`;
      at += 2;
    } else if (text !== undefined && withFile.has(text) && value !== undefined) {
      if (typeof value.value === 'string' || value.value.some(startsWild)) return 'is given a file that is not known';
      const reason = value.value.map(file => judgePath(file, 'named')).find(isSaid);
      if (reason !== undefined) return reason;
      at += 2;
    } else if (text === '-exec') {
      const end = given.findIndex((each, index) => index > at && /^[;+]$/u.test(plainText(each) ?? ''));
      if (end < 0) return 'runs a command that is not known';
      const reason = whyNotExec(given, {from: at + 1, end, roots}, judgePath);
      if (reason !== undefined) return reason;
      at = end + 1;
    } else return `is not known to only read with \`${text ?? 'that'}\``;
  }
  return undefined;
}

/** A command that find runs for what it found: `{}` stands for paths that begin with the folder it looks in. */
function whyNotExec(
  given: readonly Argument[],
  {from, end, roots}: {readonly from: number; readonly end: number; readonly roots: readonly Argument[]},
  judgePath: PathJudge,
): string | undefined {
  const [program, ...rest] = given.slice(from, end);
  const name = plainText(program);
  if (name === undefined || name.includes('/') || name === 'git') return 'runs a program that is not known';
  const sought = testsBeforeExec(given.slice(roots.length, from - 1).map(each => plainText(each) ?? ''));
  const pattern = soughtNames(sought);
  if (pattern === undefined && !tellsLittle.has(name)) return `runs \`${name}\` on files that may hold secrets`;
  if (pattern !== undefined && seekSecrets(pattern)) return 'reads files it looks for by names of secrets';
  const told = toldByFind(
    roots.flatMap(({value}) => (typeof value === 'string' ? ['.'] : value.map(folderOf))),
    sought,
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
                    // They begin with the folder the search starts in, and so are no options.
                    text: `./${pattern ?? '**'}`,
                    style: tellsLittle.has(name) ? 'searched' : 'found',
                    from: 'here',
                    told,
                  },
                ]
              : 'unknown',
        }
      : argument;
  });
  const special = name === 'find' || name === 'gfind' ? 'none' : whyNotSpecial(name, found, judgePath);
  const reason = special === 'none' ? whyNotReadOnly(name, found, judgePath) : special.reason;
  return reason === undefined ? undefined : `runs \`${name}\`, which ${reason}`;
}

/** The tests that hold for what a command is run for. What stands behind another command may be its words, or other tests. */
function testsBeforeExec(texts: readonly string[]): readonly string[] {
  const other = texts.indexOf('-exec');
  if (other < 0) return texts;
  return texts.slice(other).some(text => /^(?:-or?|[,)])$/u.test(text)) ? [] : texts.slice(0, other);
}

/** The folder in which all lies that a text comes to. */
const folderOf = ({text, style}: Text): string =>
  style === 'plain' ? text : style === 'wild' ? (/^[^*?[]*\//u.exec(text)?.[0] ?? '.') : '.';

/** One text, or a bare pattern whose files end as it does: none of find's own words does. */
const isFixed = ({value}: Argument): boolean =>
  typeof value !== 'string' &&
  value.every(({text, style}) => style === 'plain' || /^\*?[^/*?[]*\.[A-Za-z]+$/u.test(text));

const startsWild = ({text, style}: Text): boolean => style !== 'plain' && /^[*?[(!,-]/u.test(text);

const isWild = ({style}: Text): boolean => style === 'wild';

const isSaid = (reason: string | undefined): reason is string => reason !== undefined;
