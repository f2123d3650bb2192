import type {AgentEvent} from '../../actions/agent-event.ts';
import {unreachable} from '../../base/unreachable.ts';
import type {ActionId, MessageId} from '../../domain/ids.ts';
import {todosOf} from '../../tasks/task-view.ts';
import type {MarkdownLexer} from '../markdown/render-markdown.ts';
import {drain} from '../state/drain.ts';
import {reduce} from '../state/reduce.ts';
import type {Finished, View} from '../state/view.ts';
import {countOf, endedLine, outputLines, pastWords, promptEndLine, sentences, spokenLabel} from './action-words.ts';
import {PlainMarkdown, spokenLine, spokenPrompt} from './plain-markdown.ts';
import {todoLine} from './todo-words.ts';

/** Actions that say what they do by other lines: a question is asked, a list changes. */
const saidElsewhere: ReadonlySet<string> = new Set(['update-todos', 'ask-user-question', 'give-structured-answer']);

/** Lines of the output of a command of the user's own that are said, from its end. */
const outputSaid = 200;

/**
 * The events of the engine as lines to say. The view is the fold that the screen UI has; actions leave it as they end, not in
 * their order, since nothing is drawn that could keep one.
 */
export class EventLines {
  readonly #markdown: PlainMarkdown;
  readonly #labels = new Map<ActionId, {readonly label: string; readonly name: string}>();
  /** Prompts that stand on the paper as they were typed, right above what comes of them. */
  readonly #typed = new Set<MessageId>();
  #ownCommand: string | undefined;

  constructor(lexer: MarkdownLexer) {
    this.#markdown = new PlainMarkdown(lexer);
  }

  typed(id: MessageId): void {
    this.#typed.add(id);
  }

  /** The view after the events, and what they have to say. */
  take(before: View, events: readonly AgentEvent[]): {readonly view: View; readonly lines: readonly string[]} {
    const lines: string[] = [];
    let view = before;
    const say = (...more: readonly string[]): void => {
      if (more.length > 0) lines.push(...this.#markdown.close(), ...more);
    };
    for (const event of events) {
      const was = view;
      view = reduce(view, event);
      // Deltas of one batch are read together.
      if (event.event === 'block-delta') continue;
      if (event.event === 'prompt-accepted') view = {...view, entries: view.entries.slice(0, -1)};
      const drained = this.#drained(view);
      view = drained.view;
      lines.push(...drained.lines);
      say(...this.#linesOf(event, was, view));
    }
    const drained = this.#drained(view);
    return {view: drained.view, lines: [...lines, ...drained.lines]};
  }

  /** What is finished of the view beside actions. */
  #drained(view: View): {readonly view: View; readonly lines: readonly string[]} {
    if (view.entries.length === 0) return {view, lines: []};
    const actions = view.entries.filter(entry => entry.kind === 'action' && entry.stage.stage !== 'settled');
    const rest = drain({...view, entries: view.entries.filter(entry => entry.kind !== 'action')});
    return {
      view: {...rest.view, entries: [...actions, ...rest.view.entries]},
      lines: rest.finished.flatMap(one => this.#finished(one)),
    };
  }

  #finished(one: Finished): readonly string[] {
    if (one.kind === 'pieces') return this.#markdown.lines(one.pieces);
    const lines = finishedLines(one);
    return lines.length === 0 ? [] : [...this.#markdown.close(), ...lines];
  }

  #linesOf(event: AgentEvent, was: View, view: View): readonly string[] {
    switch (event.event) {
      case 'prompt-accepted':
        return this.#typed.delete(event.id) ? [] : spokenPrompt(event.text);
      case 'prompt-withdrawn': {
        const dropped = was.queued.find(({id}) => id === event.id);
        return dropped === undefined ? [] : [`Not sent: ${spokenLabel(dropped.typed)}`];
      }
      case 'retrying': {
        const {message, attempt, maxAttempts, delayMs} = event;
        const wait = `Trying again in ${Math.ceil(delayMs / 1000)} seconds, ${attempt} of ${maxAttempts}`;
        return [sentences([`The model did not answer: ${spokenLine(message)}`, wait])];
      }
      case 'compaction-begun':
        return ['The model writes a summary. The word stop ends that.'];
      case 'command-started':
        this.#ownCommand = event.id;
        return [];
      case 'command-finished':
        this.#ownCommand = undefined;
        return [];
      case 'action-queued':
        this.#labels.set(event.id, {label: event.label, name: event.action.name});
        return [];
      case 'action-started':
        return this.#started(event, view);
      case 'action-settled':
        return this.#settled(event);
      case 'todos-framed':
        return [todoLine(todosOf(was.tasks), todosOf(view.tasks))].filter(line => line !== '');
      case 'model-changed':
        return event.model === was.model ? [] : [`The model is ${spokenLine(event.model)} now.`];
      case 'mode-changed':
        return event.mode === was.mode ? [] : [`The mode is ${event.mode} now.`];
      case 'prompt-finished': {
        this.#labels.clear();
        const {end, durationMs} = event.summary;
        return end.kind === 'done'
          ? [`${promptEndLine(end)} ${countOf(Math.round(durationMs / 1000), 'second')}.`]
          : [];
      }
      default:
        return [];
    }
  }

  #started({id}: Extract<AgentEvent, {event: 'action-started'}>, view: View): readonly string[] {
    const entry = view.entries.find(one => one.kind === 'action' && one.id === id);
    const known = this.#labels.get(id);
    if (entry?.kind !== 'action' || known === undefined) return [];
    this.#labels.set(id, {...known, label: entry.label});
    return saidElsewhere.has(known.name) ? [] : [`Started: ${spokenLabel(entry.label)}`];
  }

  #settled({call, result, durationMs}: Extract<AgentEvent, {event: 'action-settled'}>): readonly string[] {
    const known = this.#labels.get(call.id);
    this.#labels.delete(call.id);
    const isFine = result.tag === 'action' && result.result.settled.state === 'success';
    if (known !== undefined && isFine && saidElsewhere.has(known.name)) return [];
    const line = endedLine(known?.label ?? call.name, result, durationMs);
    if (this.#ownCommand !== String(call.id)) return [line];
    const output = outputLines(result);
    const more = output.length - outputSaid;
    return [...(more > 0 ? [`${countOf(more, 'line')} not said.`] : []), ...output.slice(-outputSaid), line];
  }
}

function finishedLines(one: Exclude<Finished, {readonly kind: 'pieces'}>): readonly string[] {
  switch (one.kind) {
    case 'thinking':
    case 'action':
      return [];
    case 'prompt':
      return spokenPrompt(one.text);
    case 'notice': {
      const [first = '', ...rest] = one.text.split('\n');
      return [one.level === 'warning' ? `Warning: ${first}` : first, ...rest];
    }
    case 'past-action':
      return [`${pastWords[one.outcome]}: ${spokenLabel(one.label)}`];
    case 'end':
      return [promptEndLine(one.end)];
    default:
      return unreachable(one);
  }
}
