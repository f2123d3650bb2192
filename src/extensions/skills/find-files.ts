import {opendir, realpath, stat} from 'node:fs/promises';
import {basename, join} from 'node:path';
import type {ExtensionPart, ExtensionRoot} from '../../config/extension-places.ts';
import {unreachable} from '../../base/unreachable.ts';
import {readBounded} from '../../config/project-files.ts';
import type {FileTrust} from '../../config/trust-record.ts';

export interface FoundFile {
  /** The absolute path. Links are not resolved. */
  readonly path: string;
  /** The folders and the file name below the part's folder: `git/pr.md`. */
  readonly parts: readonly string[];
  readonly text: string;
  readonly trust: FileTrust;
}

interface FoundFiles {
  readonly files: readonly FoundFile[];
  /** The files that were skipped, and why. */
  readonly leftOut: readonly SkippedFile[];
}

interface SkippedFile {
  readonly path: string;
  readonly why: string;
}

/** Bounds of the search below one folder. Files beyond them are skipped. */
const bounds = {depth: 5, folders: 2000, files: 1000, fileBytes: 1024 * 1024};

/**
 * Finds the files of one part of a root: `SKILL.md` in folders of skills, `*.md` for the other parts, or the one file
 * that the root names. Links are followed, and each folder is read once. A folder with a SKILL.md is not searched
 * further. Never throws.
 */
export async function findFiles(root: ExtensionRoot, part: ExtensionPart, signal: AbortSignal): Promise<FoundFiles> {
  const paths: Pick<FoundFile, 'path' | 'parts'>[] = [];
  const leftOut: SkippedFile[] = [];
  const seen = new Set<string>();

  async function scan(top: string, parts: readonly string[]): Promise<void> {
    const folder = join(top, ...parts);
    const real = await realpath(folder).catch(() => undefined);
    if (real === undefined || seen.has(real) || signal.aborted) return;
    seen.add(real);
    if (parts.length > bounds.depth || seen.size > bounds.folders) {
      leftOut.push({path: folder, why: 'there are too many folders'});
      return;
    }
    const {files, folders} = await listNames(folder);
    const own =
      part === 'skills' ? files.filter(name => /^skill\.md$/iu.test(name)).slice(0, 1) : files.filter(isMarkdown);
    for (const name of own) {
      if (paths.length < bounds.files) paths.push({path: join(folder, name), parts: [...parts, name]});
      else leftOut.push({path: join(folder, name), why: `there are more than ${bounds.files} files`});
    }
    if (part === 'skills' && own.length > 0) return;
    for (const name of folders) {
      await scan(top, [...parts, name]);
    }
  }

  for (const path of root.paths[part]) {
    if (part !== 'skills' && isMarkdown(path)) paths.push({path, parts: [basename(path)]});
    else await scan(path, []);
  }
  const read = await Promise.all(
    paths.map(async ({path, parts}) => ({path, parts, file: await readExtensionFile(path, root.trust)})),
  );
  const files: FoundFile[] = [];
  for (const {path, parts, file} of read) {
    if (file.kind === 'read') files.push({path, parts, text: file.text, trust: file.trust});
    else leftOut.push({path, why: file.why});
  }
  return {files, leftOut};
}

export type ReadExtensionFile =
  | {readonly kind: 'read'; readonly text: string; readonly trust: FileTrust}
  | {readonly kind: 'unreadable'; readonly why: string};

/** Reads a file once and looks up whether exactly these bytes are trusted. */
export async function readExtensionFile(path: string, trust: ExtensionRoot['trust']): Promise<ReadExtensionFile> {
  const read = await readBounded(path, bounds.fileBytes);
  switch (read.kind) {
    case 'file':
      return {
        kind: 'read',
        text: read.bytes.toString('utf8'),
        trust: trust === 'trusted' ? 'trusted' : trust.stateOf(path, read.bytes),
      };
    case 'none':
      return {kind: 'unreadable', why: 'the file no longer exists'};
    case 'refused':
      return {kind: 'unreadable', why: read.why};
    default:
      return unreachable(read);
  }
}

const isMarkdown = (name: string): boolean => /\.md$/iu.test(name) && !/^readme\.md$/iu.test(name);

const ignoredFolders: ReadonlySet<string> = new Set(['.git', 'node_modules']);

async function listNames(
  folder: string,
): Promise<{readonly files: readonly string[]; readonly folders: readonly string[]}> {
  const files: string[] = [];
  const folders: string[] = [];
  try {
    for await (const entry of await opendir(folder)) {
      const {name} = entry;
      if (ignoredFolders.has(name)) continue;
      const found = entry.isSymbolicLink() ? await stat(join(folder, name)).catch(() => undefined) : entry;
      if (found?.isFile() === true) files.push(name);
      if (found?.isDirectory() === true) folders.push(name);
      if (files.length + folders.length > bounds.folders) break;
    }
  } catch {
    // A folder that can't be read counts as empty.
  }
  return {files: files.toSorted(), folders: folders.toSorted()};
}
