import {firstLine} from '../base/clip.ts';
import {failed, ok, type Outcome} from '../base/outcome.ts';
import type {CheckpointsPort, FileChange, OpenFileChange, RevertReport} from '../domain/checkpoint.ts';
import {messageText} from '../domain/conversation.ts';
import type {Fault} from '../domain/fault.ts';
import {messageId} from '../domain/ids.ts';
import type {JournalRecord} from '../domain/journal.ts';
import {reminderBlock} from '../domain/reminder.ts';
import type {RewindPoint, RewindReport, RewindTarget} from '../domain/rewind.ts';
import {lastCompaction, promptSpans, timelineOf} from '../domain/timeline.ts';

/** The session to go back in: its whole journal, and where to write what happened. */
export interface RewindSession {
  readonly records: readonly JournalRecord[];
  readonly checkpoints: CheckpointsPort;
  readonly keep: (record: JournalRecord) => void;
}

/** The prompts to go back to, in order. */
export const rewindPoints = (records: readonly JournalRecord[]): readonly RewindPoint[] =>
  promptSpans(timelineOf(records)).map(({message, files}, at) => ({
    to: message.id,
    number: at + 1,
    prompt: messageText(message),
    files: files === 'untouched' ? files : 'changed',
  }));

/** What going there would do. Changes nothing. */
export async function previewRewind(
  target: RewindTarget,
  {records, checkpoints}: Pick<RewindSession, 'records' | 'checkpoints'>,
  signal: AbortSignal,
): Promise<Outcome<RewindReport, Fault>> {
  const way = findWay(target, records);
  if (way.tag === 'failed') return way;
  const {changes, ...rest} = way.value;
  if (changes.length === 0) return ok(asReport(rest, nothing));
  const files = await checkpoints.preview(changes, signal);
  return files.tag === 'ok' ? ok(asReport(rest, files.value)) : files;
}

/**
 * Goes there: first the files, then one record that says so, from which on the journal is read accordingly. A process killed
 * between the two has taken files back and forgotten nothing that was said; doing it again changes no file twice.
 */
export async function carryOutRewind(
  target: RewindTarget,
  {records, checkpoints, keep}: RewindSession,
  signal: AbortSignal,
): Promise<Outcome<RewindReport, Fault>> {
  const way = findWay(target, records);
  if (way.tag === 'failed') return way;
  const {changes, record, ...rest} = way.value;
  if (changes.length === 0) {
    keep(record('untouched'));
    return ok(asReport({...rest, record}, nothing));
  }
  const reverted = await checkpoints.revert(changes, signal);
  if (reverted.tag === 'failed') return reverted;
  const {change, report} = reverted.value;
  keep(record(change));
  // Where the conversation goes back too, the model has never heard of those changes.
  if (rest.what === 'files' && report.files.length > 0) {
    const id = messageId(`files-went-back:${String(records.length)}`);
    keep({kind: 'reminder', message: {role: 'user', id, blocks: [reminderBlock(newsOf(rest, report))]}});
  }
  return ok(asReport({...rest, record}, report));
}

/** Paths that the model is told. */
const mostPaths = 30;

function newsOf({kind, prompt}: Pick<Way, 'kind' | 'prompt'>, {files}: RevertReport): string {
  const paths = files.slice(0, mostPaths).map(({path, effect}) => `${path} (${effect})`);
  const more = files.length > mostPaths ? [`and ${String(files.length - mostPaths)} more`] : [];
  const what =
    kind === 'redo'
      ? 'The user put files back to how they were before they were taken back'
      : `The user took files back to how they were before the prompt "${firstLine(prompt, 80)}"`;
  return `${what}; what was said since stands. Read them again before you rely on them: ${[...paths, ...more].join(', ')}.`;
}

const nothing: RevertReport = {files: [], conflicts: [], leftOut: []};

/** What has to be done to get there. */
interface Way {
  readonly kind: RewindReport['kind'];
  readonly what: RewindReport['what'];
  readonly prompt: string;
  readonly prompts: number;
  /** Latest first. */
  readonly changes: readonly OpenFileChange[];
  readonly record: (files: FileChange | 'untouched') => JournalRecord;
}

function findWay(target: RewindTarget, records: readonly JournalRecord[]): Outcome<Way, Fault> {
  const timeline = timelineOf(records);
  if (target.kind === 'redo') {
    const last = timeline.undone.at(-1);
    if (last === undefined) return failed(nothingTo('redo', 'Only an undo or a rewind since the last prompt can be.'));
    const {files} = last.record;
    const what = last.behind === 'all' ? last.record.what : 'compaction';
    const [first, ...more] = last.records.filter(one => one.kind === 'prompt');
    return ok({
      kind: 'redo',
      what,
      prompt: first === undefined ? '' : messageText(first.message),
      prompts: first === undefined ? 0 : 1 + more.length,
      changes: files === 'untouched' ? [] : [files],
      record: change => ({kind: 'redo', files: change}),
    });
  }
  const compaction = target.kind === 'last' ? lastCompaction(timeline) : undefined;
  if (compaction !== undefined) {
    const record = (files: FileChange | 'untouched'): JournalRecord => ({
      kind: 'rewind',
      to: compaction.id,
      what: 'talk',
      files,
    });
    return ok({kind: 'rewind', what: 'compaction', prompt: '', prompts: 0, changes: [], record});
  }
  const spans = promptSpans(timeline);
  const at = target.kind === 'last' ? spans.length - 1 : spans.findIndex(({message}) => message.id === target.to);
  const first = spans[at];
  if (first === undefined) return failed(nothingTo('undo', 'There is no such prompt in this conversation.'));
  const what = target.kind === 'last' ? 'both' : target.what;
  const going = spans.slice(at);
  const changes = going.map(({files}) => files).filter(files => files !== 'untouched');
  if (what === 'files' && changes.length === 0) {
    return failed(nothingTo('undo', 'No file was changed since that prompt, as far as weft has kept it.'));
  }
  return ok({
    kind: 'rewind',
    what,
    prompt: messageText(first.message),
    prompts: what === 'files' ? 0 : going.length,
    changes: what === 'talk' ? [] : changes.toReversed(),
    record: files => ({kind: 'rewind', to: first.message.id, what, files}),
  });
}

const asReport = ({kind, what, prompt, prompts}: Omit<Way, 'changes'>, files: RevertReport): RewindReport => ({
  kind,
  what,
  prompt,
  prompts,
  files,
});

const nothingTo = (what: 'undo' | 'redo', why: string): Fault => ({
  kind: 'needs-user',
  message: `There is nothing to ${what}.`,
  fix: why,
});
