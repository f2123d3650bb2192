import type {Call} from './judge-simple.ts';
import {seekSecrets, soughtNames} from './programs/names-of-files.ts';
import {plainText} from './programs/judge-program.ts';
import {mayNameSecret} from './secret-paths.ts';
import type {Printed, Text} from './shell/argument.ts';

/**
 * What a call prints, given that it only reads, where that is sure: names of files in the workspace, mostly. Only options that leave the
 * names as they are count; any other could put something beside them.
 */
export function printedBy({words, input}: Call): Printed {
  const [name = '', ...texts] = words.map(word => plainText(word) ?? '');
  // What comes to several words could be options.
  const isPlain = words.every(({value}) => typeof value !== 'string' && value.every(isNoOption)) || name === 'ls';
  if (!isPlain || words.some(({value}) => typeof value === 'string' || value.some(isFoundOrSecret))) return 'anything';
  const passed = passesOn(name, texts) ? input() : 'anything';
  return passed === 'anything' ? tells(name, texts) : passed;
}

const isNoOption = ({text, style}: Text): boolean => style === 'plain' || !/^[*?[-]/u.test(text);

const isFoundOrSecret = ({text, style}: Text): boolean =>
  style === 'found' || (!text.startsWith('-') && mayNameSecret(text, 'like other characters'));

const visible: Printed = {text: '*', style: 'found'};
/** A word like those that `git merge-base` prints. */
const revision: Printed = {text: '0123abcd', style: 'plain'};
const tracked: Printed = {text: '*|.*', style: 'found'};
const all: Printed = {text: '**', style: 'found'};

/** Programs that tell names by themselves. */
function tells(name: string, texts: readonly string[]): Printed {
  const options = texts.filter(text => text.startsWith('-'));
  const has = (pattern: RegExp): boolean => options.some(option => pattern.test(option));
  const only = (pattern: RegExp): boolean => options.every(option => pattern.test(option));
  const told = (hidden: RegExp): Printed => (has(hidden) ? all : visible);
  switch (name) {
    case 'find':
      return namesFound(texts);
    case 'fd':
    case 'fdfind':
      return only(/^(?:-[HIuapgFis0egtEd]+|-[te]\w+|--(?:hidden|no-ignore|glob|extension|type|exclude|max-depth).*)$/u)
        ? told(/^(?:-\w*[HIu]|--hidden|--no-ignore)/u)
        : 'anything';
    case 'git':
      return ofGit(texts, {has, only});
    case 'rg': {
      const plainly = only(
        /^(?:-[lincFNPSUuwxisv.0gtTe]+|--(?:files|files-with-matches|hidden|no-ignore|glob|iglob|type|type-not|sort)(?:=.*)?)$/u,
      );
      const lists = has(/^(?:--files|--files-with-matches|-[incFNPSUuwxisv.0]*l[lincFNPSUuwxisv.0]*)$/u);
      return plainly && lists ? told(/^(?:-\w*[u.]|--hidden|--no-ignore)/u) : 'anything';
    }
    case 'grep': {
      const plainly = only(/^(?:-[lLiwxEFPGsIHhnrve]+|--(?:include|exclude|exclude-dir)=.*)$/u);
      const lists = has(/^-[iwxEFPGsIHhnrv]*[lL][lLiwxEFPGsIHhnrv]*$/u);
      return plainly && lists ? (has(/^-\w*r/u) && !has(/^--include=/u) ? all : visible) : 'anything';
    }
    case 'ls':
      // With `-a` the folder above is among the names.
      return only(/^(?:-[A1trSdRU]+|--(?:almost-all|reverse|recursive|directory))$/u)
        ? told(/^(?:-\w*A|--a)/u)
        : 'anything';
    default:
      return 'anything';
  }
}

/** A find for certain names tells those alone. */
function namesFound(texts: readonly string[]): Printed {
  if (texts.some(text => /^-(?:printf|ls|exec)$/u.test(text))) return 'anything';
  const root = texts[0] ?? '';
  const names = soughtNames(texts);
  if (/\s/u.test(root) || (names !== undefined && seekSecrets(names))) return 'anything';
  return {text: `./${names ?? '**'}`, style: 'found'};
}

interface Options {
  readonly has: (pattern: RegExp) => boolean;
  readonly only: (pattern: RegExp) => boolean;
}

function ofGit(texts: readonly string[], {has, only}: Options): Printed {
  switch (texts[0]) {
    case 'ls-files':
      return only(/^(?:-[cmdoz]+|--(?:cached|modified|deleted|others|exclude-standard|full-name)?)$/u)
        ? has(/^(?:-\w*o|--others)/u)
          ? all
          : tracked
        : 'anything';
    case 'merge-base':
      return only(/^--$/u) ? revision : 'anything';
    case 'diff':
      return has(/^--name-only$/u) && only(/^--(?:name-only|cached|staged|diff-filter=\w+)?$/u) ? tracked : 'anything';
    case 'grep':
      return has(/^-[iwEFPIn]*[lL][iwEFPInlL]*$/u) && only(/^-[lLiwEFPIne-]+$/u) ? tracked : 'anything';
    default:
      return 'anything';
  }
}

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
