import {hash} from 'node:crypto';
import {extname, basename} from 'node:path';
import type {FileHistory, LineAuthor, Writing} from '../../domain/blame.ts';
import {matchLines} from './match-lines.ts';
import {splitLines} from './merge-node.ts';
import type {ObjectStore} from './object-store.ts';
import {contentNames, isRelated, LostCheckpoint, relatedTo, type TreeNode, type TreeReader} from './tree.ts';

/** The file in a moment: `unseen` if the state of the files doesn't cover it, `lost` if the state was deleted. */
type Seen = TreeNode | 'absent' | 'unseen' | 'lost';

interface Version {
  readonly lines: readonly string[];
  readonly authors: readonly LineAuthor[];
}

/** A version of which only some lines have authors. */
interface PartlyKnown extends Pick<Version, 'lines'> {
  readonly authors: readonly (LineAuthor | undefined)[];
}

/** The maximum number of deleted files to compare a new file with, and the share of equal lines that makes it one of them. */
const maxSources = 60;
const minShare = 0.5;

/** The maximum number of earlier versions in which an undo looks for the lines that it brings back. */
const maxVersions = 50;

/** A worktree that weft made, and its repository. */
const worktreePattern = /^(.*)\/\.weft\/worktrees\/[^/]+/su;

const nobody: LineAuthor = {by: 'unknown'};
const empty: Version = {lines: [], authors: []};

/** The file whose lines are looked up, in its last state. */
export interface BlamedFile {
  readonly path: string;
  readonly content: Buffer;
  readonly at: number;
  /** The state of all files then; empty if it is unknown. */
  readonly tree: string;
}

interface BlameDeps {
  readonly reader: TreeReader;
  readonly objects: ObjectStore;
  /** Returns whether a path exists now. */
  readonly isThere: (path: string) => boolean;
}

function stateReader(reader: TreeReader) {
  const rootOf = memo((tree: string) => {
    try {
      const root = reader.root(tree);
      return {...root, related: root.covered === undefined ? undefined : relatedTo(root.covered)};
    } catch (cause) {
      if (cause instanceof LostCheckpoint) return 'lost';
      throw cause;
    }
  });
  const isLeftOut = (path: string, tree: string): boolean => {
    const root = rootOf(tree);
    return root !== 'lost' && root.leftOut.some(each => each === path || path.startsWith(`${each}/`));
  };
  const seenIn = (path: string, tree: string): Seen => {
    const root = rootOf(tree);
    if (root === 'lost') return 'lost';
    if (root.related !== undefined && !isRelated(path, root.related)) return 'unseen';
    if (![...root.folders.keys()].some(folder => path.startsWith(`${folder}/`))) return 'unseen';
    if (isLeftOut(path, tree)) return 'unseen';
    try {
      return reader.at(root, path) ?? 'absent';
    } catch (cause) {
      if (cause instanceof LostCheckpoint) return 'lost';
      throw cause;
    }
  };
  return {rootOf, seenIn, isLeftOut};
}

/** True if the file may have had another name: the states of other files tell, also that of now. */
export function mayBeRenamed(path: string, {moments}: FileHistory, {reader}: Pick<BlameDeps, 'reader'>): boolean {
  const {seenIn} = stateReader(reader);
  const states = moments.map(({tree}) => seenIn(path, tree));
  return states.includes('absent') || states.every(seen => typeof seen === 'string');
}

/** Returns the authors of the lines of a file from the stored states before its last one. */
export function blameFile(
  file: BlamedFile,
  history: FileHistory,
  {reader, objects, isThere}: BlameDeps,
): readonly LineAuthor[] {
  const moments = [...history.moments, {at: file.at, tree: file.tree}];
  const {writings} = history;
  const end = history.moments.length;
  const final = fileNode(objects.put(file.content));
  const {rootOf: roots, seenIn, isLeftOut} = stateReader(reader);
  const treeAt = (at: number): string => moments[at]?.tree ?? '';
  const isNamed = (at: number): boolean => {
    const root = roots(treeAt(at));
    return root !== 'lost' && root.covered !== undefined;
  };
  /** The states of a path, in order, without moments that don't cover it. */
  const statesOf = memo((path: string) => {
    const inTree = memo((tree: string) => seenIn(path, tree));
    const states = moments.map(({tree}, at) => (at === end && path === file.path ? final : inTree(tree)));
    objects.fetch(contentNames(states.map(seen => (typeof seen === 'string' ? undefined : seen))));
    return states;
  });
  const bytesOf = (node: TreeNode): Buffer | undefined => {
    if (node.kind !== 'file') return Buffer.alloc(0);
    return objects.get(node.hash);
  };
  const linesOf = (seen: Seen): readonly string[] =>
    typeof seen === 'string' ? [] : splitLines(bytesOf(seen) ?? Buffer.alloc(0));
  /** A name for the content of a state; the same for the same content, in git or not. */
  const contentName = memo((name: string) =>
    name.startsWith('git:') ? hash('sha256', objects.get(name) ?? name) : name,
  );
  const keyOf = (seen: Seen): string => {
    if (typeof seen === 'string') return seen;
    return seen.kind === 'file' ? contentName(seen.hash) : 'absent';
  };

  /** Returns who may have changed a path between two moments, and whether lines of earlier versions came back. */
  const authorOf = (
    path: string,
    {from, to, gap}: {readonly from: number; readonly to: number; readonly gap: 'known' | 'lost'},
  ): {readonly author: LineAuthor; readonly restores: boolean; readonly by: readonly Writing[]} => {
    const states = statesOf(path);
    const at = moments[to]?.at ?? 0;
    const during = writings.filter(each => each.from < to && each.to > from);
    const changed = during.filter(({by, from: before, to: after}) => {
      const [a, b] = [keyOf(states[before] ?? 'unseen'), keyOf(states[after] ?? 'unseen')];
      if (by.kind === 'unstepped') return !isLeftOut(path, treeAt(after));
      return a !== b && ![a, b].some(key => key === 'unseen' || key === 'lost');
    });
    if (changed.some(({by}) => by.kind === 'rewind')) return {author: nobody, restores: true, by: []};
    const calls = changed.filter(({by}) => by.kind === 'call');
    // A call that names its files surely wrote them.
    const named = calls.filter(each => isNamed(each.from));
    const likely = named.length > 0 ? named : calls.length > 0 ? calls : changed;
    const restores = named.length === 0;
    if (likely.length > 0 && likely.every(isServer) && named.length === 0)
      return {author: nobody, restores, by: likely};
    if (likely.length > 0) return {author: {by: 'agent', ...shared(likely), at}, restores, by: likely};
    // A command may have changed a file that its states leave out, such as build output. A killed one may have changed what it leaves out.
    const isHidden = during.some(
      each =>
        (each.by.kind === 'call' && !isNamed(each.from) && states[each.to] === 'unseen') ||
        (each.by.kind === 'unstepped' && isLeftOut(path, treeAt(each.to))),
    );
    return {author: gap === 'lost' || isHidden ? nobody : {by: 'person'}, restores, by: []};
  };

  /** True if something may have written a file before the first moment that shows it. */
  const mayBeOlder = (path: string, first: number): boolean =>
    writings.some(({from, to}) => from < first && !isNamed(from) && statesOf(path)[to] === 'unseen');

  /** Returns the version of a path at a moment (`3 /path`), or `undefined` if no state shows the file. */
  const versionAt: (request: string) => Version | undefined = memo(request => {
    const space = request.indexOf(' ');
    const [until, path] = [Number(request.slice(0, space)), request.slice(space + 1)];
    /** The earlier contents. Their lines are read again if they are needed. */
    const versions = new Map<string, Pick<Version, 'authors'> & {readonly seen: Seen}>();
    let version: Version | undefined;
    let key = 'unseen';
    let last = -1;
    let gap: 'known' | 'lost' = 'known';
    for (const [at, seen] of statesOf(path)
      .slice(0, until + 1)
      .entries()) {
      if (seen === 'unseen') continue;
      const next = keyOf(seen);
      const bytes = typeof seen === 'string' ? undefined : bytesOf(seen);
      if (seen === 'lost' || (seen !== 'absent' && bytes === undefined)) {
        gap = 'lost';
        continue;
      }
      if (next !== key) {
        const lines = bytes === undefined ? [] : splitLines(bytes);
        const isNew = next !== 'absent' && (key === 'unseen' || key === 'absent');
        const source = isNew ? sourceOf(path, {from: last, to: at, lines, key: next}) : undefined;
        if (last < 0 && source === undefined) {
          const author: LineAuthor = gap === 'lost' || mayBeOlder(path, at) ? nobody : {by: 'person'};
          version = {lines, authors: lines.map(() => author)};
        } else {
          const from = last < 0 ? (source?.at ?? last) : last;
          const {author, restores} = authorOf(path, {from, to: at, gap});
          const twins = restores ? twinsOf(path).map(twin => () => agentLines(versionAt(`${String(at)} ${twin}`))) : [];
          const older =
            restores && author.by === 'unknown' ? [...versions.values()].slice(-maxVersions).toReversed() : [];
          const known = restores ? versions.get(next)?.authors : undefined;
          const olderVersions = older.map(each => () => ({authors: each.authors, lines: linesOf(each.seen)}));
          version =
            known !== undefined
              ? {lines, authors: known}
              : changeVersion(source?.version ?? version ?? empty, {
                  lines,
                  author,
                  older: [...twins, ...olderVersions],
                });
        }
        versions.delete(next);
        versions.set(next, {authors: version.authors, seen});
        key = next;
      }
      last = at;
      gap = 'known';
    }
    return last < 0 || key === 'absent' ? undefined : version;
  });

  const worktrees = new Set(
    moments.flatMap(({tree}) => {
      const root = roots(tree);
      return root === 'lost' ? [] : [...root.folders.keys()].flatMap(each => worktreePattern.exec(each)?.[0] ?? []);
    }),
  );
  /** Returns the paths of a file in the worktrees from which it may have been merged. */
  const twinsOf = (path: string): readonly string[] =>
    [...worktrees].flatMap(worktree => {
      const top = worktreePattern.exec(worktree)?.[1] ?? '';
      return path.startsWith(`${top}/`) && !path.startsWith(`${worktree}/`) ? [worktree + path.slice(top.length)] : [];
    });

  /** Returns the version of the file that became a new file, if a file with mostly the same lines disappeared then. */
  const sourceOf = (
    path: string,
    {
      from,
      to,
      lines,
      key,
    }: {readonly from: number; readonly to: number; readonly lines: readonly string[]; readonly key: string},
  ): {readonly version: Version | undefined; readonly at: number} | undefined => {
    if (lines.length === 0) return undefined;
    const sources = [...deletedPaths(path, {from, to})].flatMap(other => {
      const states = statesOf(other);
      const before = states.findLastIndex((seen, at) => at < to && typeof seen !== 'string' && seen.kind === 'file');
      const node = states[before];
      if (node === undefined || typeof node === 'string') return [];
      const after = states.findIndex((seen, at) => at > before && seen !== 'unseen' && seen !== 'lost');
      const isGone = after < 0 ? !isThere(other) : states[after] === 'absent' && after > from;
      return isGone ? [{other, before, node}] : [];
    });
    const same = sources.find(({node}) => keyOf(node) === key);
    if (same !== undefined) return {version: versionAt(`${String(same.before)} ${same.other}`), at: same.before};
    const rank = ({other}: {readonly other: string}): number =>
      Number(basename(other) !== basename(path)) * 2 + Number(extname(other) !== extname(path));
    let best: {readonly share: number; readonly at: number; readonly request: string} | undefined;
    for (const {other, before, node} of sources.toSorted((a, b) => rank(a) - rank(b)).slice(0, maxSources)) {
      const bytes = bytesOf(node);
      const share = bytes === undefined ? 0 : equalShare(splitLines(bytes), lines);
      if (share >= minShare && share > (best?.share ?? 0))
        best = {share, at: before, request: `${String(before)} ${other}`};
    }
    return best === undefined ? undefined : {version: versionAt(best.request), at: best.at};
  };

  const namedPaths = moments.flatMap(({tree}) => {
    const root = roots(tree);
    return root === 'lost' ? [] : (root.covered ?? []);
  });

  /** Returns the paths that may have been deleted while a new one appeared. */
  const deletedPaths = (
    path: string,
    {from, to}: {readonly from: number; readonly to: number},
  ): ReadonlySet<string> => {
    const found = new Set(namedPaths);
    const {by} = authorOf(path, {from, to, gap: 'known'});
    const whole = moments.findLastIndex((_, at) => at < to && roots(treeAt(at)) !== 'lost' && !isNamed(at));
    const nextWhole = moments.findIndex((_, at) => at >= to && roots(treeAt(at)) !== 'lost' && !isNamed(at));
    for (const [before, after] of [...by.map(each => [each.from, to] as const), [whole, nextWhole] as const]) {
      if (before < 0 || before >= to || after < 0) continue;
      try {
        for (const change of reader.differences([treeAt(before)], [treeAt(after)]))
          if (change.to === undefined && change.from?.kind === 'file') found.add(change.path);
      } catch (cause) {
        if (!(cause instanceof LostCheckpoint)) throw cause;
      }
    }
    found.delete(path);
    return found;
  };

  return versionAt(`${String(end)} ${file.path}`)?.authors ?? [];
}

/** The node of a file that no state holds. Its mode doesn't matter. */
const fileNode = (content: string): TreeNode => ({kind: 'file', mode: 0, hash: content});

/** True for a command that still ran at the second moment. It may have been a server that changes no files. */
const isServer = ({by}: Writing): boolean => by.kind === 'call' && by.ran === 'on';

/** Returns what all of these have in common. */
function shared(writings: readonly Writing[]): Omit<Extract<LineAuthor, {by: 'agent'}>, 'by' | 'at'> {
  const [first] = writings;
  if (first === undefined || writings.some(({session}) => session !== first.session)) return {};
  const {session, by} = first;
  if (by.kind === 'rewind' || writings.some(each => each.by.kind === 'rewind' || each.by.prompt !== by.prompt))
    return {session};
  const isOne = writings.every(each => each.by.kind === 'call' && by.kind === 'call' && each.by.call === by.call);
  return {session, prompt: by.prompt, ...(isOne && by.kind === 'call' && {call: by.call})};
}

/** Returns the next version. New lines get the author, or the one that they have in the latest of the older versions. */
function changeVersion(
  before: Version,
  {
    lines,
    author,
    older,
  }: {readonly lines: readonly string[]; readonly author: LineAuthor; readonly older: readonly (() => PartlyKnown)[]},
): Version {
  const kept = matchLines(before.lines, lines);
  const authors: (LineAuthor | undefined)[] = lines.map((_, at) => before.authors[kept[at] ?? -1]);
  for (const read of older) {
    if (!authors.includes(undefined)) break;
    const version = read();
    const found = matchLines(version.lines, lines);
    for (const at of authors.keys()) authors[at] ??= version.authors[found[at] ?? -1];
  }
  return {lines, authors: authors.map(each => each ?? author)};
}

/** Returns a version with only the authors that are agents. */
const agentLines = (version = empty): PartlyKnown => ({
  lines: version.lines,
  authors: version.authors.map(author => (author?.by === 'agent' ? author : undefined)),
});

/** Returns the share of lines that two files have in common, of those of the longer one. */
function equalShare(a: readonly string[], b: readonly string[]): number {
  const counts = new Map<string, number>();
  for (const line of a) counts.set(line, (counts.get(line) ?? 0) + 1);
  let equal = 0;
  for (const line of b) {
    const left = counts.get(line) ?? 0;
    if (left > 0) equal += 1;
    counts.set(line, left - 1);
  }
  return equal / Math.max(a.length, b.length, 1);
}

/** Returns a function that calls `make` once for each text. */
function memo<T>(make: (text: string) => T): (text: string) => T {
  const made = new Map<string, {readonly value: T}>();
  return text => {
    const known = made.get(text) ?? {value: make(text)};
    made.set(text, known);
    return known.value;
  };
}
