import {firstFound} from '../../base/first-found.ts';
import type {FoundFiles, ExpandedText} from '../shell/expansion.ts';
import {belowRoots, type PathContext, pathInWorkspace} from './path-context.ts';
import type {FolderEntry} from '../../domain/disk.ts';
import {compileName} from '../../base/glob.ts';
import {joinPath, partsOf, pathOf} from './path-parts.ts';
import {looksSecret} from './secret-paths.ts';

/** The maximum number of links in one folder that weft checks. weft asks about a folder with more. */
const maxLinks = 20_000;

interface ListingContext {
  readonly directory: string;
  readonly context: PathContext;
}

/** Explains why a program must not get the files that another program lists. Returns `undefined` if the program may get them. */
export function listedFilesProblem(
  found: FoundFiles,
  {
    use,
    directories,
    context,
  }: {readonly use: 'read' | 'named'; readonly directories: readonly string[]; readonly context: PathContext},
): string | undefined {
  const elsewhere = originProblem(found, directories);
  if (elsewhere !== undefined) return elsewhere;
  const matchesName = nameMatcher(found.text);
  for (const directory of directories) {
    const {hidden, names} = found.listed;
    const here = names === 'bare' ? [treeBelow(directory, {depth: 1, hidden, links: 'not followed'}, context)] : [];
    for (const tree of [...treesOf(found, {directory, context}), ...here]) {
      if (tree.extent === 'cut') return tooManyFiles;
      const named = tree.entries.filter(({name}) => matchesName(name));
      const reason =
        (found.listed.links === 'none' ? undefined : linksProblem(named, use, context)) ??
        (use === 'read' && found.style === 'found' ? secretsProblem(named, context) : undefined) ??
        firstFound(tree.entries, entry => splitNameProblem(entry, {directory, context}));
      if (reason !== undefined) return reason;
    }
  }
  return undefined;
}

/** Explains why a program could read a listed name, or a part of it, as an option. Returns `undefined` if it could not. */
export function listedOptionProblem(
  found: FoundFiles,
  {directories, context}: {readonly directories: readonly string[]; readonly context: PathContext},
): string | undefined {
  const elsewhere = originProblem(found, directories);
  if (elsewhere !== undefined) return elsewhere;
  const mayBeginWithDash = !found.text.startsWith('./');
  for (const directory of directories) {
    const foldersAbove = found.listed.names === 'from around' ? foldersAround(directory, context) : [];
    for (const {entries, extent} of [
      ...treesOf(found, {directory, context}),
      ...foldersAbove.map(each => entriesDirectlyIn(each, context)),
    ]) {
      if (extent === 'cut') return tooManyFiles;
      const option = entries.find(({name}) => (mayBeginWithDash && name.startsWith('-')) || /[\s"'\\]-/u.test(name));
      if (option !== undefined) return `may take the file ${option.folder}/${option.name} for an option`;
    }
  }
  return undefined;
}

/**
 * Explains why a program must not follow the links below a folder, given as an absolute path. Returns `undefined` if
 * the program may follow them.
 */
export function followedLinksProblem(
  folder: string,
  {use, depth, context}: {readonly use: 'read' | 'named'; readonly depth: number; readonly context: PathContext},
): string | undefined {
  const {entries, extent} = treeBelow(folder, {depth, hidden: 'with them', links: 'followed'}, context);
  if (extent === 'cut') return tooManyFiles;
  return linksProblem(entries, use, context) ?? (use === 'read' ? secretsProblem(entries, context) : undefined);
}

/** Explains why a search may find files whose names say that they contain secrets. Returns `undefined` if there are none. */
export function searchedSecretsProblem(
  place: ExpandedText,
  {directories, hidden, matchesName}: FileSearch & {readonly directories: readonly string[]},
  context: PathContext,
): string | undefined {
  const isListed = place.style === 'found' || place.style === 'searched';
  if (directories.length === 0) return 'may read files that hold secrets';
  const isInPlace = isListed ? nameMatcher(place.text) : () => true;
  const isSecret = makeSecretTest(context);
  for (const directory of directories) {
    const folder = place.style === 'wild' ? (/^[^*?[]*\//u.exec(place.text)?.[0] ?? '.') : place.text;
    const trees = isListed
      ? treesOf(place, {directory, context})
      : [
          treeBelow(
            resolveStart(folder, {directory, context}),
            {depth: Infinity, hidden, links: 'not followed'},
            context,
          ),
        ];
    for (const {entries, extent} of trees) {
      const secret = entries.find(
        entry => matchesName(entry.name) && isInPlace(entry.name) && !isInGitFolder(entry) && isSecret(entry),
      );
      if (secret !== undefined) return `may show secrets of ${secret.folder}/${secret.name} that weft cannot recognize`;
      if (extent === 'cut') return tooManyFiles;
    }
  }
  return undefined;
}

/** The files that a search examines. For `hidden`, see `TreeOptions`. */
export interface FileSearch {
  readonly hidden: 'left out' | 'all but .git';
  readonly matchesName: (name: string) => boolean;
}

const isInGitFolder = ({folder}: TreeEntry): boolean => folder.includes('/.git/') || folder.endsWith('/.git');

const tooManyFiles = 'may read more files than weft checks';

const originProblem = ({from}: FoundFiles, directories: readonly string[]): string | undefined =>
  directories.length > 0 &&
  (from === 'here' || (directories.length === from.length && directories.every(each => from.includes(each))))
    ? undefined
    : 'gets files from an unknown folder';

function treesOf({listed: listing}: FoundFiles, {directory, context}: ListingContext): readonly Tree[] {
  return listing.below.map(({folder, depth}) => {
    const start = resolveStart(folder, {directory, context});
    const {entries, extent} = treeBelow(start, {depth, hidden: listing.hidden, links: 'not followed'}, context);
    return folder === '.' ? {entries, extent} : {entries: [...ownEntry(start, context), ...entries], extent};
  });
}

/** Returns the folder in which a search starts, with links followed. */
function resolveStart(folder: string, {directory, context}: ListingContext): string {
  const path = pathOf(partsOf(joinPath(directory, folder)));
  return folder === '.' ? path : context.resolve(path).path;
}

/** Returns the entry for the path itself, for a search that starts at a file. */
function ownEntry(path: string, context: PathContext): readonly TreeEntry[] {
  const folder = path.slice(0, path.lastIndexOf('/'));
  return context
    .list(folder === '' ? '/' : folder)
    .filter(({name}) => name === path.slice(folder.length + 1))
    .map(entry => ({...entry, folder}));
}

const entriesDirectlyIn = (folder: string, context: PathContext): Tree =>
  treeBelow(folder, {depth: 1, hidden: 'with them', links: 'not followed'}, context);

/** Returns the folders above one, up to the workspace root. */
function foldersAround(directory: string, context: PathContext): readonly string[] {
  const parts = partsOf(directory);
  return parts
    .map((_, at) => parts.slice(0, parts.length - 1 - at))
    .filter(each => belowRoots(each, context).length > 0)
    .map(pathOf);
}

/** Makes a test for names against patterns separated by `|`. It ignores case, because some programs do. */
function nameMatcher(text: string): (name: string) => boolean {
  const patterns = text.replace(/^\.\//u, '').toLowerCase().split('|');
  if (patterns.some(pattern => /^\*+$/u.test(pattern))) return () => true;
  const matchers = patterns.map(pattern => compileName(pattern, {sets: 'widened', hidden: 'like others'}));
  return name => matchers.some(matchesName => matchesName(name.toLowerCase()));
}

function linksProblem(entries: readonly TreeEntry[], use: 'read' | 'named', context: PathContext): string | undefined {
  const links = entries.filter(({kind}) => kind === 'link');
  if (links.length > maxLinks) return 'may follow more links than weft checks';
  for (const {folder, name} of links) {
    const path = `${folder}/${name}`;
    const lead = context.resolve(path);
    if (lead.place === 'outside-workspace') return `may follow a link out of the workspace: ${path}`;
    if (use === 'read' && looksSecret(pathInWorkspace(lead.path, context)))
      return `may read a file that may hold secrets: ${lead.path}`;
  }
  return undefined;
}

function secretsProblem(entries: readonly TreeEntry[], context: PathContext): string | undefined {
  const secret = entries.find(makeSecretTest(context));
  return secret === undefined ? undefined : `may read a file that may hold secrets: ${secret.folder}/${secret.name}`;
}

/**
 * Makes a test for whether a file's name says that it contains secrets. Keys in `node_modules` are test data of packages and do
 * not count. Values that depend only on the folder are computed once for consecutive entries of one folder.
 */
function makeSecretTest(context: PathContext): (entry: TreeEntry) => boolean {
  let last = '';
  let within = '';
  return ({folder, name, kind}) => {
    if (kind === 'folder') return false;
    if (folder !== last) {
      last = folder;
      within = `${pathInWorkspace(folder, context)}/`;
    }
    return !/(?:^|\/)node_modules\//u.test(within) && looksSecret(within === '/' ? name : within + name);
  };
}

/** Explains why a name with blanks or quotes is a risk: another program may split it into the names of other files. */
function splitNameProblem({folder, name, kind}: TreeEntry, {directory, context}: ListingContext): string | undefined {
  if (!/[\s"'\\]/u.test(name)) return undefined;
  const reason = `may take the file ${folder}/${name} for the names of other files`;
  if (/[\s"'\\]\.\.|\.\.$/u.test(name) || (kind === 'folder' && /[\s"'\\]$/u.test(name))) return reason;
  const pieces = [...name.split(/[\s"'\\]+/u), name.replaceAll(/["'\\]/gu, '')];
  const others = new Set(pieces.filter(piece => piece !== '' && piece !== name));
  if ([...others].some(piece => /[*?[]/u.test(piece))) return reason;
  const there = [...context.list(directory), ...context.list(folder)].some(
    other => others.has(other.name) && (other.kind !== 'file' || looksSecret(other.name)),
  );
  return there ? reason : undefined;
}

/** The entries below a folder. */
interface Tree {
  readonly entries: readonly TreeEntry[];
  /** `cut`: there are more entries than weft examines. */
  readonly extent: 'whole' | 'cut';
}

interface TreeEntry extends FolderEntry {
  /** The folder that contains it, an absolute path. */
  readonly folder: string;
}

interface TreeOptions {
  /** The number of levels: 1 for the entries directly in the folder. */
  readonly depth: number;
  readonly hidden: 'left out' | 'all but .git' | 'with them';
  /** `followed`: folders of the workspace that links lead to are examined too. */
  readonly links: 'not followed' | 'followed';
}

/** The maximum number of names that weft examines. That takes some hundreds of milliseconds. A large project has several times fewer. */
const maxNames = 200_000;

/**
 * Lists the folder, given as an absolute path, and the folders in it. Skips no folder because of its name, unless
 * `hidden` says so.
 */
function treeBelow(folder: string, options: TreeOptions, context: PathContext): Tree {
  const known = treesByContext.get(context) ?? new Map<string, Tree>();
  treesByContext.set(context, known);
  const key = `${String(options.depth)} ${options.hidden} ${options.links} ${folder}`;
  const found = known.get(key) ?? readTree(folder, options, context);
  known.set(key, found);
  return found;
}

/** Trees by context. A context lasts as long as one judgment. */
const treesByContext = new WeakMap<PathContext, Map<string, Tree>>();

function readTree(start: string, {depth, hidden, links}: TreeOptions, {list, resolve}: PathContext): Tree {
  const entries: TreeEntry[] = [];
  const entered = new Set([start]);
  let level = [start];
  for (let deep = 0; deep < depth && level.length > 0; deep += 1) {
    const next: string[] = [];
    const enter = (folder: string): void => {
      if (links === 'followed' && entered.has(folder)) return;
      entered.add(folder);
      next.push(folder);
    };
    for (const folder of level) {
      for (const entry of list(folder)) {
        if (hidden === 'left out' ? entry.name.startsWith('.') : hidden === 'all but .git' && entry.name === '.git')
          continue;
        if (entries.length >= maxNames) return {entries, extent: 'cut'};
        entries.push({...entry, folder});
        const path = `${folder}/${entry.name}`;
        if (entry.kind === 'folder') enter(path);
        else if (entry.kind === 'link' && links === 'followed') {
          const {place, path: real} = resolve(path);
          if (place === 'inside-workspace') enter(real);
        }
      }
    }
    level = next;
  }
  return {entries, extent: 'whole'};
}
