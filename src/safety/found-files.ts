import {fitsName} from './glob-matches.ts';
import {belowRoots, type Ground} from './ground.ts';
import {isAbsolutePath, partsOf, pathOf} from './path-parts.ts';
import {looksSecret} from './secret-paths.ts';
import type {FoundText, Text} from './shell/argument.ts';
import {treeBelow, type Tree, type TreeEntry} from './tree-below.ts';

/** Links of one folder that are followed to where they lead; beyond that nothing is sure. */
const mostLinks = 20_000;

/** Why a program must not be given the names that another one told, because of the files they are; `undefined` if it may. */
export function whyNotFoundFiles(
  found: FoundText,
  {
    use,
    directories,
    ground,
  }: {readonly use: 'read' | 'named'; readonly directories: readonly string[]; readonly ground: Ground},
): string | undefined {
  const elsewhere = whyNotFrom(found, directories);
  if (elsewhere !== undefined) return elsewhere;
  const fits = fitting(found.text);
  for (const directory of directories) {
    const {hidden, names} = found.told;
    const here = names === 'bare' ? [treeBelow(directory, {depth: 1, hidden, links: 'not followed'}, ground)] : [];
    for (const tree of [...treesOf(found, {directory, ground}), ...here]) {
      if (tree.extent === 'cut') return tooMany;
      const named = tree.entries.filter(({name}) => fits(name));
      const reason =
        (found.told.links === 'none' ? undefined : whyNotLinks(named, use, ground)) ??
        (use === 'read' && found.style === 'found' ? whyNotSecrets(named, ground) : undefined) ??
        tree.entries.map(entry => whyNotPieces(entry, {directory, ground})).find(isSaid);
      if (reason !== undefined) return reason;
    }
  }
  return undefined;
}

/** Why a program could take one of the names, or a part of one, for an option; `undefined` if it could not. */
export function whyOptionAmong(
  found: FoundText,
  {directories, ground}: {readonly directories: readonly string[]; readonly ground: Ground},
): string | undefined {
  const elsewhere = whyNotFrom(found, directories);
  if (elsewhere !== undefined) return elsewhere;
  const begins = !found.text.startsWith('./');
  for (const directory of directories) {
    const around = found.told.names === 'from around' ? foldersAround(directory, ground) : [];
    for (const {entries, extent} of [
      ...treesOf(found, {directory, ground}),
      ...around.map(each => rightIn(each, ground)),
    ]) {
      if (extent === 'cut') return tooMany;
      const option = entries.find(({name}) => (begins && name.startsWith('-')) || /[\s"'\\]-/u.test(name));
      if (option !== undefined) return `may take the name of \`${option.folder}/${option.name}\` for an option`;
    }
  }
  return undefined;
}

/** What a program that follows links would come upon below a folder, an absolute path; `undefined` if nothing is wrong there. */
export function whyNotFollowed(
  folder: string,
  {use, depth, ground}: {readonly use: 'read' | 'named'; readonly depth: number; readonly ground: Ground},
): string | undefined {
  const {entries, extent} = treeBelow(folder, {depth, hidden: 'with them', links: 'followed'}, ground);
  if (extent === 'cut') return tooMany;
  return whyNotLinks(entries, use, ground) ?? (use === 'read' ? whyNotSecrets(entries, ground) : undefined);
}

/** Why a search may come upon files whose names say that they hold secrets; `undefined` if there are none. */
export function whySecretBelow(
  place: Text,
  {directories, hidden, fits}: Sought & {readonly directories: readonly string[]},
  ground: Ground,
): string | undefined {
  const isTold = place.style === 'found' || place.style === 'searched';
  if (directories.length === 0) return 'may come upon files that hold secrets';
  const fitsPlace = isTold ? fitting(place.text) : () => true;
  const isSecret = secretsIn(ground);
  for (const directory of directories) {
    const folder = place.style === 'wild' ? (/^[^*?[]*\//u.exec(place.text)?.[0] ?? '.') : place.text;
    const trees = isTold
      ? treesOf(place, {directory, ground})
      : [treeBelow(startOf(folder, {directory, ground}), {depth: Infinity, hidden, links: 'not followed'}, ground)];
    for (const {entries, extent} of trees) {
      const secret = entries.find(
        entry => fits(entry.name) && fitsPlace(entry.name) && !isOfGit(entry) && isSecret(entry),
      );
      if (secret !== undefined)
        return `may show secrets of \`${secret.folder}/${secret.name}\` in a form in which they are not recognised`;
      if (extent === 'cut') return tooMany;
    }
  }
  return undefined;
}

/** What a search looks for, see `TreeOptions`. */
export interface Sought {
  readonly hidden: 'left out' | 'all but .git';
  readonly fits: (name: string) => boolean;
}

const isOfGit = ({folder}: TreeEntry): boolean => folder.includes('/.git/') || folder.endsWith('/.git');

const tooMany = 'may come upon more files than weft looks at';

const whyNotFrom = ({from}: FoundText, directories: readonly string[]): string | undefined =>
  directories.length > 0 &&
  (from === 'here' || (directories.length === from.length && directories.every(each => from.includes(each))))
    ? undefined
    : 'is given files, and from where is not known';

function treesOf(
  {told}: FoundText,
  {directory, ground}: {readonly directory: string; readonly ground: Ground},
): readonly Tree[] {
  return told.below.map(({folder, depth}) => {
    const start = startOf(folder, {directory, ground});
    const {entries, extent} = treeBelow(start, {depth, hidden: told.hidden, links: 'not followed'}, ground);
    return folder === '.' ? {entries, extent} : {entries: [...itself(start, ground), ...entries], extent};
  });
}

/** Where a search starts: a link there is followed, and the name it leads to may say more. */
function startOf(folder: string, {directory, ground}: {readonly directory: string; readonly ground: Ground}): string {
  const path = pathOf(partsOf(isAbsolutePath(folder) ? folder : `${directory}/${folder}`));
  return folder === '.' ? path : ground.resolve(path).path;
}

/** What a search starts in may be a file, and is then told itself. */
function itself(path: string, ground: Ground): readonly TreeEntry[] {
  const folder = path.slice(0, path.lastIndexOf('/'));
  return ground
    .list(folder === '' ? '/' : folder)
    .filter(({name}) => name === path.slice(folder.length + 1))
    .map(entry => ({...entry, folder}));
}

const rightIn = (folder: string, ground: Ground): Tree =>
  treeBelow(folder, {depth: 1, hidden: 'with them', links: 'not followed'}, ground);

/** The folders around one, up to the workspace's own. */
function foldersAround(directory: string, ground: Ground): readonly string[] {
  const parts = partsOf(directory);
  return parts
    .map((_, at) => parts.slice(0, parts.length - 1 - at))
    .filter(each => belowRoots(each, ground).length > 0)
    .map(pathOf);
}

/** Names that fit one of the patterns, which have a `|` between them. Case does not count: some programs pass over it. */
function fitting(text: string): (name: string) => boolean {
  const patterns = text.replace(/^\.\//u, '').toLowerCase().split('|');
  if (patterns.some(pattern => /^\*+$/u.test(pattern))) return () => true;
  const fit = patterns.map(pattern => fitsName(pattern, 'like other characters'));
  return name => fit.some(fits => fits(name.toLowerCase()));
}

function whyNotLinks(entries: readonly TreeEntry[], use: 'read' | 'named', ground: Ground): string | undefined {
  const links = entries.filter(({kind}) => kind === 'link');
  if (links.length > mostLinks) return 'may follow more links than weft looks at';
  for (const {folder, name} of links) {
    const path = `${folder}/${name}`;
    const lead = ground.resolve(path);
    if (lead.place === 'outside-workspace') return `may follow \`${path}\` out of the workspace`;
    if (use === 'read' && looksSecret(inWorkspace(lead.path, ground)))
      return `may read \`${lead.path}\`, which may hold secrets`;
  }
  return undefined;
}

function whyNotSecrets(entries: readonly TreeEntry[], ground: Ground): string | undefined {
  const secret = entries.find(secretsIn(ground));
  return secret === undefined ? undefined : `may read \`${secret.folder}/${secret.name}\`, which may hold secrets`;
}

/**
 * Tells files whose names say that they hold secrets. Keys in packages of others, which their tests need, are nobody's secrets. What
 * holds for a folder is worked out once for all that lie in it one after the other.
 */
function secretsIn(ground: Ground): (entry: TreeEntry) => boolean {
  let last = '';
  let within = '';
  return ({folder, name, kind}) => {
    if (kind === 'folder') return false;
    if (folder !== last) {
      last = folder;
      within = `${inWorkspace(folder, ground)}/`;
    }
    return !/(?:^|\/)node_modules\//u.test(within) && looksSecret(within === '/' ? name : within + name);
  };
}

/** Names above a workspace do not make its files secrets. */
const inWorkspace = (path: string, ground: Ground): string => {
  const [first] = belowRoots(partsOf(path), ground);
  return first === undefined ? path : first.below.join('/');
};

/** A name with blanks or quotes in it may come to several words, or to another one. */
function whyNotPieces(
  {folder, name, kind}: TreeEntry,
  {directory, ground}: {readonly directory: string; readonly ground: Ground},
): string | undefined {
  if (!/[\s"'\\]/u.test(name)) return undefined;
  const reason = `may take \`${folder}/${name}\` for the names of other files`;
  if (/[\s"'\\]\.\.|\.\.$/u.test(name) || (kind === 'folder' && /[\s"'\\]$/u.test(name))) return reason;
  const pieces = [...name.split(/[\s"'\\]+/u), name.replaceAll(/["'\\]/gu, '')];
  const others = new Set(pieces.filter(piece => piece !== '' && piece !== name));
  if ([...others].some(piece => /[*?[]/u.test(piece))) return reason;
  const there = [...ground.list(directory), ...ground.list(folder)].some(
    other => others.has(other.name) && (other.kind !== 'file' || looksSecret(other.name)),
  );
  return there ? reason : undefined;
}

const isSaid = (reason: string | undefined): reason is string => reason !== undefined;
