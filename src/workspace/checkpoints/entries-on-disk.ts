import {lstatSync, readdirSync, readlinkSync, type Dirent, type Stats} from 'node:fs';
import {join} from 'node:path';
import type {TreeNode} from './tree.ts';

/** What lies at a path, links not followed. */
export function statsOf(path: string): Stats | 'gone' | 'unreadable' {
  try {
    return lstatSync(path, {throwIfNoEntry: false}) ?? 'gone';
  } catch {
    return 'unreadable';
  }
}

export function linkNode(path: string): TreeNode | undefined {
  try {
    return {kind: 'link', target: readlinkSync(path)};
  } catch {
    return undefined;
  }
}

/** In an order that does not depend on the file system; `undefined` where the folder cannot be read. */
export function namesIn(folder: string): readonly string[] | undefined {
  try {
    return readdirSync(folder).toSorted();
  } catch {
    return undefined;
  }
}

/** Files below a folder; counts no further than one past `most`. */
export function countFiles(folder: string, most: number): number {
  let count = 0;
  const waiting = [folder];
  for (let next = waiting.pop(); next !== undefined && count <= most; next = waiting.pop()) {
    for (const entry of entriesIn(next)) {
      if (entry.isDirectory()) waiting.push(join(next, entry.name));
      else count += 1;
    }
  }
  return count;
}

function entriesIn(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, {withFileTypes: true});
  } catch {
    return [];
  }
}
