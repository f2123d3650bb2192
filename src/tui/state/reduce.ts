import {firstLine} from '../../base/clip.ts';
import {blockStateLabel} from './panels/blocks.ts';
import {agentStatusText, updateAgents} from './agent-outputs.ts';
import {isCallExtras} from '../../domain/conversation.ts';
import {eventWarning} from '../../actions/event-warning.ts';
import {isBackgroundAgentEnd} from '../../actions/background-agent-end.ts';
import {visibleLine} from '../../base/visible.ts';
import {fallbackText} from '../../domain/model-fallback.ts';
import type {AgentEvent, PromptSummary, SessionUsage} from '../../actions/agent-event.ts';
import type {BlockInfo, Question} from '../../actions/ports.ts';
import {labelOf} from '../../actions/catalogue.ts';
import {isExploration} from '../../actions/exploration.ts';
import {changedFiles, changesOfCommand, isTodoUpdate} from '../../actions/outcome.ts';
import {unreachable} from '../../base/unreachable.ts';
import {compactedText, contextFullPercent} from '../../domain/compaction.ts';
import {type ActionId, actionId, type MessageId} from '../../domain/ids.ts';
import type {BlockDelta, BlockStart} from '../../domain/model-stream.ts';
import {isEndPrompt} from '../../domain/sub-agent.ts';
import {rewindReportText} from '../../domain/rewind.ts';
import {stopText, toSentence} from '../../domain/stop-text.ts';
import {knownCost} from '../../domain/usage.ts';
import {applyTaskFrames, emptyTaskView} from '../../tasks/task-view.ts';
import {type MarkdownPiece, markdownStart, splitMarkdown} from '../scrollback/split-markdown.ts';
import {shownCheck} from '../text/check-text.ts';
import {withRelativePaths} from '../text/workspace-paths.ts';
import {unfinishedText} from '../../domain/plan.ts';
import {isBetweenSteps, withEntry} from './exploration.ts';
import {otherEntry, pastEntries} from './past-entries.ts';
import {changedLines, directoryOf} from './selectors.ts';
import {
  type ActionEntry,
  type ActionStage,
  emptyView,
  type Entry,
  type ExplorationEntry,
  type FinishedEntry,
  type QueuedPrompt,
  type RunningTurn,
  textEntry,
  type TextEntry,
  type TurnFacts,
  type View,
} from './view.ts';

/** The maximum amount of output kept of a running action, in UTF-16 units. Its visible lines can't hold more. */
const maxTail = 4000;

/** The maximum number of messages of a resumed session that are shown again. */
const maxHistory = 20;

/** Returns the view after one event. An event about something unknown changes nothing. */
export function reduce(view: View, event: AgentEvent): View {
  switch (event.event) {
    case 'session-opened':
      return openSession(view, event);
    case 'prompt-accepted':
      return {
        ...(isEndPrompt(event.text)
          ? view
          : addEntry(view, {kind: 'prompt', text: event.text, attached: event.attached})),
        queued: without(view.queued, event.id),
        run: {state: 'working'},
        suggestion: '',
        // A prompt that joins a running prompt belongs to its turn.
        ...(view.run.state === 'idle' ? {turn: newTurn(view.usage), earlierLines: changedLines(view)} : {}),
      };
    case 'command-started':
      return {
        ...view,
        queued: without(view.queued, event.id),
        run: {state: 'working'},
        suggestion: '',
        userCommand: event.id,
      };
    case 'command-finished':
      return {...view, run: {state: 'idle'}, userCommand: 'none', terminalNeeded: 'none'};
    case 'prompt-withdrawn':
      return {...view, queued: without(view.queued, event.id)};
    case 'turn-started':
      return view.run.state === 'stopping' ? view : {...view, run: {state: 'working'}};
    case 'retrying':
      return {
        ...view,
        entries: view.entries.map(entry =>
          entry.kind === 'text' && entry.state === 'streaming' ? {...entry, state: 'broken'} : entry,
        ),
        run: {
          state: 'retrying',
          attempt: event.attempt,
          maxAttempts: event.maxAttempts,
          reason: event.message,
        },
      };
    case 'fell-back':
      return withNotice({...view, run: {state: 'working'}}, 'warning', fallbackText(event));
    case 'repaired':
      return withNotice(view, 'info', event.text);
    case 'message-started':
      return view.run.state === 'retrying' ? {...view, run: {state: 'working'}} : view;
    case 'block-started':
      return blockStarted(view, keyOf(event), event.block);
    case 'block-delta':
      return blockDelta(view, keyOf(event), event.delta);
    case 'block-finished':
      return {...view, entries: view.entries.map(entry => (hasKey(entry, keyOf(event)) ? markDone(entry) : entry))};
    case 'message-finished':
      return {...view, entries: view.entries.map(markDone)};
    case 'action-queued':
      // The todo panel shows these actions.
      if (isTodoUpdate(event.action)) return view;
      return addEntry(view, {
        kind: 'action',
        id: event.id,
        by: hasSameId(event.id, view.userCommand) ? 'user' : 'agent',
        label: withRelativePaths(event.label, directoryOf(view)),
        stage: {stage: 'queued', action: event.action},
      });
    case 'approval-requested': {
      // A command is shown exactly as it would run.
      const {kind} = event.approval.preview;
      const isExact = kind === 'command' || kind === 'changes';
      const label = isExact ? event.approval.label : withRelativePaths(event.approval.label, directoryOf(view));
      const approval = {...event.approval, label};
      return {
        ...changeStage(view, approval.id, stage => ({
          stage: 'waiting',
          action: approval.action,
          preview: approval.preview,
          tail: stage.stage === 'running' ? stage.tail : '',
        })),
        // The command that the user has just edited comes first.
        approvals: approval.wording === 'user' ? [approval, ...view.approvals] : [...view.approvals, approval],
      };
    }
    case 'approval-settled':
      return {...view, approvals: view.approvals.filter(approval => approval.id !== event.id)};
    case 'question-asked':
      return {
        ...view,
        questions: [...view.questions, {id: event.id, questions: questionsOf(event), files: event.files}],
      };
    case 'question-settled':
      return {...view, questions: view.questions.filter(open => open.id !== event.id)};
    case 'hand-over-asked': {
      const {id, block, reason} = event;
      return {...view, handOvers: [...view.handOvers, {id, block, reason}]};
    }
    case 'hand-over-settled':
      return {...view, handOvers: view.handOvers.filter(open => open.id !== event.id)};
    case 'terminal-needed':
      return {...view, terminalNeeded: {id: event.id, block: event.block, command: runningCommand(view, event.id)}};
    case 'action-started':
      return startAction(view, event);
    case 'action-output':
      return changeStage(view, event.id, stage =>
        stage.stage === 'running' ? {...stage, tail: (stage.tail + event.chunk).slice(-maxTail)} : stage,
      );
    case 'action-settled':
      return settleAction(view, event);
    case 'todos-framed':
      return {...view, tasks: applyTaskFrames(view.tasks, event.frames), turn: {...view.turn, todos: 'current'}};
    case 'usage-changed': {
      const next = {...view, usage: event.usage};
      return contextFullPercent(view.usage) === undefined
        ? {...next, entries: [...next.entries, ...contextFullEntry(event.usage)]}
        : next;
    }
    case 'model-changed':
      return withModel(view, event);
    case 'mode-changed':
      return {...view, mode: event.mode};
    case 'compaction-begun':
      return event.trigger === 'auto' ? view : {...view, run: {state: 'working'}};
    case 'compaction-ended':
      if (event.trigger !== 'auto') return {...view, run: {state: 'idle'}};
      return view.run.state === 'retrying' ? {...view, run: {state: 'working'}} : view;
    case 'compacted':
      // The event `repaired` reports weft's own compactions.
      return event.report.trigger === 'auto' ? view : withNotice(view, 'info', compactedText(event.report));
    case 'compaction-offered': {
      const {id, reason, preview} = event;
      return {...view, compaction: {id, reason, preview}};
    }
    case 'compaction-answered':
      return {...view, compaction: 'none'};
    case 'rewound': {
      const directory = directoryOf(view);
      const text = rewindReportText(event.report, {directory, when: 'done'});
      const level = event.report.files.failures === undefined ? 'info' : 'warning';
      return withNotice({...view, tasks: applyTaskFrames(emptyTaskView, event.todoFrames)}, level, text);
    }
    case 'plan-changed':
      return event.plan.state === 'failed' ? withNotice(view, 'warning', `${unfinishedText(event.plan)}.`) : view;
    case 'review-opened':
    case 'sent-on':
    case 'hook-started':
    case 'hook-ended':
      return view;
    case 'agent-started':
    case 'agent-changed':
    case 'agent-event': {
      const agents = updateAgents(view.agents, event);
      const followed = agents === view.agents ? view : {...view, agents};
      const warning = eventWarning(event);
      if (warning !== undefined) return withNotice(followed, 'warning', warning);
      if (event.event !== 'agent-changed' || !isBackgroundAgentEnd(event)) return followed;
      const {agent, status} = event.row;
      const text = `Agent ${visibleLine(agent.name)}: ${agentStatusText(event.row)}`;
      return withNotice(followed, status.kind === 'failed' ? 'warning' : 'info', text);
    }
    case 'sandbox-proven':
      return {...view, sandbox: event.proof};
    case 'session-renamed':
      return view;
    case 'checks-changed':
      return {...view, checks: event.checks.map(check => shownCheck(check, directoryOf(view)))};
    case 'prompt-suggested':
      return {...view, suggestion: event.prompt};
    case 'notice':
      return addEntry(view, {kind: 'notice', level: event.level, text: event.text});
    case 'prompt-finished': {
      const {end} = event.summary;
      const ended = {...view, entries: view.entries.map(markDone), run: {state: 'idle'}} as const;
      const note = end.kind === 'done' ? stopText(event.summary) : undefined;
      const text = note === undefined ? '' : toSentence(note);
      const noted =
        text === ''
          ? ended
          : withNotice(ended, 'warning', event.summary.stop === 'context-full' ? `${text} ${compactHint}` : text);
      const checks = event.summary.checks.map(check => shownCheck(check, directoryOf(view)));
      const closedChecks = JSON.stringify(event.summary.checks);
      const turn = {
        ...turnFacts(view.turn, event.summary),
        checks: closedChecks === view.closedChecks ? [] : checks,
      };
      return addEntry({...noted, checks, closedChecks}, {kind: 'end', end, turn});
    }
    default:
      return unreachable(event);
  }
}

/** Returns the questions, prefixed with the name of the sub-agent that asks them. */
const questionsOf = ({asker, questions}: Extract<AgentEvent, {event: 'question-asked'}>): readonly Question[] =>
  asker === 'main' ? questions : questions.map(each => ({...each, question: `${asker.name}: ${each.question}`}));

function runningCommand({entries}: View, id: ActionId): string {
  const entry = entries.find(each => each.kind === 'action' && each.id === id);
  return entry?.kind === 'action' && entry.stage.stage === 'running' && entry.stage.preview.kind === 'command'
    ? entry.stage.preview.command
    : '';
}

function contextFullEntry(usage: SessionUsage): readonly Entry[] {
  const percent = contextFullPercent(usage);
  return percent === undefined
    ? []
    : [{kind: 'notice', level: 'info', text: `The context is ${percent}% full. ${compactHint}`}];
}

const compactHint = 'Run /compact to free up space.';

/** Adds a line for each background command that has ended. */
export const withEndedBlocks = (view: View, ended: readonly BlockInfo[]): View =>
  ended.reduce((next, block) => {
    const {state, command} = block;
    const end = state.kind === 'exited' && state.code === 0 ? 'done' : blockStateLabel(state);
    const level = state.kind === 'exited' && state.code !== 0 ? 'warning' : 'info';
    return withNotice(next, level, `Command ${visibleLine(firstLine(command, 60))}: ${end}`);
  }, view);

export const withQueuedPrompt = (view: View, prompt: QueuedPrompt): View => ({
  ...view,
  queued: [...view.queued, prompt],
});

export const withStopRequested = (view: View): View =>
  view.run.state === 'idle' ? view : {...view, compaction: 'none', run: {state: 'stopping'}};

export const withNotice = (view: View, level: 'info' | 'warning', text: string): View =>
  addEntry(view, {kind: 'notice', level, text});

export const withCommandAnswer = (view: View, command: string, level: 'info' | 'warning', text: string): View =>
  addEntry(view, {kind: 'command-answer', command, level, text});

const addEntry = (view: View, entry: Entry): View => ({
  ...view,
  entries: withEntry(view.entries, entry, directoryOf(view)),
});

/** True if the message is the user's command that the action runs. Both have the same id. */
const hasSameId = (id: ActionId, message: MessageId | 'none'): boolean => id === actionId(message);

const newTurn = (usage: SessionUsage): RunningTurn => ({
  files: new Map(),
  uncounted: 0,
  actions: 0,
  costBefore: knownCost(Object.values(usage.models)) ?? 0,
  todos: 'earlier',
});

function turnFacts(
  {files, uncounted, actions, costBefore}: RunningTurn,
  summary: PromptSummary,
): Omit<TurnFacts, 'checks'> {
  const cost = knownCost(Object.values(summary.sessionUsage.models));
  return {
    files,
    uncounted: Math.max(uncounted, (summary.changedFiles ?? 0) - files.size),
    actions,
    durationMs: summary.durationMs,
    waitedMs: summary.waitedMs,
    costUsd: cost === undefined ? 'unknown' : cost - costBefore,
  };
}

function afterAction(turn: RunningTurn, {result}: AgentEvent & {readonly event: 'action-settled'}): RunningTurn {
  if (result.tag === 'undecodable' || isExploration(result.result) || isTodoUpdate(result.result)) return turn;
  const files = new Map(turn.files);
  for (const {path, added, removed} of changedFiles(result.result)) {
    const before = files.get(path);
    files.set(path, {added: (before?.added ?? 0) + added, removed: (before?.removed ?? 0) + removed});
  }
  const {applied, more, diffs} = changesOfCommand(result.result);
  const uncounted = turn.uncounted + applied.length + more.applied - diffs.length;
  return {...turn, files, uncounted, actions: turn.actions + 1};
}

const keyOf = (event: {readonly message: string; readonly index: number}): string => `${event.message}/${event.index}`;

const hasKey = (entry: Entry, key: string): boolean =>
  (entry.kind === 'text' || entry.kind === 'thinking') && entry.key === key;

const markDone = (entry: Entry): Entry =>
  (entry.kind === 'text' || entry.kind === 'thinking') && entry.state !== 'done' ? {...entry, state: 'done'} : entry;

/** Starts a new view. Keeps entries of the previous session that aren't in the scrollback yet. */
function openSession(before: View, event: AgentEvent & {readonly event: 'session-opened'}): View {
  const {session, history, todoFrames, usage} = event;
  const left = Math.max(0, history.length - maxHistory);
  const more = left === 0 ? '' : ` (${left} earlier messages hidden)`;
  const heading: readonly Entry[] =
    session.origin === 'resumed'
      ? [{kind: 'notice', level: 'info', text: `Session resumed${more}.`}]
      : before.session.tag === 'open'
        ? [{kind: 'notice', level: 'info', text: 'New session.'}]
        : [];
  const unwritten = before.entries.map(markDone).filter(isSettled);
  return {
    ...emptyView,
    session: {tag: 'open', info: session},
    sandbox: before.sandbox,
    model: session.model,
    mode: session.mode,
    usage,
    tasks: applyTaskFrames(emptyTaskView, todoFrames),
    queued: before.session.tag === 'opening' ? before.queued : [],
    entries: [
      ...unwritten,
      ...heading,
      ...pastEntries(history.slice(left), session.directory),
      ...contextFullEntry(usage),
    ],
  };
}

function blockStarted(view: View, key: string, block: BlockStart): View {
  switch (block.kind) {
    case 'text':
      return addEntry(view, textEntry(key, '', 'streaming'));
    case 'thinking':
      return addEntry(view, {kind: 'thinking', key, text: '', state: 'streaming'});
    case 'sealed-thinking':
    case 'tool-call':
      return view;
    case 'other':
      return isCallExtras(block) ? view : addEntry(view, otherEntry(block.type));
    default:
      return unreachable(block);
  }
}

/** Adds a delta of the streamed answer to its text or thinking entry. `takeFinished` splits off complete blocks. */
function blockDelta(view: View, key: string, delta: BlockDelta): View {
  if (delta.kind !== 'text' && delta.kind !== 'thinking') return view;
  return {
    ...view,
    entries: view.entries.flatMap((entry): readonly Entry[] => {
      if (!hasKey(entry, key)) return [entry];
      if (entry.kind === 'text' && delta.kind === 'text') {
        if (entry.state === 'done') return [entry];
        const parts = entry.state === 'broken' ? continueText(entry) : [entry];
        return parts.map(part =>
          part === parts.at(-1) && part.kind === 'text' ? {...part, rest: part.rest + delta.text} : part,
        );
      }
      if (entry.kind === 'thinking' && delta.kind === 'thinking') return [{...entry, text: entry.text + delta.text}];
      return [entry];
    }),
  };
}

/** Continues a text after its connection broke, with a notice at the break. */
function continueText(entry: TextEntry): readonly Entry[] {
  if (entry.rest.trim() === '' && entry.written === 'nothing') return [{...entry, state: 'streaming'}];
  const {place} = splitMarkdown(entry.rest, entry.position, 'growing');
  return [
    {...entry, state: 'done'},
    {kind: 'notice', level: 'info', text: reconnectedText},
    // An open code block continues as code.
    {
      ...textEntry(entry.key, '', 'streaming'),
      position: place.kind === 'fence' ? place : markdownStart,
      written: 'some',
    },
  ];
}

const reconnectedText = '⋯ connection lost and restored here ⋯';

function changeStage(view: View, id: ActionId, next: (stage: ActionStage) => ActionStage): View {
  return changeAction(view, id, entry => ({...entry, stage: next(entry.stage)}));
}

const changeAction = (view: View, id: ActionId, change: (entry: ActionEntry) => ActionEntry): View => ({
  ...view,
  entries: view.entries.map(entry => {
    if (entry.kind === 'action') return entry.id === id ? change(entry) : entry;
    if (entry.kind !== 'exploration' || !entry.steps.some(step => isAction(step, id))) return entry;
    return {
      ...entry,
      steps: entry.steps.map(step => (step.kind === 'action' && step.id === id ? change(step) : step)),
    };
  }),
});

const isAction = (entry: Entry, id: ActionId): boolean =>
  entry.kind === 'exploration'
    ? entry.steps.some(step => isAction(step, id))
    : entry.kind === 'action' && entry.id === id;

/** Marks an action as running. It may differ from the requested action, because the user may have edited it. */
const startAction = (view: View, {id, action, preview}: AgentEvent & {readonly event: 'action-started'}): View =>
  changeAction(view, id, entry => ({
    ...entry,
    label: withRelativePaths(labelOf(action), directoryOf(view)),
    stage: {stage: 'running', action, preview, tail: ''},
  }));

/** Settles an action. A call that couldn't be decoded has no queued entry, so its entry is created here. */
function settleAction(view: View, event: AgentEvent & {readonly event: 'action-settled'}): View {
  const stageFrom = (before: ActionStage | undefined): ActionStage => ({
    stage: 'settled',
    result: event.result,
    preview: before?.stage === 'running' || before?.stage === 'waiting' ? before.preview : {kind: 'none'},
    tail: before?.stage === 'running' || before?.stage === 'waiting' ? before.tail : '',
    durationMs: event.durationMs,
  });
  const {id, name} = event.call;
  const without = {
    ...view,
    approvals: view.approvals.filter(approval => approval.id !== id),
    turn: afterAction(view.turn, event),
  };
  if (view.entries.some(entry => isAction(entry, id))) return changeStage(without, id, stageFrom);
  if (event.result.tag === 'action' && isTodoUpdate(event.result.result)) return without;
  return addEntry(without, {kind: 'action', id, by: 'agent', label: name, stage: stageFrom(undefined)});
}

const without = (queued: readonly QueuedPrompt[], id: MessageId): readonly QueuedPrompt[] =>
  queued.filter(one => one.id !== id);

/** Takes finished entries off the front of the view, in order, and the finished blocks of a streamed message. */
export function takeFinished(view: View): {readonly view: View; readonly finished: readonly FinishedEntry[]} {
  const finished: FinishedEntry[] = [];
  let taken = 0;
  for (const [at, entry] of view.entries.entries()) {
    if (entry.kind === 'exploration') {
      if (!isSettled(entry) || isGrowing(view, at)) break;
      finished.push(entry);
    } else if (entry.kind === 'text') {
      const rest = drainText(entry, finished);
      if (rest !== undefined) return finish(view, finished, [rest, ...view.entries.slice(taken + 1)]);
    } else if (isClosed(entry)) {
      finished.push(entry);
    } else {
      break;
    }
    taken++;
  }
  return taken === 0 ? {view, finished} : finish(view, finished, view.entries.slice(taken));
}

const finish = (view: View, finished: readonly FinishedEntry[], entries: readonly Entry[]) => ({
  view: {...view, entries},
  finished,
});

function drainText(entry: TextEntry, finished: FinishedEntry[]): TextEntry | undefined {
  const split = splitMarkdown(entry.rest, entry.position, entry.state === 'done' ? 'whole' : 'growing');
  // An entry for each visible piece, so that a resize can lay out again all that is on the screen.
  let {written} = entry;
  let pieces: MarkdownPiece[] = [];
  for (const piece of split.pieces) {
    pieces.push(piece);
    if (!isVisible(piece)) continue;
    finished.push({kind: 'pieces', pieces, written});
    pieces = [];
    written = 'some';
  }
  if (pieces.length > 0) finished.push({kind: 'pieces', pieces, written});
  if (entry.state === 'done') return undefined;
  if (split.pieces.length === 0 && split.rest === entry.rest) return entry;
  return {...entry, rest: split.rest, position: split.place, written};
}

/** True if the piece draws anything. Blank lines of code and empty quotes don't. */
function isVisible(piece: MarkdownPiece): boolean {
  switch (piece.kind) {
    case 'block':
      return /[^\s>]/u.test(piece.source);
    case 'code-lines':
      return /\S/u.test(piece.text);
    case 'code-start':
      return false;
    default:
      return unreachable(piece);
  }
}

/** True if the next read or search would still join the exploration at this index. */
const isGrowing = ({entries, run}: View, at: number): boolean =>
  run.state !== 'idle' && entries.slice(at + 1).every(isBetweenSteps);

const isSettled = (entry: Entry): boolean =>
  entry.kind === 'exploration'
    ? entry.steps.every(isSettled)
    : entry.kind !== 'action' || entry.stage.stage === 'settled';

function isClosed(entry: Exclude<Entry, TextEntry | ExplorationEntry>): boolean {
  switch (entry.kind) {
    case 'thinking':
      return entry.state === 'done';
    case 'action':
      return entry.stage.stage === 'settled';
    case 'prompt':
    case 'notice':
    case 'command-answer':
    case 'past-action':
    case 'end':
      return true;
    default:
      return unreachable(entry);
  }
}

function withModel(view: View, {model, provider, effort}: Extract<AgentEvent, {event: 'model-changed'}>): View {
  const {session} = view;
  return {
    ...view,
    model,
    effort,
    session: session.tag === 'open' ? {...session, info: {...session.info, provider}} : session,
  };
}
