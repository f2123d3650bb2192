import {realpathSync} from 'node:fs';
import {relative, isAbsolute, join, sep} from 'node:path';

/**
 * Where the next command starts, given where a shell was when it ended (links resolved; `undefined` when it did not say). Inside
 * the workspace folders that counts; from outside it goes back to the first of them, with a note for the model.
 */
export function nextDirectory(ended: {
  readonly roots: readonly [string, ...string[]];
  readonly from: string;
  readonly reported: string | undefined;
}): {readonly directory: string; readonly notes: readonly string[]} {
  const {roots, from, reported} = ended;
  if (reported === undefined || reported === resolved(from)) return {directory: from, notes: []};
  for (const root of roots) {
    const below = relative(resolved(root), reported);
    if (below === '') return {directory: root, notes: []};
    if (below !== '..' && !below.startsWith(`..${sep}`) && !isAbsolute(below)) {
      return {directory: join(root, below), notes: []};
    }
  }
  const [root] = roots;
  return {
    directory: root,
    notes: [`it ended in ${reported}, outside the workspace; the next command starts in ${root}`],
  };
}

/** The folder may be gone by now. */
function resolved(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
