import {clip} from '../../base/clip.ts';
import type {JsonObject} from '../../base/json.ts';
import type {Access} from '../../domain/access.ts';
import {unreachable} from '../../base/unreachable.ts';
import {mcpServerName, serverPartOf} from '../../domain/mcp-tool-name.ts';
import {analyzeCommand, type CommandAnalysis} from '../commands/analyze-command.ts';
import {commandForms, type CommandForms, resolvedForms} from '../commands/command-forms.ts';
import {
  expansionAfter,
  pathCandidates,
  pathsInCommand,
  weftFolderVariables,
  withVariables,
} from '../commands/command-paths.ts';
import {hasTrait, isInterpreter, rowFor} from '../commands/known-programs.ts';
import {keywords, programName, scriptFileOf} from '../commands/layers.ts';
import {plainText} from '../commands/only-reads.ts';
import {changesPackages, downloadsScripts, runsPackage, talksToDaemon} from '../commands/programs/effect-rules.ts';
import {commandsStarted, riskOfWords} from '../commands/risks.ts';
import {uploadOf} from '../commands/uploads.ts';
import {accessedPaths} from '../paths/accessed-paths.ts';
import {belowRoots, type PathContext, realParts} from '../paths/path-context.ts';
import {isAnchored, isWithin, pathFrom} from '../paths/path-parts.ts';

export interface TextSource {
  /** For people: an address, a path, a command, or `mcp__SERVER`. */
  readonly name: string;
  /** The host that it comes from, empty if it is not known. */
  readonly host: string;
  /** The place on an MCP server that the call named: a repository, a channel. Empty for other sources. */
  readonly place: ReadonlyMap<string, string>;
  /** `foreign`: files that the source has written hold the work of others, and ask if they run. */
  readonly files: 'foreign' | 'own';
}

/** Makes a source without a place on a server. */
const sourceNamed = (name: string, host = '', files: TextSource['files'] = 'own'): TextSource => ({
  name,
  host,
  place: new Map(),
  files,
});

/** The arguments that say where on a server something lies. */
const placeKeys =
  /^(?:owner|repo(?:sitory)?|project|channel|room|workspace|org(?:anization)?|team|group|database|account|bucket|drive|mailbox)(?:_?(?:id|name|path))?$/iu;

/** Returns the place on a server that a call names, as names and values. */
export const placeOf = (given: JsonObject): ReadonlyMap<string, string> =>
  new Map(
    Object.entries(given).flatMap(([key, value]) =>
      placeKeys.test(key) && (typeof value === 'string' || typeof value === 'number') ? [[key, String(value)]] : [],
    ),
  );

/** A text from outside, and the files in which it also lies now. */
export interface LearnedText {
  readonly source: TextSource;
  readonly text: string;
  readonly files: readonly string[];
  /** `changed`: files that changed while the command ran contain it, too. `history`: so does the history of the repository. */
  readonly alsoIn: 'files' | 'changed' | 'history';
}

interface SourceContext {
  readonly context: PathContext;
  readonly directory: string;
  /** weft's folders for long output, pages and answers. */
  readonly outputs: readonly string[];
  /** The source of a file in which a text from outside lies, or which such a text replaced. */
  readonly sourceOfFile: (path: string) => TextSource | undefined;
  /** The source from which git fetched last. */
  readonly fetched: TextSource | undefined;
  /** `untrusted`: the user does not trust the folder, so its files come from outside. */
  readonly workspace: 'own' | 'untrusted';
}

/**
 * Returns the part of an action's result that comes from outside, or `undefined`. Pages, results of MCP servers and the output of programs
 * that reach other machines do. So do files outside the workspace and of installed packages.
 */
export function outsideTextOf(access: Access, text: string, place: SourceContext): LearnedText | undefined {
  const learned = (source: TextSource, more: Partial<LearnedText> = {}): LearnedText => ({
    source,
    text,
    files: savedFiles(text, place.outputs),
    alsoIn: 'files',
    ...more,
  });
  switch (access.kind) {
    case 'web-page':
      return learned(sourceNamed(access.url, hostIn(access.url)));
    case 'web-query':
      // The addresses of the results are those of the search engine, not of a page.
      return learned(sourceNamed('web search'), {text: text.replaceAll(/\]\(https?:[^)\s]*\)/gu, ']')});
    case 'mcp-tool':
      return learned({
        name: serverPartOf(access.toolName) ?? mcpServerName(access.server),
        host: '',
        place: placeOf(access.arguments),
        files: 'own',
      });
    case 'mcp-resource':
      return learned(sourceNamed(mcpServerName(access.server)));
    case 'read':
    case 'search': {
      const source = sourceOfPaths(accessedPaths(access), place);
      return source === undefined ? undefined : learned(source);
    }
    case 'agent':
      return learned(sourceNamed(`agent ${access.name}`));
    case 'command':
      return outsideOutput(access.command, text, place);
    case 'none':
    case 'edit':
    case 'terminal-input':
    case 'skill':
    case 'plan':
    case 'computer-request':
    case 'computer-steps':
      return undefined;
    default:
      return unreachable(access);
  }
}

function outsideOutput(command: string, text: string, place: SourceContext): LearnedText | undefined {
  const {context, directory} = place;
  const parsed = analyzeCommand(command, {directory, context});
  const forms = resolvedForms(command, parsed);
  const calls = forms.forms
    .slice(0, maxForms)
    .flatMap(form => commandsStarted(form.split(' ')).map(({words}) => words));
  const talking = calls.filter(talksToOthers);
  const paths = pathsInCommand(forms);
  const [first] = talking;
  if (first !== undefined) {
    const isGit = talking.every(([program = '']) => programName(program) === 'git');
    const [link = isGit ? remoteIn(first, place) : ''] = /\bhttps?:\/\/[^\s'"`|;&)<>]+/u.exec(command) ?? [];
    const name = clip(link === '' ? command : link, longestName);
    const isOwn = talking.every(words => programName(words[0] ?? '') === 'git' || installs(words));
    const cloned = talking.flatMap(([program = '', verb, ...args]) =>
      programName(program) === 'git' && verb === 'clone' ? [clonedFolder(args)] : [],
    );
    return {
      source: sourceNamed(
        name,
        trackers[programName(first[0] ?? '')] ?? hostIn(link),
        isOwn && cloned.length === 0 && !talking.some(namesAddress) ? 'own' : 'foreign',
      ),
      // git's own words are about this repository. Only the lines of the server come from elsewhere, unless the command shows more.
      text:
        isGit && calls.every(words => talking.includes(words) || showsNothing(words))
          ? (text.match(/^remote:.*$/gmu) ?? []).join('\n')
          : text,
      files: [
        ...savedFiles(text, place.outputs),
        ...[...paths.written, ...cloned].map(path => context.resolve(pathFrom(directory, path)).path),
      ],
      alsoIn: talking.some(fetches) ? 'history' : isOwn ? 'files' : 'changed',
    };
  }
  const programs = new Set(calls.map(([program]) => program));
  const named = paths.mentioned.filter(path => !programs.has(path) && !devices.test(path));
  const stranger =
    strangerIn(parsed, place) ??
    calls.find(words => showsHistory(words) && fetched.test(words.join(' '))) ??
    calls.find(hidesNames);
  const source =
    sourceOfPaths(
      [
        directory,
        ...named.map(path => pathFrom(directory, path)).filter(path => exists(path, context)),
        ...pathsOutside(command, {forms, parsed, programs}, place),
        ...calls
          .flatMap(words => scriptsIn(words, place))
          .flatMap(script => pathsOutside(script, {forms: commandForms(script), parsed, programs}, place)),
      ],
      place,
    ) ??
    (calls.some(words => mayShowFetched(words)) ? place.fetched : undefined) ??
    (stranger === undefined ? undefined : sourceNamed(clip(stranger.join(' '), longestName)));
  if (source === undefined) return undefined;
  // A file with the text in another form has nothing to find.
  const files = calls.some(converts) ? 'foreign' : source.files;
  return {source: {...source, files}, text, files: savedFiles(text, place.outputs), alsoIn: 'changed'};
}

/** True if what a program writes holds what it reads in another form. */
export const converts = ([program = '']: readonly string[]): boolean => hasTrait(programName(program), 'converts');

/** Returns the text of the script that a call of a shell runs. */
const scriptsIn = (words: readonly string[], {context, directory}: SourceContext): readonly string[] =>
  (scriptFileOf(words) ?? []).flatMap(script => {
    const file = context.read(context.resolve(pathFrom(directory, script)).path);
    return file.kind === 'text' && file.text.length <= longestScript ? [file.text] : [];
  });

const longestScript = 20_000;

const showsHistory = ([program = '', ...words]: readonly string[]): boolean =>
  programName(program) === 'git' && words.some(word => /^(?:log|show|diff|cat-file|grep|blame|archive)$/u.test(word));

/** True if a call prints nothing of a file. */
const showsNothing = ([program = '', verb = '']: readonly string[]): boolean =>
  /^(?:cd|pushd|echo|printf|mkdir|true|export|set|sleep|rm)$/u.test(program) ||
  (programName(program) === 'git' && /^(?:status|add|commit|branch|remote|config|init)$/u.test(verb));

/** True if git gets what others have committed. */
const fetches = ([program = '', ...words]: readonly string[]): boolean =>
  programName(program) === 'git' && words.some(word => /^(?:fetch|pull|submodule|update)$/u.test(word));

/** True if git gets the commits of an address that stands in the call, and not those of a remote of the repository. */
const namesAddress = (words: readonly string[]): boolean =>
  fetches(words) && words.some(word => /:\/\/|@.*:/u.test(word));

/** True if git shows commits, or brings their files into the workspace. `git diff` without a name shows the work of this session. */
function mayShowFetched([program = '', ...words]: readonly string[]): boolean {
  const [verb = '', ...names] = words.filter(word => !word.startsWith('-'));
  if (programName(program) !== 'git') return false;
  if (/^(?:diff|show|grep|restore|archive|cat-file)$/u.test(verb)) return names.some(name => !/^HEAD\b/u.test(name));
  return /^(?:log|shortlog|blame|checkout|merge|rebase|reset|switch|cherry-pick|worktree|submodule|am|apply)$/u.test(
    verb,
  );
}

/** Returns the address of the remote that a call of git names, or of `origin`, without its password. Empty if there is none. */
function remoteIn(call: readonly string[], {context, directory}: SourceContext): string {
  const file = context.read(context.resolve(`${directory}/.git/config`).path);
  const remotes = [...(file.kind === 'text' ? file.text : '').matchAll(/\[remote "(.+)"\][^[]*?\burl\s*=\s*(\S+)/gu)];
  const [, , url = ''] = remotes.find(([, name = '']) => call.includes(name)) ?? remotes[0] ?? [];
  return url.replace(/^(?:\w+@)?([\w.-]+):(?!\/)/u, 'ssh://$1/').replace(/^(\w+:\/\/)[^@/]*@/u, '$1');
}

/** True if code in a call computes the name of a file from characters or codes. It may be any file. */
const hidesNames = ([program = '', ...words]: readonly string[]): boolean =>
  isInterpreter(programName(program)) && computes.test(words.join(' '));

const computes =
  /\bchr\(|fromCharCode|fromCodePoint|b(?:ase)?64|\batob\b|fromhex|unhexlify|["']hex["']|rot_?13|\[::-1\]|\brevers(?:e|ed)\b|\bpack\b|\bbytes(?:array)?\(|\bsep\b|\bpardir\b|\bparents?\b|\banchor\b|%c/iu;

/** Matches the names of what git fetched last. */
const fetched = /\bFETCH_HEAD\b|\brefs\/(?:pull|merge-requests)\//u;

/** True if a program installs packages. The files that it changes besides them are the project's own. */
function installs(words: readonly string[]): boolean {
  const {does} = riskOfWords(words);
  return does === downloadsScripts.does || does === changesPackages.does;
}

/** Returns the first call of a program whose reach is not known, and that is not one of the project. */
function strangerIn(parsed: CommandAnalysis, {context, directory}: SourceContext): readonly string[] | undefined {
  if (parsed.reading !== 'parsed') return undefined;
  return parsed.invocations
    .slice(0, maxForms)
    .flatMap(({words}) => commandsStarted(words.map(word => plainText(word) ?? '')))
    .map(({words}) => words)
    .find(words => {
      const [program = ''] = words;
      if (!/^[\w@./+-]+$/u.test(program) || keywords.has(program) || rowFor([programName(program)]) !== undefined)
        return false;
      const files = program.includes('/')
        ? [pathFrom(directory, program)]
        : projectPrograms.map(folder => `${directory}/${folder}/${program}`);
      return !files.some(path => context.resolve(path).place === 'inside-workspace' && exists(path, context));
    });
}

/** The folders in which package managers put the programs that a project uses. */
const projectPrograms = ['node_modules/.bin', '.venv/bin', 'venv/bin', 'vendor/bin', 'bin'];

/**
 * Returns the absolute paths that stand anywhere in a command: in redirections, in patterns, in variables and in code. A file that the
 * command itself has written anew does not count.
 */
function pathsOutside(
  command: string,
  {
    forms,
    parsed,
    programs,
  }: {
    readonly forms: CommandForms;
    readonly parsed: CommandAnalysis;
    readonly programs: ReadonlySet<string | undefined>;
  },
  {context, directory}: SourceContext,
): readonly string[] {
  if (!/[/~]|\.\.|\bcd\b|HOME|home/u.test(command)) return [];
  const variables = weftFolderVariables(context);
  const scope = expansionAfter(command, {context, startFolders: [directory], variables});
  const made = new Set(
    parsed.reading !== 'parsed'
      ? []
      : parsed.sideEffects.flatMap(({effect, target, range}) =>
          effect === 'writes' && !command.slice(0, range.from).includes(target.slice(target.lastIndexOf('/') + 1))
            ? [target]
            : [],
        ),
  );
  const written = [...forms.words, ...forms.redirected]
    .filter(word => !programs.has(word))
    .flatMap(word => (homeInCode.test(word) ? [...pathCandidates(word), '~'] : pathCandidates(word)))
    .flatMap(word => withVariables(word, scope))
    .flatMap(word => (isAnchored(word) ? [word] : scope.startFolders.map(each => `${each}/${word}`)))
    // A pattern stands for files of the folder before it.
    .map(path => path.replace(/[^/]*[*?[$].*$/su, ''));
  return [...new Set(written)].filter(path => {
    const folder = path.replace(/\/+[^/]*$/u, '');
    return (
      !made.has(path) &&
      !/^\/+$/u.test(path) &&
      !devices.test(path) &&
      (exists(path, context) || (folder !== '' && exists(folder, context)))
    );
  });
}

const devices = /^\/+dev\/(?!shm\/|mqueue\/)/u;

/** Matches code that finds the home folder. */
const homeInCode = /\b(?:homedir|expanduser|Path\.home|Dir\.home|UserHomeDir)\b/u;

const maxForms = 500;
const longestName = 120;

/** True if a program asks other machines. Packages of the project and containers of this machine print their own text. */
function talksToOthers(words: readonly string[]): boolean {
  const {risk, does} = riskOfWords(words);
  if (
    does === runsPackage.does ||
    (does === talksToDaemon.does && !words.slice(1, 4).some(word => /^(?:pull|logs)$/u.test(word)))
  )
    return false;
  return risk === 'external' || readers.test(programName(words[0] ?? '')) || uploadOf(words) !== undefined;
}

/** Matches programs that read pages, mail or issues, and that the table of programs does not know as such. */
const readers = /^(?:jira|linear|tea|acli|hub|lynx|w3m|e?links|newsboat|himalaya|notmuch|mu|svn)$/u;

const trackers: Readonly<Record<string, string>> = {gh: 'github.com', hub: 'github.com', glab: 'gitlab.com'};

const hostIn = (address: string): string => URL.parse(address)?.host ?? '';

function clonedFolder(args: readonly string[]): string {
  const [address = '', folder] = args.filter(word => !word.startsWith('-'));
  return (
    folder ??
    address
      .replace(/\/+$/u, '')
      .replace(/\.git$/u, '')
      .replace(/^.*[/:]/su, '')
  );
}

/** Finds weft's own files in a result: a long page or output is saved in one. */
const savedFiles = (text: string, outputs: readonly string[]): readonly string[] =>
  outputs.flatMap(folder =>
    text
      .split(`${folder}/`)
      .slice(1)
      .flatMap(rest => (/^[\w.-]+(?:\/[\w.-]+)*\w/u.exec(rest) ?? []).map(name => `${folder}/${name}`)),
  );

function sourceOfPaths(paths: readonly string[], place: SourceContext): TextSource | undefined {
  const {context, outputs, sourceOfFile, workspace} = place;
  for (const written of paths) {
    const {path, place: where} = context.resolve(written);
    const known = sourceOfFile(path);
    if (known !== undefined) return known;
    if ([...outputs, ...(context.alsoReadable?.() ?? [])].some(folder => isWithin(path, folder))) continue;
    const below = belowRoots(realParts(written, context), context).flatMap(each => each.below);
    if (where === 'outside-workspace' || workspace === 'untrusted' || below.some(name => installed.has(name)))
      return sourceNamed(path);
  }
  return undefined;
}

/** Folders in which package managers put the work of others. */
const installed: ReadonlySet<string> = new Set(
  'node_modules bower_components jspm_packages site-packages dist-packages .venv venv vendor third_party Pods Carthage'.split(
    ' ',
  ),
);

/** True if a folder contains the file or folder of the path. */
export function exists(path: string, context: PathContext): boolean {
  const real = context.resolve(path).path;
  const at = real.lastIndexOf('/');
  return context.list(real.slice(0, at) || '/').some(({name}) => name === real.slice(at + 1));
}
