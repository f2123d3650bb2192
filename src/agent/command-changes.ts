import type {Approval, Denial, SettledCall} from '../actions/agent-event.ts';
import {accessOf, type Action, writeFilesAction} from '../actions/catalogue.ts';
import {type ChangesOutcome, type DecideChanges, deniedBy, type PendingChanges} from '../actions/changes-port.ts';
import {changesOfCommand} from '../actions/outcome.ts';
import {type ActionPorts, emptyImpactReport} from '../actions/ports.ts';
import type {FileDiff} from '../actions/preview.ts';
import {firstLine} from '../base/clip.ts';
import {unreachable} from '../base/unreachable.ts';
import type {Change, DroppedChange, NotApplied} from '../domain/change-set.ts';
import type {ToolCallBlock} from '../domain/conversation.ts';
import {weftItself} from '../domain/executor.ts';
import type {ActionId} from '../domain/ids.ts';
import {causeText} from '../domain/fault.ts';
import {type Reason, sameReason} from '../domain/reason.ts';
import {noDetail, type Verdict} from '../domain/risk.ts';
import {
  type ApprovalContext,
  askHooks,
  askPerson,
  changeRules,
  grantForSession,
  isGranted,
  judgeAction,
  sessionGrant,
  askingProblem,
} from './approval.ts';
import type {ApprovalAnswer} from './client.ts';
import {journal, type SessionContext, warn} from './session-context.ts';

export interface ExecutedCommand {
  readonly call: ToolCallBlock;
  readonly action: Action;
  readonly directory: string;
}

/** Diffs that a card or a result shows. Each may be long, and people read the first ones. */
const maxDiffs = 200;
/** Changes that an outcome lists as applied, and as dropped for each reason. */
const maxNamed = 1000;
/** Groups in which changes are judged. Judging many paths one by one would take seconds. */
const maxGroups = 1000;

/** Returns the ports of a command that may run in its own view of the workspace. */
export const changePorts = (
  ran: ExecutedCommand,
  context: ApprovalContext,
): Pick<ActionPorts, 'decideChanges' | 'checkpoint'> => ({
  decideChanges: makeChangesDecider(ran, context),
  checkpoint: signal => context.checkpoints.beforeChange(signal, 'any', ran.call.id),
});

/**
 * Returns a function that decides about the changes of one command. weft judges each like an edit of the file, but
 * keeps build output unless a rule denies it. One question covers all changes that need one. Each change is applied or
 * dropped exactly once.
 */
function makeChangesDecider(ran: ExecutedCommand, context: ApprovalContext): DecideChanges {
  return async (held, signal) => {
    const decided = new ChangeDecisions(held, ran, context);
    try {
      await decide(ran, decided, signal);
    } catch (cause) {
      decided.dropRest('failed');
      warn(context.session, `Couldn't keep the changes of the command: ${causeText(cause)}`);
    }
    return decided.outcome();
  };
}

/** Returns the changes of a command that were dropped because someone, a rule or the mode rejected them, or no one could be asked. */
export function droppedChanges(call: ToolCallBlock, settled: SettledCall): readonly Denial[] {
  if (settled.tag === 'undecodable') return [];
  const {dropped, more} = changesOfCommand(settled.result);
  return (['nobody', 'user', 'rule'] as const).flatMap(by => {
    const denied = dropped.filter(({why}) => deniedBy[why] === by);
    const changes = denied.map(({change}) => change);
    const whys = [...new Set(denied.map(({why}) => why))];
    const total = whys.reduce((sum, why) => sum + (more.dropped[why] ?? 0), changes.length);
    return changes.length === 0 ? [] : [{call, by, of: {kind: 'changes', changes, total}} as const];
  });
}

/** The state of a command's changes so far. */
class ChangeDecisions {
  readonly held: PendingChanges;
  readonly context: ApprovalContext;
  said = '';
  readonly #call: ActionId;
  readonly #open: Set<Change>;
  readonly #applied: Change[] = [];
  readonly #dropped: DroppedChange[] = [];
  #diffs: readonly FileDiff[] = [];

  constructor(held: PendingChanges, {call}: ExecutedCommand, context: ApprovalContext) {
    this.held = held;
    this.#call = call.id;
    this.context = context;
    this.#open = new Set(held.changes);
  }

  drop(changes: readonly Change[], why: NotApplied): void {
    for (const change of changes) if (this.#open.delete(change)) this.#dropped.push({change, why});
  }

  dropRest(why: NotApplied): void {
    this.drop([...this.#open], why);
  }

  /**
   * Applies changes. Takes the checkpoint for undo first: until now the workspace is unchanged since before the
   * command.
   */
  async apply(changes: readonly Change[], signal: AbortSignal): Promise<void> {
    if (changes.length === 0) return;
    if (signal.aborted) return this.drop(changes, 'interrupted');
    const files = changes.filter(isFile);
    const shown = files.slice(0, Math.max(0, maxDiffs - this.#diffs.length)).map(({path}) => path);
    // The diffs are read before the changes are applied, because the view loses them afterwards.
    const diffs = shown.length === 0 ? [] : await this.held.diffs(shown, signal);
    // New output replaces nothing. An existing ignored file may be the user's own.
    const loses = files.length > 0 || changes.some(({kind}) => kind !== 'created');
    const {checkpoints, session} = this.context;
    const extent = changes.map(({path}) => session.ports.machine.files.resolve(path).path);
    if (loses) await checkpoints.beforeChange(signal, extent, this.#call);
    if (signal.aborted) return this.drop(changes, 'interrupted');
    const paths = changes.map(({path}) => path);
    const {applied, dropped} = await this.held.apply(paths, 'each', signal);
    checkpoints.afterCall(this.#call);
    const isApplied = new Set(applied.map(({path}) => path));
    for (const change of changes) {
      if (isApplied.has(change.path) && this.#open.delete(change) && isFile(change)) this.#applied.push(change);
    }
    this.#diffs = [...this.#diffs, ...diffs.filter(({path}) => isApplied.has(path))];
    const whys = new Map(dropped.map(({change, why}) => [change.path, why]));
    for (const change of changes) this.drop([change], whys.get(change.path) ?? 'failed');
  }

  outcome(): ChangesOutcome {
    this.dropRest('interrupted');
    const applied = this.#applied.toSorted(byPath);
    const dropped = this.#dropped.toSorted((a, b) => byPath(a.change, b.change));
    const counts = new Map<NotApplied, number>();
    const named = dropped.filter(({why}) => {
      const count = (counts.get(why) ?? 0) + 1;
      counts.set(why, count);
      return count <= maxNamed;
    });
    const more = [...counts].filter(([, count]) => count > maxNamed);
    return {
      applied: applied.slice(0, maxNamed),
      dropped: named,
      more: {
        applied: Math.max(0, applied.length - maxNamed),
        dropped: Object.fromEntries(more.map(([why, count]) => [why, count - maxNamed])),
      },
      diffs: this.#diffs.toSorted(byPath),
      said: this.said,
    };
  }
}

const byPath = (a: {readonly path: string}, b: {readonly path: string}): number => (a.path < b.path ? -1 : 1);

const isFile = (change: Change): boolean => change.class === 'file';

async function decide(ran: ExecutedCommand, decided: ChangeDecisions, given: AbortSignal): Promise<void> {
  const {held, context} = decided;
  // A command that was stopped or moved to the background keeps its output.
  const isAlone = given.aborted;
  const signal = isAlone ? new AbortController().signal : given;
  if (isAlone) decided.drop(held.changes.filter(isFile), 'interrupted');
  decided.drop(
    held.changes.filter(change => change.class === 'protected'),
    'protected',
  );
  const open = held.changes.filter(change => change.class === 'output' || (isFile(change) && !isAlone));
  if (context.session.mode === 'plan') return decided.drop(open, 'plan');
  const judged = await judgeChanges(open, context.session, signal);
  const judgedChanges = new Set(judged.flatMap(({changes}) => changes));
  const allowed: Change[] = open.filter(change => !judgedChanges.has(change));
  const asked: JudgedChanges[] = [];
  const granted: Change[] = [];
  for (const group of judged) {
    const {verdict, changes} = group;
    if (verdict.decision === 'deny') {
      decided.drop(changes, verdict.reasons.some(({kind}) => kind === 'judge-failed') ? 'failed' : 'rule');
    } else if (verdict.decision === 'allow' || !changes.every(isFile)) {
      allowed.push(...changes);
    } else if (isGranted(grantFor(verdict), context.session)) {
      granted.push(...changes);
    } else asked.push(group);
  }
  // A permanent loss needs a typed confirmation, whatever was allowed before.
  const isLost = (await irreversibleDeletionsText(granted, context, signal)) !== '';
  const lost = new Set(isLost ? granted.filter(({kind}) => kind === 'deleted') : []);
  allowed.push(...granted.filter(change => !lost.has(change)));
  for (const {changes, verdict} of judged) {
    const rest = changes.filter(change => lost.has(change));
    if (rest.length > 0) asked.push({changes: rest, verdict});
  }
  await decided.apply(allowed, signal);
  if (asked.length > 0) await askAbout(ran, asked, decided, signal);
}

interface JudgedChanges {
  readonly changes: readonly Change[];
  readonly verdict: Verdict;
}

/** Judges each change as an edit of its file. For output only a denial counts, so all of it is judged at once. */
async function judgeChanges(
  changes: readonly Change[],
  session: SessionContext,
  signal: AbortSignal,
): Promise<readonly JudgedChanges[]> {
  const files = changes.filter(isFile);
  // Judging thousands of files takes longer than moving them.
  const isFree = !session.ports.judge.deniesAnything();
  const output = isFree ? [] : changes.filter(change => !isFile(change));
  const size = Math.ceil(files.length / maxGroups);
  const judged = await Promise.all([
    ...groupsOf(files, size).map(group => judgeGroup(group, session, signal)),
    ...groupsOf(output, output.length).map(group => judgeGroup(group, session, signal)),
  ]);
  return judged.flat();
}

function groupsOf<T>(all: readonly T[], size: number): readonly (readonly T[])[] {
  const groups: (readonly T[])[] = [];
  for (let at = 0; at < all.length; at += size) groups.push(all.slice(at, at + size));
  return groups;
}

/** Judges a group. A denial of some files must not deny the others, so the group is halved until only those are left. */
async function judgeGroup(
  changes: readonly Change[],
  session: SessionContext,
  signal: AbortSignal,
): Promise<readonly JudgedChanges[]> {
  const executor = weftItself(session.ports.machine.shell.directory);
  const {verdict} = await judgeAction(writeFilesAction(changes.map(({path}) => path)), {session, executor}, signal);
  if (verdict.decision !== 'deny' || changes.length === 1) return [{changes, verdict}];
  const halves = groupsOf(changes, Math.ceil(changes.length / 2));
  return (await Promise.all(halves.map(half => judgeGroup(half, session, signal)))).flat();
}

const grantFor = (verdict: Verdict): ReturnType<typeof sessionGrant> => sessionGrant(writeFilesAction([]), verdict);

async function askAbout(
  ran: ExecutedCommand,
  asked: readonly JudgedChanges[],
  decided: ChangeDecisions,
  signal: AbortSignal,
): Promise<void> {
  const {context} = decided;
  const {session} = context;
  const changes = asked.flatMap(group => group.changes);
  const label = `Keep changes of: ${firstLine(commandOf(ran), 200)}`;
  const hook = await askHooks({call: ran.call, rules: [], changes}, context, signal);
  if (hook.kind === 'allow') {
    await changeRules(hook.rules, session);
    journal(session, {kind: 'approval', id: ran.call.id, label, decision: 'allowed', by: 'hook'});
    return decided.apply(changes, signal);
  }
  if (hook.kind === 'deny') {
    journal(session, {kind: 'approval', id: ran.call.id, label, decision: 'refused', by: 'hook'});
    if (hook.next === 'interrupt') context.hooks.stopped ??= {reason: hook.reason};
    decided.said = hook.reason;
    return decided.drop(changes, 'refused');
  }
  const cannotAsk = askingProblem(session);
  if (cannotAsk !== undefined) {
    journal(session, {kind: 'approval', id: ran.call.id, label, decision: 'refused', by: 'nobody'});
    decided.drop(changes, cannotAsk === 'unattended' ? 'nobody' : 'unwanted');
    return;
  }
  const approval = await approvalFor(ran, {asked, changes, label}, decided, signal);
  const answer = signal.aborted ? 'aborted' : await askPerson(approval, context, signal);
  if (answer === 'aborted') return decided.drop(changes, 'interrupted');
  const kept = await changesToKeep(answer, {changes, verdict: approval.verdict}, decided);
  await decided.apply(kept, signal);
  decided.drop(changes, 'refused');
}

/** True if the path has bytes that are not UTF-8. Checkpoints leave such a file out. */
const hasInvalidUtf8 = (path: string): boolean => /\\x[89a-f][\da-f]/u.test(path);

const commandOf = ({action}: ExecutedCommand): string => {
  const access = accessOf(action);
  return access.kind === 'command' ? access.command : '';
};

async function approvalFor(
  ran: ExecutedCommand,
  {
    asked,
    changes,
    label,
  }: {readonly asked: readonly JudgedChanges[]; readonly changes: readonly Change[]; readonly label: string},
  {held, context}: ChangeDecisions,
  signal: AbortSignal,
): Promise<Omit<Approval, 'asker'>> {
  const [diffs, lost, replaced] = await Promise.all([
    held.diffs(
      changes.slice(0, maxDiffs).map(({path}) => path),
      signal,
    ),
    irreversibleDeletionsText(changes, context, signal),
    uncovered(
      changes.filter(({kind}) => kind === 'changed' || kind === 'link'),
      context,
      signal,
    ),
  ]);
  const reasons = [
    ...asked.flatMap(({verdict}) => verdict.reasons),
    ...[lost, replaced].flatMap((text): readonly Reason[] => (text === '' ? [] : [{kind: 'not-undoable', text}])),
  ];
  const isAlike = asked.every(({verdict}) => verdict.sessionApproval === 'kind');
  const verdict: Verdict = {
    decision: 'ask',
    risk: lost === '' ? 'local-change' : 'destructive',
    reasons: reasons.filter((reason, at) => reasons.findIndex(other => sameReason(other, reason)) === at),
    sessionApproval: isAlike ? 'kind' : 'none',
    detail: {...noDetail, confirmWord: lost === '' ? '' : 'delete'},
  };
  return {
    id: ran.call.id,
    toolName: ran.call.name,
    input: ran.call.input,
    action: ran.action,
    label,
    preview: {kind: 'changes', command: commandOf(ran), directory: ran.directory, asked: changes, files: diffs},
    verdict,
    obligations: [],
    wording: 'model',
    rationale: '',
    sessionGrant: grantFor(verdict).words,
    impact: emptyImpactReport,
    citations: [],
  };
}

/** Returns which of these files no checkpoint holds. Empty if there are none. */
const uncovered = (
  changes: readonly Change[],
  {checkpoints, session}: ApprovalContext,
  signal: AbortSignal,
): Promise<string> => {
  const paths = changes.map(({path}) => session.ports.machine.files.resolve(path).path);
  return paths.length === 0 ? Promise.resolve('') : checkpoints.uncoveredText({paths, commands: []}, signal, paths);
};

/** Returns which deletions among the changes can't be undone. Empty if there are none. */
async function irreversibleDeletionsText(
  changes: readonly Change[],
  context: ApprovalContext,
  signal: AbortSignal,
): Promise<string> {
  const deleted = changes.filter(({kind}) => kind === 'deleted');
  const text = await uncovered(deleted, context, signal);
  const unnamed = deleted.map(({path}) => path).filter(hasInvalidUtf8);
  return text === '' && unnamed.length > 0 ? `Undo does not cover ${unnamed.slice(0, 3).join(', ')}` : text;
}

async function changesToKeep(
  answer: ApprovalAnswer,
  {changes, verdict}: {readonly changes: readonly Change[]; readonly verdict: Verdict},
  decided: ChangeDecisions,
): Promise<readonly Change[]> {
  const {session} = decided.context;
  switch (answer.decision) {
    case 'allow':
      if (answer.scope === 'session') await grantForSession(grantFor(verdict), session);
      return changes;
    case 'allow-files': {
      const picked = new Set(answer.paths);
      return changes.filter(({path}) => picked.has(path));
    }
    case 'allow-rule':
      await changeRules([{change: 'add', list: 'allow', rule: answer.rule, scope: answer.scope}], session);
      return changes;
    case 'allow-updated':
      if (answer.input !== 'unchanged') {
        decided.said = "the command has already run, so its input can't be changed";
        return [];
      }
      await changeRules(answer.rules, session);
      return changes;
    case 'allow-edited':
    case 'allow-with-changes':
      decided.said = "the command has already run, so it can't be changed";
      return [];
    case 'refuse':
      decided.said = answer.message;
      return [];
    default:
      return unreachable(answer);
  }
}
