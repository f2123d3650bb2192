import {existsSync, readdirSync} from 'node:fs';
import {firstLine} from '../base/clip.ts';
import {visibleLine} from '../base/visible.ts';
import type {RunContext} from './run-context.ts';

/**
 * Returns a sentence for each command that is still running although the weft process that started it was killed.
 * `folder` holds the records of weft processes that run commands. The process table is read only if one of them has
 * ended without removing its record.
 */
export async function leftoverNotices(folder: string): Promise<readonly string[]> {
  if (!existsSync(folder) || readdirSync(folder).length === 0) return [];
  const {findLeftovers, hasEndedRuns} = await import('../workspace/terminals/find-running.ts');
  if (!(await hasEndedRuns(folder))) return [];
  return (await findLeftovers({folder}))
    .filter(({life}) => life === 'forgotten')
    .map(({command, processes}) => {
      const id = processes[0] ?? 0;
      const what = visibleLine(firstLine(command, 80));
      return `Still running after weft was killed: ${what} (process ${id}). Stop it with: weft ps --stop ${id}`;
    });
}

/**
 * Notes commands that still run and project files that are not trusted. Looks for them while the model works. Settles
 * when everything is noted, so a run that waits for it loses nothing.
 */
export async function noteFindings(
  {places, trust}: Pick<RunContext, 'places' | 'trust'>,
  note: (line: string) => void,
): Promise<void> {
  const found = await Promise.all([leftoverNotices(places.blocks), trust.untrustedFiles()]);
  found.flat().forEach(note);
}
