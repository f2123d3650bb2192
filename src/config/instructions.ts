import {dirname, join} from 'node:path';
import {clip} from '../base/clip.ts';

/** Standing instructions for the model, as someone wrote them. */
export interface Instructions {
  readonly path: string;
  readonly text: string;
}

export interface InstructionFiles {
  /** `undefined` where there is no readable file. */
  readText(path: string): string | undefined;
  exists(path: string): boolean;
}

/**
 * The user's own instructions, then those of the folders from the repository's root down to the workspace: the nearest comes
 * last. Outside of a repository only the workspace itself counts, so that what lies in a shared parent folder is not obeyed.
 * In each folder AGENTS.md is read, else CLAUDE.md. All paths are absolute.
 */
export function findInstructions(
  where: {readonly workspace: string; readonly config: string},
  files: InstructionFiles,
): readonly Instructions[] {
  const folders = [where.config, ...foldersDownTo(where.workspace, files)];
  return [...new Set(folders)].map(folder => readFolder(folder, files)).filter(found => found !== undefined);
}

/** What of one file is read, in UTF-16 units. */
export const maxInstructions = 32_768;

const names = ['AGENTS.md', 'CLAUDE.md'];

function foldersDownTo(workspace: string, files: InstructionFiles): readonly string[] {
  const folders: string[] = [];
  for (let folder = workspace; ; folder = dirname(folder)) {
    folders.unshift(folder);
    if (files.exists(join(folder, '.git'))) return folders;
    if (dirname(folder) === folder) return [workspace];
  }
}

function readFolder(folder: string, files: InstructionFiles): Instructions | undefined {
  for (const name of names) {
    const path = join(folder, name);
    const text = files.readText(path)?.replace(/^\u{feff}/u, '');
    if (text !== undefined) return text.trim() === '' ? undefined : {path, text: bounded(text)};
  }
  return undefined;
}

function bounded(text: string): string {
  if (text.length <= maxInstructions) return text;
  return `${clip(text, maxInstructions)}\n[Cut: the file has ${String(text.length)} characters, these are the first ${String(maxInstructions)}.]`;
}
