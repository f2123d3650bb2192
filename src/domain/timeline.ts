import {beforeTrees, type OpenTreeChange, type TreeId} from './checkpoint.ts';
import type {UserMessage} from './conversation.ts';
import type {ActionId, MessageId} from './ids.ts';
import type {JournalRecord} from './journal.ts';

/** A journal after its rewinds have been applied. */
export interface Timeline {
  /** The records that count, in order, without the rewound ones. */
  readonly activeRecords: readonly JournalRecord[];
  /** The rewinds that can be redone, latest last. A new prompt or compaction empties the list. */
  readonly undone: readonly UndoneRewind[];
}

export interface UndoneRewind {
  readonly record: Extract<JournalRecord, {kind: 'rewind'}>;
  /** The records that the rewind removed; empty if only files were rewound. */
  readonly records: readonly JournalRecord[];
  /** The position at which a redo inserts the records: at the end, or after the last of these records, which the compaction replaces. */
  readonly insertAfter: 'all' | ReadonlySet<JournalRecord>;
}

/** A prompt that counts, and how it changed the files. */
export interface PromptSpan {
  readonly message: UserMessage;
  /** The changes of the files, in order. Between them, nothing that the prompt started was running. */
  readonly files: readonly OpenTreeChange[];
}

/** Applies the rewinds of a journal. A rewind to a prompt that does not exist changes nothing. */
export function timelineOf(records: readonly JournalRecord[]): Timeline {
  const activeRecords: JournalRecord[] = [];
  let undone: UndoneRewind[] = [];
  for (const record of records) {
    switch (record.kind) {
      case 'rewind': {
        const at = activeRecords.findIndex(one => isGoal(one, record.to));
        const goal = activeRecords[at];
        if (goal === undefined) break;
        if (goal.kind === 'compaction') {
          undone.push({record, records: activeRecords.splice(at, 1), insertAfter: new Set(activeRecords.slice(0, at))});
        } else
          undone.push({record, records: record.what === 'files' ? [] : cutAt(at, activeRecords), insertAfter: 'all'});
        break;
      }
      case 'redo': {
        const last = undone.pop();
        if (last !== undefined) activeRecords.splice(placeBehind(last.insertAfter, activeRecords), 0, ...last.records);
        break;
      }
      case 'prompt':
      case 'compaction':
        undone = [];
        activeRecords.push(record);
        break;
      default:
        activeRecords.push(record);
    }
  }
  return {activeRecords, undone};
}

/**
 * Returns the records of a journal whose messages the model reads: without rewound ones, and without prompts that the provider
 * declined and the work on them.
 */
export function conversationRecords(records: readonly JournalRecord[]): readonly JournalRecord[] {
  const kept: JournalRecord[] = [];
  for (const record of timelineOf(records).activeRecords) {
    kept.push(record);
    if (record.kind !== 'declined') continue;
    const at = kept.findIndex(one => one.kind === 'prompt' && one.message.id === record.prompt);
    if (at >= 0) kept.push(...kept.splice(at).filter(({kind}) => !spokenKinds.has(kind)));
  }
  return kept;
}

const spokenKinds: ReadonlySet<JournalRecord['kind']> = new Set([
  'prompt',
  'reminder',
  'answer',
  'piece',
  'result',
  'compaction',
]);

const placeBehind = (behind: UndoneRewind['insertAfter'], activeRecords: readonly JournalRecord[]): number =>
  behind === 'all' ? activeRecords.length : activeRecords.findLastIndex(record => behind.has(record)) + 1;

const isGoal = (record: JournalRecord, to: MessageId): boolean =>
  (record.kind === 'prompt' && record.message.id === to) || (record.kind === 'compaction' && record.id === to);

/** The compaction by the user that no prompt has followed, which an undo would take back. */
export function latestCompaction({
  activeRecords,
}: Pick<Timeline, 'activeRecords'>): Extract<JournalRecord, {kind: 'compaction'}> | undefined {
  const last = activeRecords.findLast(
    record => record.kind === 'prompt' || (record.kind === 'compaction' && record.trigger === 'manual'),
  );
  return last?.kind === 'compaction' ? last : undefined;
}

/** Removes and returns the records from `at` on. Keeps checkpoints of earlier prompts, which may have been recorded later. */
function cutAt(at: number, activeRecords: JournalRecord[]): readonly JournalRecord[] {
  const rest = activeRecords.splice(at);
  const gone = new Set(rest.flatMap(record => (record.kind === 'prompt' ? [record.message.id] : [])));
  const staying = rest.filter(record => record.kind === 'checkpoint' && !gone.has(record.prompt));
  activeRecords.push(...staying);
  return rest.filter(record => !staying.includes(record));
}

/** Returns the prompts that count, in order. A prompt without a final checkpoint ends with the first checkpoint of the next prompt. */
export function promptSpans({activeRecords}: Pick<Timeline, 'activeRecords'>): readonly PromptSpan[] {
  const spans = new Map<MessageId, Trees[]>();
  const prompts: UserMessage[] = [];
  for (const record of activeRecords) {
    if (record.kind === 'prompt') prompts.push(record.message);
    if (record.kind !== 'checkpoint') continue;
    const known = spans.get(record.prompt) ?? [];
    const last = known.at(-1);
    if (record.moment === 'after') {
      if (last !== undefined) last.after = record.tree;
    } else if (last?.after === undefined && last !== undefined) last.before.push(record.tree);
    else known.push({before: [record.tree], after: undefined});
    spans.set(record.prompt, known);
  }
  /** The first checkpoints of the prompts after this one, the latest first. */
  const later: TreeId[] = [];
  const found: PromptSpan[] = [];
  for (const message of prompts.toReversed()) {
    const changes = spans.get(message.id) ?? [];
    const files = changes.map(({before, after}, at) => {
      const previous = changes[at - 1]?.after;
      const change = changeOf(before, after === undefined ? later.toReversed() : [after]);
      return previous === undefined ? change : {...change, since: [previous]};
    });
    found.unshift({message, files});
    later.push(...changes.flatMap(({before}) => before).toReversed());
  }
  return found;
}

/**
 * Returns the changes of files that a journal knows, oldest first: those of its prompts, or everything since the first of them.
 * Undone prompts don't count.
 */
export function sessionChanges(
  records: readonly JournalRecord[],
  since: 'session' | 'start',
): readonly OpenTreeChange[] {
  const changes = promptSpans(timelineOf(records)).flatMap(({files}) => files);
  const [first] = changes;
  if (since === 'session' || first === undefined) return changes;
  // A tree of named files covers only these, so that later trees tell the beginnings of other files.
  const [, ...later] = changes.flatMap(beforeTrees);
  return [{before: first.before, after: 'now', more: {before: later, after: []}}];
}

/** Returns the latest prompt whose changes have no final state, and the states known of them, the latest first. */
export function unfinishedChange(
  records: readonly JournalRecord[],
): {readonly prompt: MessageId; readonly known: readonly TreeId[]} | undefined {
  let open: {readonly prompt: MessageId; readonly known: TreeId[]} | undefined;
  for (const record of records) {
    if (record.kind === 'rewind' || record.kind === 'redo') open = undefined;
    else if (record.kind === 'step' && record.prompt === open?.prompt) open.known.unshift(record.files.after);
    else if (record.kind === 'checkpoint' && record.moment === 'before') {
      if (record.prompt === open?.prompt) open.known.push(record.tree);
      else open = {prompt: record.prompt, known: [record.tree]};
    } else if (record.kind === 'checkpoint' && record.prompt === open?.prompt) open = undefined;
  }
  return open;
}

/** A change of files by a session: by a call, or by a whole prompt of a session without records of its calls. */
export interface SessionChange {
  readonly prompt: UserMessage;
  /** The number of the prompt, as a rewind counts. */
  readonly number: number;
  readonly call: ActionId | 'unknown';
  readonly files: OpenTreeChange;
}

/** Returns the changes that count, in order. */
export function changesOfSession(records: readonly JournalRecord[]): readonly SessionChange[] {
  const timeline = timelineOf(records);
  const states = timeline.activeRecords.filter(record => record.kind === 'step' || record.kind === 'checkpoint');
  const steps = states.filter(record => record.kind === 'step');
  return promptSpans(timeline).flatMap(({message, files}, at): readonly SessionChange[] => {
    const common = {prompt: message, number: at + 1};
    const own = steps.filter(({prompt}) => prompt === message.id);
    if (own.length === 0) return files.map(each => ({...common, call: 'unknown', files: each}));
    const calls = own
      .filter(step => step.files.before !== step.files.after)
      .map(step => ({...common, call: step.call, files: step.files}));
    // A killed call has no step.
    const killed = states.filter(({prompt}) => prompt === message.id);
    const end = killed.findLast(record => record.kind === 'checkpoint' && record.killedAt !== undefined);
    const open = unfinishedChange(killed.slice(0, end === undefined ? 0 : killed.indexOf(end)));
    const [before, ...more] = open?.known ?? [];
    if (before === undefined || end?.kind !== 'checkpoint') return calls;
    return [...calls, {...common, call: 'unknown', files: {before, after: end.tree, more: {before: more, after: []}}}];
  });
}

/** The checkpoints before a change, each of other files, and the one after it. */
interface Trees {
  readonly before: [TreeId, ...TreeId[]];
  after: TreeId | undefined;
}

function changeOf(
  [before, ...laterBefore]: readonly [TreeId, ...TreeId[]],
  [after, ...laterAfter]: readonly TreeId[],
): OpenTreeChange {
  const change = {before, after: after ?? 'now'} as const;
  return laterBefore.length + laterAfter.length === 0
    ? change
    : {...change, more: {before: laterBefore, after: laterAfter}};
}
