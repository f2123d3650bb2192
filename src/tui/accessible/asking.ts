import type {AgentEvent} from '../../actions/agent-event.ts';
import type {BlockDesk} from '../../actions/ports.ts';
import type {ActionId} from '../../domain/ids.ts';
import type {Effect} from '../input/effect.ts';
import type {View} from '../state/view.ts';
import type {Dialogue} from './dialogue.ts';
import {isOpen, nextQuestion, type NextQuestion} from './next-question.ts';

/** Whose question it is: of the agent's, or opened by a command of the user's. */
type Asker = ActionId | 'own';

/** What lines answer now. One thing is asked at a time; what of the agent's is open beside it comes after it. */
export class Asking {
  readonly #say: (lines: readonly string[]) => void;
  /** Their answers are on the way, and the engine will say that they are no longer open. */
  readonly #answered = new Set<ActionId>();
  #now: {readonly asker: Asker; readonly dialogue: Dialogue} | undefined;

  constructor(say: (lines: readonly string[]) => void) {
    this.#say = say;
  }

  get of(): 'nobody' | 'agent' | 'user' {
    if (this.#now === undefined) return 'nobody';
    return this.#now.asker === 'own' ? 'user' : 'agent';
  }

  ask(asker: Asker, dialogue: Dialogue): void {
    this.#now = {asker, dialogue};
    this.#say(dialogue.lines);
  }

  repeat(): void {
    this.#say(this.#now?.dialogue.lines ?? ['Nothing is asked.']);
  }

  drop(): void {
    this.#now = undefined;
  }

  /** What of the agent's is to be asked next, where nothing is asked now. */
  next(view: View, blocks: BlockDesk): NextQuestion | undefined {
    return this.#now === undefined ? nextQuestion(view, this.#answered, blocks) : undefined;
  }

  /** To be told of all events. A question that was settled elsewhere is asked no longer; one that is asked anew is a new one. */
  follow(events: readonly AgentEvent[], view: View): void {
    for (const event of events) {
      const id = askedIn(event);
      if (id === undefined) continue;
      this.#answered.delete(id);
      if (this.#now?.asker === id) this.#now = undefined;
    }
    if (this.#now === undefined || this.#now.asker === 'own' || isOpen(view, this.#now.asker)) return;
    this.#now = undefined;
    this.#say(['The question is no longer open.']);
  }

  /** Takes a line as the answer, and tells what is to be done for it. */
  answer(line: string): readonly Effect[] {
    if (this.#now === undefined) return [];
    const {asker, dialogue} = this.#now;
    const {next, say, effects} = dialogue.answer(line);
    this.#say(say.filter(text => text !== ''));
    if (next === 'closed') {
      this.#now = undefined;
      if (asker !== 'own') this.#answered.add(asker);
    } else if (next !== 'same') {
      this.ask(asker, next);
    }
    return effects;
  }
}

function askedIn(event: AgentEvent): ActionId | undefined {
  switch (event.event) {
    case 'approval-requested':
      return event.approval.id;
    case 'question-asked':
    case 'hand-over-asked':
      return event.id;
    default:
      return undefined;
  }
}
