import type {AgentEvent, PromptSummary} from '../actions/agent-event.ts';
import {outcomeOf} from '../actions/outcome.ts';
import type {Preview} from '../actions/preview.ts';
import type {AgentClient} from '../agent/client.ts';
import {messageText} from '../domain/conversation.ts';
import {type ActionId, messageId} from '../domain/ids.ts';
import type {TodoList, TodoStatus} from '../domain/todo.ts';
import {applyTaskFrames, emptyTaskView, todosOf} from '../tasks/task-view.ts';
import {endOf, type HeadlessEnd, oneLine, summaryNotes} from './prompt-summary.ts';

interface ReportOptions {
  readonly engine: AgentClient;
  readonly prompt: string;
  /** Prints one line, which has no line feed. */
  readonly print: (line: string) => void;
  readonly uuid: () => string;
}

/**
 * Runs the demo's prompt and prints its events as they happen, for people. It approves everything that the agent asks for, and prints each
 * approval.
 */
export async function runReport({engine, prompt, print, uuid}: ReportOptions): Promise<HeadlessEnd> {
  const finished = Promise.withResolvers<PromptSummary>();
  const report = new Report();
  const unsubscribe = engine.subscribe(events => {
    for (const event of events) {
      for (const line of report.linesOf(event)) print(line);
      if (event.event === 'approval-requested')
        engine.submit({op: 'answer-approval', id: event.approval.id, answer: {decision: 'allow', scope: 'once'}});
      if (event.event === 'prompt-finished') finished.resolve(event.summary);
    }
  });
  engine.submit({op: 'prompt', id: messageId(uuid()), text: prompt, images: [], when: 'queued'});
  const summary = await finished.promise;
  unsubscribe();
  return endOf(summary);
}

/** The maximum number of lines to show of a file's change. */
const maxDiffLines = 30;

class Report {
  readonly #labels = new Map<ActionId, string>();
  #tasks = emptyTaskView;

  linesOf(event: AgentEvent): readonly string[] {
    switch (event.event) {
      case 'prompt-accepted':
        return event.text.split('\n').map(line => `> ${line}`);
      case 'message-finished': {
        const text = messageText(event.message).trim();
        return text === '' ? [] : ['', ...text.split('\n'), ''];
      }
      case 'action-queued':
        this.#labels.set(event.id, event.label);
        return [];
      case 'approval-requested':
        return [`approved by the demo: ${event.approval.label}`];
      case 'action-started':
        return diffLines(event.preview);
      case 'action-settled':
        // The todo list itself has already been printed.
        if (event.call.name === 'TodoWrite') return [];
        return settledLines(this.#labels.get(event.call.id) ?? event.call.name, event);
      case 'todos-framed':
        this.#tasks = applyTaskFrames(this.#tasks, event.frames);
        return todoLines(todosOf(this.#tasks));
      case 'prompt-finished':
        return summaryNotes(event.summary);
      default:
        return [];
    }
  }
}

const todoMarks: Readonly<Record<TodoStatus, string>> = {
  completed: '✓',
  in_progress: '●',
  pending: '◌',
  cancelled: '■',
};

function todoLines(todos: TodoList): readonly string[] {
  const done = todos.filter(({status}) => status === 'completed').length;
  return [
    `Tasks ${done}/${todos.length}`,
    ...todos.map(({status, title}) => `  ${todoMarks[status]} ${oneLine(title)}`),
  ];
}

function diffLines(preview: Preview): readonly string[] {
  if (preview.kind !== 'diff') return [];
  return preview.files.flatMap(({path, hunks}) => {
    const marks = {added: '+', removed: '-', context: ' '} as const;
    const lines = hunks.flatMap(hunk => hunk.lines).map(({kind, text}) => `    ${marks[kind]} ${text}`);
    const more = lines.length > maxDiffLines ? [`    … ${lines.length - maxDiffLines} more lines`] : [];
    return [`    ${path}`, ...lines.slice(0, maxDiffLines), ...more];
  });
}

/** The maximum number of lines to show of a command's output: the lines that say why it failed, otherwise the last lines. */
const maxOutputLines = 8;
const sayWhy = /✖|✗|not ok|!==|\bfail \d/u;

/** Returns an action's label and outcome on one line, followed by the end of a command's output. */
function settledLines(label: string, event: Extract<AgentEvent, {event: 'action-settled'}>): readonly string[] {
  const {kind, words, printed} = outcomeOf(event.result);
  const seconds = `${(event.durationMs / 1000).toFixed(1)} s`;
  const parts = [label, ...words].map(oneLine).filter(word => word !== '');
  return [
    `${marks[kind]} ${[...parts, seconds].join(' · ')}`,
    ...shownLines(printed, kind === 'ended-badly' ? kind : 'other'),
  ];
}

const marks = {done: '✔', 'ended-badly': '!', failed: '✖', refused: '■', stopped: '■'} as const;

function shownLines(printed: string, kind: 'ended-badly' | 'other'): readonly string[] {
  const lines = printed.split('\n').filter(line => line.trim() !== '');
  const reasons = kind === 'ended-badly' ? [...new Set(lines.filter(line => sayWhy.test(line)))] : [];
  const shown = reasons.length > 0 ? reasons.slice(0, maxOutputLines) : lines.slice(-maxOutputLines);
  return shown.map(line => `    ${line}`);
}
