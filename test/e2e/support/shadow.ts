import {existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {entriesBelow} from '../../../src/workspace/files/list-folder.ts';
import type {Scene} from '../../support/scene.ts';

/** Every file below a folder with its content, but for the data of git. */
export const listing = (folder: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    [...entriesBelow(folder)]
      .filter(entry => entry.isFile() && !entry.parentPath.includes('.git'))
      .map(entry => join(entry.parentPath, entry.name))
      .toSorted()
      .map(path => [path.slice(folder.length + 1), readFileSync(path, 'utf8')]),
  );

/** What sandboxes and shadows left in the folders where weft makes them for this scene. */
export const leftovers = ({place: {home}}: Scene): readonly string[] =>
  [join(home, 'weft'), home].flatMap(folder =>
    existsSync(folder) ? readdirSync(folder).filter(name => name.startsWith('weft-sandbox-')) : [],
  );

/** With `copy`, no view of the workspace works. */
export function conditionsOf(
  kind: 'view' | 'copy',
  {place: {home}}: Scene,
): {readonly environment: Record<string, string>} {
  const programs = join(home, 'programs');
  mkdirSync(programs, {recursive: true});
  writeFileSync(join(programs, 'unshare'), '#!/bin/sh\nexit 1\n', {mode: 0o755});
  return {environment: kind === 'view' ? {} : {PATH: `${programs}:${process.env['PATH'] ?? ''}`}};
}
