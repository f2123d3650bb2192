import {failed, ok, type Outcome} from '../../base/outcome.ts';
import type {PartEffect} from '../../domain/reason.ts';
import type {PathContext} from './path-context.ts';
import {foldersUpFrom, joinPath, partsBelow, partsOf, pathOf} from './path-parts.ts';
import {looksSecret} from './secret-paths.ts';

/** The effects that git may have besides reading in a folder, because of the repository's configuration. */
export interface RepositoryFinding {
  /** Why git may run a program that the repository names, or read outside the repository. weft cannot switch this off. */
  readonly reason: PartEffect | undefined;
  /** Why git may run a hook or a file monitor. weft switches both off for commands that no user or rule has allowed. */
  readonly hookReason: string | undefined;
}

const nothingFound: RepositoryFinding = {reason: undefined, hookReason: undefined};

/**
 * Examines the repository that git finds from a folder: its configuration and included files, the links and object stores in its
 * `.git` folder, and the submodules that git reads automatically. An unreadable file is a reason too.
 */
export function repositoryFinding(directory: string, context: PathContext): RepositoryFinding {
  let hookReason: string | undefined;
  for (const folder of foldersUpFrom(directory)) {
    const names = new Map(context.list(folder).map(({name, kind}) => [name, kind]));
    if (names.has('.git')) {
      const inner = findingInFolder(folder, {context, depth: 0, seen: new Set()});
      hookReason ??= inner.hookReason;
      if (inner.reason !== undefined) return {reason: inner.reason, hookReason};
      if (inner.state === 'repository') return {reason: undefined, hookReason};
    }
    if (names.has('HEAD') && names.has('objects') && names.has('refs'))
      return {...nothingFound, reason: `takes git settings, and programs to run, from ${folder}`};
  }
  return {reason: undefined, hookReason};
}

interface SearchState {
  readonly context: PathContext;
  readonly depth: number;
  /** The `.git` folders that were already examined. */
  readonly seen: Set<string>;
}

type FolderFinding = RepositoryFinding & {readonly state: 'repository' | 'none'};

/** How deep nested repositories are examined, and how many repositories in total. */
const maxNesting = 5;
const maxRepositories = 300;

const repositoryWith = (reason: PartEffect | undefined, hookReason?: string): FolderFinding => ({
  reason,
  hookReason,
  state: 'repository',
});

function findingInFolder(folder: string, search: SearchState): FolderFinding {
  const {context, depth, seen} = search;
  if (depth > maxNesting || seen.size > maxRepositories)
    return repositoryWith('reads more git repositories than weft checks');
  const entry = `${folder}/.git`;
  const kind = context.list(folder).find(({name}) => name === '.git')?.kind;
  const pointer = kind === 'folder' ? undefined : context.read(entry);
  const named = pointer?.kind === 'text' ? /^gitdir: (.+?)\s*$/u.exec(decodeUtf8(pointer.text))?.[1] : undefined;
  if (kind === 'file' && named === undefined) return {...nothingFound, state: 'none'};
  const written = named === undefined ? entry : joinPath(folder, named);
  const directory = context.resolve(written).path;
  if (seen.has(directory)) return repositoryWith(undefined);
  seen.add(directory);
  const commonText = context.read(`${directory}/commondir`);
  const common =
    commonText.kind === 'text'
      ? context.resolve(joinPath(directory, decodeUtf8(commonText.text).trim())).path
      : directory;
  const worktreeRoot = context.resolve(folder).path;
  const isInBounds = (path: string): boolean =>
    context.resolve(path).place === 'inside-workspace' ||
    [worktreeRoot, directory, common].some(
      each => partsBelow(partsOf(each), partsOf(context.resolve(path).path)) !== undefined,
    );

  const files = [`${common}/config`, `${directory}/config.worktree`];
  const settings = settingsOf(files, {context, isInBounds});
  if (settings.tag === 'failed') return repositoryWith(settings.error);
  const read = settings.value;
  const worktree = read.findLast(({setting}) => setting.section === 'core' && setting.name === 'worktree');
  const elsewhere = pointerProblem(
    {kind, entry, directory, common, worktreeRoot, worktree: worktree?.setting.value},
    context,
  );
  if (elsewhere !== undefined) return repositoryWith(elsewhere);
  const link = escapingLink([directory, common], {context, isInBounds});
  if (link !== undefined) return repositoryWith(`follows a link out of the workspace: ${link}`);
  const store = objectStoreOutside(`${common}/objects`, {context, isInBounds, depth: 0});
  if (store !== undefined) return repositoryWith({kind: 'repository-outside', reads: 'objects', path: store});

  const effects = read.map(each => ({...each, effect: effectOfSetting(each.setting)}));
  const fetches = effects.some(({effect}) => effect === 'fetches');
  const running = effects.find(({effect}) => effect === 'runs' || (effect === 'runs on transfer' && fetches));
  if (running !== undefined)
    return repositoryWith(`may run a program set by ${settingKey(running.setting)} in ${running.file}`);
  const outside = effects.find(
    ({effect, setting}) =>
      effect === 'reads' &&
      !isReadable(setting, setting.name === 'worktree' ? directory : worktreeRoot, {context, isInBounds}),
  );
  if (outside !== undefined)
    return repositoryWith(
      `reads a file set by ${settingKey(outside.setting)} in ${outside.file}: ${outside.setting.value}`,
    );

  const monitor = effects.find(({effect}) => effect === 'monitors');
  const hooks = read.findLast(({setting}) => setting.section === 'core' && setting.name === 'hookspath')?.setting.value;
  const hookFolder = hooks === undefined || hooks === '' ? `${common}/hooks` : pathIn(hooks, worktreeRoot, context);
  const hook = context.list(hookFolder).find(({name}) => name === 'post-index-change');
  const hookReason =
    monitor !== undefined
      ? `may run a program set by ${settingKey(monitor.setting)} in ${monitor.file}`
      : hook === undefined
        ? undefined
        : `may run the hook ${hookFolder}/${hook.name}`;

  const inside = submoduleFinding(worktreeRoot, {directory, settings: read.map(({setting}) => setting), search});
  return typeof inside === 'string'
    ? repositoryWith(inside, hookReason)
    : {...inside, hookReason: hookReason ?? inside.hookReason};
}

interface GitFolders {
  readonly kind: string | undefined;
  readonly entry: string;
  readonly directory: string;
  readonly common: string;
  readonly worktreeRoot: string;
  readonly worktree: string | undefined;
}

/**
 * Explains why a `.git` file is not trusted. The folder that it names must point back to it, as in worktrees and submodules.
 * Returns `undefined` if it is trusted.
 */
function pointerProblem(
  {kind, entry, directory, common, worktreeRoot, worktree}: GitFolders,
  context: PathContext,
): PartEffect | undefined {
  const isInside = (path: string): boolean => context.resolve(path).place === 'inside-workspace';
  const isCommon = common === directory || isInside(common) || pathOf(partsOf(directory).slice(0, -2)) === common;
  if (!isCommon) return {kind: 'repository-outside', reads: 'repository', path: common};
  if (kind === 'folder' || isInside(directory)) return undefined;
  const back = context.read(`${directory}/gitdir`);
  const isBack =
    back.kind === 'text' &&
    context.resolve(joinPath(directory, decodeUtf8(back.text).trim())).path === context.resolve(entry).path;
  const isSubmodule = worktree !== undefined && context.resolve(joinPath(directory, worktree)).path === worktreeRoot;
  return isBack || isSubmodule ? undefined : {kind: 'repository-outside', reads: 'repository', path: directory};
}

interface ReadSetting {
  readonly setting: GitSetting;
  readonly file: string;
}

interface RepositoryBounds {
  readonly context: PathContext;
  readonly isInBounds: (path: string) => boolean;
}

const maxFiles = 50;

/**
 * Reads the settings of files and their included files, in order. Fails with the reason if they are not known. Every `includeIf`
 * counts.
 */
function settingsOf(
  files: readonly string[],
  {context, isInBounds}: RepositoryBounds,
): Outcome<readonly ReadSetting[], PartEffect> {
  const settings: ReadSetting[] = [];
  const pending = new Set(files);
  // The loop also visits the included files that are added while it runs.
  for (const file of pending) {
    if (pending.size > maxFiles) return failed('reads git settings from too many files');
    const read = context.read(file);
    if (read.kind === 'missing') continue;
    if (read.kind === 'unreadable') return failed(`takes git settings from a file that cannot be read: ${file}`);
    if (!isInBounds(file)) return failed({kind: 'repository-outside', reads: 'settings', path: file});
    for (const setting of parseGitSettings(decodeUtf8(read.text))) {
      settings.push({setting, file});
      if (effectOfSetting(setting) === 'includes') pending.add(pathIn(setting.value, parentOf(file), context));
    }
  }
  return ok(settings);
}

/** Finds a symbolic link in a `.git` folder that leads git out of the repository. Returns `undefined` if there is none. */
function escapingLink(directories: readonly string[], {context, isInBounds}: RepositoryBounds): string | undefined {
  for (const directory of new Set(directories)) {
    for (const below of ['', '/info', '/logs', '/objects', '/objects/info', '/refs', '/refs/heads']) {
      const link = context
        .list(directory + below)
        .find(({name, kind}) => kind === 'link' && !isInBounds(`${directory}${below}/${name}`));
      if (link !== undefined) return `${directory}${below}/${link.name}`;
    }
  }
  return undefined;
}

/**
 * Finds an object store outside the repository that git would also read (`objects/info/alternates`). Returns `undefined` if there
 * is none.
 */
function objectStoreOutside(
  objects: string,
  {context, isInBounds, depth}: RepositoryBounds & {readonly depth: number},
): string | undefined {
  const read = context.read(`${objects}/info/alternates`);
  if (read.kind === 'missing') return undefined;
  if (read.kind === 'unreadable' || depth > maxNesting) return `${objects}/info/alternates`;
  for (const line of decodeUtf8(read.text).split('\n')) {
    if (line === '' || line.startsWith('#')) continue;
    const store = joinPath(objects, line.replaceAll(/^"|"$/gu, ''));
    const out = isInBounds(store) ? objectStoreOutside(store, {context, isInBounds, depth: depth + 1}) : store;
    if (out !== undefined) return out;
  }
  return undefined;
}

function isReadable({name, value}: GitSetting, folder: string, {context, isInBounds}: RepositoryBounds): boolean {
  if (value === '') return true;
  const path = pathIn(value.replace(/^:\(optional\)/u, ''), folder, context);
  if (!isInBounds(path)) return false;
  return name === 'worktree' || ![value, context.resolve(path).path].some(looksSecret);
}

/** Examines the submodules that the index lists. git runs in each of them to see its changes. */
function submoduleFinding(
  worktreeRoot: string,
  {
    directory,
    settings,
    search,
  }: {readonly directory: string; readonly settings: readonly GitSetting[]; readonly search: SearchState},
): FolderFinding | string {
  const {context, depth} = search;
  const hashBytes = settings.some(
    ({section, name, value}) => section === 'extensions' && name === 'objectformat' && value === 'sha256',
  )
    ? 32
    : 20;
  const shared = context.list(directory).filter(({name}) => name.startsWith('sharedindex.'));
  let hookReason: string | undefined;
  for (const name of ['index', ...shared.map(each => each.name)]) {
    const read = context.read(`${directory}/${name}`);
    if (read.kind === 'missing') continue;
    const links = read.kind === 'unreadable' ? undefined : submodulePaths(read.text, hashBytes);
    if (links === undefined) return `uses a git index that cannot be read: ${directory}/${name}`;
    for (const path of links) {
      const folder = `${worktreeRoot}/${path}`;
      if (!context.list(folder).some(each => each.name === '.git')) continue;
      const inner = findingInFolder(folder, {...search, depth: depth + 1});
      hookReason ??= inner.hookReason;
      if (inner.reason !== undefined) return {...inner, hookReason};
    }
  }
  return {reason: undefined, hookReason, state: 'repository'};
}

/**
 * Returns the paths of the submodules in an index, whose bytes are given as characters. Returns `undefined` if the index format
 * is unknown.
 */
function submodulePaths(index: string, hashBytes: number): readonly string[] | undefined {
  if (!index.startsWith('DIRC')) return index === '' ? [] : undefined;
  if (!index.includes(submoduleMode)) return [];
  const version = uint32At(index, 4);
  const count = uint32At(index, 8);
  const links: string[] = [];
  let at = 12;
  let name = '';
  for (let entry = 0; entry < count; entry += 1) {
    const flags = (index.charCodeAt(at + 40 + hashBytes) << 8) | index.charCodeAt(at + 41 + hashBytes);
    const start = at + 42 + hashBytes + ((flags & 0x4000) !== 0 && version >= 3 ? 2 : 0);
    let from = start;
    let keptLength = 0;
    if (version === 4) {
      let byte = index.charCodeAt(from);
      let strip = byte & 127;
      for (from += 1; (byte & 128) !== 0 && from < index.length; from += 1) {
        byte = index.charCodeAt(from);
        strip = ((strip + 1) << 7) | (byte & 127);
      }
      keptLength = Math.max(0, name.length - strip);
    }
    const end = index.indexOf('\0', from);
    if (end < 0 || version < 2 || version > 4) return undefined;
    name = name.slice(0, keptLength) + index.slice(from, end);
    if (version !== 4) name = index.slice(start, end);
    if (index.startsWith(submoduleMode, at + 24)) links.push(decodeUtf8(name));
    // An entry is padded with at least one NUL to a multiple of eight bytes.
    at = version === 4 ? end + 1 : at + Math.floor((end - at + 8) / 8) * 8;
  }
  return links;
}

const submoduleMode = '\0\0\u00E0\0';

const uint32At = (bytes: string, at: number): number =>
  [0, 1, 2, 3].reduce((sum, offset) => sum * 256 + bytes.charCodeAt(at + offset), 0);

/** Decodes UTF-8 bytes that are given as characters. */
const decodeUtf8 = (bytes: string): string => Buffer.from(bytes, 'latin1').toString('utf8');

/** Returns the path that a setting's value names: from the home folder, absolute, or relative to `folder`. */
function pathIn(written: string, folder: string, {homes}: Pick<PathContext, 'homes'>): string {
  if (/^~(?:\/|$)/u.test(written)) return `${pathOf(homes()[0] ?? [])}/${written.slice(1)}`;
  return joinPath(folder, written);
}

const parentOf = (path: string): string => path.slice(0, path.lastIndexOf('/'));

const settingKey = ({section, subsection, name}: GitSetting): string =>
  [section, ...(subsection === '' ? [] : [subsection]), name].join('.');

/** One setting of a git configuration file. The section and name are in lower case. */
export interface GitSetting {
  readonly section: string;
  readonly subsection: string;
  readonly name: string;
  readonly value: string;
}

/** Reads a configuration file as git does. Unlike git, continues after an error, so that no setting is missed. */
function parseGitSettings(text: string): readonly GitSetting[] {
  const settings: GitSetting[] = [];
  let section = '';
  let subsection = '';
  // A backslash at the end of a line continues it on the next line.
  for (const written of text.replaceAll('\r\n', '\n').replaceAll(/\\\n/gu, '').split('\n')) {
    let line = written.replace(/^\uFEFF/u, '').trim();
    for (;;) {
      const header = /^\[\s*([\w.-]+)(?:\s+"((?:[^"\\]|\\.)*)")?\s*\]\s*/u.exec(line);
      if (header === null) break;
      const [whole, name = '', quoted] = header;
      const [first = '', ...rest] = name.split('.');
      section = first.toLowerCase();
      subsection = quoted?.replaceAll(/\\(.)/gu, '$1') ?? rest.join('.').toLowerCase();
      line = line.slice(whole.length);
    }
    const [, name, , value] = /^([A-Za-z][\w-]*)\s*(=\s*([\s\S]*))?$/u.exec(line) ?? [];
    if (name !== undefined)
      settings.push({
        section,
        subsection,
        name: name.toLowerCase(),
        value: value === undefined ? 'true' : unquotedValue(value),
      });
  }
  return settings;
}

/** Returns the value without quotes, escapes and trailing comment. */
function unquotedValue(written: string): string {
  let value = '';
  let quoted = false;
  for (let at = 0; at < written.length; at += 1) {
    const char = written.charAt(at);
    if (char === '\\') {
      at += 1;
      const escaped = written.charAt(at);
      value += {n: '\n', t: '\t', b: '\b'}[escaped] ?? escaped;
    } else if (char === '"') quoted = !quoted;
    else if (!quoted && (char === '#' || char === ';')) break;
    else value += char;
  }
  return value.trim();
}

/**
 * The effect of a repository setting on git while git only reads:
 * - `runs`: git runs a program that the setting names, and weft cannot switch it off.
 * - `runs on transfer`: the same, but only when git fetches objects.
 * - `monitors`: git runs a file monitor, which weft can switch off.
 * - `reads`: git reads a file whose content it may show.
 * - `includes`: git reads further settings from a file.
 * - `fetches`: git fetches missing objects.
 */
export type GitEffect = 'none' | 'runs' | 'runs on transfer' | 'monitors' | 'reads' | 'includes' | 'fetches';

function effectOfSetting({section, subsection, name, value}: GitSetting): GitEffect {
  switch (section) {
    case 'include':
    case 'includeif':
      return name === 'path' ? 'includes' : 'none';
    case 'core':
      if (name === 'fsmonitor') return isBoolean(value) ? 'none' : 'monitors';
      if (name === 'alternaterefscommand') return 'runs';
      if (/^(?:sshcommand|askpass|gitproxy)$/u.test(name)) return 'runs on transfer';
      return /^(?:worktree|excludesfile|attributesfile)$/u.test(name) ? 'reads' : 'none';
    case 'filter':
      return /^(?:clean|smudge|process)$/u.test(name) && !isKnownFilter(value) ? 'runs' : 'none';
    case 'diff':
      if (name === 'orderfile' && subsection === '') return 'reads';
      return (name === 'external' || /^(?:command|textconv)$/u.test(name)) && !isKnownFilter(value) ? 'runs' : 'none';
    case 'gpg':
      if (name === 'program')
        return /^(?:(?:\/usr\/(?:local\/)?bin\/)?(?:gpg2?|gpgsm|ssh-keygen))?$/u.test(value) ? 'none' : 'runs';
      if (name === 'defaultkeycommand') return 'runs';
      return /^(?:allowedsignersfile|revocationfile)$/u.test(name) ? 'reads' : 'none';
    case 'hook':
      return name === 'command' ? 'runs' : 'none';
    case 'lfs':
      return /^(?:extension|customtransfer)\./u.test(`${subsection}.`) || name === 'standalonetransferagent'
        ? 'runs'
        : 'none';
    case 'alias':
      // Newer versions of git let an alias replace a deprecated command.
      return /^(?:whatchanged|annotate|pack-redundant)$/u.test(subsection === '' ? name : subsection) ? 'runs' : 'none';
    case 'mailmap':
      return name === 'file' ? 'reads' : 'none';
    case 'blame':
      return name === 'ignorerevsfile' ? 'reads' : 'none';
    case 'extensions':
      return name === 'partialclone' ? 'fetches' : 'none';
    case 'remote':
      if (name === 'promisor' || name === 'partialclonefilter') return 'fetches';
      if (name === 'url') return value.includes('::') ? 'runs on transfer' : 'none';
      return /^(?:uploadpack|receivepack|vcs|proxy)$/u.test(name) ? 'runs on transfer' : 'none';
    case 'credential':
    case 'protocol':
    case 'url':
    case 'http':
    case 'ssh':
      return 'runs on transfer';
    default:
      return 'none';
  }
}

const isBoolean = (value: string): boolean => /^(?:true|false|yes|no|on|off|1|0|)$/iu.test(value);

/** True if `git lfs install --local` or `git-crypt init` writes this filter. */
const isKnownFilter = (value: string): boolean =>
  value === '' ||
  value === 'cat' ||
  /^git-lfs (?:clean -- %f|smudge (?:--skip )?-- %f|filter-process(?: --skip)?)$/u.test(value) ||
  /^"?git-crypt"? (?:clean|smudge|diff)$/u.test(value);
