import {firstFound} from '../../base/first-found.ts';
import type {PartEffect} from '../../domain/reason.ts';
import type {PathRules} from '../paths/judge-path.ts';
import {compileName} from '../../base/glob.ts';
import {plainText} from './only-reads.ts';
import {searchedNames} from './command-output.ts';
import {type Argument, type ExpandedText, literalText} from '../shell/expansion.ts';
import type {OutputUse} from './scope.ts';
import type {Command, SimpleCommand} from '../shell/syntax-tree.ts';

/** Returns where the output of the command before `next` in a pipe goes, if the output of `next` goes to `output`. */
export function outputBefore(
  next: Command,
  {output, end}: {readonly output: OutputUse; readonly end: 'last' | 'goes on'},
): OutputUse {
  if (next.kind !== 'simple' || next.assignments.length > 0) return 'reshaped';
  const texts = literalTexts(next);
  if (texts === undefined) return 'reshaped';
  if (printsOnlyCounts(texts)) return 'shown';
  if (isFirstField.test(texts.join(' '))) return 'file names';
  return keepsLines(texts, end) ? output : 'reshaped';
}

/** Returns the words of a command, or `undefined` if one of them contains an expansion. */
function literalTexts({words}: SimpleCommand): readonly string[] | undefined {
  const texts = words.map(literalText);
  return texts.every(text => text !== undefined) ? texts : undefined;
}

const isFirstField = /^(?:cut (?:-d ?:|-f ?1) (?:-d ?:|-f ?1)|awk -F ?: \{ ?print \$1;? ?\})$/u;

function printsOnlyCounts([name = '', ...texts]: readonly string[]): boolean {
  return (
    name === 'wc' ||
    (/^[ef]?grep$|^rg$/u.test(name) && texts.some(text => /^(?:-[A-Za-z]*[clLq]|--count|--quiet)$/u.test(text)))
  );
}

/** True if a command prints whole lines of its input, unchanged. */
function keepsLines([name = '', ...texts]: readonly string[], end: 'last' | 'goes on'): boolean {
  const has = (pattern: RegExp): boolean => texts.some(text => pattern.test(text));
  switch (name) {
    case 'cat':
      return !has(/^-[A-Za-z]*[^AbeEnstTuv-]/u);
    case 'nl':
    case 'tac':
    case 'uniq':
    case 'sort':
    case 'less':
    case 'more':
      return name !== 'tac' || texts.length === 0;
    case 'head':
      // A cut-off secret is recognized at the very end of the output.
      return end === 'last' || !has(/^-[A-Za-z]*c|^--bytes/u);
    case 'tail':
      return !has(/^-[A-Za-z]*c|^--bytes/u);
    case 'grep':
    case 'egrep':
    case 'fgrep':
    case 'rg':
      return !cutsMatches(name, texts);
    case 'sed':
      return (
        texts.length <= 2 &&
        texts.slice(0, -1).every(text => /^-[nErs]+$/u.test(text)) &&
        picksLines.test(texts.at(-1) ?? '')
      );
    case 'awk':
    case 'gawk':
    case 'mawk':
      return texts.length === 1 && picksRecords.test(texts[0] ?? '');
    default:
      return false;
  }
}

const sedAddress = String.raw`(?:\d+|\$|/(?:[^/\\\n]|\\.)*/)`;
const picksLines = new RegExp(
  `^(?:\\s*(?:${sedAddress}(?:,(?:[+~]?\\d+|${sedAddress}))?)?\\s*!?\\s*[pdq]\\s*(?:;|$))+$`,
  'u',
);
const picksRecords =
  /^(?:!?\/(?:[^/\\\n]|\\.)*\/|F?NR ?(?:[<>]=?|==|!=) ?\d+(?: ?(?:&&|\|\|) ?F?NR ?(?:[<>]=?|==|!=) ?\d+)*|!\w+\[\$0\]\+\+)$/u;

/** True if a search shows a match without its line, or puts characters around it. */
const cutsMatches = (name: string, texts: readonly string[]): boolean =>
  texts.some(
    text =>
      /^-(?!-)[A-Za-z0-9.]*o|^--only-matching$|^--colou?r=(?!auto$|never$)/u.test(text) ||
      (name === 'git' && text === '--color') ||
      (name === 'rg' && /^-(?!-)[A-Za-z0-9.]*r|^--(?:replace|json)|^(?:always|ansi)$/u.test(text)),
  );

type SecretRules = Pick<PathRules, 'secretSearchProblem' | 'historyProblem' | 'exists'>;

interface Shown {
  readonly name: string;
  readonly args: readonly Argument[];
  readonly directories: readonly string[];
  readonly output: OutputUse;
}

/** Explains why a program may show secrets from files that its arguments do not name, in a form that is not recognized. */
export function secretOutputProblem(shown: Shown, paths: SecretRules): PartEffect | undefined {
  const texts = shown.args.map(each => plainText(each) ?? '');
  switch (shown.name) {
    case 'grep':
    case 'egrep':
    case 'fgrep':
    case 'zgrep':
    case 'rg':
      return searchProblem(shown, texts, paths);
    case 'find':
    case 'gfind':
      return findExecProblem(shown, texts, paths);
    case 'git':
      return gitProblem(shown, texts, paths);
    default:
      return undefined;
  }
}

function searchProblem(
  {name, args, directories, output}: Shown,
  texts: readonly string[],
  paths: SecretRules,
): PartEffect | undefined {
  if (printsOnlyCounts([name, ...texts])) return undefined;
  const has = (pattern: RegExp): boolean => texts.some(text => pattern.test(text));
  const isWide = name === 'rg' || has(/^-(?!-)[A-Za-z0-9]*[rd]|^--recursive/u) || args.some(hasListedFiles);
  if (!isWide || !isCut(name, texts, output)) return undefined;
  const includes = globsOf(texts, name === 'rg' ? /^(?:-g|--glob)(?:=(.*))?$/u : /^--include(?:=(.*))?$/u);
  const excludes = name === 'rg' ? [] : globsOf(texts, /^--exclude(?:=(.*))?$/u);
  const matchesName = searchMatcher(includes, excludes);
  if (name === 'rg' && texts.some(isTypeOfCode) && !has(/^(?:-g|--glob)/u)) return undefined;
  const hidden =
    name !== 'rg' || has(/^-(?!-)[A-Za-z0-9.]*[u.g]|^--(?:hidden|unrestricted|glob|iglob)/u)
      ? 'all but .git'
      : 'left out';
  // If an option may take one of the words as its value, it is not known which words are folders.
  const operands = args
    .filter((_, at) => texts[at]?.startsWith('-') !== true)
    .flatMap(({value}) => (typeof value === 'string' ? [here] : value));
  const isPlain = texts.every(text =>
    /^(?:[^-]|$|-[rniIwEFPHhosvxlaGTU]+$|--[\w-]+=|--(?:recursive|line-number|only-matching|hidden)$)/u.test(text),
  );
  const places = name !== 'rg' && isPlain && operands.length > 1 ? operands.slice(1) : [here, ...operands];
  return firstFound(places, place => paths.secretSearchProblem(place, {directories, hidden, matchesName}));
}

/** True if the output shows matches without their whole lines. If only file names are used, each line must begin with one. */
const isCut = (name: string, texts: readonly string[], output: OutputUse): boolean =>
  output === 'file names'
    ? name === 'git' ||
      !texts.every(text => /^-[rniIwEFPHo]+$|^--(?:include|exclude|exclude-dir)=|^[^-]|^$/u.test(text)) ||
      !texts.some(text => /^-\w*[rH]/u.test(text))
    : output === 'reshaped' || cutsMatches(name, texts);

const here: ExpandedText = {text: '.', style: 'plain'};

const hasListedFiles = ({value}: Argument): boolean =>
  typeof value !== 'string' && value.some(({style}) => style === 'found' || style === 'searched');

/** Returns the patterns in options such as `--include=*.ts` or `-g '*.ts'`. */
const globsOf = (texts: readonly string[], option: RegExp): readonly string[] =>
  texts.flatMap((text, at) => {
    const found = option.exec(text);
    return found === null ? [] : [found[1] ?? texts[at + 1] ?? ''];
  });

function searchMatcher(includes: readonly string[], excludes: readonly string[]): (name: string) => boolean {
  const picks = includes.filter(glob => !glob.startsWith('!')).map(glob => glob.slice(glob.lastIndexOf('/') + 1));
  if (picks.length > 0) {
    const fit = picks.map(glob =>
      glob === '' || glob.includes('{') ? () => true : compileName(glob, {sets: 'widened', hidden: 'like others'}),
    );
    return name => fit.some(matchesName => matchesName(name));
  }
  // The matcher must not exclude more than the program does.
  const drops = excludes
    .filter(glob => /^[\w.*?-]+$/u.test(glob))
    .map(glob => compileName(glob, {sets: 'widened', hidden: 'like others'}));
  return name => !drops.some(matchesName => matchesName(name));
}

/** True for a file type option such as `-tts` or `--type=ts` whose files never have secret names. */
const isTypeOfCode = (text: string): boolean =>
  /^(?:-t|--type=)(?:ts|js|py|rust|go|java|c|cpp|css|html|ruby|md|markdown)$/u.test(text);

/** Explains why a search that `find` runs for each file may show secrets. */
function findExecProblem(
  {args, directories, output}: Shown,
  texts: readonly string[],
  paths: SecretRules,
): PartEffect | undefined {
  const at = texts.indexOf('-exec');
  const searches = texts.some((text, index) => texts[index - 1] === '-exec' && /^[efz]?grep$/u.test(text));
  const isOne = at >= 0 && at === texts.lastIndexOf('-exec');
  const words = texts.slice(at + 2);
  if (!searches || (isOne && printsOnlyCounts(['grep', ...words])) || !isCut('grep', words, output)) return undefined;
  const end = texts.findIndex(text => /^[-!(]/u.test(text) && text !== '-H' && text !== '-P');
  const roots = args.slice(0, end).flatMap(({value}) => (typeof value === 'string' ? [here] : value));
  const searched = isOne ? searchedNames(texts.slice(end, at)) : undefined;
  const matchesName = searched === undefined ? () => true : searchMatcher(searched.split('|'), []);
  const places = roots.filter(({text}) => !text.startsWith('-'));
  return firstFound(places.length === 0 ? [here] : places, place =>
    paths.secretSearchProblem(place, {directories, hidden: 'all but .git', matchesName}),
  );
}

function gitProblem(
  {directories, output}: Shown,
  texts: readonly string[],
  paths: SecretRules,
): PartEffect | undefined {
  const [command = '', ...rest] = texts;
  if (command !== 'grep') {
    const isChanged =
      output !== 'shown' ||
      rest.some(text => /^--(?:word-diff-regex|color-words=|word-diff=porcelain|line-prefix)/u.test(text));
    return isChanged && showsContent(command, rest, path => paths.exists(path, directories))
      ? paths.historyProblem()
      : undefined;
  }
  if (
    printsOnlyCounts(['grep', ...rest]) ||
    rest.some(text => /^--(?:name-only|files-with)/u.test(text)) ||
    !isCut('git', rest, output)
  )
    return undefined;
  // A word that is not a file may be a revision with files that no longer exist.
  const end = rest.indexOf('--');
  const operands = rest.slice(0, end < 0 ? rest.length : end).filter(text => !text.startsWith('-'));
  const others = rest.some(text => /^-(?!-)[A-Za-z0-9]*e/u.test(text)) ? operands : operands.slice(1);
  if (rest.includes('--cached') || !others.every(text => paths.exists(text, directories)))
    return paths.historyProblem();
  return paths.secretSearchProblem(here, {directories, hidden: 'all but .git', matchesName: () => true});
}

const ofPatches =
  /^-(?!-)(?![SGn])[A-Za-z]*[puUWLc]|^--(?:patch|unified|function-context|cc|word-diff|color-words|check|submodule|inter-hunk)/u;
const ofNames =
  /^(?:-s|--no-patch|--stat(?:=.*)?|--name-only|--name-status|--numstat|--shortstat|--summary|--raw|--dirstat|--compact-summary|--quiet)$/u;

/** True if git shows the content of files that are not named. */
function showsContent(command: string, texts: readonly string[], isFolder: (path: string) => boolean): boolean {
  const end = texts.indexOf('--');
  const options = texts.slice(0, end < 0 ? texts.length : end);
  const files = end < 0 ? [] : texts.slice(end + 1);
  // Named files were judged by their names.
  const isNamedFile = (file: string): boolean => /^[\w@%+=,~./-]*\.\w+$/u.test(file) && !isFolder(file);
  if (files.length > 0 && files.every(isNamedFile) && !options.includes('--full-diff')) return false;
  const patches = options.some(text => ofPatches.test(text));
  const names = options.some(text => ofNames.test(text));
  const revisions = options.filter(text => !text.startsWith('-'));
  switch (command) {
    case 'show': {
      const isNamed = revisions.length > 0 && revisions.every(text => /^[^:]+:[^/:]/u.test(text));
      return !isNamed && (patches || !names);
    }
    case 'cat-file':
      return (
        options.includes('-p') &&
        !revisions.every(text => /^[^:]+:[^/:]|^HEAD(?:[~^]\d*)*(?:\^\{(?:commit|tree)\})?$/u.test(text))
      );
    case 'diff':
    case 'range-diff':
      return patches || !names;
    case 'stash':
      return revisions[0] === 'show' ? patches || !names : patches;
    case 'status':
      return options.some(text => /^-[A-Za-z]*v|^--verbose$/u.test(text));
    case 'log':
    case 'whatchanged':
    case 'reflog':
    case 'rev-list':
    case 'diff-tree':
    case 'diff-index':
    case 'diff-files':
      return patches;
    default:
      return false;
  }
}
