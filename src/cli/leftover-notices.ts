import {existsSync} from 'node:fs';
import {firstLine} from '../base/clip.ts';
import {visibleLine} from '../base/visible.ts';

/**
 * What runs of weft that were killed have left running: one sentence each. `folder` is where blocks are written down; where it is
 * not there, no command was ever run.
 */
export async function leftoverNotices(folder: string): Promise<readonly string[]> {
  if (!existsSync(folder)) return [];
  const {findLeftovers} = await import('../workspace/blocks/find-leftovers.ts');
  const leftovers = await findLeftovers({folder});
  return leftovers
    .filter(({life}) => life === 'forgotten')
    .map(({command, processes}) => {
      const id = processes[0] ?? 0;
      const what = visibleLine(firstLine(command, 80));
      return `A weft that was killed left this running: ${what} (process ${id}). weft ps --stop ${id} ends it.`;
    });
}
