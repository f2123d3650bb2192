import {createHash} from 'node:crypto';
import {basename, dirname, join, sep} from 'node:path';
import {clip} from '../base/clip.ts';

/** Permanent instructions for the model: the text of an AGENTS.md, CLAUDE.md or GEMINI.md. */
export interface Instructions {
  readonly path: string;
  readonly text: string;
}

/** The outcome of reading one file. `real` is its path with links resolved; `text` may be only the beginning of its `bytes`. */
export type InstructionFile =
  | {readonly kind: 'none'}
  | {readonly kind: 'text'; readonly real: string; readonly text: string; readonly bytes: number}
  /** The file exists and is not read. `why` completes "AGENTS.md is not read: …". */
  | {readonly kind: 'skipped'; readonly why: string};

/** Reads the file `name` of `folder`. */
export type ReadInstructionFile = (folder: string, name: string) => InstructionFile;

export interface FoundInstructions {
  readonly found: readonly Instructions[];
  /** One sentence for each file that exists and is not read. */
  readonly skipped: readonly string[];
}

/**
 * Returns the instructions in this order: the user's own, those of the workspace's parents, those of the workspace, and
 * the user's notes for the project. In each folder weft reads the first of `instructionFileNames`. If the user has
 * no instructions file for weft (an empty file is one), the user's CLAUDE.md of Claude Code counts. A link to a file
 * that was already read adds nothing. All paths are absolute. `read` decides which files count and where a link may
 * lead, because a shared parent folder may contain another user's files.
 */
export function findInstructions(
  where: {
    readonly workspace: string;
    readonly config: string;
    readonly claude: string;
    /** `none` if there is no such folder. */
    readonly memory: string;
  },
  read: ReadInstructionFile,
): FoundInstructions {
  const {found, skipped, look} = makeReader(read);
  if (look(where.config, instructionFileNames) === 'nothing') look(where.claude, ['CLAUDE.md']);
  for (const folder of foldersDownTo(where.workspace)) if (folder !== where.config) look(folder, instructionFileNames);
  // Hash only if there are notes, because hashing loads `node:crypto`.
  if (where.memory !== 'none')
    for (const folder of foldersDownTo(where.workspace)) look(notesFolder(where.memory, folder), [notesName]);
  return {found, skipped};
}

/**
 * Returns the instructions of the folders between the workspace and a file in it, without the workspace's own, nearest
 * last. `path` and `workspace` are absolute. Returns none if the file is elsewhere.
 */
export function findInstructionsBelow(
  {workspace, path}: {readonly workspace: string; readonly path: string},
  read: ReadInstructionFile,
): readonly Instructions[] {
  const {found, look} = makeReader(read);
  for (const folder of foldersDownTo(dirname(path)).filter(each => each.startsWith(join(workspace, sep))))
    look(folder, instructionFileNames);
  return found;
}

/** Returns `look`, which reads the first of the given names that a folder has, and the instructions that it finds. */
function makeReader(read: ReadInstructionFile) {
  const found: Instructions[] = [];
  const skipped: string[] = [];
  const seen = new Set<string>();
  const look = (folder: string, names: readonly string[]): 'found' | 'nothing' => {
    for (const name of names) {
      const path = join(folder, name);
      const file = read(folder, name);
      if (file.kind === 'skipped') skipped.push(`Skipped ${path}: ${file.why}`);
      if (file.kind !== 'text') continue;
      const text = file.text.replace(/^\u{feff}/u, '');
      if (text.trim() !== '' && !seen.has(file.real)) found.push({path, text: bounded(text, file.bytes)});
      seen.add(file.real);
      return 'found';
    }
    return 'nothing';
  };
  return {found, skipped, look};
}

/** The maximum number of UTF-16 units of one file that the model gets. */
export const maxInstructions = 32_768;

/** The names in the order in which weft looks for them. Only the first that a folder has counts. */
export const instructionFileNames = ['AGENTS.md', 'CLAUDE.md', 'GEMINI.md'] as const;

/** The file of the user's notes for a project. */
export const notesName = 'MEMORY.md';

/**
 * Returns the path of the user's notes for a project, in the folder of all notes. The name is for people, and the hash of the
 * whole path distinguishes projects.
 */
export function notesFolder(memory: string, project: string): string {
  const name = basename(project)
    .replaceAll(/[^\w.-]/gu, '_')
    .slice(0, 40);
  return join(memory, `${name}-${createHash('sha256').update(project).digest('hex').slice(0, 12)}`);
}

function foldersDownTo(workspace: string): readonly string[] {
  const parent = dirname(workspace);
  return parent === workspace ? [workspace] : [...foldersDownTo(parent), workspace];
}

function bounded(text: string, bytes: number): string {
  if (text.length <= maxInstructions) return text;
  return `${clip(text, maxInstructions)}\n[Cut: the file has ${bytes} bytes, these are the first ${maxInstructions} characters.]`;
}
