import type {Ground} from './ground.ts';
import {isAbsolutePath, partsBelow, partsOf, pathOf} from './path-parts.ts';
import {effectOfSetting, parseGitSettings, type GitSetting} from './git-settings.ts';
import {looksSecret} from './secret-paths.ts';

/** What git's reading in a folder may do besides, by what the repository there says of itself. */
export interface RepositoryFinding {
  /** Why it may run programs of somebody else's or read elsewhere, whatever is switched off. */
  readonly reason: string | undefined;
  /** The same for what is switched off where nobody has said yes: hooks and file monitors. */
  readonly unguarded: string | undefined;
}

const harmless: RepositoryFinding = {reason: undefined, unguarded: undefined};

/**
 * The repository that git finds from a folder: its configuration with all that it includes, what its folder consists of, and the
 * repositories inside it that git looks into by itself. What cannot be read is a reason.
 */
export function repositoryFinding(directory: string, ground: Ground): RepositoryFinding {
  let unguarded: string | undefined;
  for (const folder of foldersUpFrom(directory)) {
    const names = new Map(ground.list(folder).map(({name, kind}) => [name, kind]));
    if (names.has('.git')) {
      const inner = inFolder(folder, {ground, depth: 0, seen: new Set()});
      unguarded ??= inner.unguarded;
      if (inner.reason !== undefined) return {reason: inner.reason, unguarded};
      if (inner.state === 'repository') return {reason: undefined, unguarded};
    }
    if (names.has('HEAD') && names.has('objects') && names.has('refs'))
      return {...harmless, reason: `would take settings, and with them programs to run, from \`${folder}\``};
  }
  return {reason: undefined, unguarded};
}

interface Search {
  readonly ground: Ground;
  readonly depth: number;
  /** Repositories that were looked at. */
  readonly seen: Set<string>;
}

type Found = RepositoryFinding & {readonly state: 'repository' | 'none'};

/** Repositories inside one another, and all in all, that are followed. */
const deepest = 5;
const mostRepositories = 300;

const found = (reason: string | undefined, unguarded?: string): Found => ({reason, unguarded, state: 'repository'});

function inFolder(folder: string, search: Search): Found {
  const {ground, depth, seen} = search;
  if (depth > deepest || seen.size > mostRepositories)
    return found('looks into more repositories than can be followed');
  const entry = `${folder}/.git`;
  const kind = ground.list(folder).find(({name}) => name === '.git')?.kind;
  const pointer = kind === 'folder' ? undefined : ground.read(entry);
  const named = pointer?.kind === 'text' ? /^gitdir: (.+?)\s*$/u.exec(decoded(pointer.text))?.[1] : undefined;
  if (kind === 'file' && named === undefined) return {...harmless, state: 'none'};
  const written = named === undefined ? entry : isAbsolutePath(named) ? named : `${folder}/${named}`;
  const directory = ground.resolve(written).path;
  if (seen.has(directory)) return found(undefined);
  seen.add(directory);
  const commonText = ground.read(`${directory}/commondir`);
  const common =
    commonText.kind === 'text' ? ground.resolve(joined(directory, decoded(commonText.text).trim())).path : directory;
  const own = ground.resolve(folder).path;
  const isOwn = (path: string): boolean =>
    ground.resolve(path).place === 'inside-workspace' ||
    [own, directory, common].some(each => partsBelow(partsOf(each), partsOf(ground.resolve(path).path)) !== undefined);

  const files = [`${common}/config`, `${directory}/config.worktree`];
  const read = settingsOf(files, {ground, isOwn});
  if (typeof read === 'string') return found(read);
  const worktree = read.findLast(({setting}) => setting.section === 'core' && setting.name === 'worktree');
  const elsewhere = whyElsewhere({kind, entry, directory, common, own, ground, worktree: worktree?.setting.value});
  if (elsewhere !== undefined) return found(elsewhere);
  const link = linkOut([directory, common], {ground, isOwn});
  if (link !== undefined) return found(`would follow \`${link}\` out of the workspace`);
  const store = storeOut(`${common}/objects`, {ground, isOwn, depth: 0});
  if (store !== undefined) return found(`would read objects outside the workspace: ${store}`);

  const effects = read.map(each => ({...each, effect: effectOfSetting(each.setting)}));
  const fetches = effects.some(({effect}) => effect === 'fetches');
  const running = effects.find(({effect}) => effect === 'runs' || (effect === 'runs on transfer' && fetches));
  if (running !== undefined)
    return found(`may run a program that \`${keyOf(running.setting)}\` in \`${running.file}\` names`);
  const outside = effects.find(
    ({effect, setting}) => effect === 'reads' && !mayRead(setting, {own, directory, ground, isOwn}),
  );
  if (outside !== undefined)
    return found(
      `would read what \`${keyOf(outside.setting)}\` in \`${outside.file}\` names: ${outside.setting.value}`,
    );

  const monitor = effects.find(({effect}) => effect === 'monitors');
  const hooks = read.findLast(({setting}) => setting.section === 'core' && setting.name === 'hookspath')?.setting.value;
  const hookFolder = hooks === undefined || hooks === '' ? `${common}/hooks` : pathIn(hooks, own, ground);
  const hook = ground.list(hookFolder).find(({name}) => name === 'post-index-change');
  const unguarded =
    monitor !== undefined
      ? `may run the program that \`${keyOf(monitor.setting)}\` in \`${monitor.file}\` names`
      : hook === undefined
        ? undefined
        : `may run the hook \`${hookFolder}/${hook.name}\``;

  const inside = insideOf(own, {directory, settings: read.map(({setting}) => setting), search});
  return typeof inside === 'string' ? found(inside, unguarded) : {...inside, unguarded: unguarded ?? inside.unguarded};
}

/** A `.git` that leads elsewhere counts where what lies there leads back. */
function whyElsewhere({
  kind,
  entry,
  directory,
  common,
  own,
  ground,
  worktree,
}: {
  readonly kind: string | undefined;
  readonly entry: string;
  readonly directory: string;
  readonly common: string;
  readonly own: string;
  readonly ground: Ground;
  readonly worktree: string | undefined;
}): string | undefined {
  const isInside = (path: string): boolean => ground.resolve(path).place === 'inside-workspace';
  const isCommon = common === directory || isInside(common) || pathOf(partsOf(directory).slice(0, -2)) === common;
  if (!isCommon) return `would read a repository outside the workspace: ${common}`;
  if (kind === 'folder' || isInside(directory)) return undefined;
  const back = ground.read(`${directory}/gitdir`);
  const isBack =
    back.kind === 'text' &&
    ground.resolve(joined(directory, decoded(back.text).trim())).path === ground.resolve(entry).path;
  const isSubmodule = worktree !== undefined && ground.resolve(joined(directory, worktree)).path === own;
  return isBack || isSubmodule ? undefined : `would read a repository outside the workspace: ${directory}`;
}

interface ReadSetting {
  readonly setting: GitSetting;
  readonly file: string;
}

interface Own {
  readonly ground: Ground;
  readonly isOwn: (path: string) => boolean;
}

const mostFiles = 50;

/** The settings of files and of what they include, in order; why they cannot be told. Conditions are taken to hold. */
function settingsOf(files: readonly string[], {ground, isOwn}: Own): readonly ReadSetting[] | string {
  const settings: ReadSetting[] = [];
  const pending = new Set(files);
  // What a file includes is appended while the loop runs.
  for (const file of pending) {
    if (pending.size > mostFiles) return 'has a configuration that includes too many files';
    const read = ground.read(file);
    if (read.kind === 'missing') continue;
    if (read.kind === 'unreadable') return `takes its settings from \`${file}\`, which cannot be read`;
    if (!isOwn(file)) return `would take settings from outside the workspace: ${file}`;
    for (const setting of parseGitSettings(decoded(read.text))) {
      settings.push({setting, file});
      if (effectOfSetting(setting) === 'includes') pending.add(pathIn(setting.value, parentOf(file), ground));
    }
  }
  return settings;
}

/** One of the links in the folder of a repository that leads out of it, where git looks by itself. */
function linkOut(directories: readonly string[], {ground, isOwn}: Own): string | undefined {
  for (const directory of new Set(directories)) {
    for (const below of ['', '/info', '/logs', '/objects', '/objects/info', '/refs', '/refs/heads']) {
      const link = ground
        .list(directory + below)
        .find(({name, kind}) => kind === 'link' && !isOwn(`${directory}${below}/${name}`));
      if (link !== undefined) return `${directory}${below}/${link.name}`;
    }
  }
  return undefined;
}

/** Where objects are taken from besides, if that is outside. */
function storeOut(objects: string, {ground, isOwn, depth}: Own & {readonly depth: number}): string | undefined {
  const read = ground.read(`${objects}/info/alternates`);
  if (read.kind === 'missing') return undefined;
  if (read.kind === 'unreadable' || depth > deepest) return `${objects}/info/alternates`;
  for (const line of decoded(read.text).split('\n')) {
    if (line === '' || line.startsWith('#')) continue;
    const store = joined(objects, line.replaceAll(/^"|"$/gu, ''));
    const out = isOwn(store) ? storeOut(store, {ground, isOwn, depth: depth + 1}) : store;
    if (out !== undefined) return out;
  }
  return undefined;
}

function mayRead(
  {name, value}: GitSetting,
  {own, directory, ground, isOwn}: Own & {readonly own: string; readonly directory: string},
): boolean {
  if (value === '') return true;
  const path = pathIn(value.replace(/^:\(optional\)/u, ''), name === 'worktree' ? directory : own, ground);
  if (!isOwn(path)) return false;
  return name === 'worktree' || ![value, ground.resolve(path).path].some(looksSecret);
}

/** Repositories that the index of this one has in its folders: git runs in them to see what is new there. */
function insideOf(
  own: string,
  {
    directory,
    settings,
    search,
  }: {readonly directory: string; readonly settings: readonly GitSetting[]; readonly search: Search},
): Found | string {
  const {ground, depth} = search;
  const hashBytes = settings.some(
    ({section, name, value}) => section === 'extensions' && name === 'objectformat' && value === 'sha256',
  )
    ? 32
    : 20;
  const shared = ground.list(directory).filter(({name}) => name.startsWith('sharedindex.'));
  let unguarded: string | undefined;
  for (const name of ['index', ...shared.map(each => each.name)]) {
    const read = ground.read(`${directory}/${name}`);
    if (read.kind === 'missing') continue;
    const links = read.kind === 'unreadable' ? undefined : linksIn(read.text, hashBytes);
    if (links === undefined) return `has an index that cannot be read: \`${directory}/${name}\``;
    for (const path of links) {
      const folder = `${own}/${path}`;
      if (!ground.list(folder).some(each => each.name === '.git')) continue;
      const inner = inFolder(folder, {...search, depth: depth + 1});
      unguarded ??= inner.unguarded;
      if (inner.reason !== undefined) return {...inner, unguarded};
    }
  }
  return {reason: undefined, unguarded, state: 'repository'};
}

/** The paths at which an index has other repositories; `undefined` where it is none that is understood. Its bytes as characters. */
function linksIn(index: string, hashBytes: number): readonly string[] | undefined {
  if (!index.startsWith('DIRC')) return index === '' ? [] : undefined;
  if (!index.includes(linkMode)) return [];
  const version = word(index, 4);
  const count = word(index, 8);
  const links: string[] = [];
  let at = 12;
  let name = '';
  for (let entry = 0; entry < count; entry += 1) {
    const flags = (index.charCodeAt(at + 40 + hashBytes) << 8) | index.charCodeAt(at + 41 + hashBytes);
    const start = at + 42 + hashBytes + ((flags & 0x4000) !== 0 && version >= 3 ? 2 : 0);
    let from = start;
    let kept = 0;
    if (version === 4) {
      let byte = index.charCodeAt(from);
      let strip = byte & 127;
      for (from += 1; (byte & 128) !== 0 && from < index.length; from += 1) {
        byte = index.charCodeAt(from);
        strip = ((strip + 1) << 7) | (byte & 127);
      }
      kept = Math.max(0, name.length - strip);
    }
    const end = index.indexOf('\0', from);
    if (end < 0 || version < 2 || version > 4) return undefined;
    name = name.slice(0, kept) + index.slice(from, end);
    if (version !== 4) name = index.slice(start, end);
    if (index.startsWith(linkMode, at + 24)) links.push(decoded(name));
    // Padded with at least one NUL to a multiple of eight.
    at = version === 4 ? end + 1 : at + Math.floor((end - at + 8) / 8) * 8;
  }
  return links;
}

const linkMode = '\0\0\u00E0\0';

const word = (bytes: string, at: number): number =>
  [0, 1, 2, 3].reduce((sum, offset) => sum * 256 + bytes.charCodeAt(at + offset), 0);

/** Bytes as characters, as text. */
const decoded = (bytes: string): string => Buffer.from(bytes, 'latin1').toString('utf8');

/** A path as a setting has it. */
function pathIn(written: string, folder: string, {homes}: Pick<Ground, 'homes'>): string {
  if (/^~(?:\/|$)/u.test(written)) return `${pathOf(homes()[0] ?? [])}/${written.slice(1)}`;
  return joined(folder, written);
}

const joined = (folder: string, path: string): string => (isAbsolutePath(path) ? path : `${folder}/${path}`);

const parentOf = (path: string): string => path.slice(0, path.lastIndexOf('/'));

const keyOf = ({section, subsection, name}: GitSetting): string =>
  [section, ...(subsection === '' ? [] : [subsection]), name].join('.');

/** The folder and those around it, the innermost first. */
function foldersUpFrom(directory: string): readonly string[] {
  const parts = partsOf(directory);
  return Array.from({length: parts.length + 1}, (_, at) => pathOf(parts.slice(0, parts.length - at)));
}
