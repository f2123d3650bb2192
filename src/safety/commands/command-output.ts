import type {Invocation} from './scope.ts';
import {mayNameSecret} from '../paths/secret-paths.ts';
import type {Argument, FoundFiles, PrintedOutput, ExpandedText, ListedFiles} from '../shell/expansion.ts';
import {plainText} from './only-reads.ts';

/**
 * Returns what an invocation that only reads prints, if that is certain: mostly names of workspace files. It knows only
 * options that leave the names unchanged. Any other option could make the program print something else, too.
 */
export function outputOf({words, directories, input}: Invocation): PrintedOutput {
  const [name = '', ...texts] = words.map(word => plainText(word) ?? '');
  // Names that a pattern expands to could be options.
  const isPlain = words.every(({value}) => typeof value !== 'string' && value.every(isNoOption)) || name === 'ls';
  if (!isPlain || words.some(({value}) => typeof value === 'string' || value.some(isFoundOrSecret))) return 'anything';
  const passed = passesOn(name, texts) ? input() : 'anything';
  return passed === 'anything' ? listedNames(name, {texts, words, from: directories}) : passed;
}

const isNoOption = ({text, style}: ExpandedText): boolean => style === 'plain' || !/^[*?[-]/u.test(text);

const isFoundOrSecret = ({text, style}: ExpandedText): boolean =>
  style === 'found' || (!text.startsWith('-') && mayNameSecret(text, 'like others'));

/** A word that represents the output of `git merge-base` and `git rev-parse HEAD`. */
const revision: PrintedOutput = {text: '0123abcd', style: 'plain'};

type Below = ListedFiles['below'];

const everywhere = (folders: readonly string[]): Below => folders.map(folder => ({folder, depth: Infinity}));

/** Returns names of files in these folders: only visible ones, or hidden ones too. */
function foundNames(hidden: 'left out' | 'with them', below: Below, from: readonly string[]): FoundFiles {
  const isHidden = hidden === 'with them' || below.some(({folder}) => /(?:^|\/)\.(?!\.?(?:\/|$))/u.test(folder));
  return {
    text: isHidden ? '**' : '*',
    style: 'found',
    from,
    listed: {below, hidden: isHidden ? 'with them' : 'left out', links: 'may be among them', names: 'from here'},
  };
}

/** Returns names of files that git tracks. Their paths may begin at the repository root instead of the folder. */
const tracked = (folders: readonly string[], from: readonly string[], fits = '*|.*'): PrintedOutput => ({
  text: fits,
  style: 'found',
  from,
  listed: {
    below: everywhere(folders),
    hidden: 'all but .git',
    links: 'may be among them',
    names: 'from around',
  },
});

/** Returns what a program that lists names prints. */
function listedNames(name: string, {texts, words, from}: ListingWords): PrintedOutput {
  const options = texts.filter(text => text.startsWith('-'));
  const has = (pattern: RegExp): boolean => options.some(option => pattern.test(option));
  const only = (pattern: RegExp): boolean => options.every(option => pattern.test(option));
  // An operand may also be a pattern for lines.
  const operands = texts.filter(text => text !== '' && !text.startsWith('-'));
  const found = (hidden: RegExp, below = everywhere(['.', ...operands])): FoundFiles =>
    foundNames(has(hidden) ? 'with them' : 'left out', below, from);
  switch (name) {
    case 'find':
      return namesOfFind(texts, from);
    case 'fd':
    case 'fdfind':
      return only(/^(?:-[HIuapgFis0egtEd]+|-[te]\w+|--(?:hidden|no-ignore|glob|extension|type|exclude|max-depth).*)$/u)
        ? found(/^(?:-\w*[HIu]|--hidden|--no-ignore)/u)
        : 'anything';
    case 'git':
      return namesOfGit(texts, {has, only, from});
    case 'rg': {
      const plainly = only(
        /^(?:-[lincFNPSUuwxisv.0gtTe]+|--(?:files|files-with-matches|hidden|no-ignore|glob|iglob|type|type-not|sort)(?:=.*)?)$/u,
      );
      const lists = has(/^(?:--files|--files-with-matches|-[incFNPSUuwxisv.0]*l[lincFNPSUuwxisv.0]*)$/u);
      if (!plainly || !lists) return 'anything';
      const files = found(/^(?:-\w*[u.]|--hidden|--no-ignore)/u);
      return {...files, listed: {...files.listed, links: 'none'}};
    }
    case 'grep': {
      const plainly = only(/^(?:-[lLiwxEFPGsIHhnrve]+|--(?:include|exclude|exclude-dir)=.*)$/u);
      const lists = has(/^-[iwxEFPGsIHhnrv]*[lL][lLiwxEFPGsIHhnrv]*$/u);
      if (!plainly || !lists) return 'anything';
      // With `-e` every operand is a file. Otherwise all but the first are.
      const searched = operands.length > 1 && !has(/^-\w*e/u) ? operands.slice(1) : ['.', ...operands];
      const files = foundNames(has(/^-\w*r/u) ? 'with them' : 'left out', everywhere(searched), from);
      const endings = options.flatMap(option => /^--include=(\*\.\w+)$/u.exec(option)?.[1] ?? []);
      const isNarrow = endings.length > 0 && options.every(option => !/^--include=(?!\*\.\w+$)/u.test(option));
      return {...files, text: isNarrow ? endings.join('|') : files.text, listed: {...files.listed, links: 'none'}};
    }
    case 'ls':
      // With `-a` the parent folder is among the names.
      return only(/^(?:-[A1trSdU]+|--(?:almost-all|reverse|directory))$/u)
        ? bare(found(/^(?:-\w*A|--a)/u, listedBy(words.slice(1))))
        : 'anything';
    default:
      return 'anything';
  }
}

/** Returns the names that find prints: only matching ones if it tests names. */
function namesOfFind(texts: readonly string[], from: readonly string[]): PrintedOutput {
  if (texts.some(text => /^-(?:printf|ls|exec)$/u.test(text))) return 'anything';
  const end = texts.findIndex(text => /^[-!(]/u.test(text) && text !== '-H' && text !== '-P');
  const roots = texts.slice(0, end < 0 ? texts.length : end).filter(text => !text.startsWith('-'));
  const tests = texts.slice(end < 0 ? texts.length : end);
  const wanted = searchedNames(tests);
  if (roots.some(root => /\s|^$/u.test(root)) || (wanted !== undefined && mayMatchSecrets(wanted))) return 'anything';
  return {text: `./${wanted ?? '**'}`, style: 'found', from, listed: listedByFind(roots, tests)};
}

const bare = (found: FoundFiles): FoundFiles => ({...found, listed: {...found.listed, names: 'bare'}});

/** Returns what `ls` lists: names in folders come without the folder, files as given. */
function listedBy(args: readonly Argument[]): Below {
  const below = args.flatMap(({value}) =>
    typeof value === 'string'
      ? [{folder: '.', depth: Infinity}]
      : value.flatMap(({text}) => {
          if (text.startsWith('-')) return [];
          const [wild] = /[*?[].*$/u.exec(text) ?? [];
          const folder = (text.slice(0, text.length - (wild?.length ?? 0)).match(/^.*\//u) ?? ['.'])[0];
          // `ls` also lists what is in a folder that a pattern matches.
          const depth = wild === undefined ? 1 : wild.includes('/') ? Infinity : 2;
          return wild === undefined
            ? [
                {folder: text, depth},
                {folder, depth},
              ]
            : [{folder, depth}];
        }),
  );
  return below.length === 0 ? [{folder: '.', depth: 1}] : below;
}

interface ListingWords {
  readonly texts: readonly string[];
  readonly words: readonly Argument[];
  readonly from: readonly string[];
}

interface Options {
  readonly from: readonly string[];
  readonly has: (pattern: RegExp) => boolean;
  readonly only: (pattern: RegExp) => boolean;
}

function namesOfGit([command, ...texts]: readonly string[], {has, only, from}: Options): PrintedOutput {
  const folders = texts.filter(text => text !== '' && !text.startsWith('-'));
  // git's pathspecs have their own patterns, and some start at the repository root.
  const trackedNames = (): PrintedOutput =>
    tracked(folders.length === 0 || folders.some(isMagic) ? ['.', ...folders] : folders, from, endingPattern(folders));
  switch (command) {
    case 'ls-files':
      return only(/^(?:-[cmdoz]+|--(?:cached|modified|deleted|others|exclude-standard|full-name)?)$/u)
        ? has(/^(?:-\w*o|--others)/u)
          ? foundNames('with them', everywhere(['.', ...folders]), from)
          : trackedNames()
        : 'anything';
    case 'merge-base':
      return only(/^--$/u) ? revision : 'anything';
    case 'rev-parse':
      return only(/^--(?:short|verify)$/u) && folders.length === 1 && /^HEAD(?:[~^]\d*)*$/u.test(folders[0] ?? '')
        ? revision
        : 'anything';
    case 'diff':
      return has(/^--name-only$/u) && only(/^--(?:name-only|cached|staged|diff-filter=\w+)?$/u)
        ? tracked(['.'], from)
        : 'anything';
    case 'grep':
      return has(/^-[iwEFPIn]*[lL][iwEFPInlL]*$/u) && only(/^-[lLiwxEFPIne-]+$/u)
        ? tracked(['.', ...folders], from)
        : 'anything';
    default:
      return 'anything';
  }
}

/** Returns the pattern for names if git gets only patterns with an ending, such as `*.ts`. Any other word may be a folder. */
function endingPattern(patterns: readonly string[]): string {
  const found = patterns.map(pattern => /^(?:[\w.@-]+\/|\*{1,2}\/)*\*(\.\w+)$/u.exec(pattern)?.[1]);
  return found.length === 0 || found.includes(undefined)
    ? '*|.*'
    : found.map(ending => `*${ending ?? ''}|.*${ending ?? ''}`).join('|');
}

const isMagic = (text: string): boolean => /[*?[:\\]/u.test(text);

/** True if a program prints only lines of its input, unchanged. */
function passesOn(name: string, texts: readonly string[]): boolean {
  const written = texts.join(' ');
  switch (name) {
    case 'head':
    case 'tail':
      return /^(?:-n ?[+-]?\d+|-\d+)?$/u.test(written);
    case 'sort':
      return /^(?:-[rufdnVbi]+ ?)*$/u.test(written);
    case 'uniq':
      return written === '';
    case 'grep':
    case 'egrep': {
      const operands = texts.filter(text => !/^-[viwxEFP]+$/u.test(text));
      return operands.length === 1 && !/^(?:-|$)/u.test(operands[0] ?? '');
    }
    default:
      return false;
  }
}

/**
 * Returns the names, or endings such as `*.ts`, that a find searches for, separated by `|`. Returns `undefined` if it may find
 * others. The patterns of find match hidden files too.
 */
export function searchedNames(texts: readonly string[]): string | undefined {
  const {group, outside} = conjunction(texts);
  if (outside === undefined) return undefined;
  return group.length > 0 ? alternatives(group) : singleName(outside);
}

/** Returns which files a find with these words lists. `folders` are those that it searches. */
export function listedByFind(folders: readonly string[], texts: readonly string[]): ListedFiles {
  const deepest = Number(/^\d+$/u.exec(texts[texts.indexOf('-maxdepth') + 1] ?? '')?.[0] ?? Infinity);
  const depth = texts.filter(text => text === '-maxdepth').length === 1 ? deepest : Infinity;
  const {outside = []} = conjunction(texts);
  const onlyFiles = outside.some(
    (text, at) => text === '-type' && outside[at + 1] === 'f' && !isNegation(outside[at - 1]),
  );
  return {
    below: (folders.length === 0 ? ['.'] : folders).map(folder => ({folder, depth})),
    hidden: 'with them',
    links: onlyFiles ? 'none' : 'may be among them',
    names: 'from here',
  };
}

/**
 * Returns the tests outside the first pair of parentheses and the alternatives inside. `outside` is `undefined` if a file may
 * match without passing all tests outside.
 */
function conjunction(texts: readonly string[]): {
  readonly group: readonly string[];
  readonly outside: readonly string[] | undefined;
} {
  const from = texts.indexOf('(');
  const to = texts.indexOf(')');
  if (from < 0) return {group: [], outside: texts.some(isOr) ? undefined : texts};
  // Outside of the parentheses nothing may widen the search or negate what is in them.
  const outside = [...texts.slice(0, from), ...texts.slice(to + 1)];
  const isPlain =
    to > from && !isNegation(texts[from - 1]) && !outside.some(text => isOr(text) || /^[()]$/u.test(text));
  return {group: isPlain ? texts.slice(from + 1, to) : [], outside: isPlain ? outside : undefined};
}

const isOr = (text: string): boolean => /^(?:-or?|,)$/u.test(text);

const isNegation = (text: string | undefined): boolean => text === '!' || text === '-not';

function singleName(texts: readonly string[]): string | undefined {
  const at = texts.findIndex((text, index) => /^-i?name$/u.test(text) && !isNegation(texts[index - 1]));
  const name = texts[at + 1];
  return at >= 0 && name !== undefined && isEnding(name) ? name : undefined;
}

/** Reads alternatives such as `-name '*.ts' -o -name '*.tsx'`. */
function alternatives(texts: readonly string[]): string | undefined {
  if (texts.length % 3 !== 2) return undefined;
  const fits = texts.every((text, at) =>
    at % 3 === 0 ? /^-i?name$/u.test(text) : at % 3 === 1 ? isEnding(text) : /^-or?$/u.test(text),
  );
  return fits ? texts.filter((_, at) => at % 3 === 1).join('|') : undefined;
}

const isEnding = (name: string): boolean => /\.\w+$/u.test(name) && !name.includes('|');

export const mayMatchSecrets = (names: string): boolean =>
  names.split('|').some(name => mayNameSecret(name, 'like others'));

/** Programs that show little of the files' content, or only matching lines. */
export const showsLittleContent: ReadonlySet<string> = new Set(
  'grep egrep fgrep wc ls stat du file basename dirname realpath readlink echo md5sum sha1sum sha256sum cksum test'.split(
    ' ',
  ),
);
