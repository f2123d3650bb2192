import {createHash} from 'node:crypto';
import {closeSync, readSync} from 'node:fs';
import type {FileDiff} from '../../../actions/preview.ts';
import {diffHunks} from '../../files/diff-hunks.ts';
import {decodeText} from '../../files/text-encoding.ts';
import type {HeldEntry, HeldSet} from './held-set.ts';
import {joinBytes, type PathBytes, toBytes, toShown} from './path-bytes.ts';
import {makePause, type Node, openToRead, targetOf} from './scan-layer.ts';

/** Bytes of the largest file that is compared line by line, and lines that go or come of one that are shown. */
const largestFile = 1024 * 1024;
const mostLines = 2000;

/** Shows a change line by line. */
export async function diffOf(entry: HeldEntry, set: HeldSet, signal: AbortSignal): Promise<FileDiff> {
  const {lower, upper} = set.layers[entry.layer] ?? {lower: '', upper: ''};
  const pause = makePause(signal);
  const old = await contentOf({path: joinBytes(toBytes(lower), entry.at), node: entry.was, own: false}, pause);
  const now = await contentOf({path: joinBytes(toBytes(upper), entry.at), node: entry.is, own: true}, pause);
  const {path} = entry.change;
  const named = {path, before: old.state, after: now.state, movedFrom: undefined};
  const notes = notesOn(entry);
  const uncounted = {added: 0, removed: 0, hunks: []};
  const unshown = [old, now].find(({text}) => text === undefined);
  if (unshown !== undefined) return {...named, ...uncounted, notes: [unshown.why, ...notes]};
  const hunks = await diffHunks(old.text ?? '', now.text ?? '', mostLines);
  return {...named, ...hunks, notes};
}

interface Content {
  readonly state: string;
  /** `undefined` if it cannot be shown; `why` says why then. */
  readonly text: string | undefined;
  readonly why: string;
}

/** A link is where it leads. */
async function contentOf(
  {path, node, own}: {readonly path: PathBytes; readonly node: Node; readonly own: boolean},
  pause: () => Promise<void> | undefined,
): Promise<Content> {
  const unread = {state: 'unknown', text: undefined, why: 'it cannot be read'};
  switch (node.kind) {
    case 'none':
    case 'folder':
      return {state: 'absent', text: '', why: ''};
    case 'link':
      try {
        return {state: 'link', text: toShown(targetOf(path)), why: ''};
      } catch {
        return unread;
      }
    case 'other':
      return {...unread, why: 'it is a device, a pipe or a socket'};
    case 'file':
      break;
  }
  const handle = openToRead(path, own ? node : undefined);
  if (handle === undefined) return unread;
  try {
    const hash = createHash('sha256');
    const chunks: Buffer[] = [];
    for (let position = 0; ;) {
      await pause();
      const chunk = Buffer.allocUnsafe(256 * 1024);
      const length = readSync(handle, chunk, 0, chunk.length, position);
      if (length === 0) break;
      position += length;
      hash.update(chunk.subarray(0, length));
      if (position <= largestFile) chunks.push(chunk.subarray(0, length));
    }
    const state = hash.digest('hex');
    if (node.size > largestFile) return {state, text: undefined, why: 'it is too large to be shown'};
    const decoded = decodeText(Buffer.concat(chunks));
    if (decoded.tag === 'failed') return {state, text: undefined, why: 'it is not text'};
    return {state, text: decoded.value.text.toWellFormed(), why: ''};
  } catch {
    return unread;
  } finally {
    closeSync(handle);
  }
}

function notesOn({was, is, change}: HeldEntry): readonly string[] {
  const notes: string[] = [];
  if (is.kind === 'folder' && was.kind !== 'folder') notes.push('it is an empty folder');
  if (was.kind === 'folder' && is.kind === 'none') notes.push('it was an empty folder');
  if (is.kind === 'link') notes.push('it is a symbolic link');
  if (was.kind === is.kind && is.kind !== 'link' && was.mode !== is.mode)
    notes.push(`its permissions are ${is.mode.toString(8)} now, they were ${was.mode.toString(8)}`);
  if (was.kind === 'none' && is.kind === 'file' && (is.mode & 0o111) !== 0) notes.push('it can be executed');
  return change.class === 'protected' ? [...notes, 'it is protected and is never applied'] : notes;
}
