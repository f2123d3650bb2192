import type {AgentEvent} from '../../actions/agent-event.ts';
import {definitions} from '../../actions/catalogue.ts';
import {clip, pluralize} from '../../base/clip.ts';
import {unreachable} from '../../base/unreachable.ts';
import {visibleLine} from '../../base/visible.ts';
import type {MessageId} from '../../domain/ids.ts';
import type {TodoList} from '../../domain/todo.ts';
import {todosOf} from '../../tasks/task-view.ts';
import {todoStateTexts} from '../commands/todo.ts';
import {type ActionFacts, actionFacts, isEdit, pastActionFacts} from '../scrollback/action-entry.ts';
import {explorationRows, stopNotice, turnFacts} from '../scrollback/entries.ts';
import type {MarkdownLexer} from '../scrollback/render-markdown.ts';
import {reduce, takeFinished} from '../state/reduce.ts';
import {toProgressLabel, isFinishedTodo} from '../state/selectors.ts';
import type {FinishedEntry, View} from '../state/view.ts';
import {plainCheck} from '../text/check-text.ts';
import {type EntryFrame, spansText} from '../text/wrap.ts';
import {glyphs} from '../theme/glyphs.ts';
import {themeOf} from '../theme/theme.ts';
import {PlainMarkdown} from './plain-markdown.ts';

/** The layout for listening, not for a screen: wide enough to clip little, but short enough to listen to. */
export const plainFrame = {
  theme: themeOf('plain'),
  width: 200,
  verbosity: 'screen-reader',
  home: '',
} as const satisfies EntryFrame;

/** Returns a finished entry as plain text: the scrollback's content, with signs as words and notes as sentences. */
export function plainEntryLines(
  entry: Exclude<FinishedEntry, {readonly kind: 'pieces'}>,
  frame: EntryFrame = plainFrame,
): readonly string[] {
  switch (entry.kind) {
    case 'thinking':
      return [];
    case 'action':
      return plainActionLines(actionFacts(entry, frame, undefined), isEdit(entry.stage) ? 'title' : 'body', frame);
    case 'past-action':
      return plainActionLines(pastActionFacts(entry, frame), 'body', frame);
    case 'exploration':
      return explorationRows(entry, 'done', frame).map(row => withCommand(row.trim().replaceAll(/ {2,}/gu, ': ')));
    case 'prompt':
      return [...(entry.text === '' ? [] : plainPromptLines(entry.text)), ...entry.attached.map(plainTextLine)];
    case 'command-answer':
    case 'notice':
      return plainNoticeLines(entry.level, entry.text);
    case 'end': {
      const facts = turnFacts(entry.turn).map(spansText);
      const stop = stopNotice(entry.end);
      const said = stop === undefined ? ['Done'] : stop.text.split(/\n| · /u).map(plainTextLine);
      return [
        (stop?.role === 'error' ? 'Failed: ' : '') +
          sentences([...said, ...entry.turn.checks.map(plainCheck), ...facts]),
      ];
    }
    default:
      return unreachable(entry);
  }
}

export function plainPromptLines(text: string): readonly string[] {
  const [first = '', ...rest] = text.split('\n');
  return ['', `You: ${first}`, ...rest];
}

export function plainNoticeLines(level: 'info' | 'warning', text: string): readonly string[] {
  const [first = '', ...rest] = text.split('\n');
  return [level === 'warning' ? `Warning: ${first}` : first, ...rest];
}

const markWords = new Map<string, string>([
  [glyphs.success, 'Done'],
  [glyphs.error, 'Failed'],
  [glyphs.cancelled, 'Stopped'],
]);

/**
 * Returns `Failed: npm test. Exit 1. 2.7 s.`, then the lines with the reason. An edit has its title only: its approval listed
 * the lines.
 */
function plainActionLines({mark, spans, notes, body}: ActionFacts, extent: 'title' | 'body', frame: EntryFrame) {
  const title = plainLabel(spansText(spans));
  const said = sentences([`${markWords.get(mark.glyph) ?? 'Started'}: ${title}`, ...notes]);
  if (extent === 'title') return [said];
  const {rows, foot} = body(frame);
  return [said, ...rows.map(row => (typeof row === 'string' ? row : row.text)), ...foot.map(withCommand)];
}

/** Replaces the screen's key for unfolding with the command that shows the same. */
const withCommand = (text: string): string => text.replace(' · Ctrl+O', ', shown by /transcript');

export const todoLines = (todos: TodoList): readonly string[] =>
  todos.map(({title, status}, at) => `${at + 1}. ${plainLabel(title)}: ${todoStateTexts[status]}.`);

/** Returns the changes in the todo list on one line, or an empty string if there are none. */
function todoLine(before: TodoList, after: TodoList): string {
  const known = new Map(before.map(({id, status}) => [id, status]));
  const changed = after.filter(({id, status}) => known.get(id) !== status);
  const gone = before.filter(({id}) => after.every(todo => todo.id !== id)).length;
  if (changed.length + gone === 0) return '';
  return sentences([
    `Todos ${after.filter(isFinishedTodo).length} of ${after.length}`,
    ...changed.map(({title, status}) => `${plainLabel(title)}: ${todoStateTexts[status]}`),
    ...(gone === 0 ? [] : [`${pluralize(gone, 'item')} removed`]),
  ]);
}

export const plainTextLine = (text: string): string => visibleLine(text).replaceAll(' ⏎ ', ' / ');

/** The maximum number of UTF-16 units of a label in a printed line: longer ones are tiring to listen to. */
const maxLabelLength = 300;

export const plainLabel = (label: string): string =>
  clip(plainTextLine(label).replaceAll(/ {2,}/gu, ' '), maxLabelLength);

/** Joins clauses as sentences on one line. Adds a period to clauses without a closing punctuation mark. */
export const sentences = (clauses: readonly string[]): string =>
  clauses
    .map(clause => clause.trim())
    .filter(clause => clause !== '')
    .map(text => text.charAt(0).toUpperCase() + text.slice(1))
    .map(text => (/[.!?:…]$/u.test(text) ? text : `${text}.`))
    .join(' ');

/** Turns engine events into lines: finished entries, and temporary states that the screen shows only while they last. */
export class EventLines {
  readonly #markdown: PlainMarkdown;
  readonly #typed: Set<MessageId>;

  /** The prompts in `typed` are not printed again, because the typed lines are still right above their answers. */
  constructor(lexer: MarkdownLexer, typed: Set<MessageId>) {
    this.#markdown = new PlainMarkdown(lexer);
    this.#typed = typed;
  }

  take(before: View, events: readonly AgentEvent[]): {readonly view: View; readonly lines: readonly string[]} {
    const lines: string[] = [];
    let view = before;
    for (const event of events) {
      const was = view;
      view = this.#reduced(view, event);
      // The deltas of a batch are rendered together.
      if (event.event === 'block-delta') continue;
      view = this.#drain(view, lines);
      const said = temporaryStateLines(event, was, view);
      if (said.length > 0) lines.push(...this.#markdown.close(), ...said);
    }
    view = this.#drain(view, lines);
    return {view, lines};
  }

  #reduced(before: View, event: AgentEvent): View {
    const view = reduce(before, event);
    if (event.event !== 'prompt-accepted' || !this.#typed.delete(event.id)) return view;
    const entries = view.entries.map(entry => (entry.kind === 'prompt' ? {...entry, text: ''} : entry));
    return {...view, entries};
  }

  #drain(before: View, lines: string[]): View {
    const {view, finished} = takeFinished(before);
    for (const entry of finished) {
      if (entry.kind === 'pieces') lines.push(...this.#markdown.lines(entry.pieces));
      else {
        const said = plainEntryLines(entry);
        if (said.length > 0) lines.push(...this.#markdown.close(), ...said);
      }
    }
    return view;
  }
}

function temporaryStateLines(event: AgentEvent, was: View, view: View): readonly string[] {
  switch (event.event) {
    case 'prompt-withdrawn': {
      const dropped = was.queued.find(({id}) => id === event.id);
      return dropped === undefined ? [] : [`Not sent: ${plainLabel(dropped.typed)}`];
    }
    case 'retrying': {
      const {message, attempt, maxAttempts, delayMs} = event;
      const wait = `Trying again in ${Math.ceil(delayMs / 1000)} seconds, attempt ${attempt} of ${maxAttempts}`;
      return [sentences([`The model did not answer: ${plainTextLine(message)}`, wait])];
    }
    case 'compaction-begun':
      return [
        `The model is writing a summary${event.estimate === '' ? '' : `, ${event.estimate}`}. Type stop to cancel.`,
      ];
    case 'action-started': {
      const begun = view.entries.find(entry => entry.kind === 'action' && entry.id === event.id);
      if (begun?.kind !== 'action' || begun.stage.stage !== 'running') return [];
      const isAsked = definitions[begun.stage.action.name].reported === 'by-own-events';
      return isAsked ? [] : [sentences([plainLabel(toProgressLabel(begun.label))])];
    }
    case 'todos-framed':
      return [todoLine(todosOf(was.tasks), todosOf(view.tasks))].filter(line => line !== '');
    case 'prompt-suggested':
      return [`Suggested next prompt: ${plainLabel(event.prompt)}`];
    case 'model-changed':
      return event.model === was.model ? [] : [`Model changed to ${plainTextLine(event.model)}.`];
    case 'mode-changed':
      return event.mode === was.mode ? [] : [`Mode changed to ${event.mode}.`];
    default:
      return [];
  }
}
