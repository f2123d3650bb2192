import {showsAll, type FileDiff} from '../../actions/preview.ts';
import {diffHunks} from './diff-hunks.ts';
import {sha256, type FileSnapshot, type PresentFile} from './file-snapshot.ts';
import {decodeText} from './text-form.ts';

/** One file as it is and as it shall be. */
export interface PlannedFile {
  /** Where it really lies, links followed. */
  readonly path: string;
  readonly before: FileSnapshot;
  /** `undefined`: it goes. */
  readonly after: Buffer | undefined;
  /** The file that goes because it is this one under another name now. */
  readonly source: {readonly path: string; readonly before: PresentFile} | undefined;
  /** Whether the model then knows all that is in it: what it edits without reading, or beside somebody else, it does not. */
  readonly afterwards: 'known' | 'unknown';
  readonly diff: FileDiff;
}

/** What the new content takes the place of: of the file that was there, or had another name. */
export const oldOf = ({before, source}: Pick<PlannedFile, 'before' | 'source'>): FileSnapshot =>
  source?.before ?? before;

/** Lines that go, and lines that come, that are shown of one very large change. */
const mostShown = 20_000;

/** What differs between a file as it is and as it shall be. That of the same two contents, as it was `shown`, is not worked out again. */
export async function changeIn(
  old: FileSnapshot,
  after: Buffer | undefined,
  shown: FileDiff | undefined,
): Promise<Pick<FileDiff, 'before' | 'after' | 'added' | 'removed' | 'hunks'>> {
  const states = {
    before: old.kind === 'present' ? old.hash : 'absent',
    after: after === undefined ? 'absent' : sha256(after),
  };
  if (shown?.before === states.before && shown.after === states.after) {
    return {...states, added: shown.added, removed: shown.removed, hunks: shown.hunks};
  }
  return {
    ...states,
    ...(await diffHunks(shownText(old.kind === 'present' ? old.bytes : undefined), shownText(after), mostShown)),
  };
}

/** The same diff, which says so where it does not show each line that it counts. */
export function withCutNote(diff: FileDiff): FileDiff {
  const notes = diff.notes.filter(note => note !== cutNote);
  return {...diff, notes: showsAll(diff) ? notes : [...notes, cutNote]};
}

const cutNote =
  `so many lines change that only the first ${mostShown.toLocaleString('en-US')} of those that go and of those that ` +
  'come are shown; the edit is taken or left as a whole';

/** What a diff shows of a file: nothing of what is binary. */
export function shownText(bytes: Buffer | undefined): string {
  if (bytes === undefined) return '';
  const decoded = decodeText(bytes);
  if (decoded.tag === 'failed') return '';
  const text = decoded.value.text.toWellFormed();
  return text.includes('\n') ? text : text.replaceAll('\r', '\n');
}
