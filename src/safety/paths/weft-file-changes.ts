import {firstFound} from '../../base/first-found.ts';
import type {WeftFileChange} from '../../domain/reason.ts';
import type {JudgedInvocation, CommandAnalysis} from '../commands/analyze-command.ts';
import type {Argument} from '../shell/expansion.ts';
import {readShell, type ShellWord} from '../shell/loose-reader.ts';
import type {PathContext} from './path-context.ts';
import {
  containsWeftFile,
  enclosingWeftFile,
  hasShellWildcard,
  type PatternUse,
  patternMayContainWeftFile,
  patternMayMatchWeftFile,
  searchMayFindWeftFile,
} from './weft-files.ts';
import {partsOf, pathOf} from './path-parts.ts';
import {resolvePath} from './judge-path.ts';
import {
  expansionAfter,
  foldersEnteredByOptions,
  outputFolders,
  isOperand,
  pathCandidates,
  weftFolderVariables,
  possiblePaths,
  withVariables,
  type PathExpansion,
} from '../commands/command-paths.ts';
import {effectsOf} from '../commands/effects.ts';
import {isHarmlessSed} from '../commands/script-languages.ts';
import {hasTrait, isInterpreter, isShell} from '../commands/known-programs.ts';
import {isWrapper, type Layer, layers, programName, shellTextsFrom} from '../commands/layers.ts';

export interface WeftFileEvidence {
  readonly parsed: CommandAnalysis;
  readonly context: PathContext;
  /** The folder in which the command would start. */
  readonly directory: string;
}

/**
 * Returns how a command may change weft's own settings and permissions:
 * - It passes one of weft's files to a program that is not known to only read it.
 * - It removes or replaces a folder that contains such files.
 * - It runs weft itself to grant something.
 *
 * Returns `undefined` if nothing in the command suggests that. A program that computes a path itself is not recognized.
 */
export function findWeftFileChange(
  command: string,
  {parsed, context, directory}: WeftFileEvidence,
): WeftFileChange | undefined {
  const start: SearchState = {
    context,
    startFolders: [directory],
    variables: weftFolderVariables(context),
    lookups: {left: maxLookups},
    uses: new Map(),
  };
  const search = expansionAfter(command, start);
  if (parsed.reading === 'unparsed') return changeInText(command, search, 0) ?? changeByInput(command, search);
  const changing = parsed.invocations.filter(({elsewhere}) => elsewhere !== 'only reads');
  const found =
    firstFound(changing, call =>
      changeByWords(wordsOf(call, command), {
        ...search,
        startFolders: startFoldersOf(call, search),
        uses: passesWords.test(command) ? new Map() : usesIn(call),
      }),
    ) ??
    firstFound(parsed.sideEffects, ({effect, target, range}) => {
      if (effect === 'reads' || (changing.length === 0 && (effect === 'unsure' || effect === 'sets'))) return undefined;
      if (target !== '') return changeOfPaths([target], search);
      const text = command.slice(range.from, range.to);
      return changeOfPaths([text], search, effect === 'sets' && !text.includes('=(') ? undefined : 'expanded');
    });
  if (found !== undefined || !changing.some(call => readsCommandsFromInput(call, command))) return found;
  return changeByInput(
    command,
    search,
    parsed.invocations.flatMap(({words}) =>
      words.flatMap(({value}) =>
        typeof value === 'string' ? [] : value.flatMap(({text, style}) => (style === 'wild' ? [text] : [])),
      ),
    ),
  );
}

interface SearchState extends PathExpansion {
  /** The number of names that may still be looked up on disk. All steps of one search share this count. */
  readonly lookups: {left: number};
  /** How wildcards of words are used, if the shell does not expand the whole word. */
  readonly uses: ReadonlyMap<string, PatternUse>;
}

/** The maximum number of names of one command that weft looks up on disk. weft asks about a command with more. */
const maxLookups = 4000;

/** Returns the words of an invocation. An unknown word is returned as written. */
const wordsOf = ({words}: JudgedInvocation, command: string): readonly string[] =>
  words.flatMap(({value, range}) =>
    typeof value === 'string'
      ? [command.slice(range.from, range.to).replaceAll(/["']/gu, '')]
      : value.map(({text}) => text),
  );

/** Matches a script that may expand words again: it has functions, or parameters of its own. */
const passesWords = /\(\)\s*\{|\bfunction\b|\bset\s+--/u;

/** Names that another program lists count as patterns. A word that is a pattern once is no text elsewhere. */
function usesIn({words}: JudgedInvocation): SearchState['uses'] {
  const texts = words.flatMap(({value}) => (typeof value === 'string' ? [] : value));
  const uses = new Map(texts.map(({text, style}) => [text, style === 'plain' ? 'possible' : 'expanded'] as const));
  for (const {text, style} of texts) if (style === 'wild') uses.delete(text);
  return uses;
}

/** Expands braces in a word: `a{,.b}` becomes `a` and `a.b`. */
function alternativesOf(written: string): readonly string[] {
  const [braces, before = '', within = '', after = ''] =
    /^([^]*?)(?<!\$)\{([^{}]*,[^{}]*)\}([^]*)$/u.exec(written) ?? [];
  if (braces === undefined || within.length > longestBraces) return [written];
  return within.split(',').map(each => before + each + after);
}

const longestBraces = 1000;

/** Returns the folders in which relative paths of an invocation may begin. Options such as `env -C folder` add some. */
function startFoldersOf({directories, words}: JudgedInvocation, search: SearchState): readonly string[] {
  if (directories.length === 0) return search.startFolders;
  const args = words.map(({value}) => (typeof value === 'string' ? '' : value.map(({text}) => text).join('')));
  const enteredByOption = foldersEnteredByOptions(args).flatMap(folder =>
    possiblePaths(folder, {...search, startFolders: directories}),
  );
  return enteredByOption.length === 0 ? directories : [...directories, ...enteredByOption];
}

/** Examines each program that the words run, including those after wrappers (`sudo`, `env`) and in scripts passed to a shell. */
function changeByWords(written: readonly string[], search: SearchState, depth = 0): WeftFileChange | undefined {
  const words = written.flatMap(word => (search.uses.has(word) ? [word] : alternativesOf(word)));
  const found = layers(words);
  return firstFound(found, ({at, program: name, words: [, ...args]}) => {
    const texts = shellTextsFrom(words, at);
    // The arguments of a wrapper or a shell are examined as the command that it runs.
    const runsAnother = (isWrapper(name) && found.some(layer => layer.at > at)) || (isShell(name) && texts.length > 0);
    const change = runsAnother
      ? undefined
      : (callThatGrants([name, ...args], search) ?? changeByProgram(name, args, search));
    return (
      change ??
      runLimitChange(name, args) ??
      (depth < deepest ? firstFound(texts, text => changeByScript(text, args, {search, depth: depth + 1})) : undefined)
    );
  });
}

/** Examines all commands in a text, and the targets of its redirections. */
function changeInText(text: string, search: SearchState, depth: number): WeftFileChange | undefined {
  const {commands, redirected} = readShell(text);
  const afterwards = expansionAfter(text, search);
  return (
    firstFound(commands, words =>
      changeByWords(
        words.map(wordText),
        {
          ...afterwards,
          uses: new Map(
            passesWords.test(text) ? [] : words.filter(isQuoted).map(word => [word.plain, 'possible'] as const),
          ),
        },
        depth,
      ),
    ) ?? changeOfPaths(redirected.map(wordText), afterwards)
  );
}

const wordText = ({plain}: ShellWord): string => plain;

const isQuoted = ({raw, plain}: ShellWord): boolean => raw === `'${plain}'` || raw === `"${plain}"`;

/** Examines a script that is passed to a shell, and the arguments passed with it. */
function changeByScript(
  text: string,
  args: readonly string[],
  {search, depth}: {readonly search: SearchState; readonly depth: number},
) {
  const names = readShell(text).commands.map(words => programName(words[0]?.plain ?? ''));
  if (names.some(isShell)) return changeByInput(text, search, [], 'expanded');
  if (names.some(name => hasTrait(name, 'fed'))) return changeByInput(text, search);
  const at = args.indexOf(text);
  const more = at < 0 ? [] : args.slice(at + 1);
  // The script may expand them.
  const expanded = {...search, uses: new Map()};
  return (
    changeInText(text, search, depth) ??
    (more.length === 0
      ? undefined
      : (changeOfPaths(more, expanded) ?? (removesByCode.test(text) ? changeOfFolders(more, search) : undefined)))
  );
}

const deepest = 6;

/** True if a program reads its commands from its input, or if the folder or a word of the invocation is known only at run time. */
function readsCommandsFromInput(call: JudgedInvocation, command: string): boolean {
  const words = wordsOf(call, command);
  const found = layers(words);
  const names = found.map(({program}) => program);
  // A shell with a script as an argument does not read one from its input.
  if (
    found.some(
      ({program, at}) => hasTrait(program, 'fed') || (isShell(program) && shellTextsFrom(words, at).length === 0),
    )
  )
    return true;
  if (names.some(name => isInterpreter(name)) && words.slice(1).every(word => word.startsWith('-'))) return true;
  const isOpen = call.directories.length === 0 || call.words.some(isOpenWord);
  return isOpen && !names.some(name => hasTrait(name, 'text'));
}

/** True if another program's output determines the word. */
const isOpenWord = ({value}: Argument): boolean =>
  typeof value === 'string' || value.some(({style}) => style === 'found' || style === 'searched');

/** Examines a whole text, parts of which a program reads from its input. The shell expands the patterns. */
function changeByInput(
  command: string,
  search: SearchState,
  patterns: readonly string[] = patternsIn(command),
  use?: PatternUse,
): WeftFileChange | undefined {
  if (grantingCallInText.test(command)) return callsWeft;
  const {commands} = readShell(command);
  const isScript = readsBareWords.test(command) || commands.some(words => runsItsInput(layers(words.map(wordText))));
  return (
    changeOfPaths([command], search, isScript ? 'expanded' : use) ??
    changeOfPaths(patterns, search, 'expanded') ??
    firstFound(commands, words => changeByListing(words, search))
  );
}

/** Returns the words that the shell may replace with file names. It does not between `[[` and `]]`. */
const patternsIn = (text: string): readonly string[] =>
  readShell(text).commands.flatMap(words =>
    words.some(({plain}) => plain === '[[')
      ? []
      : words.flatMap((word, at) =>
          hasShellWildcard(word.plain) && !isQuoted(word) && (at > 0 || word.plain.includes('/')) ? [word.plain] : [],
        ),
  );

/** Matches commands that read words and expand them without quotes. */
const readsBareWords = /\bread\b[^]*\s\$\w/u;

/** True for a shell without a script among its words, and for a program that makes a script of its input. */
const runsItsInput = (found: readonly Layer[]): boolean =>
  found.some(
    ({program, words: [, ...args]}) =>
      /^(?:at|batch|eval|parallel)$/u.test(program) ||
      (isShell(program) && args.every(word => !isOperand(word) || word.startsWith('/dev/'))) ||
      (hasTrait(program, 'input-words') && found.some(layer => isShell(layer.program))),
  );

/** Examines programs that list files. They may list weft's files, and another program receives the list. */
function changeByListing(words: readonly ShellWord[], search: SearchState): WeftFileChange | undefined {
  return firstFound(layers(words.map(wordText)), ({program: name, words: [, ...args]}) => {
    const operands = args.filter(isOperand);
    const has = (option: RegExp): boolean => args.some(word => option.test(word));
    if (name === 'find') return changeByFind(args, search);
    if (/^[efgz]?grep$/u.test(name))
      return has(/^(?:-\w*[rR]|--(?:dereference-)?recursive)/u) ? changeOfFolders(operands, search) : undefined;
    if (name === 'ls') {
      if (has(/^-\w*d/u)) return changeOfFolders(operands, search);
      const wild = has(/^(?:-\w*[aA]|--(?:almost-)?all)/u) ? ['*', '.*'] : ['*'];
      const folders = operands.length === 0 ? ['.'] : operands;
      return changeOfFolders(
        folders.flatMap(folder => wild.map(pattern => `${folder}/${pattern}`)),
        search,
      );
    }
    if (!hasTrait(name, 'walks')) return undefined;
    // Without such an option these programs skip hidden folders, unless an argument names one.
    const isThorough = has(/^(?:-\w*[.Hu]|--hidden|--unrestricted)/u);
    const [, ...folders] = operands;
    if (isThorough && folders.length === 0) return changeOfFolders(['.'], search);
    return changeOfFolders(isThorough ? folders : folders.filter(folder => /(?:^|\/)\.[^./]/u.test(folder)), search);
  });
}

/** Examines the results of `find`: everything in its folders, or only files with certain names. */
function changeByFind(args: readonly string[], search: SearchState): WeftFileChange | undefined {
  const end = args.findIndex(word => /^(?:-(?![HLP]$)|[(!])/u.test(word));
  const folders = (end < 0 ? args : args.slice(0, end)).filter(isOperand);
  const isNarrowed = !args.some(word => /^(?:!|,|-o|-or|-not)$/u.test(word));
  const namePatterns = isNarrowed ? args.filter((_, at) => /^-i?name$/u.test(args[at - 1] ?? '')) : [];
  const starts = folders.length === 0 ? ['.'] : folders;
  if (namePatterns.length === 0) return changeOfFolders(starts, search);
  return firstFound(starts, folder =>
    firstFound(possiblePaths(folder, search), path =>
      writtenAndReal(path, search).some(way => searchMayFindWeftFile(way, namePatterns, search.context.weftFiles()))
        ? replacesFolder(path)
        : undefined,
    ),
  );
}

function changeByProgram(name: string, args: readonly string[], search: SearchState): WeftFileChange | undefined {
  const operands = args.filter(isOperand);
  const options = args.filter(word => !isOperand(word));
  const has = (option: RegExp): boolean => options.some(word => option.test(word));
  const changeOfOperands = (paths: readonly string[]): WeftFileChange | undefined =>
    changeOfPaths(paths, search) ?? changeOfFolders(paths, search);
  if (hasTrait(name, 'shows') || name === 'weft' || name === '[[') return undefined;
  if (hasTrait(name, 'removes')) return changeOfOperands(operands);
  if (name === 'find') {
    const wanted = args.filter(
      (_, at) => /^-i?(?:name|path|wholename)$/u.test(args[at - 1] ?? '') && !/^(?:!|-not)$/u.test(args[at - 2] ?? ''),
    );
    return changeOfPaths(operands, search) ?? changeOfPaths(wanted, search, 'expanded') ?? changeByFind(args, search);
  }
  if (name === 'fd' || name === 'fdfind' || name === 'mount' || name === 'umount') return changeOfOperands(operands);
  if (hasTrait(name, 'links') || (name === 'cp' && has(/^(?:-\w*[ls]|--link|--symbolic-link)/u)))
    return changeOfOperands([...operands, ...copyDestinations(operands, options)]);
  if (hasTrait(name, 'moves')) {
    const sources = has(targetOption) ? operands : operands.slice(0, -1);
    return changeOfOperands([...sources, ...copyDestinations(operands, options)]) ?? changeOfPaths(args, search);
  }
  if (hasTrait(name, 'copies')) {
    const destinations = copyDestinations(operands, options);
    const isDeep =
      name === 'rsync' || name === 'ditto' || has(/^(?:-\w*[raRT]|--recursive|--archive|--no-target-directory)/u);
    // The sources of a copy are only read.
    const found = changeOfPaths([...destinations, ...targetFolders(operands, options)], search);
    if (found !== undefined || !isDeep) return found;
    const contents = operands.some(word => /(?:^|\/)(?:\.|\*[^/]*)?$/u.test(word)) || has(/^(?:-\w*T|--no-target)/u);
    return changeOfFolders(contents ? [...destinations, ...targetFolders(operands, options)] : destinations, search);
  }
  if (hasTrait(name, 'unpacks')) {
    const isTar = /^(?:bsd|g)?tar$/u.test(name);
    const packs = isTar && !args.some(word => /^(?:-?[A-Za-z]*x|--extract|--get)/u.test(word));
    const [archive] = operands.filter(word => /[./]/u.test(word));
    if (packs) return changeOfPaths([...options, ...(archive === undefined ? [] : [archive])], search);
    const folders = isTar ? foldersEnteredByOptions(args) : outputFolders(args, name === 'unzip' ? 'd' : 'do');
    return changeOfPaths(args, search) ?? changeOfFolders(folders.length === 0 ? ['.'] : folders, search);
  }
  if (hasTrait(name, 'rights'))
    return has(/^(?:-\w*R|--recursive)/u) ? changeOfOperands(operands) : changeOfPaths(operands, search);
  if (name === 'git') {
    const [verb = ''] = operands.filter(word => /^[a-z][a-z-]*$/u.test(word));
    if (gitReads.has(verb)) return changeOfPaths(options, search);
    if (verb === 'mv' || verb === 'rm') return changeOfOperands(operands);
    const cleans = verb === 'clean' && !has(/^(?:-[a-z]*n|--dry-run$)/u);
    return (
      changeOfPaths(args, search) ??
      (cleans ? changeOfFolders([...foldersEnteredByOptions(args), '.'], search) : undefined)
    );
  }
  const scripts = effectsOf([name, ...args]).flatMap(({role, word}) => (role === 'sed' ? [word] : []));
  // A script that only changes lines names no file.
  const harmless = scripts.filter(isHarmlessSed);
  return (
    changeOfPaths(
      harmless.length === 0 ? args : args.filter(word => !harmless.includes(word)),
      search,
      scripts.some(script => /(?:^|[\d$/;!{])\s*e\s/u.test(script)) ||
        (/^(?:perl|ruby|php)/u.test(name) && args.some(word => /`|(?<=[(=,\s])<[^<>\s]*[*?][^<>]*>/u.test(word)))
        ? 'expanded'
        : undefined,
    ) ??
    (args.some(word => removesByCode.test(word))
      ? firstFound(args, word => changeOfFolders(pathCandidates(word), search, usesPatterns(word)))
      : undefined)
  );
}

const gitReads = wordSet('add commit diff show log status blame grep push fetch ls-files cat-file rev-parse');
const targetOption = /^(?:-\w*t|--target-directory)/u;
const removesByCode =
  /rm_?tree|rm_r|rmSync|rimraf|rmdir|remove_tree|deltree|(?<!^--?)\brm\b|unlink|renameSync|\brename\b|\.move\b/u;

/** Returns the folders into which files are copied or moved: the last operand, or the folder that an option names. */
const targetFolders = (operands: readonly string[], options: readonly string[]): readonly string[] =>
  options.some(word => targetOption.test(word))
    ? [...operands, ...options.map(word => word.replace(/^(?:-\w*t|--target-directory=?)/u, ''))]
    : operands.slice(-1);

const copyDestinations = (operands: readonly string[], options: readonly string[]): readonly string[] => {
  const names = operands.map(word => partsOf(word.replace(/\/+$/u, '')).at(-1) ?? '').filter(name => name !== '');
  return targetFolders(operands, options).flatMap(target => names.map(name => `${target}/${name}`));
};

/** Examines the paths in texts. Only a text as a whole is a pattern of the shell, and that only if it is not quoted. */
function changeOfPaths(texts: readonly string[], search: SearchState, use?: PatternUse): WeftFileChange | undefined {
  return firstFound(
    texts.flatMap(written =>
      withVariables(written, search).flatMap(text => {
        const known = search.uses.get(written);
        const ofPieces = use ?? (known === 'expanded' ? known : usesPatterns(text));
        const ofWhole = known === 'possible' ? ofPieces : 'expanded';
        return pathCandidates(text).map(name => ({name, pattern: name === text ? ofWhole : ofPieces}));
      }),
    ),
    ({name, pattern}) =>
      firstFound(possiblePaths(name, search), path => {
        search.lookups.left -= 1;
        if (search.lookups.left < 0) return {kind: 'too-many-names'};
        const places = search.context.weftFiles();
        const parts = partsOf(path);
        const at = parts.findIndex(part => /[*?[]/u.test(part));
        const wild = at < 0 ? [] : parts.slice(at);
        const mayBeWeftFile = writtenAndReal(at < 0 ? path : pathOf(parts.slice(0, at)), search).some(
          way =>
            enclosingWeftFile(way, places) !== undefined ||
            (at >= 0 && patternMayMatchWeftFile([...way, ...wild], places, pattern)),
        );
        return mayBeWeftFile ? {kind: 'changes', path} : undefined;
      }),
  );
}

/** Whether a text calls something that expands patterns, or a shell. */
const usesPatterns = (text: string): PatternUse => (callsExpansion.test(text) ? 'expanded' : 'possible');

const callsExpansion =
  /(?:glob\w*|\bsystem|popen|spawn\w*|(?<!\.)\bexec\w*)\s*[("']|subprocess|child_process|\bDir\b|\bqx\b|%x|\bprint\b.*\|\s*"/u;

function changeOfFolders(
  names: readonly string[],
  search: SearchState,
  use: PatternUse = 'expanded',
): WeftFileChange | undefined {
  return firstFound(names, name =>
    firstFound(possiblePaths(name, search), path => {
      const places = search.context.weftFiles();
      const parts = partsOf(path);
      const at = parts.findIndex(hasShellWildcard);
      const mayHoldWeftFile =
        at < 0
          ? writtenAndReal(path, search).some(way => containsWeftFile(way, places))
          : writtenAndReal(pathOf(parts.slice(0, at)), search).some(way =>
              patternMayContainWeftFile([...way, ...parts.slice(at)], places, use),
            );
      return mayHoldWeftFile ? replacesFolder(path) : undefined;
    }),
  );
}

const replacesFolder = (path: string): WeftFileChange => ({kind: 'replaces-folder', path});

/** Returns the path as written, and the paths that its symbolic links lead to. */
const writtenAndReal = (path: string, {context}: SearchState) => [
  partsOf(path),
  ...resolvePath(path, context).map(place => partsOf(place.path)),
];

const callsWeft: WeftFileChange = {kind: 'calls-weft'};

/** Detects changes of the resource limit with which weft marks the processes that it starts. See `isStartedByWeft`. */
function runLimitChange(name: string, args: readonly string[]): WeftFileChange | undefined {
  const isMark =
    (name === 'ulimit' && args.some(word => /^-\w*q/u.test(word))) ||
    (name === 'prlimit' && args.some(word => /^(?:-q|--msgqueue)/u.test(word)));
  return isMark ? {kind: 'changes-run-limit'} : undefined;
}

/** Recognizes calls of weft that grant something: `weft permissions trust`, `npx weft config set permissions.allow …`. */
function callThatGrants(words: readonly string[], {context}: SearchState): WeftFileChange | undefined {
  const at = words.findIndex(word => /^weft(?:\.[cm]?js)?$/u.test(programName(word)));
  if (at >= 0 && isGranting(words.slice(at + 1), context.weftFolders.grantingSettings)) return callsWeft;
  const isText = !hasTrait(words[0] ?? '', 'text') && !hasTrait(words[0] ?? '', 'shows');
  return isText && words.some(word => /\s/u.test(word) && grantingCallInText.test(word)) ? callsWeft : undefined;
}

const changesGrants = wordSet('trust untrust add remove');

function isGranting(args: readonly string[], settings: ReadonlySet<string>): boolean {
  const words = args.filter((word, at) => isOperand(word) && !/^(?:-C|--cwd)$/u.test(args[at - 1] ?? ''));
  if (words.some((word, at) => word === 'permissions' && changesGrants.has(words[at + 1] ?? ''))) return true;
  const config = words.indexOf('config');
  // A name with a variable in it may be any setting.
  const mayGrant = (name: string): boolean => name.includes('$') || settings.has(name.split('.')[0] ?? '');
  return config >= 0 && /^(?:set|unset)$/u.test(words[config + 1] ?? '') && words.slice(config + 2).some(mayGrant);
}

const grantingCallInText =
  /\bweft(?:\.[cm]?js)?\b[^\n;|&]*?\b(?:permissions\b[^\n;|&]*?\b(?:trust|untrust|add|remove)|config\b[^\n;|&]*?\b(?:set|unset)\s+["']?(?:model|provider|baseUrl|permission|env|passEnv|sandbox|allowLocal|\$))/u;

function wordSet(words: string): ReadonlySet<string> {
  return new Set(words.split(' '));
}
