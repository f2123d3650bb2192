import {fitsName} from './glob-matches.ts';
import type {Ground} from './ground.ts';
import {looksSecret} from './secret-paths.ts';

/** What a program that is fed the names of files below a folder could come upon. */
export interface Pitfalls {
  /** Links that lead out of the workspace. */
  readonly links: readonly Pitfall[];
  readonly secrets: readonly Pitfall[];
  /** Folders whose names, cut at their blanks, could be paths of other files. */
  readonly folders: readonly Pitfall[];
}

interface Pitfall {
  readonly name: string;
  readonly path: string;
}

/** Names that are looked at, the nearest first; what lies beyond is taken to be like the rest. */
const mostNames = 5000;
const mostLinks = 300;

/** Folders of packages: package managers unpack no links that lead elsewhere. */
const passed: ReadonlySet<string> = new Set(['.git', 'node_modules']);

/** Looks through the folder, an absolute path, and those in it. */
export function pitfallsBelow(folder: string, ground: Ground): Pitfalls {
  const known = byGround.get(ground) ?? new Map<string, Pitfalls>();
  byGround.set(ground, known);
  const found = known.get(folder) ?? lookThrough(folder, ground);
  known.set(folder, found);
  return found;
}

/** A ground lasts as long as one judgement. */
const byGround = new WeakMap<Ground, Map<string, Pitfalls>>();

function lookThrough(folder: string, {list, resolve}: Ground): Pitfalls {
  const links: Pitfall[] = [];
  const secrets: Pitfall[] = [];
  const folders: Pitfall[] = [];
  let names = 0;
  let followed = 0;
  // Folders are appended while the loop runs.
  const queue = [folder];
  for (const at of queue) {
    if (names > mostNames) break;
    for (const {name, kind} of list(at)) {
      const path = `${at}/${name}`;
      names += 1;
      if (looksSecret(name)) secrets.push({name, path});
      if (kind === 'link') {
        followed += 1;
        if (followed <= mostLinks && resolve(path).place === 'outside-workspace') links.push({name, path});
      } else if (kind === 'folder' && !passed.has(name)) {
        if (/\s(?:$|\.\.)|\.\.$/u.test(name)) folders.push({name, path});
        queue.push(path);
      }
    }
  }
  return {links, secrets, folders};
}

/** What of it may be among files whose names fit one of the patterns, which have a `|` between them. */
export function pitfallsFor(patterns: string, {links, secrets, folders}: Pitfalls): Pitfalls {
  const fit = patterns
    .split('|')
    // A bare star is for programs that pass over hidden files.
    .map(pattern => fitsName(pattern, pattern === '*' ? 'as the shell does' : 'like other characters'));
  const fitting = (pitfalls: readonly Pitfall[]): readonly Pitfall[] =>
    pitfalls.filter(({name}) => fit.some(fits => fits(name)));
  return {links: fitting(links), secrets: fitting(secrets), folders};
}
