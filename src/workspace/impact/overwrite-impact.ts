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
import {count, named, noLoss, type Impact} from './impact.ts';

/** The new content of a file: as the command gives it, that of another file, or not known. */
export type NewContent = WrittenContent | {readonly kind: 'file'; readonly path: string};

export const unknownNow: NewContent = {kind: 'unknown'};

export interface OverwrittenFile {
  readonly path: string;
  readonly content: NewContent;
}

/** Files of which the difference is shown, and bytes of a file that is read for it. */
const maxDiffs = 5;
const maxRead = 1_000_000;

/**
 * What is lost when files get other content: those that exist and hold something, with their lines counted and, where the new
 * content is known, the difference.
 */
export async function overwriteImpact(files: readonly OverwrittenFile[], verb = 'overwrites'): Promise<Impact> {
  const full = [...new Map(files.map(file => [file.path, file])).values()].filter(({path}) => sizeOf(path) > 0);
  const [only] = full;
  if (only === undefined) return noLoss;
  const diffs = await Promise.all(full.slice(0, maxDiffs).map(diffOf));
  return {
    summary: `${verb} ${full.length === 1 ? `${basename(only.path)} (${extent(only.path)})` : count(full.length, 'file')}`,
    ...named(full.map(({path}) => path)),
    diffs: diffs.filter(diff => diff !== undefined),
  };
}

/** How large a file is: `12 lines`, or its bytes if it is no text or has very long lines. */
function extent(path: string): string {
  const size = sizeOf(path);
  const lines = textOf(path)?.replace(/\n$/u, '').split('\n').length ?? 0;
  return size > lines * longLine ? byteSize(size) : count(lines, 'line');
}

/** Average bytes of a line beyond which the size is given in bytes. */
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

/** The text of a regular file of at most a megabyte; `undefined` for all else. */
function textOf(path: string): string | undefined {
  const size = sizeOf(path);
  if (size === 0) return isRegular(path) ? '' : undefined;
  if (size > maxRead) return undefined;
  const bytes = readRegularFile(path, maxRead);
  const decoded = bytes === undefined ? undefined : decodeText(bytes);
  return decoded?.tag === 'ok' ? decoded.value.text.toWellFormed() : undefined;
}

const isRegular = (path: string): boolean => lstatSync(path, {throwIfNoEntry: false})?.isFile() === true;

/** Bytes of a regular file, links followed as writing does; 0 for anything else. */
function sizeOf(path: string): number {
  try {
    const stats = statSync(path);
    return stats.isFile() ? stats.size : 0;
  } catch {
    return 0;
  }
}

/** Files compared in one copy. */
const maxCompared = 20_000;

/** The files that putting `source` at `target` would replace; `whole` folders are laid over each other. */
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
