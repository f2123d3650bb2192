import {opendir, realpath, stat} from 'node:fs/promises';
import {basename, join} from 'node:path';
import type {ExtensionPart, ExtensionRoot} from '../../config/extension-places.ts';
import {unreachable} from '../../base/unreachable.ts';
import {readBounded} from '../../config/project-files.ts';
import type {FileTrust} from '../../config/trust-record.ts';

export interface FoundFile {
  /** Absolute, links not followed. */
  readonly path: string;
  /** Its folders and name below the part's folder: `git/pr.md`. */
  readonly parts: readonly string[];
  readonly text: string;
  readonly trust: FileTrust;
}

interface FoundFiles {
  readonly files: readonly FoundFile[];
  /** What was left out, and why: one sentence each. */
  readonly leftOut: readonly LeftOut[];
}

interface LeftOut {
  readonly path: string;
  readonly why: string;
}

/** Bounds of the search below one folder, over which files are left out. */
const bounds = {depth: 5, folders: 2000, files: 1000, fileBytes: 1024 * 1024};

/**
 * The files of one part of a root: `SKILL.md` in folders of skills, `*.md` of the others, or that one file which the root names. Links
 * are followed, each folder is read once; a folder with a SKILL.md is not looked into further. Never throws.
 */
export async function findFiles(root: ExtensionRoot, part: ExtensionPart, signal: AbortSignal): Promise<FoundFiles> {
  const paths: Pick<FoundFile, 'path' | 'parts'>[] = [];
  const leftOut: LeftOut[] = [];
  const seen = new Set<string>();

  async function look(top: string, parts: readonly string[]): Promise<void> {
    const folder = join(top, ...parts);
    const real = await realpath(folder).catch(() => undefined);
    if (real === undefined || seen.has(real) || signal.aborted) return;
    seen.add(real);
    if (parts.length > bounds.depth || seen.size > bounds.folders) {
      leftOut.push({path: folder, why: 'there are too many folders'});
      return;
    }
    const {files, folders} = await namesIn(folder);
    const own =
      part === 'skills' ? files.filter(name => /^skill\.md$/iu.test(name)).slice(0, 1) : files.filter(isMarkdown);
    for (const name of own) {
      if (paths.length < bounds.files) paths.push({path: join(folder, name), parts: [...parts, name]});
      else leftOut.push({path: join(folder, name), why: `there are more than ${bounds.files} files`});
    }
    if (part === 'skills' && own.length > 0) return;
    for (const name of folders) {
      await look(top, [...parts, name]);
    }
  }

  for (const path of root.paths[part]) {
    if (part !== 'skills' && isMarkdown(path)) paths.push({path, parts: [basename(path)]});
    else await look(path, []);
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

/** Reads a file once and asks whether these bytes may act. */
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
      return {kind: 'unreadable', why: 'there is no such file any more'};
    case 'refused':
      return {kind: 'unreadable', why: read.why};
    default:
      return unreachable(read);
  }
}

const isMarkdown = (name: string): boolean => /\.md$/iu.test(name) && !/^readme\.md$/iu.test(name);

const skipped: ReadonlySet<string> = new Set(['.git', 'node_modules']);

async function namesIn(
  folder: string,
): Promise<{readonly files: readonly string[]; readonly folders: readonly string[]}> {
  const files: string[] = [];
  const folders: string[] = [];
  try {
    for await (const entry of await opendir(folder)) {
      const {name} = entry;
      if (skipped.has(name)) continue;
      const found = entry.isSymbolicLink() ? await stat(join(folder, name)).catch(() => undefined) : entry;
      if (found?.isFile() === true) files.push(name);
      if (found?.isDirectory() === true) folders.push(name);
      if (files.length + folders.length > bounds.folders) break;
    }
  } catch {
    // A folder that cannot be read has nothing to offer.
  }
  return {files: files.toSorted(), folders: folders.toSorted()};
}
