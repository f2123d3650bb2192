import type {FileChange, OpenFileChange, TreeId} from './checkpoint.ts';
import type {UserMessage} from './conversation.ts';
import type {MessageId} from './ids.ts';
import type {JournalRecord} from './journal.ts';

/** What a journal comes to once its rewinds have been followed. */
export interface Timeline {
  /** The records that count, in order, without those that the user went back behind. */
  readonly live: readonly JournalRecord[];
  /** Rewinds that can be taken back, latest last. A new prompt or compaction ends that. */
  readonly undone: readonly Undone[];
}

export interface Undone {
  readonly record: Extract<JournalRecord, {kind: 'rewind'}>;
  /** What counts no more because of it; empty where only files went back. */
  readonly records: readonly JournalRecord[];
  /** Where they come back to: the end, or behind all of these, which the compaction stands for. */
  readonly behind: 'all' | ReadonlySet<JournalRecord>;
}

/** One prompt that counts, and what it did to the files. */
export interface PromptSpan {
  readonly message: UserMessage;
  readonly files: OpenFileChange | 'untouched';
}

/** Follows the rewinds of a journal. A rewind to a prompt that is not there changes nothing. */
export function timelineOf(records: readonly JournalRecord[]): Timeline {
  const live: JournalRecord[] = [];
  let undone: Undone[] = [];
  for (const record of records) {
    switch (record.kind) {
      case 'rewind': {
        const at = live.findIndex(one => isGoal(one, record.to));
        const goal = live[at];
        if (goal === undefined) break;
        if (goal.kind === 'compaction') {
          undone.push({record, records: live.splice(at, 1), behind: new Set(live.slice(0, at))});
        } else undone.push({record, records: record.what === 'files' ? [] : cutAt(at, live), behind: 'all'});
        break;
      }
      case 'redo': {
        const last = undone.pop();
        if (last !== undefined) live.splice(placeBehind(last.behind, live), 0, ...last.records);
        break;
      }
      case 'prompt':
      case 'compaction':
        undone = [];
        live.push(record);
        break;
      default:
        live.push(record);
    }
  }
  return {live, undone};
}

const placeBehind = (behind: Undone['behind'], live: readonly JournalRecord[]): number =>
  behind === 'all' ? live.length : live.findLastIndex(record => behind.has(record)) + 1;

const isGoal = (record: JournalRecord, to: MessageId): boolean =>
  (record.kind === 'prompt' && record.message.id === to) || (record.kind === 'compaction' && record.id === to);

/** The compaction that no prompt has followed: going back one step takes it back. */
export function lastCompaction({
  live,
}: Pick<Timeline, 'live'>): Extract<JournalRecord, {kind: 'compaction'}> | undefined {
  const last = live.findLast(record => record.kind === 'prompt' || record.kind === 'compaction');
  return last?.kind === 'compaction' ? last : undefined;
}

/** Takes off what follows. What was kept of the files of a prompt before it, which may have come later, counts on. */
function cutAt(at: number, live: JournalRecord[]): readonly JournalRecord[] {
  const rest = live.splice(at);
  const gone = new Set(rest.flatMap(record => (record.kind === 'prompt' ? [record.message.id] : [])));
  const staying = rest.filter(record => record.kind === 'checkpoint' && !gone.has(record.prompt));
  live.push(...staying);
  return rest.filter(record => !staying.includes(record));
}

/** The prompts that count, in order. Where the end of a prompt was never kept, the files of the next beginning count as its end. */
export function promptSpans({live}: Pick<Timeline, 'live'>): readonly PromptSpan[] {
  const trees = new Map<MessageId, {before: TreeId | undefined; after: TreeId | undefined}>();
  const prompts: UserMessage[] = [];
  for (const record of live) {
    if (record.kind === 'prompt') prompts.push(record.message);
    if (record.kind !== 'checkpoint') continue;
    const known = trees.get(record.prompt) ?? {before: undefined, after: undefined};
    if (record.moment === 'before') known.before ??= record.tree;
    else known.after = record.tree;
    trees.set(record.prompt, known);
  }
  let next: FileChange['before'] | 'now' = 'now';
  const spans: PromptSpan[] = [];
  for (const message of prompts.toReversed()) {
    const {before, after} = trees.get(message.id) ?? {before: undefined, after: undefined};
    spans.unshift({message, files: before === undefined ? 'untouched' : {before, after: after ?? next}});
    next = before ?? next;
  }
  return spans;
}
