import {lstatSync} from 'node:fs';
import {opendir} from 'node:fs/promises';
import {join} from 'node:path';

/** What lies at some paths, links not followed. */
export interface TreeCount {
  /** Files, links and the like; not folders. */
  readonly files: number;
  readonly folders: number;
  /** The first files, absolute. */
  readonly paths: readonly string[];
  /** `at-least`: counting was given up. */
  readonly exact: 'exact' | 'at-least';
}

/** Files after which nobody wants to know exactly. */
export const mostCounted = 100_000;

const mostPaths = 20;

/** Counts what a recursive deletion of the paths would take. What cannot be looked into counts as one folder. */
export async function countTree(paths: readonly string[], signal: AbortSignal): Promise<TreeCount> {
  let files = 0;
  let folders = 0;
  const first: string[] = [];
  const waiting = paths.toReversed();
  const take = (path: string): void => {
    files += 1;
    if (first.length < mostPaths) first.push(path);
  };
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (signal.aborted || files > mostCounted) return {files, folders, paths: first, exact: 'at-least'};
    const kind = kindOf(path);
    if (kind === 'missing') continue;
    if (kind === 'other') {
      take(path);
      continue;
    }
    folders += 1;
    try {
      const inside: string[] = [];
      const here: string[] = [];
      for await (const entry of await opendir(path, {bufferSize: 256})) {
        if (entry.isDirectory()) inside.push(join(path, entry.name));
        else here.push(join(path, entry.name));
        if (signal.aborted || files + here.length > mostCounted) break;
      }
      here.toSorted().forEach(take);
      waiting.push(...inside.toSorted().toReversed());
    } catch {
      continue;
    }
  }
  return {files, folders, paths: first, exact: 'exact'};
}

/** What lies at a path, links not followed. */
export function kindOf(path: string): 'missing' | 'folder' | 'other' {
  try {
    return lstatSync(path).isDirectory() ? 'folder' : 'other';
  } catch {
    return 'missing';
  }
}

/** Without those that lie inside another one. */
export function outermost(paths: readonly string[]): readonly string[] {
  const result: string[] = [];
  for (const path of [...new Set(paths)].toSorted()) {
    const last = result.at(-1);
    if (last === undefined || !path.startsWith(last === '/' ? '/' : `${last}/`)) result.push(path);
  }
  return result;
}
