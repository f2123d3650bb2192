import {readdirSync} from 'node:fs';
import {pluralize} from '../base/clip.ts';
import {realPath} from '../workspace/files/resolve-path.ts';
import {changesFolder, journalsIn} from '../workspace/sandbox/changes/held-set.ts';
import {note} from './output.ts';
import type {RunContext} from './run-context.ts';

/** Completes what a weft that was killed had begun to apply in this workspace. Costs one look into a folder if there is nothing. */
export async function finishApplies({
  roots: [first, ...others],
  places,
}: Pick<RunContext, 'roots' | 'places'>): Promise<void> {
  const folder = changesFolder(places.data);
  if (!hasEntries(journalsIn(folder))) return;
  const {finishInterruptedApplies} = await import('../workspace/sandbox/changes/journal.ts');
  const roots = [realPath(first), ...others.map(root => realPath(root))] as const;
  const count = await finishInterruptedApplies({roots, folder}, new AbortController().signal);
  if (count > 0)
    note(`weft was killed while it applied the changes of ${pluralize(count, 'command')}; they are applied now`);
}

function hasEntries(folder: string): boolean {
  try {
    return readdirSync(folder).length > 0;
  } catch {
    return false;
  }
}
