import {dirname, join} from 'node:path';
import {clip} from '../base/clip.ts';

/** Standing instructions for the model, as someone wrote them. */
export interface Instructions {
  readonly path: string;
  readonly text: string;
}

/** `undefined` where there is no file to read. */
export type ReadText = (path: string) => string | undefined;

/**
 * The user's own instructions, then those of the workspace's parents and the workspace: the nearest comes last. In each folder
 * AGENTS.md is read, else CLAUDE.md. All paths are absolute. Whose files count is for `readText` to decide: a shared parent
 * folder may hold somebody else's.
 */
export function findInstructions(
  where: {readonly workspace: string; readonly config: string},
  readText: ReadText,
): readonly Instructions[] {
  const folders = [where.config, ...foldersDownTo(where.workspace)];
  return [...new Set(folders)].map(folder => readFolder(folder, readText)).filter(found => found !== undefined);
}

/** What of one file is read, in UTF-16 units. */
export const maxInstructions = 32_768;

const names = ['AGENTS.md', 'CLAUDE.md'];

function foldersDownTo(workspace: string): readonly string[] {
  const parent = dirname(workspace);
  return parent === workspace ? [workspace] : [...foldersDownTo(parent), workspace];
}

function readFolder(folder: string, readText: ReadText): Instructions | undefined {
  for (const name of names) {
    const path = join(folder, name);
    const text = readText(path)?.replace(/^\u{feff}/u, '');
    if (text !== undefined) return text.trim() === '' ? undefined : {path, text: bounded(text)};
  }
  return undefined;
}

function bounded(text: string): string {
  if (text.length <= maxInstructions) return text;
  return `${clip(text, maxInstructions)}\n[Cut: the file has ${String(text.length)} characters, these are the first ${String(maxInstructions)}.]`;
}
