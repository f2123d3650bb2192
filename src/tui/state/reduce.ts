import type {AgentEvent, SessionUsage} from '../../actions/agent-event.ts';
import {labelOf} from '../../actions/settle-action.ts';
import {unreachable} from '../../base/unreachable.ts';
import type {ActionId, MessageId} from '../../domain/ids.ts';
import type {BlockDelta, BlockStart} from '../../domain/model-stream.ts';
import {fullness} from '../../domain/compaction.ts';
import {compactedText} from '../../domain/compaction-text.ts';
import {rewindText} from '../../domain/rewind-text.ts';
import {stopText} from '../../domain/stop-text.ts';
import {applyTaskFrames, emptyTaskView} from '../../tasks/task-view.ts';
import {sentenceOf} from '../text/sentence.ts';
import {otherEntry, pastEntries} from './past-entries.ts';
import {
  emptyView,
  textEntry,
  type ActionEntry,
  type ActionStage,
  type Entry,
  type QueuedPrompt,
  type View,
} from './view.ts';

/** Live output kept of a running action (UTF-16 units): more than the lines shown of it can hold. */
const tailKept = 4000;

/** Messages of a resumed session that are shown again. */
const historyShown = 20;

/** The view after one event. Total: an event about something unknown changes nothing. */
export function reduce(view: View, event: AgentEvent): View {
  switch (event.event) {
    case 'session-opened':
      return opened(view, event);
    case 'prompt-accepted':
      return {
        ...add(view, {kind: 'prompt', text: event.text}),
        queued: without(view.queued, event.id),
        run: {state: 'working'},
      };
    case 'command-started':
      return {...view, queued: without(view.queued, event.id), run: {state: 'working'}};
    case 'command-finished':
      return {...view, run: {state: 'idle'}};
    case 'prompt-withdrawn':
      return {...view, queued: without(view.queued, event.id)};
    case 'turn-started':
      return view.run.state === 'stopping' ? view : {...view, run: {state: 'working'}};
    case 'retrying':
      return {
        ...view,
        run: {
          state: 'retrying',
          attempt: event.attempt,
          maxAttempts: event.maxAttempts,
          reason: event.message,
        },
      };
    case 'message-started':
      return view.run.state === 'retrying' ? {...view, run: {state: 'working'}} : view;
    case 'block-started':
      return blockStarted(view, keyOf(event), event.block);
    case 'block-delta':
      return blockDelta(view, keyOf(event), event.delta);
    case 'block-finished':
      return {...view, entries: view.entries.map(entry => (hasKey(entry, keyOf(event)) ? done(entry) : entry))};
    case 'message-finished':
      return {...view, entries: view.entries.map(done)};
    case 'action-queued':
      return add(view, {
        kind: 'action',
        id: event.id,
        label: event.label,
        stage: {stage: 'queued', action: event.action},
      });
    case 'approval-requested':
      return {
        ...onAction(view, event.approval.id, () => ({
          stage: 'waiting',
          action: event.approval.action,
          preview: event.approval.preview,
        })),
        // What the user has just edited is read next.
        approvals:
          event.approval.wording === 'user' ? [event.approval, ...view.approvals] : [...view.approvals, event.approval],
      };
    case 'approval-settled':
      return {...view, approvals: view.approvals.filter(approval => approval.id !== event.id)};
    case 'question-asked':
      return {...view, questions: [...view.questions, {id: event.id, questions: event.questions}]};
    case 'question-settled':
      return {...view, questions: view.questions.filter(open => open.id !== event.id)};
    case 'hand-over-asked': {
      const {id, block, reason} = event;
      return {...view, handOvers: [...view.handOvers, {id, block, reason}]};
    }
    case 'hand-over-settled':
      return {...view, handOvers: view.handOvers.filter(open => open.id !== event.id)};
    case 'action-started':
      return started(view, event);
    case 'action-output':
      return onAction(view, event.id, stage =>
        stage.stage === 'running' ? {...stage, tail: (stage.tail + event.chunk).slice(-tailKept)} : stage,
      );
    case 'action-settled':
      return settled(view, event);
    case 'todos-framed':
      return {...view, tasks: applyTaskFrames(view.tasks, event.frames)};
    case 'usage-changed': {
      const next = {...view, usage: event.usage};
      return fullness(view.usage) === undefined
        ? {...next, entries: [...next.entries, ...fullEntry(event.usage)]}
        : next;
    }
    case 'model-changed':
      return {...view, model: event.model};
    case 'mode-changed':
      return {...view, mode: event.mode};
    case 'rewind-points':
      return event.points.length > 0 ? view : told(view, 'info', 'There is no prompt to go back to yet.');
    case 'rewind-previewed':
      return view;
    case 'compaction-begun':
      return {...view, run: {state: 'working'}};
    case 'compaction-previewed':
      return {...view, run: {state: 'idle'}};
    case 'compaction-refused':
      return told({...view, run: {state: 'idle'}}, 'warning', event.reason);
    case 'compacted':
      return told(view, 'info', compactedText(event.report));
    case 'rewound': {
      const directory = view.session.tag === 'open' ? view.session.info.directory : '';
      const text = rewindText(event.report, {directory, when: 'done'});
      return told({...view, tasks: applyTaskFrames(emptyTaskView, event.todoFrames)}, 'info', text);
    }
    case 'notice':
      return add(view, {kind: 'notice', level: event.level, text: event.text});
    case 'prompt-finished': {
      const ended = {...view, entries: view.entries.map(done), run: {state: 'idle'}} as const;
      const {end} = event.summary;
      if (end.kind === 'done') {
        const note = stopText(event.summary);
        if (note === undefined) return ended;
        const text = sentenceOf([note]);
        return told(ended, 'warning', event.summary.stop === 'context-full' ? `${text} ${makesRoom}` : text);
      }
      return add(ended, {kind: 'end', end});
    }
    default:
      return unreachable(event);
  }
}

/** That the context fills up, where it does. */
function fullEntry(usage: SessionUsage): readonly Entry[] {
  const percent = fullness(usage);
  return percent === undefined
    ? []
    : [{kind: 'notice', level: 'info', text: `The context is ${percent}% full. ${makesRoom}`}];
}

const makesRoom = '/compact makes room; nothing is compacted on its own.';

/** A prompt was handed to the engine. */
export const promptQueued = (view: View, prompt: QueuedPrompt): View => ({...view, queued: [...view.queued, prompt]});

/** A stop was asked for. */
export const stopAsked = (view: View): View => (view.run.state === 'idle' ? view : {...view, run: {state: 'stopping'}});

/** Something of the front end's own to tell. */
export const told = (view: View, level: 'info' | 'warning', text: string): View =>
  add(view, {kind: 'notice', level, text});

const add = (view: View, entry: Entry): View => ({...view, entries: [...view.entries, entry]});

const keyOf = (event: {readonly message: string; readonly index: number}): string => `${event.message}/${event.index}`;

const hasKey = (entry: Entry, key: string): boolean =>
  (entry.kind === 'text' || entry.kind === 'thinking') && entry.key === key;

const done = (entry: Entry): Entry =>
  (entry.kind === 'text' || entry.kind === 'thinking') && entry.state === 'streaming'
    ? {...entry, state: 'done'}
    : entry;

/** What the session before left unwritten is kept; all else begins anew. */
function opened(before: View, event: AgentEvent & {readonly event: 'session-opened'}): View {
  const {session, history, todoFrames, usage} = event;
  const left = Math.max(0, history.length - historyShown);
  const more = left === 0 ? '' : ` (${left} earlier messages not shown)`;
  const heading: readonly Entry[] =
    session.origin === 'resumed'
      ? [{kind: 'notice', level: 'info', text: `Session resumed${more}.`}]
      : before.session.tag === 'open'
        ? [{kind: 'notice', level: 'info', text: 'New session.'}]
        : [];
  const unwritten = before.entries
    .map(done)
    .filter(entry => entry.kind !== 'action' || entry.stage.stage === 'settled');
  return {
    ...emptyView,
    session: {tag: 'open', info: session},
    model: session.model,
    mode: session.mode,
    usage,
    tasks: applyTaskFrames(emptyTaskView, todoFrames),
    queued: before.session.tag === 'opening' ? before.queued : [],
    entries: [...unwritten, ...heading, ...pastEntries(history.slice(left)), ...fullEntry(usage)],
  };
}

function blockStarted(view: View, key: string, block: BlockStart): View {
  switch (block.kind) {
    case 'text':
      return add(view, textEntry(key, '', 'streaming'));
    case 'thinking':
      return add(view, {kind: 'thinking', key, text: '', state: 'streaming'});
    case 'sealed-thinking':
    case 'tool-call':
      return view;
    case 'other':
      return add(view, otherEntry(block.type));
    default:
      return unreachable(block);
  }
}

function blockDelta(view: View, key: string, delta: BlockDelta): View {
  if (delta.kind !== 'text' && delta.kind !== 'thinking') return view;
  return {
    ...view,
    entries: view.entries.map(entry => {
      if (!hasKey(entry, key)) return entry;
      if (entry.kind === 'text' && delta.kind === 'text') return {...entry, rest: entry.rest + delta.text};
      if (entry.kind === 'thinking' && delta.kind === 'thinking') return {...entry, text: entry.text + delta.text};
      return entry;
    }),
  };
}

function onAction(view: View, id: ActionId, next: (stage: ActionStage) => ActionStage): View {
  return {
    ...view,
    entries: view.entries.map(entry =>
      entry.kind === 'action' && entry.id === id ? {...entry, stage: next(entry.stage)} : entry,
    ),
  };
}

/** What runs need not be what was asked for: the user may have changed it. */
function started(view: View, {id, action, preview}: AgentEvent & {readonly event: 'action-started'}): View {
  const label = labelOf(action);
  const running = onAction(view, id, () => ({stage: 'running', action, preview, tail: ''}));
  return {
    ...running,
    entries: running.entries.map(entry => (entry.kind === 'action' && entry.id === id ? {...entry, label} : entry)),
  };
}

/** A call that never decoded has no queued entry: its card is made here. */
function settled(view: View, event: AgentEvent & {readonly event: 'action-settled'}): View {
  const stageFrom = (before: ActionStage | undefined): ActionStage => ({
    stage: 'settled',
    result: event.result,
    preview: before?.stage === 'running' || before?.stage === 'waiting' ? before.preview : {kind: 'none'},
    tail: before?.stage === 'running' ? before.tail : '',
    durationMs: event.durationMs,
  });
  const {id, name} = event.call;
  const without = {...view, approvals: view.approvals.filter(approval => approval.id !== id)};
  if (view.entries.some(entry => entry.kind === 'action' && entry.id === id)) return onAction(without, id, stageFrom);
  const entry: ActionEntry = {kind: 'action', id, label: name, stage: stageFrom(undefined)};
  return add(without, entry);
}

const without = (queued: readonly QueuedPrompt[], id: MessageId): readonly QueuedPrompt[] =>
  queued.filter(one => one.id !== id);
