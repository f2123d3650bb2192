import {lstatSync} from 'node:fs';
import {tryOr} from '../../../base/outcome.ts';
import type {Change, ProtectedBecause} from '../../../domain/change-set.ts';
import {filterTracked, filterIgnored} from '../../checkpoints/git-query.ts';
import {buildFolders, cacheFolders, packageFolders} from '../../files/generated-folders.ts';
import type {ChangesContext, HeldEntry} from './held-set.ts';
import type {ViewLayer} from '../sandbox.ts';
import {folderOf, joinBytes, nameOf, type PathBytes, toBytes, toNative, toShown} from './path-bytes.ts';
import {nodeAt, targetOf} from './scan-layer.ts';

/** The layers of a view, with absolute paths. */
export interface Layers {
  readonly layers: readonly ViewLayer[];
}

/** Classifies changes as protected (never applied), build output, or other files. */
export async function classify(
  entries: readonly Omit<HeldEntry, 'change'>[],
  {layers, place, signal}: Layers & {readonly place: ChangesContext; readonly signal: AbortSignal},
): Promise<readonly HeldEntry[]> {
  const protectionOf = makeProtection({layers, place});
  const protections = entries.map(entry => protectionOf(entry));
  const output = await findOutput(
    entries.filter((_entry, index) => protections[index] === undefined),
    {layers, place, signal},
  );
  const deleted = await findDeleted(
    entries.filter((entry, index) => protections[index] === undefined && !output.has(entry)),
    {layers, place, signal},
  );
  const path = pathFormatter(place.roots);
  return entries.map((found, index): HeldEntry => {
    const why = protections[index];
    const entry = deleted.has(found) ? {...found, changedMeanwhile: true} : found;
    const named = {path: path(absolute(entry, layers)), kind: entry.kind};
    if (why !== undefined) return {...entry, change: {...named, class: 'protected', why}};
    return {...entry, change: {...named, class: output.has(found) ? 'output' : 'file'}};
  });
}

/** Returns the absolute path of the real file. */
const absolute = ({layer, at}: Pick<HeldEntry, 'layer' | 'at'>, layers: Layers['layers']): PathBytes =>
  joinBytes(toBytes(layers[layer]?.lower ?? ''), at);

/** Returns a function that formats paths for `Change`. */
function pathFormatter([first]: ChangesContext['roots']): (path: PathBytes) => Change['path'] {
  const start = `${toBytes(first)}/`;
  return path => toShown(path.startsWith(start) ? path.slice(start.length) : path);
}

function makeProtection({
  layers,
  place,
}: Layers & {readonly place: ChangesContext}): (entry: Omit<HeldEntry, 'change'>) => ProtectedBecause | undefined {
  const roots = place.roots.map(root => toBytes(root));
  const linksAt = linksIn(layers);
  const isRepository = repositoriesIn(layers, roots);
  return entry => {
    const path = absolute(entry, layers);
    const below = belowRoot(path, roots);
    if (below.split('/').includes('.git')) return 'repository';
    if (place.isProtected(toShown(below))) return 'name';
    if (isRepository(entry)) return 'repository';
    if (entry.is.kind === 'other' || entry.was.kind === 'other') return 'device';
    if (entry.is.kind === 'file' && (entry.is.mode & 0o6000) !== 0) return 'setuid';
    const isOut =
      entry.is.kind === 'link' && leadsOut({folder: folderOf(path), target: entry.target}, {roots, linksAt});
    return isOut ? 'leads-out' : undefined;
  };
}

/** Returns a path relative to its workspace folder. */
const belowRoot = (path: PathBytes, roots: readonly PathBytes[]): PathBytes =>
  path.slice((roots.find(root => path.startsWith(`${root}/`))?.length ?? -1) + 1);

/** Returns a function that gives both locations of an absolute path: the real one and the upper one. */
function placesIn(layers: Layers['layers']): (path: PathBytes) => readonly PathBytes[] {
  const known = layers
    .map(({lower, upper}) => ({lower: toBytes(lower), upper: toBytes(upper)}))
    .toSorted((a, b) => b.lower.length - a.lower.length);
  return path => {
    const layer = known.find(({lower}) => path === lower || path.startsWith(`${lower}/`));
    return layer === undefined ? [path] : [path, joinBytes(layer.upper, path.slice(layer.lower.length + 1))];
  };
}

const linksIn = (layers: Layers['layers']): LinksAt => {
  const places = placesIn(layers);
  return path => places(path).flatMap(each => (statsOf(each)?.isSymbolicLink() === true ? [targetOf(each)] : []));
};

const statsOf = (path: PathBytes): ReturnType<typeof lstatSync> | undefined =>
  tryOr(() => lstatSync(toNative(path), {throwIfNoEntry: false}), undefined);

/**
 * Returns a test for paths that are a repository's own data. These include every folder that git would use as a
 * repository, whatever its name.
 */
function repositoriesIn(
  layers: Layers['layers'],
  roots: readonly PathBytes[],
): (entry: Pick<HeldEntry, 'layer' | 'at' | 'is' | 'was'>) => boolean {
  const places = placesIn(layers);
  const known = new Map<PathBytes, boolean>();
  const has = (folder: PathBytes, name: string): boolean =>
    places(joinBytes(folder, name)).some(each => statsOf(each) !== undefined);
  const isRepositoryFolder = (folder: PathBytes): boolean =>
    has(folder, 'HEAD') && ((has(folder, 'objects') && has(folder, 'refs')) || has(folder, 'commondir'));
  const liesIn = (folder: PathBytes): boolean => {
    const before = known.get(folder);
    if (before !== undefined) return before;
    const found = isRepositoryFolder(folder) || (belowRoot(folder, roots) !== '' && liesIn(folderOf(folder)));
    known.set(folder, found);
    return found;
  };
  return entry => {
    const path = absolute(entry, layers);
    const isFolder = entry.is.kind === 'folder' || entry.was.kind === 'folder';
    return liesIn(isFolder ? path : folderOf(path));
  };
}

type Entry = Omit<HeldEntry, 'change'>;

/** Finds build output: files that git ignores by the rules from before the command, without installed packages. */
async function findOutput(
  entries: readonly Entry[],
  {layers, place, signal}: Layers & {readonly place: ChangesContext; readonly signal: AbortSignal},
): Promise<ReadonlySet<Entry>> {
  const repositoryOf = makeRepositorySearch();
  const output = new Set<Entry>();
  const groups = new Map<PathBytes, Entry[]>();
  const roots = place.roots.map(root => toBytes(root));
  for (const entry of entries) {
    const path = absolute(entry, layers);
    const names = belowRoot(path, roots).split('/');
    const isSecret = place.isSecret(toShown(nameOf(path))) && !isGenerated(names);
    if (isInstalled(names) || isSecret) continue;
    const repository = repositoryOf(folderOf(path));
    if (repository.kind === 'none' && isGenerated(names)) output.add(entry);
    if (repository.kind !== 'found') continue;
    const group = groups.get(repository.top);
    if (group === undefined) groups.set(repository.top, [entry]);
    else group.push(entry);
  }
  for (const [repository, members] of groups) {
    const asked = members.map(entry => ({
      entry,
      path: pathToAsk(absolute(entry, layers).slice(repository.length + 1), entry),
    }));
    const ignored = await filterIgnored(
      asked.map(({path}) => path),
      {folder: repository === '' ? '/' : toNative(repository).toString(), environment: place.environment, signal},
    );
    for (const {entry, path} of asked) if (ignored?.has(path) === true) output.add(entry);
  }
  return output;
}

/**
 * Returns the path to ask git about. Git can't tell that a missing path is a folder, so the question is about a file in
 * it. A .gitignore counts like a file beside it: as output it could turn sources into output.
 */
function pathToAsk(path: PathBytes, {is, was}: Entry): PathBytes {
  if (is.kind === 'folder' || was.kind === 'folder') return joinBytes(path, '_');
  return nameOf(path) === '.gitignore' ? joinBytes(folderOf(path), '_') : path;
}

/**
 * Finds files that look new because another process deleted or moved them in the meantime. Git tracks them, and the
 * folder changed after the command began.
 */
async function findDeleted(
  entries: readonly Entry[],
  {layers, place, signal}: Layers & {readonly place: ChangesContext; readonly signal: AbortSignal},
): Promise<ReadonlySet<Entry>> {
  const repositoryOf = makeRepositorySearch();
  const found = new Set<Entry>();
  const groups = new Map<PathBytes, Map<PathBytes, Entry>>();
  for (const entry of entries) {
    const layer = layers[entry.layer];
    if (entry.was.kind !== 'none' || layer === undefined) continue;
    let folder = folderOf(entry.at);
    const inLower = (): PathBytes => joinBytes(toBytes(layer.lower), folder);
    while (folder !== '' && statsOf(inLower()) === undefined) folder = folderOf(folder);
    if (BigInt(nodeAt(toNative(inLower())).changedNs) <= layer.begunNs) continue;
    const repository = repositoryOf(inLower());
    if (repository.kind !== 'found') continue;
    const group = groups.get(repository.top) ?? new Map<PathBytes, Entry>();
    groups.set(repository.top, group.set(absolute(entry, layers).slice(repository.top.length + 1), entry));
  }
  for (const [repository, members] of groups) {
    const gitContext = {folder: toNative(repository).toString() || '/', environment: place.environment, signal};
    const followed = await filterTracked([...members.keys()], gitContext);
    for (const [path, entry] of members) if (followed.has(path)) found.add(entry);
  }
  return found;
}

/** Whether the file belongs to an installed package, which runs later. Caches in packages don't count. */
function isInstalled(names: readonly PathBytes[]): boolean {
  const at = names.findLastIndex(
    (name, index) =>
      packageFolders.has(name) &&
      // Cargo builds into `target/debug/deps`.
      !(name === 'deps' && names.slice(0, index).some(above => buildFolders.has(above))),
  );
  return at >= 0 && !names.slice(at + 1).some(name => cacheFolders.has(name));
}

const isGenerated = (names: readonly PathBytes[]): boolean =>
  names.some(name => buildFolders.has(name) || cacheFolders.has(name));

/** The innermost repository around a folder. Git reports no paths beyond a link. */
type Repository = {readonly kind: 'none' | 'beyond-link'} | {readonly kind: 'found'; readonly top: PathBytes};

function makeRepositorySearch(): (folder: PathBytes) => Repository {
  const known = new Map<PathBytes, Repository>();
  const find = (folder: PathBytes): Repository => {
    if (statsOf(folder)?.isSymbolicLink() === true) return {kind: 'beyond-link'};
    if (statsOf(`${folder}/.git`) !== undefined) return {kind: 'found', top: folder};
    return folder === '' ? {kind: 'none'} : search(folderOf(folder));
  };
  const search = (folder: PathBytes): Repository => {
    const answer = known.get(folder) ?? find(folder);
    known.set(folder, answer);
    return answer;
  };
  return search;
}

/** Returns the links at an absolute path: the real folder's and the view's. */
type LinksAt = (path: PathBytes) => readonly PathBytes[];

/** The maximum number of steps of following links before a link counts as leaving the workspace. */
const maxSteps = 300;

/** The maximum number of links that the kernel follows for one path. */
const maxLinks = 40;

/**
 * Whether a link in `folder` can lead out of the workspace. Follows it through all links of the view and of the real folders, and also as
 * if each of them were a folder. So the link stays inside, whichever part of the changes is applied, now or later.
 */
function leadsOut(
  {folder, target}: {readonly folder: PathBytes; readonly target: PathBytes},
  {roots, linksAt}: {readonly roots: readonly PathBytes[]; readonly linksAt: LinksAt},
): boolean {
  const isInside = (path: PathBytes): boolean => roots.some(root => path === root || path.startsWith(`${root}/`));
  /** For each position, the fewest links by which it was reached. */
  const seen = new Map<string, number>();
  let turns = 0;
  if (goesUpAfterName(target)) return true;
  const ways = [{at: folder, rest: target, links: 0}];
  for (let way = ways.pop(); way !== undefined; way = ways.pop()) {
    const key = `${way.at}\0${way.rest}`;
    let {at, rest} = way;
    const {links} = way;
    if ((seen.get(key) ?? Infinity) <= links) continue;
    seen.set(key, links);
    if (rest.startsWith('/')) {
      const root = roots.find(each => rest === each || rest.startsWith(`${each}/`));
      if (root === undefined) return true;
      [at, rest] = [root, rest.slice(root.length)];
    }
    const [name = '', ...others] = rest.split('/').filter(part => part !== '' && part !== '.');
    if (name === '') continue;
    const left = others.join('/');
    if (name === '..') {
      at = at.slice(0, at.lastIndexOf('/'));
      if (!isInside(at)) return true;
      ways.push({at, rest: left, links});
      continue;
    }
    const next = joinBytes(at, name);
    ways.push({at: next, rest: left, links});
    for (const link of links < maxLinks ? linksAt(next) : []) {
      turns += 1;
      if (turns > maxSteps) return true;
      ways.push({at, rest: `${link}/${left}`, links: links + 1});
    }
  }
  return false;
}

/**
 * Whether a target goes up again after a name, as `a/../../b` does. A later command could replace the folder `a` with a
 * link, and then the target leads elsewhere. A target that goes up only at its start begins in the link's own folder.
 */
function goesUpAfterName(target: PathBytes): boolean {
  const names = target.split('/').filter(name => name !== '' && name !== '.');
  const first = target.startsWith('/') ? 0 : names.findIndex(name => name !== '..');
  return first >= 0 && names.includes('..', first);
}
