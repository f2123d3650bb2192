import type {FolderEntry} from '../actions/ports.ts';
import type {Ground} from './ground.ts';

/** What lies below a folder. */
export interface Tree {
  readonly entries: readonly TreeEntry[];
  /** `cut`: there is more than weft looks at. */
  readonly extent: 'whole' | 'cut';
}

export interface TreeEntry extends FolderEntry {
  /** The folder it lies in, an absolute path. */
  readonly folder: string;
}

export interface TreeOptions {
  /** How many folders deep: 1 for what lies right in it. */
  readonly depth: number;
  readonly hidden: 'left out' | 'all but .git' | 'with them';
  /** `followed`: folders of the workspace that links lead to are looked into, too. */
  readonly links: 'not followed' | 'followed';
}

/** Names that are looked at: some hundreds of milliseconds' worth, and several times what large projects have. */
const mostNames = 200_000;

/** Looks through the folder, an absolute path, and those in it. None is passed over because of its name. */
export function treeBelow(folder: string, options: TreeOptions, ground: Ground): Tree {
  const known = byGround.get(ground) ?? new Map<string, Tree>();
  byGround.set(ground, known);
  const key = `${String(options.depth)} ${options.hidden} ${options.links} ${folder}`;
  const found = known.get(key) ?? lookThrough(folder, options, ground);
  known.set(key, found);
  return found;
}

/** A ground lasts as long as one judgement. */
const byGround = new WeakMap<Ground, Map<string, Tree>>();

function lookThrough(start: string, {depth, hidden, links}: TreeOptions, {list, resolve}: Ground): Tree {
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
        if (entries.length >= mostNames) return {entries, extent: 'cut'};
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
