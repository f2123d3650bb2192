import {statSync} from 'node:fs';
import {basename, join} from 'node:path';
import {byteSize} from '../files/byte-size.ts';
import {count, named, untouched, type Victim} from './victim.ts';
import {namesIn} from '../names-in.ts';

/** What is lost when the files at `paths` get other content: those that exist and hold something. */
export function overwrittenFiles(paths: readonly string[], verb = 'overwrites'): Victim {
  const full = [...new Set(paths)].filter(path => sizeOf(path) > 0);
  const [only] = full;
  if (only === undefined) return untouched;
  const what = full.length === 1 ? `${basename(only)} (${byteSize(sizeOf(only))})` : count(full.length, 'file');
  return {summary: `${verb} ${what}`, ...named(full)};
}

/** Bytes of a regular file, links followed as writing does; 0 for anything else. */
function sizeOf(path: string): number {
  try {
    const stats = statSync(path);
    return stats.isFile() ? stats.size : 0;
  } catch {
    return 0;
  }
}

export function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

/** Files compared in one copy. */
const mostCompared = 20_000;

/** The files that putting `source` at `target` would replace; `whole` folders are laid over each other. */
export function collisions(source: string, target: string, folders: 'laid-over' | 'left-out'): readonly string[] {
  const found: string[] = [];
  const waiting: [string, string][] = [[source, target]];
  for (let pair = waiting.pop(); pair !== undefined && found.length < mostCompared; pair = waiting.pop()) {
    const [from, to] = pair;
    if (!isFolder(from)) {
      if (sizeOf(to) > 0) found.push(to);
    } else if (folders === 'laid-over' && isFolder(to)) {
      for (const name of namesIn(from)) waiting.push([join(from, name), join(to, name)]);
    }
  }
  return found;
}
