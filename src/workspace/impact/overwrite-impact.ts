import {lstatSync, statSync} from 'node:fs';
import {basename, join} from 'node:path';
import type {FileDiff} from '../../actions/preview.ts';
import {readRegularFile} from '../files/regular-files.ts';
import type {WrittenContent} from '../../domain/risk.ts';
import {byteSize} from '../../base/byte-size.ts';
import {diffHunks} from '../files/diff-hunks.ts';
import {sha256} from '../files/file-snapshot.ts';
import {decodeText} from '../files/text-encoding.ts';
import {entryNames, isFolder} from '../files/list-folder.ts';
import {formatCount, listPaths, emptyImpact, type Impact} from './impact.ts';

/** The new content of a file: from the command, from another file, or unknown. */
export type NewContent = WrittenContent | {readonly kind: 'file'; readonly path: string};

export const unknownContent: NewContent = {kind: 'unknown'};

export interface OverwrittenFile {
  readonly path: string;
  readonly content: NewContent;
}

/** The maximum number of files whose difference is shown, and the size of the largest file to read for it, in bytes. */
const maxDiffs = 5;
const maxRead = 1_000_000;

/**
 * Returns what is lost if files get new content. Counts the lines of existing, nonempty files, and adds the difference if the new content
 * is known.
 */
export async function overwriteImpact(files: readonly OverwrittenFile[], verb = 'overwrites'): Promise<Impact> {
  const full = [...new Map(files.map(file => [file.path, file])).values()].filter(({path}) => sizeOf(path) > 0);
  const [only] = full;
  if (only === undefined) return emptyImpact;
  const diffs = await Promise.all(full.slice(0, maxDiffs).map(diffOf));
  return {
    summary: `${verb} ${full.length === 1 ? `${basename(only.path)} (${describeSize(only.path)})` : formatCount(full.length, 'file')}`,
    ...listPaths(full.map(({path}) => path)),
    diffs: diffs.filter(diff => diff !== undefined),
  };
}

/** Returns how large a file is: `12 lines`, or its bytes if it isn't text or has very long lines. */
function describeSize(path: string): string {
  const size = sizeOf(path);
  const lines = textOf(path)?.replace(/\n$/u, '').split('\n').length ?? 0;
  return size > lines * longLine ? byteSize(size) : formatCount(lines, 'line');
}

/** Average bytes per line beyond which the size is given in bytes. */
const longLine = 400;

async function diffOf({path, content}: OverwrittenFile): Promise<FileDiff | undefined> {
  const after = content.kind === 'unknown' ? undefined : content.kind === 'text' ? content.text : textOf(content.path);
  const before = after === undefined ? undefined : textOf(path);
  if (before === undefined || after === undefined) return undefined;
  const states = {before: sha256(Buffer.from(before)), after: sha256(Buffer.from(after))};
  return {
    path,
    ...states,
    movedFrom: undefined,
    notes: [],
    ...(await diffHunks(before, after, Number.POSITIVE_INFINITY)),
  };
}

/** Returns the text of a regular file of at most a megabyte, or `undefined` otherwise. */
function textOf(path: string): string | undefined {
  const size = sizeOf(path);
  if (size === 0) return isRegular(path) ? '' : undefined;
  if (size > maxRead) return undefined;
  const bytes = readRegularFile(path, maxRead);
  const decoded = bytes === undefined ? undefined : decodeText(bytes);
  return decoded?.tag === 'ok' ? decoded.value.text.toWellFormed() : undefined;
}

const isRegular = (path: string): boolean => lstatSync(path, {throwIfNoEntry: false})?.isFile() === true;

/** Returns the size of a regular file in bytes, links followed as writing does; 0 for anything else. */
function sizeOf(path: string): number {
  try {
    const stats = statSync(path);
    return stats.isFile() ? stats.size : 0;
  } catch {
    return 0;
  }
}

/** The maximum number of files to compare in one copy. */
const maxCompared = 20_000;

/** Returns the files that putting `source` at `target` would replace. With `laid-over`, an existing folder is merged with the source. */
export function collisions(source: string, target: string, folders: 'laid-over' | 'left-out'): readonly string[] {
  const found: string[] = [];
  const waiting: [string, string][] = [[source, target]];
  for (let pair = waiting.pop(); pair !== undefined && found.length < maxCompared; pair = waiting.pop()) {
    const [from, to] = pair;
    if (!isFolder(from)) {
      if (sizeOf(to) > 0) found.push(to);
    } else if (folders === 'laid-over' && isFolder(to)) {
      for (const name of entryNames(from)) waiting.push([join(from, name), join(to, name)]);
    }
  }
  return found;
}
