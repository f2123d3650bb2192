import type {Call} from './judge-simple.ts';
import {seekSecrets, soughtNames, toldByFind} from './programs/names-of-files.ts';
import {plainText} from './programs/judge-program.ts';
import {mayNameSecret} from './secret-paths.ts';
import type {Argument, FoundText, Printed, Text, Told} from './shell/argument.ts';

/**
 * What a call prints, given that it only reads, where that is sure: names of files in the workspace, mostly. Only options that leave the
 * names as they are count; any other could put something beside them.
 */
export function printedBy({words, directories, input}: Call): Printed {
  const [name = '', ...texts] = words.map(word => plainText(word) ?? '');
  // What comes to several words could be options.
  const isPlain = words.every(({value}) => typeof value !== 'string' && value.every(isNoOption)) || name === 'ls';
  if (!isPlain || words.some(({value}) => typeof value === 'string' || value.some(isFoundOrSecret))) return 'anything';
  const passed = passesOn(name, texts) ? input() : 'anything';
  return passed === 'anything' ? tells(name, {texts, words, from: directories}) : passed;
}

const isNoOption = ({text, style}: Text): boolean => style === 'plain' || !/^[*?[-]/u.test(text);

const isFoundOrSecret = ({text, style}: Text): boolean =>
  style === 'found' || (!text.startsWith('-') && mayNameSecret(text, 'like other characters'));

/** A word like those that `git merge-base` and `git rev-parse HEAD` print. */
const revision: Printed = {text: '0123abcd', style: 'plain'};

type Below = Told['below'];

const everywhere = (folders: readonly string[]): Below => folders.map(folder => ({folder, depth: Infinity}));

/** Visible files alone, or hidden ones too. */
function names(hidden: 'left out' | 'with them', below: Below, from: readonly string[]): FoundText {
  const isHidden = hidden === 'with them' || below.some(({folder}) => /(?:^|\/)\.(?!\.?(?:\/|$))/u.test(folder));
  return {
    text: isHidden ? '**' : '*',
    style: 'found',
    from,
    told: {below, hidden: isHidden ? 'with them' : 'left out', links: 'may be among them', names: 'from here'},
  };
}

/** Files that git knows of; it may tell where they lie in the repository rather than in the folder. */
const tracked = (folders: readonly string[], from: readonly string[], fits = '*|.*'): Printed => ({
  text: fits,
  style: 'found',
  from,
  told: {
    below: everywhere(folders),
    hidden: 'all but .git',
    links: 'may be among them',
    names: 'from around',
  },
});

/** Programs that tell names by themselves. */
function tells(name: string, {texts, words, from}: TellingWords): Printed {
  const options = texts.filter(text => text.startsWith('-'));
  const has = (pattern: RegExp): boolean => options.some(option => pattern.test(option));
  const only = (pattern: RegExp): boolean => options.every(option => pattern.test(option));
  // An operand may be a pattern for lines just as well.
  const operands = texts.filter(text => text !== '' && !text.startsWith('-'));
  const told = (hidden: RegExp, below = everywhere(['.', ...operands])): FoundText =>
    names(has(hidden) ? 'with them' : 'left out', below, from);
  switch (name) {
    case 'find':
      return namesFound(texts, from);
    case 'fd':
    case 'fdfind':
      return only(/^(?:-[HIuapgFis0egtEd]+|-[te]\w+|--(?:hidden|no-ignore|glob|extension|type|exclude|max-depth).*)$/u)
        ? told(/^(?:-\w*[HIu]|--hidden|--no-ignore)/u)
        : 'anything';
    case 'git':
      return ofGit(texts, {has, only, from});
    case 'rg': {
      const plainly = only(
        /^(?:-[lincFNPSUuwxisv.0gtTe]+|--(?:files|files-with-matches|hidden|no-ignore|glob|iglob|type|type-not|sort)(?:=.*)?)$/u,
      );
      const lists = has(/^(?:--files|--files-with-matches|-[incFNPSUuwxisv.0]*l[lincFNPSUuwxisv.0]*)$/u);
      if (!plainly || !lists) return 'anything';
      const found = told(/^(?:-\w*[u.]|--hidden|--no-ignore)/u);
      return {...found, told: {...found.told, links: 'none'}};
    }
    case 'grep': {
      const plainly = only(/^(?:-[lLiwxEFPGsIHhnrve]+|--(?:include|exclude|exclude-dir)=.*)$/u);
      const lists = has(/^-[iwxEFPGsIHhnrv]*[lL][lLiwxEFPGsIHhnrv]*$/u);
      if (!plainly || !lists) return 'anything';
      // With `-e` every operand is a file, else all but the first.
      const searched = operands.length > 1 && !has(/^-\w*e/u) ? operands.slice(1) : ['.', ...operands];
      const found = names(has(/^-\w*r/u) ? 'with them' : 'left out', everywhere(searched), from);
      const endings = options.flatMap(option => /^--include=(\*\.\w+)$/u.exec(option)?.[1] ?? []);
      const isNarrow = endings.length > 0 && options.every(option => !/^--include=(?!\*\.\w+$)/u.test(option));
      return {...found, text: isNarrow ? endings.join('|') : found.text, told: {...found.told, links: 'none'}};
    }
    case 'ls':
      // With `-a` the folder above is among the names.
      return only(/^(?:-[A1trSdU]+|--(?:almost-all|reverse|directory))$/u)
        ? bare(told(/^(?:-\w*A|--a)/u, listedBy(words.slice(1))))
        : 'anything';
    default:
      return 'anything';
  }
}

/** A find for certain names tells those alone. */
function namesFound(texts: readonly string[], from: readonly string[]): Printed {
  if (texts.some(text => /^-(?:printf|ls|exec)$/u.test(text))) return 'anything';
  const end = texts.findIndex(text => /^[-!(]/u.test(text) && text !== '-H' && text !== '-P');
  const roots = texts.slice(0, end < 0 ? texts.length : end).filter(text => !text.startsWith('-'));
  const tests = texts.slice(end < 0 ? texts.length : end);
  const sought = soughtNames(tests);
  if (roots.some(root => /\s|^$/u.test(root)) || (sought !== undefined && seekSecrets(sought))) return 'anything';
  return {text: `./${sought ?? '**'}`, style: 'found', from, told: toldByFind(roots, tests)};
}

const bare = (found: FoundText): FoundText => ({...found, told: {...found.told, names: 'bare'}});

/** Names in the folders that are listed are told without these; files as they are given. */
function listedBy(given: readonly Argument[]): Below {
  const below = given.flatMap(({value}) =>
    typeof value === 'string'
      ? [{folder: '.', depth: Infinity}]
      : value.flatMap(({text}) => {
          if (text.startsWith('-')) return [];
          const [wild] = /[*?[].*$/u.exec(text) ?? [];
          const folder = (text.slice(0, text.length - (wild?.length ?? 0)).match(/^.*\//u) ?? ['.'])[0];
          // What lies in a folder that a pattern comes to is told, too.
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

interface TellingWords {
  readonly texts: readonly string[];
  readonly words: readonly Argument[];
  readonly from: readonly string[];
}

interface Options {
  readonly from: readonly string[];
  readonly has: (pattern: RegExp) => boolean;
  readonly only: (pattern: RegExp) => boolean;
}

function ofGit([command, ...texts]: readonly string[], {has, only, from}: Options): Printed {
  const folders = texts.filter(text => text !== '' && !text.startsWith('-'));
  // Patterns are git's own, and some begin elsewhere.
  const told = (): Printed =>
    tracked(folders.length === 0 || folders.some(isMagic) ? ['.', ...folders] : folders, from, fitsByEnding(folders));
  switch (command) {
    case 'ls-files':
      return only(/^(?:-[cmdoz]+|--(?:cached|modified|deleted|others|exclude-standard|full-name)?)$/u)
        ? has(/^(?:-\w*o|--others)/u)
          ? names('with them', everywhere(['.', ...folders]), from)
          : told()
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

/** Where patterns with an ending are all that git is given, names end so: `*.ts`. Any other word may be a folder. */
function fitsByEnding(patterns: readonly string[]): string {
  const found = patterns.map(pattern => /^(?:[\w.@-]+\/|\*{1,2}\/)*\*(\.\w+)$/u.exec(pattern)?.[1]);
  return found.length === 0 || found.includes(undefined)
    ? '*|.*'
    : found.map(ending => `*${ending ?? ''}|.*${ending ?? ''}`).join('|');
}

const isMagic = (text: string): boolean => /[*?[:\\]/u.test(text);

/** Programs that pass on some of the lines that come to them. */
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
