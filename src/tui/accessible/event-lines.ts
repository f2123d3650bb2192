import type {AgentEvent} from '../../actions/agent-event.ts';
import {definitions} from '../../actions/catalogue.ts';
import type {MessageId} from '../../domain/ids.ts';
import {todosOf} from '../../tasks/task-view.ts';
import type {MarkdownLexer} from '../scrollback/render-markdown.ts';
import {reduce, takeFinished} from '../state/reduce.ts';
import {goingOn} from '../state/selectors.ts';
import type {View} from '../state/view.ts';
import {PlainMarkdown} from './plain-markdown.ts';
import {plainLabel, plainTextLine, sentences, spokenEntry, todoLine} from './spoken-entry.ts';

/**
 * Turns engine events into printed lines: finished entries of the view that the screen UI draws, in the same order, and what the screen
 * shows only while it lasts, such as the action that runs, when it begins.
 */
export class EventLines {
  readonly #markdown: PlainMarkdown;
  readonly #typed: Set<MessageId>;

  /** `typed` are prompts that are not printed again, because they stay on the terminal as they were typed, right above their answer. */
  constructor(lexer: MarkdownLexer, typed: Set<MessageId>) {
    this.#markdown = new PlainMarkdown(lexer);
    this.#typed = typed;
  }

  /** The view after the events, and the lines to print for them. */
  take(before: View, events: readonly AgentEvent[]): {readonly view: View; readonly lines: readonly string[]} {
    const lines: string[] = [];
    let view = before;
    for (const event of events) {
      const was = view;
      view = this.#reduced(view, event);
      // The deltas of a batch are rendered together.
      if (event.event === 'block-delta') continue;
      view = this.#drain(view, lines);
      const said = passingLines(event, was, view);
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

  /** Takes the finished entries out of the view. */
  #drain(before: View, lines: string[]): View {
    const {view, finished} = takeFinished(before);
    for (const entry of finished) {
      if (entry.kind === 'pieces') lines.push(...this.#markdown.lines(entry.pieces));
      else {
        const said = spokenEntry(entry);
        if (said.length > 0) lines.push(...this.#markdown.close(), ...said);
      }
    }
    return view;
  }
}

/** What the screen shows in its live region alone. */
function passingLines(event: AgentEvent, was: View, view: View): readonly string[] {
  switch (event.event) {
    case 'prompt-withdrawn': {
      const dropped = was.queued.find(({id}) => id === event.id);
      return dropped === undefined ? [] : [`Not sent: ${plainLabel(dropped.typed)}`];
    }
    case 'retrying': {
      const {message, attempt, maxAttempts, delayMs} = event;
      const wait = `Trying again in ${Math.ceil(delayMs / 1000)} seconds, ${attempt} of ${maxAttempts}`;
      return [sentences([`The model did not answer: ${plainTextLine(message)}`, wait])];
    }
    case 'compaction-begun':
      return ['The model writes a summary. The word stop ends that.'];
    case 'action-started': {
      const begun = view.entries.find(entry => entry.kind === 'action' && entry.id === event.id);
      if (begun?.kind !== 'action' || begun.stage.stage !== 'running') return [];
      const isAsked = definitions[begun.stage.action.name].reported === 'by-own-events';
      return isAsked ? [] : [sentences([plainLabel(goingOn(begun.label))])];
    }
    case 'todos-framed':
      return [todoLine(todosOf(was.tasks), todosOf(view.tasks))].filter(line => line !== '');
    case 'prompt-suggested':
      return [`Suggested next prompt: ${plainLabel(event.prompt)}`];
    case 'model-changed':
      return event.model === was.model ? [] : [`The model is ${plainTextLine(event.model)} now.`];
    case 'mode-changed':
      return event.mode === was.mode ? [] : [`The mode is ${event.mode} now.`];
    default:
      return [];
  }
}
