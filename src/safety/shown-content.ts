import {fitsName} from './glob-matches.ts';
import type {PathRules} from './judge-path.ts';
import {plainText} from './programs/judge-program.ts';
import {soughtNames} from './programs/names-of-files.ts';
import type {Argument, Text} from './shell/argument.ts';
import type {Command, SimpleWords} from './shell/shell-tree.ts';

/**
 * Where what a command prints goes. Secrets are known by their values: they are hidden where whole lines are shown, and would not be
 * recognised cut, turned round or written in another way. `file names`: only what stands before the first colon of a line is used.
 */
export type Output = 'shown' | 'file names' | 'reshaped';

/** Where what comes before `next` in a pipe goes, given where goes what `next` prints. */
export function outputInto(
  next: Command,
  {output, end}: {readonly output: Output; readonly end: 'last' | 'goes on'},
): Output {
  if (next.kind !== 'simple' || next.assignments.length > 0) return 'reshaped';
  const texts = literalTexts(next);
  if (texts === undefined) return 'reshaped';
  if (tellsFiguresOnly(texts)) return 'shown';
  if (isFirstField.test(texts.join(' '))) return 'file names';
  return keepsLines(texts, end) ? output : 'reshaped';
}

/** The words of a command that stand there as they are. */
function literalTexts({words}: SimpleWords): readonly string[] | undefined {
  const texts = words.map(({pieces}) =>
    pieces.every(piece => piece.kind === 'text')
      ? pieces.map(piece => (piece.kind === 'text' ? piece.text : '')).join('')
      : undefined,
  );
  return texts.every(text => text !== undefined) ? texts : undefined;
}

const isFirstField = /^(?:cut (?:-d ?:|-f ?1) (?:-d ?:|-f ?1)|awk -F ?: \{ ?print \$1;? ?\})$/u;

function tellsFiguresOnly([name = '', ...texts]: readonly string[]): boolean {
  return (
    name === 'wc' ||
    (/^[ef]?grep$|^rg$/u.test(name) && texts.some(text => /^(?:-[A-Za-z]*[clLq]|--count|--quiet)$/u.test(text)))
  );
}

/** Whether whole lines come out, as they came. */
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
      // The beginning of a secret is recognised at the very end.
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

/** Whether a search shows what it found without its line, or puts signs around it there. */
const cutsMatches = (name: string, texts: readonly string[]): boolean =>
  texts.some(
    text =>
      /^-(?!-)[A-Za-z0-9.]*o|^--only-matching$|^--colou?r=(?!auto$|never$)/u.test(text) ||
      (name === 'git' && text === '--color') ||
      (name === 'rg' && /^-(?!-)[A-Za-z0-9.]*r|^--(?:replace|json)|^(?:always|ansi)$/u.test(text)),
  );

type SecretRules = Pick<PathRules, 'secretBelow' | 'secretAnywhere' | 'exists'>;

interface Shown {
  readonly name: string;
  readonly given: readonly Argument[];
  readonly directories: readonly string[];
  readonly output: Output;
}

/** Why a program may show secrets of files that it was not given by name, where these would not be recognised. */
export function whyNotShown(shown: Shown, paths: SecretRules): string | undefined {
  const texts = shown.given.map(each => plainText(each) ?? '');
  switch (shown.name) {
    case 'grep':
    case 'egrep':
    case 'fgrep':
    case 'zgrep':
    case 'rg':
      return whyNotSearch(shown, texts, paths);
    case 'find':
    case 'gfind':
      return whyNotExec(shown, texts, paths);
    case 'git':
      return whyNotGit(shown, texts, paths);
    default:
      return undefined;
  }
}

function whyNotSearch(
  {name, given, directories, output}: Shown,
  texts: readonly string[],
  paths: SecretRules,
): string | undefined {
  if (tellsFiguresOnly([name, ...texts])) return undefined;
  const has = (pattern: RegExp): boolean => texts.some(text => pattern.test(text));
  const isWide = name === 'rg' || has(/^-(?!-)[A-Za-z0-9]*[rd]|^--recursive/u) || given.some(isTold);
  if (!isWide || !isCut(name, texts, output)) return undefined;
  const includes = globsOf(texts, name === 'rg' ? /^(?:-g|--glob)(?:=(.*))?$/u : /^--include(?:=(.*))?$/u);
  const excludes = name === 'rg' ? [] : globsOf(texts, /^--exclude(?:=(.*))?$/u);
  const fits = fitsSearch(includes, excludes);
  if (name === 'rg' && texts.some(isTypeOfCode) && !has(/^(?:-g|--glob)/u)) return undefined;
  const hidden =
    name !== 'rg' || has(/^-(?!-)[A-Za-z0-9.]*[u.g]|^--(?:hidden|unrestricted|glob|iglob)/u)
      ? 'all but .git'
      : 'left out';
  // Where an option may take one of the words, or the pattern is an option, it is not known which of them are folders.
  const operands = given
    .filter((_, at) => texts[at]?.startsWith('-') !== true)
    .flatMap(({value}) => (typeof value === 'string' ? [here] : value));
  const isPlain = texts.every(text =>
    /^(?:[^-]|$|-[rniIwEFPHhosvxlaGTU]+$|--[\w-]+=|--(?:recursive|line-number|only-matching|hidden)$)/u.test(text),
  );
  const places = name !== 'rg' && isPlain && operands.length > 1 ? operands.slice(1) : [here, ...operands];
  return places
    .map(place => paths.secretBelow(place, {directories, hidden, fits}))
    .find(reason => reason !== undefined);
}

/** The name of a file stands before each line, and nothing but names is used. */
const isCut = (name: string, texts: readonly string[], output: Output): boolean =>
  output === 'file names'
    ? name === 'git' ||
      !texts.every(text => /^-[rniIwEFPHo]+$|^--(?:include|exclude|exclude-dir)=|^[^-]|^$/u.test(text)) ||
      !texts.some(text => /^-\w*[rH]/u.test(text))
    : output === 'reshaped' || cutsMatches(name, texts);

const here: Text = {text: '.', style: 'plain'};

const isTold = ({value}: Argument): boolean =>
  typeof value !== 'string' && value.some(({style}) => style === 'found' || style === 'searched');

/** Patterns given as `--include=*.ts` or `-g '*.ts'`. */
const globsOf = (texts: readonly string[], option: RegExp): readonly string[] =>
  texts.flatMap((text, at) => {
    const found = option.exec(text);
    return found === null ? [] : [found[1] ?? texts[at + 1] ?? ''];
  });

function fitsSearch(includes: readonly string[], excludes: readonly string[]): (name: string) => boolean {
  const picks = includes.filter(glob => !glob.startsWith('!')).map(glob => glob.slice(glob.lastIndexOf('/') + 1));
  if (picks.length > 0) {
    const fit = picks.map(glob =>
      glob === '' || glob.includes('{') ? () => true : fitsName(glob, 'like other characters'),
    );
    return name => fit.some(fits => fits(name));
  }
  // More must not be left out than the program leaves out.
  const drops = excludes.filter(glob => /^[\w.*?-]+$/u.test(glob)).map(glob => fitsName(glob, 'like other characters'));
  return name => !drops.some(fits => fits(name));
}

/** `-tts`, `--type=ts`: of these types no file holds secrets by its name. */
const isTypeOfCode = (text: string): boolean =>
  /^(?:-t|--type=)(?:ts|js|py|rust|go|java|c|cpp|css|html|ruby|md|markdown)$/u.test(text);

/** A search that find runs for each file. */
function whyNotExec(
  {given, directories, output}: Shown,
  texts: readonly string[],
  paths: SecretRules,
): string | undefined {
  const at = texts.indexOf('-exec');
  const searches = texts.some((text, index) => texts[index - 1] === '-exec' && /^[efz]?grep$/u.test(text));
  const isOne = at >= 0 && at === texts.lastIndexOf('-exec');
  const words = texts.slice(at + 2);
  if (!searches || (isOne && tellsFiguresOnly(['grep', ...words])) || !isCut('grep', words, output)) return undefined;
  const end = texts.findIndex(text => /^[-!(]/u.test(text) && text !== '-H' && text !== '-P');
  const roots = given.slice(0, end).flatMap(({value}) => (typeof value === 'string' ? [here] : value));
  const sought = isOne ? soughtNames(texts.slice(end, at)) : undefined;
  const fits = sought === undefined ? () => true : fitsSearch(sought.split('|'), []);
  const places = roots.filter(({text}) => !text.startsWith('-'));
  return (places.length === 0 ? [here] : places)
    .map(place => paths.secretBelow(place, {directories, hidden: 'all but .git', fits}))
    .find(reason => reason !== undefined);
}

function whyNotGit({directories, output}: Shown, texts: readonly string[], paths: SecretRules): string | undefined {
  const [command = '', ...rest] = texts;
  if (command !== 'grep') {
    const isChanged =
      output !== 'shown' ||
      rest.some(text => /^--(?:word-diff-regex|color-words=|word-diff=porcelain|line-prefix)/u.test(text));
    return isChanged && showsContent(command, rest, path => paths.exists(path, directories))
      ? paths.secretAnywhere()
      : undefined;
  }
  if (
    tellsFiguresOnly(['grep', ...rest]) ||
    rest.some(text => /^--(?:name-only|files-with)/u.test(text)) ||
    !isCut('git', rest, output)
  )
    return undefined;
  // What is no folder may be a revision, in which there may be files that are gone.
  const end = rest.indexOf('--');
  const operands = rest.slice(0, end < 0 ? rest.length : end).filter(text => !text.startsWith('-'));
  const others = rest.some(text => /^-(?!-)[A-Za-z0-9]*e/u.test(text)) ? operands : operands.slice(1);
  if (rest.includes('--cached') || !others.every(text => paths.exists(text, directories)))
    return paths.secretAnywhere();
  return paths.secretBelow(here, {directories, hidden: 'all but .git', fits: () => true});
}

const ofPatches =
  /^-(?!-)(?![SGn])[A-Za-z]*[puUWLc]|^--(?:patch|unified|function-context|cc|word-diff|color-words|check|submodule|inter-hunk)/u;
const ofNames =
  /^(?:-s|--no-patch|--stat(?:=.*)?|--name-only|--name-status|--numstat|--shortstat|--summary|--raw|--dirstat|--compact-summary|--quiet)$/u;

/** Whether git shows what is in files that are not named. */
function showsContent(command: string, texts: readonly string[], isFolder: (path: string) => boolean): boolean {
  const end = texts.indexOf('--');
  const options = texts.slice(0, end < 0 ? texts.length : end);
  const files = end < 0 ? [] : texts.slice(end + 1);
  // Files that are named were judged by their names.
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
