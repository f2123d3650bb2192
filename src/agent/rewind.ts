import {accessOf, labelOf} from '../actions/catalogue.ts';
import {decodePastAction} from '../actions/decode-action.ts';
import {editPaths} from '../domain/file-edit.ts';
import {firstLine} from '../base/clip.ts';
import {failed, ok, type Outcome} from '../base/outcome.ts';
import type {ChangesDuring, CheckpointsPort, TreeChange, OpenTreeChange, RevertReport} from '../domain/checkpoint.ts';
import {messageText, type ToolCallBlock, toolCalls} from '../domain/conversation.ts';
import {type Fault, needsUser} from '../domain/fault.ts';
import {type ActionId, type MessageId, messageId, type SessionId} from '../domain/ids.ts';
import type {JournalRecord} from '../domain/journal.ts';
import {reminderBlock} from '../domain/reminder.ts';
import type {RewindPoint, RewindReport, RewindTarget} from '../domain/rewind.ts';
import {changesOfSession, latestCompaction, promptSpans, type SessionChange, timelineOf} from '../domain/timeline.ts';

/** The session to rewind: its whole journal, and the place to write the result. */
export interface RewindSession {
  readonly id: SessionId;
  readonly records: readonly JournalRecord[];
  readonly checkpoints: CheckpointsPort;
  readonly keep: (record: JournalRecord) => void;
  /** Returns the changes of other sessions during each of these prompts' changes. */
  readonly others: ChangesAlongside;
}

/** Returns the changes of other sessions during the changes of some prompts. */
export type ChangesAlongside = (prompts: readonly MessageId[]) => readonly ChangesDuring[];

/** Returns the prompts that the user can rewind to, in order. */
export const rewindPoints = (records: readonly JournalRecord[]): readonly RewindPoint[] =>
  promptSpans(timelineOf(records)).map(({message, files}, at) => ({
    to: message.id,
    number: at + 1,
    prompt: messageText(message),
    files: files.length === 0 ? 'untouched' : 'changed',
  }));

export async function previewRewind(
  target: RewindTarget,
  {records, checkpoints, others}: Omit<RewindSession, 'keep' | 'id'>,
  signal: AbortSignal,
): Promise<Outcome<RewindReport, Fault>> {
  const plan = planRewind(target, records);
  if (plan.tag === 'failed') return plan;
  const outside = await outsideFiles(plan.value, {records, checkpoints}, signal);
  if (plan.value.changes.length === 0) return ok(reportOf(plan.value, emptyRevertReport, outside));
  const files = await checkpoints.preview(withOthers(plan.value, others), signal);
  if (files.tag === 'failed') return files;
  const [conflict] = files.value.conflicts;
  if (plan.value.step !== undefined && conflict !== undefined)
    return failed(
      nothingToDo(
        'undo',
        `Later changes are in the way, so it would not be exact. ${conflict.path}: ${conflict.reason}.`,
      ),
    );
  return ok(reportOf(plan.value, files.value, outside));
}

/** Returns the files outside of the workspace that the agent edited since the prompt. Checkpoints do not cover them. */
async function outsideFiles(
  {to, step}: Pick<RewindPlan, 'to' | 'step'>,
  {records, checkpoints}: Pick<RewindSession, 'records' | 'checkpoints'>,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const active = step === undefined ? timelineOf(records).activeRecords : [];
  const from = active.findIndex(record => record.kind === 'prompt' && record.message.id === to);
  const recent = from < 0 ? [] : active.slice(from);
  const done = new Set(
    recent.map(record => (record.kind === 'result' && record.result.outcome === 'success' ? record.result.id : '')),
  );
  const calls = recent.flatMap(record => (record.kind === 'answer' ? toolCalls(record.message) : []));
  const paths = calls
    .filter(({id}) => done.has(id))
    .flatMap(({name, input}) => {
      const action = decodePastAction(name, input);
      const access = action.tag === 'ok' ? accessOf(action.value) : undefined;
      return access?.kind === 'edit' ? access.edits.flatMap(editPaths) : [];
    });
  if (paths.length === 0) return [];
  return checkpoints.uncoveredFiles({paths: [...new Set(paths)], commands: [], isNamed: true}, signal);
}

/**
 * Rewinds the files and then the conversation. One record changes how the journal is read from then on. If the process
 * is killed before that record, the next weft takes the files back.
 */
export async function performRewind(
  target: RewindTarget,
  {id: session, records, checkpoints, keep, others}: RewindSession,
  signal: AbortSignal,
): Promise<Outcome<RewindReport, Fault>> {
  const plan = planRewind(target, records);
  if (plan.tag === 'failed') return plan;
  const {changes, record, ...rest} = plan.value;
  if (changes.length === 0) {
    keep(record('untouched'));
    return ok(reportOf(rest, emptyRevertReport, await outsideFiles(rest, {records, checkpoints}, signal)));
  }
  if (rest.step !== undefined) {
    const exact = await previewRewind(target, {records, checkpoints, others}, signal);
    if (exact.tag === 'failed') return exact;
  }
  const outside = await outsideFiles(rest, {records, checkpoints}, signal);
  const mark = {session, records: records.length, kind: rest.kind};
  const reverted = await checkpoints.revert(withOthers(plan.value, others), signal, mark);
  if (reverted.tag === 'failed') return reverted;
  const {change, report, recorded} = reverted.value;
  const {failures = 0} = report;
  const done = failures === 0 ? rest : ({...rest, what: 'files', prompts: 0} as const);
  // The conversation stays if files do, so that the same rewind or redo can be repeated.
  if (failures === 0) keep(record(change));
  else if (rest.to !== undefined && report.files.length > 0)
    keep({kind: 'rewind', to: rest.to, what: 'files', files: change});
  recorded?.();
  // If the conversation is rewound too, the model no longer knows of the changes and needs no reminder.
  if (done.what === 'files' && report.files.length > 0) {
    const id = messageId(`files-went-back:${String(records.length)}`);
    keep({kind: 'reminder', message: {role: 'user', id, blocks: [reminderBlock(reminderText(done, report))]}});
  }
  return ok(reportOf(done, report, outside));
}

/** Adds to each change the changes of other sessions during it. */
function withOthers(
  {changes, changedBy}: Pick<RewindPlan, 'changes' | 'changedBy'>,
  othersOf: ChangesAlongside,
): readonly OpenTreeChange[] {
  const known = changedBy.length === 0 ? [] : othersOf(changedBy);
  return changes.map(change => {
    const found = known.filter(
      ({during}) => during.before === change.before && ['now', change.after].includes(during.after),
    );
    return found.length === 0 ? change : {...change, others: found.flatMap(({others}) => others)};
  });
}

/** The maximum number of paths that the model reads. Further paths are only counted. */
const maxPaths = 30;

function reminderText(
  {kind, prompt, step}: Pick<RewindPlan, 'kind' | 'prompt' | 'step'>,
  {files}: RevertReport,
): string {
  const paths = files.slice(0, maxPaths).map(({path, effect}) => `${path} (${effect})`);
  const more = files.length > maxPaths ? [`and ${String(files.length - maxPaths)} more`] : [];
  const what =
    kind === 'redo'
      ? 'The user restored files to their state before they were reverted'
      : step !== undefined
        ? `The user undid what "${firstLine(step, 80)}" changed in files, and nothing later`
        : `The user reverted files to their state before the prompt "${firstLine(prompt, 80)}"`;
  return `${what}; the conversation since then still holds. Read them again before you rely on them: ${[...paths, ...more].join(', ')}.`;
}

const emptyRevertReport: RevertReport = {files: [], conflicts: [], excluded: [], coverage: 'named files'};

/** The plan of a rewind or a redo. */
interface RewindPlan {
  readonly kind: RewindReport['kind'];
  readonly what: RewindReport['what'];
  readonly prompt: string;
  readonly prompts: number;
  readonly step?: string;
  /** The prompt to rewind to. None for a redo. */
  readonly to?: MessageId;
  /** The changes, latest first. */
  readonly changes: readonly OpenTreeChange[];
  /** The prompts that made the changes. None for a redo. */
  readonly changedBy: readonly MessageId[];
  readonly record: (files: TreeChange | 'untouched') => JournalRecord;
}

function planRewind(target: RewindTarget, records: readonly JournalRecord[]): Outcome<RewindPlan, Fault> {
  const timeline = timelineOf(records);
  if (target.kind === 'redo') {
    const last = timeline.undone.at(-1);
    if (last === undefined)
      return failed(nothingToDo('redo', 'Only an undo or a rewind since the last prompt can be redone.'));
    const {files} = last.record;
    const what = last.insertAfter === 'all' ? last.record.what : 'compaction';
    const [first, ...more] = last.records.filter(one => one.kind === 'prompt');
    return ok({
      kind: 'redo',
      what,
      prompt: first === undefined ? '' : messageText(first.message),
      prompts: first === undefined ? 0 : 1 + more.length,
      changes: files === 'untouched' ? [] : [files],
      changedBy: [],
      record: change => ({kind: 'redo', files: change}),
    });
  }
  if (target.kind === 'step') {
    const own = changesOfSession(records).filter(
      ({call, number}) => call === target.step || String(number) === target.step,
    );
    const [first] = own;
    if (first === undefined)
      return failed(
        nothingToDo('undo', `No call or prompt ${target.step} of this session changed files that weft has saved.`),
      );
    const {label} = describeChange(first.call === target.step ? first : {...first, call: 'unknown'}, records);
    const to = first.prompt.id;
    return ok({
      kind: 'rewind',
      what: 'files',
      prompt: '',
      prompts: 0,
      step: label,
      to,
      changes: own.map(({files}) => files).toReversed(),
      changedBy: [to],
      record: files => ({kind: 'rewind', to, what: 'files', files}),
    });
  }
  const compaction = target.kind === 'last' ? latestCompaction(timeline) : undefined;
  if (compaction !== undefined) {
    const record = (files: TreeChange | 'untouched'): JournalRecord => ({
      kind: 'rewind',
      to: compaction.id,
      what: 'talk',
      files,
    });
    return ok({kind: 'rewind', what: 'compaction', prompt: '', prompts: 0, changes: [], changedBy: [], record});
  }
  const spans = promptSpans(timeline);
  const at = target.kind === 'last' ? spans.length - 1 : spans.findIndex(({message}) => message.id === target.to);
  const first = spans[at];
  if (first === undefined) return failed(nothingToDo('undo', 'This session has no such prompt.'));
  const what = target.kind === 'last' ? 'both' : target.what;
  const taken = spans.slice(at);
  const changes = taken.flatMap(({files}) => files);
  if (what === 'files' && changes.length === 0) {
    return failed(nothingToDo('undo', 'No file that weft has saved has changed since that prompt.'));
  }
  return ok({
    kind: 'rewind',
    what,
    prompt: messageText(first.message),
    prompts: what === 'files' ? 0 : taken.length,
    to: first.message.id,
    changes: what === 'talk' ? [] : changes.toReversed(),
    changedBy: taken.flatMap(({message, files}) => (files.length === 0 ? [] : [message.id])),
    record: files => ({kind: 'rewind', to: first.message.id, what, files}),
  });
}

const reportOf = (
  {kind, what, prompt, prompts, step}: Pick<RewindPlan, 'kind' | 'what' | 'prompt' | 'prompts' | 'step'>,
  files: RevertReport,
  outside: readonly string[],
): RewindReport => ({
  kind,
  what,
  prompt,
  prompts,
  ...(step !== undefined && {step}),
  files: {...files, excluded: [...files.excluded, ...outside]},
  alongside: files.alongside ?? [],
});

/** Returns a change as results name it: the prompt's text, and the call with its tool and its line on screens. */
export function describeChange({prompt, call}: SessionChange, records: readonly JournalRecord[]) {
  const text = messageText(prompt);
  const block = callOf(call, records);
  if (block === undefined) return {prompt: text, call: null, tool: null, label: `the prompt "${firstLine(text, 80)}"`};
  return {prompt: text, call: block.id, tool: block.name, label: labelOfCall(block)};
}

/** Returns the line of a call of a session on screens. */
export function callLabel(id: ActionId, records: readonly JournalRecord[]): string {
  const block = callOf(id, records);
  return block === undefined ? id : labelOfCall(block);
}

const callOf = (id: SessionChange['call'], records: readonly JournalRecord[]): ToolCallBlock | undefined =>
  records.flatMap(record => (record.kind === 'answer' ? toolCalls(record.message) : [])).find(block => block.id === id);

function labelOfCall({name, input}: ToolCallBlock): string {
  const action = decodePastAction(name, input);
  return action.tag === 'ok' ? labelOf(action.value) : name;
}

const nothingToDo = (what: 'undo' | 'redo', why: string): Fault => needsUser(`Nothing to ${what}.`, why);
