import {joinBytes, type PathBytes} from './path-bytes.ts';

/** The links at an absolute path: that of the real folder, and that of the view. */
export type LinksAt = (path: PathBytes) => readonly PathBytes[];

/** Turns at which a link is followed before it counts as one that leaves the workspace. */
const mostTurns = 300;

/** Links that the kernel follows at most for one path. */
const mostLinks = 40;

/**
 * Tests whether a link in `folder` can lead out of the workspace. The link is followed through all links of the view, through all links of
 * the real folders, and as if each of them were a folder. So it stays inside whatever part of the changes is applied, now or later.
 */
export function leadsOut(
  {folder, target}: {readonly folder: PathBytes; readonly target: PathBytes},
  {roots, linksAt}: {readonly roots: readonly PathBytes[]; readonly linksAt: LinksAt},
): boolean {
  const isInside = (path: PathBytes): boolean => roots.some(root => path === root || path.startsWith(`${root}/`));
  /** The fewest links by which each way was reached. */
  const seen = new Map<string, number>();
  let turns = 0;
  if (goesBack(target)) return true;
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
    for (const link of links < mostLinks ? linksAt(next) : []) {
      turns += 1;
      if (turns > mostTurns) return true;
      ways.push({at, rest: `${link}/${left}`, links: links + 1});
    }
  }
  return false;
}

/**
 * Tests for a target that goes up again after a name, as `a/../../b` does. A later command can put a link in the place of the folder
 * `a`, and the same words lead elsewhere then. A target that goes up only at its beginning starts from the folder of the link itself.
 */
function goesBack(target: PathBytes): boolean {
  const names = target.split('/').filter(name => name !== '' && name !== '.');
  const first = target.startsWith('/') ? 0 : names.findIndex(name => name !== '..');
  return first >= 0 && names.includes('..', first);
}
