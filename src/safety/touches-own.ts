import {grantingSettings} from '../config/granting-settings.ts';
import {partsOf, pathOf} from './path-parts.ts';
import type {Ground} from './ground.ts';
import {placesOf} from './judge-path.ts';
import {holdsOwnPlace, isWild, mayBeOwnPlace, mayFindOwnPlace, mayHoldOwnPlace, ownPlaceOf} from './own-places.ts';
import type {ParsedCommand} from './read-command.ts';
import {readShell, type ShellWord} from './read-shell.ts';
import type {JudgedCall} from './walk-script.ts';
import type {Argument} from './shell/argument.ts';
import {
  enterText,
  foldersChosen,
  foldersGiven,
  isOperand,
  namesIn,
  ownVariables,
  pathsOf,
  withVariables,
  type WordPaths,
} from './word-paths.ts';
import {isShell, isWrapper, programName, startsIn, textsFrom} from './wrappers.ts';

export interface OwnEvidence {
  readonly parsed: ParsedCommand;
  readonly ground: Ground;
  /** Where the command would start. */
  readonly directory: string;
}

/**
 * Why a command may change what weft was granted, as half a sentence: it names one of weft's files to a program that is not known
 * to only read it, takes away or replaces a folder that holds them, or calls weft itself to grant. `undefined` where it does not
 * look like it; a program that works a path out by itself is not seen through.
 */
export function whyTouchesOwn(command: string, {parsed, ground, directory}: OwnEvidence): string | undefined {
  const start: Look = {ground, entered: [directory], variables: ownVariables(ground), names: {left: mostNames}};
  const look = enterText(command, start);
  if (parsed.extent === 'partial') return whyRead(command, look, 0) ?? whyFed(command, look);
  const changing = parsed.calls.filter(({elsewhere}) => elsewhere !== 'only reads');
  const found =
    firstOf(changing, call => whyWords(wordsOf(call, command), {...look, entered: startsOf(call, look)})) ??
    firstOf(parsed.concerns, ({effect, target, range}) =>
      effect === 'reads' || (changing.length === 0 && effect === 'unsure')
        ? undefined
        : whyInside(target === '' ? [command.slice(range.from, range.to)] : [target], look),
    );
  return found ?? (changing.some(call => isFed(call, command)) ? whyFed(command, look) : undefined);
}

interface Look extends WordPaths {
  /** How many names are still looked up; shared by all that look. */
  readonly names: {left: number};
}

/** Names of one command that are looked up on the disk; one with more of them is asked about. */
const mostNames = 4000;

/** The words as far as they are known; what is not stands as it was written. */
const wordsOf = ({words}: JudgedCall, command: string): readonly string[] =>
  words.flatMap(({value, range}) =>
    typeof value === 'string'
      ? [command.slice(range.from, range.to).replaceAll(/["']/gu, '')]
      : value.map(({text}) => text),
  );

/** `a{,.b}` is `a` and `a.b`. */
function alternativesOf(written: string): readonly string[] {
  const [braces, before = '', within = '', after = ''] =
    /^([^]*?)(?<!\$)\{([^{}]*,[^{}]*)\}([^]*)$/u.exec(written) ?? [];
  if (braces === undefined || within.length > longestBraces) return [written];
  return within.split(',').map(each => before + each + after);
}

const longestBraces = 1000;

/** Where the paths of a call begin: `env -C folder` and others go on from there. */
function startsOf({directories, words}: JudgedCall, look: Look): readonly string[] {
  if (directories.length === 0) return look.entered;
  const given = words.map(({value}) => (typeof value === 'string' ? '' : value.map(({text}) => text).join('')));
  const gone = foldersChosen(given).flatMap(folder => pathsOf(folder, {...look, entered: directories}));
  return gone.length === 0 ? directories : [...directories, ...gone];
}

/** Each program the words come to, without what wraps it, and those of texts that are handed to a shell. */
function whyWords(written: readonly string[], look: Look, depth = 0): string | undefined {
  const words = written.flatMap(alternativesOf);
  const shellWords = words.map(plain => ({raw: plain, plain}));
  const starts = startsIn(shellWords);
  return firstOf(starts, at => {
    const name = programName(words[at] ?? '');
    const given = words.slice(at + 1);
    const texts = textsFrom(shellWords, at);
    // What a wrapper or a shell is given is looked at as what it runs.
    const leads = (isWrapper(name) && starts.some(start => start > at)) || (isShell(name) && texts.length > 0);
    const own = leads ? undefined : (whyGrants([name, ...given]) ?? whyProgram(name, given, look));
    return (
      own ??
      whyUnmarks(name, given) ??
      (depth < deepest ? firstOf(texts, text => whyText(text, given, {look, depth: depth + 1})) : undefined)
    );
  });
}

/** All commands in a text, and what they are redirected to. */
function whyRead(text: string, look: Look, depth: number): string | undefined {
  const {commands, redirected} = readShell(text);
  const there = enterText(text, look);
  return (
    firstOf(commands, words => whyWords(words.map(wordText), there, depth)) ??
    whyInside(redirected.map(wordText), there)
  );
}

const wordText = ({plain}: ShellWord): string => plain;

/** A text that a shell is given, and what it is given with it. */
function whyText(text: string, given: readonly string[], {look, depth}: {readonly look: Look; readonly depth: number}) {
  const names = readShell(text).commands.map(words => programName(words[0]?.plain ?? ''));
  if (names.some(name => isShell(name) || feeders.has(name))) return whyFed(text, look);
  const at = given.indexOf(text);
  const more = at < 0 ? [] : given.slice(at + 1);
  return (
    whyRead(text, look, depth) ??
    (more.length === 0
      ? undefined
      : (whyInside(more, look) ?? (removesByCode.test(text) ? whyHolds(more, look) : undefined)))
  );
}

const deepest = 6;

/** What is handed to a program by its input or is only known when it runs may be any of the command's text. */
function isFed(call: JudgedCall, command: string): boolean {
  const words = wordsOf(call, command);
  const shellWords = words.map(plain => ({raw: plain, plain}));
  const starts = startsIn(shellWords);
  const names = starts.map(at => programName(words[at] ?? ''));
  // A shell that is given a text does not read one.
  if (
    names.some(
      (name, at) => feeders.has(name) || (isShell(name) && textsFrom(shellWords, starts[at] ?? 0).length === 0),
    )
  )
    return true;
  if (names.some(name => interpreters.test(name)) && words.slice(1).every(word => word.startsWith('-'))) return true;
  // Where it runs, or with what, is only known when it runs.
  const isOpen = call.directories.length === 0 || call.words.some(isOpenWord);
  return isOpen && !names.some(name => treatsAsData.has(name));
}

/** Another program tells what it stands for. */
const isOpenWord = ({value}: Argument): boolean =>
  typeof value === 'string' || value.some(({style}) => style === 'found' || style === 'searched');

const feeders = named('xargs parallel at batch crontab tee sponge tmux screen systemd-run while read eval source .');

/** They read what to do where nothing names a file. */
const interpreters =
  /^(?:python[\d.]*|pypy[\d.]*|node|deno|bun|perl|ruby|php|lua|osascript|Rscript|sqlite3|psql|ed|ex)$/u;

function whyFed(command: string, look: Look): string | undefined {
  if (calledByText.test(command)) return grantsItself;
  return whyInside([command], look) ?? firstOf(readShell(command).commands, words => whyListed(words, look));
}

/** Programs that list files may list weft's, and what they list is what another program is handed. */
function whyListed(words: readonly ShellWord[], look: Look): string | undefined {
  return firstOf(startsIn(words), at => {
    const name = programName(words[at]?.plain ?? '');
    const given = words.slice(at + 1).map(wordText);
    const operands = given.filter(isOperand);
    const has = (option: RegExp): boolean => given.some(word => option.test(word));
    if (name === 'find') return whyFound(given, look);
    if (/^[efgz]?grep$/u.test(name))
      return has(/^(?:-\w*[rR]|--(?:dereference-)?recursive)/u) ? whyHolds(operands, look) : undefined;
    if (name === 'ls') {
      if (has(/^-\w*d/u)) return whyHolds(operands, look);
      const wild = has(/^(?:-\w*[aA]|--(?:almost-)?all)/u) ? ['*', '.*'] : ['*'];
      const folders = operands.length === 0 ? ['.'] : operands;
      return whyHolds(
        folders.flatMap(folder => wild.map(names => `${folder}/${names}`)),
        look,
      );
    }
    if (!walkers.has(name)) return undefined;
    // They pass over hidden folders but for those they are given.
    const isThorough = has(/^(?:-\w*[.Hu]|--hidden|--unrestricted)/u);
    const [, ...folders] = operands;
    if (isThorough && folders.length === 0) return whyHolds(['.'], look);
    return whyHolds(isThorough ? folders : folders.filter(folder => /(?:^|\/)\.[^./]/u.test(folder)), look);
  });
}

const walkers = named('rg ag ack fd fdfind');

/** What `find` comes upon: all there is in its folders, or what has certain names. */
function whyFound(given: readonly string[], look: Look): string | undefined {
  const end = given.findIndex(word => /^(?:-(?![HLP]$)|[(!])/u.test(word));
  const folders = (end < 0 ? given : given.slice(0, end)).filter(isOperand);
  const isNarrowed = !given.some(word => /^(?:!|,|-o|-or|-not)$/u.test(word));
  const names = isNarrowed ? given.filter((_, at) => /^-i?name$/u.test(given[at - 1] ?? '')) : [];
  const starts = folders.length === 0 ? ['.'] : folders;
  if (names.length === 0) return whyHolds(starts, look);
  return firstOf(starts, folder =>
    firstOf(pathsOf(folder, look), path =>
      waysOf(path, look).some(way => mayFindOwnPlace(way, names, look.ground.ownPlaces())) ? holds(path) : undefined,
    ),
  );
}

/** Programs that take words for text, whatever they say; weft's own grants are looked for before. */
const treatsAsData = named('git gh glab hg jj weft');

/** Programs that show what they are given; in the table of programs they are judged, here only known. */
const readers = named(
  'cat head tail less more bat batcat grep egrep fgrep rg ag wc ls stat file jq diff cmp md5sum sha256sum echo printf test [ readlink realpath dirname basename',
);

function whyProgram(name: string, given: readonly string[], look: Look): string | undefined {
  const operands = given.filter(isOperand);
  const options = given.filter(word => !isOperand(word));
  const has = (option: RegExp): boolean => options.some(word => option.test(word));
  const loses = (paths: readonly string[]): string | undefined => whyInside(paths, look) ?? whyHolds(paths, look);
  if (readers.has(name) || name === 'weft') return undefined;
  if (removers.has(name)) return loses(operands);
  if (name === 'find') return whyInside(operands, look) ?? whyFound(given, look);
  if (name === 'fd' || name === 'fdfind' || name === 'mount' || name === 'umount') return loses(operands);
  if (name === 'ln' || (name === 'cp' && has(/^(?:-\w*[ls]|--link|--symbolic-link)/u)))
    return loses([...operands, ...landings(operands, options)]);
  if (name === 'mv' || name === 'rename') {
    const sources = has(targetOption) ? operands : operands.slice(0, -1);
    return loses([...sources, ...landings(operands, options)]) ?? whyInside(given, look);
  }
  if (copiers.has(name)) {
    const lands = landings(operands, options);
    const isDeep =
      name === 'rsync' || name === 'ditto' || has(/^(?:-\w*[raRT]|--recursive|--archive|--no-target-directory)/u);
    // What is copied is only read.
    const found = whyInside([...lands, ...targetsOf(operands, options)], look);
    if (found !== undefined || !isDeep) return found;
    const contents = operands.some(word => /(?:^|\/)(?:\.|\*[^/]*)?$/u.test(word)) || has(/^(?:-\w*T|--no-target)/u);
    return whyHolds(contents ? [...lands, ...targetsOf(operands, options)] : lands, look);
  }
  if (unpackers.has(name)) {
    const isTar = /^(?:bsd|g)?tar$/u.test(name);
    const packs = isTar && !given.some(word => /^(?:-?[A-Za-z]*x|--extract|--get)/u.test(word));
    const [archive] = operands.filter(word => /[./]/u.test(word));
    if (packs) return whyInside([...options, ...(archive === undefined ? [] : [archive])], look);
    const folders = isTar ? foldersChosen(given) : foldersGiven(given, name === 'unzip' ? 'd' : 'do');
    return whyInside(given, look) ?? whyHolds(folders.length === 0 ? ['.'] : folders, look);
  }
  if (/^(?:chmod|chown|chgrp|setfacl|chattr|chcon)$/u.test(name))
    return has(/^(?:-\w*R|--recursive)/u) ? loses(operands) : whyInside(operands, look);
  if (name === 'git') {
    const [verb = ''] = operands.filter(word => /^[a-z][a-z-]*$/u.test(word));
    if (gitReads.has(verb)) return whyInside(options, look);
    if (verb === 'mv' || verb === 'rm') return loses(operands);
    const cleans = verb === 'clean' && !has(/^(?:-[a-z]*n|--dry-run$)/u);
    return whyInside(given, look) ?? (cleans ? whyHolds([...foldersChosen(given), '.'], look) : undefined);
  }
  return (
    whyInside(given, look) ??
    (given.some(word => removesByCode.test(word)) ? whyHolds(given.flatMap(namesIn), look) : undefined)
  );
}

const removers = named('rm rmdir unlink shred srm trash trash-put gio rimraf del del-cli wipe');
const copiers = named('cp install scp rsync ditto gcp ginstall');
const unpackers = named('tar bsdtar gtar unzip unar 7z 7za 7zz cpio pax unrar');
const gitReads = named('add commit diff show log status blame grep push fetch ls-files cat-file rev-parse');
const targetOption = /^(?:-\w*t|--target-directory)/u;
const removesByCode =
  /rm_?tree|rm_r|rmSync|rimraf|rmdir|remove_tree|deltree|\brm\b|unlink|renameSync|\brename\b|\.move\b/u;

/** Where what is copied or moved comes to lie: in the last folder, or in the one an option names. */
const targetsOf = (operands: readonly string[], options: readonly string[]): readonly string[] =>
  options.some(word => targetOption.test(word))
    ? [...operands, ...options.map(word => word.replace(/^(?:-\w*t|--target-directory=?)/u, ''))]
    : operands.slice(-1);

const landings = (operands: readonly string[], options: readonly string[]): readonly string[] => {
  const names = operands.map(word => partsOf(word.replace(/\/+$/u, '')).at(-1) ?? '').filter(name => name !== '');
  return targetsOf(operands, options).flatMap(target => names.map(name => `${target}/${name}`));
};

function whyInside(texts: readonly string[], look: Look): string | undefined {
  return firstOf(
    texts.flatMap(text => withVariables(text, look).flatMap(namesIn)),
    name =>
      firstOf(pathsOf(name, look), path => {
        look.names.left -= 1;
        if (look.names.left < 0) return 'names more files than weft looks at';
        const places = look.ground.ownPlaces();
        if (/[*?[]/u.test(path)) {
          const at = partsOf(path).findIndex(part => /[*?[]/u.test(part));
          const fixed = pathOf(partsOf(path).slice(0, at));
          const wild = partsOf(path).slice(at);
          const isOwn = waysOf(fixed, look).some(
            parts => ownPlaceOf(parts, places) !== undefined || mayBeOwnPlace([...parts, ...wild], places),
          );
          return isOwn ? changes(path) : undefined;
        }
        return waysOf(path, look).some(parts => ownPlaceOf(parts, places) !== undefined) ? changes(path) : undefined;
      }),
  );
}

function whyHolds(names: readonly string[], look: Look): string | undefined {
  return firstOf(names, name =>
    firstOf(pathsOf(name, look), path => {
      const places = look.ground.ownPlaces();
      const parts = partsOf(path);
      const at = parts.findIndex(isWild);
      const isHolding =
        at < 0
          ? waysOf(path, look).some(way => holdsOwnPlace(way, places))
          : waysOf(pathOf(parts.slice(0, at)), look).some(way => mayHoldOwnPlace([...way, ...parts.slice(at)], places));
      return isHolding ? holds(path) : undefined;
    }),
  );
}

const holds = (path: string): string => `takes or replaces ${path}, which holds weft's own settings and grants`;

const changes = (path: string): string => `may change weft's own settings and grants: ${path}`;

/** By the letter and where it leads. */
const waysOf = (path: string, {ground}: Look) => [
  partsOf(path),
  ...placesOf(path, ground).map(place => partsOf(place.path)),
];

const grantsItself = "calls weft to change what it is granted, which weft's own commands may not";

/** The limit marks what weft runs, see `isStartedByWeft`. */
function whyUnmarks(name: string, given: readonly string[]): string | undefined {
  const isMark =
    (name === 'ulimit' && given.some(word => /^-\w*q/u.test(word))) ||
    (name === 'prlimit' && given.some(word => /^(?:-q|--msgqueue)/u.test(word)));
  return isMark ? "changes the limit by which weft's own commands are known" : undefined;
}

/** Whether the words call weft to grant: `weft permissions trust`, `npx weft config set permissions.allow …`. */
function whyGrants(words: readonly string[]): string | undefined {
  const at = words.findIndex(word => /^weft(?:\.[cm]?js)?$/u.test(programName(word)));
  if (at >= 0 && isGranting(words.slice(at + 1))) return grantsItself;
  const isText = !treatsAsData.has(words[0] ?? '') && !readers.has(words[0] ?? '');
  return isText && words.some(word => /\s/u.test(word) && calledByText.test(word)) ? grantsItself : undefined;
}

const changesGrants = named('trust untrust add remove');

function isGranting(given: readonly string[]): boolean {
  const words = given.filter((word, at) => isOperand(word) && !/^(?:-C|--cwd)$/u.test(given[at - 1] ?? ''));
  if (words.some((word, at) => word === 'permissions' && changesGrants.has(words[at + 1] ?? ''))) return true;
  const config = words.indexOf('config');
  return config >= 0 && /^(?:set|unset)$/u.test(words[config + 1] ?? '') && words.slice(config + 2).some(mayGrant);
}

/** A name that is worked out when it runs may be any. */
const mayGrant = (name: string): boolean => name.includes('$') || grantingSettings.has(name.split('.')[0] ?? '');

const calledByText =
  /\bweft(?:\.[cm]?js)?\b[^\n;|&]*?\b(?:permissions\b[^\n;|&]*?\b(?:trust|untrust|add|remove)|config\b[^\n;|&]*?\b(?:set|unset)\s+["']?(?:model|provider|baseUrl|permission|env|passEnv|\$))/u;

function firstOf<T>(items: readonly T[], find: (item: T) => string | undefined): string | undefined {
  for (const item of items) {
    const found = find(item);
    if (found !== undefined) return found;
  }
  return undefined;
}

function named(words: string): ReadonlySet<string> {
  return new Set(words.split(' '));
}
