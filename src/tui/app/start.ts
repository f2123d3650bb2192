import type {AgentEvent} from '../../actions/agent-event.ts';
import {timeAgo} from '../../base/time-ago.ts';
import {startScreenLines, type StartFacts, startText} from '../components/start-screen.tsx';
import type {TuiOptions} from '../options.ts';
import type {View} from '../state/view.ts';
import type {Frame} from '../text/wrap.ts';

interface StartParts {
  readonly options: TuiOptions;
  readonly signal: AbortSignal;
  readonly view: () => View;
  readonly redraw: () => void;
}

/** What the start screen says. It is part of the live region until something is written above it; then it is the first of the scrollback. */
export class Start {
  readonly #parts: StartParts;
  #isWritten = false;
  #branch = '';
  #lastSession: StartFacts['lastSession'] = 'none';

  constructor(parts: StartParts) {
    this.#parts = parts;
  }

  get shown(): StartFacts | 'written' {
    return this.#isWritten ? 'written' : this.#facts();
  }

  /** The lines for the scrollback; none twice. */
  take(frame: Frame): readonly string[] {
    if (this.#isWritten) return [];
    this.#isWritten = true;
    return startScreenLines(this.#facts(), frame);
  }

  follow(events: readonly AgentEvent[]): void {
    if (!this.#isWritten && events.some(({event}) => event === 'session-opened')) void this.#findBranch();
  }

  /** Looks for the session that the start screen offers to continue; to be called after the first frame. */
  async findLastSession(): Promise<void> {
    const {options, signal, view, redraw} = this.#parts;
    const answer = await options.engine.query({query: 'sessions'}, signal);
    const {session} = view();
    if (answer.tag !== 'ok' || session.tag !== 'open' || session.info.origin !== 'new') return;
    const last = answer.value.find(({id, messages, title}) => id !== session.info.id && messages > 0 && title !== '');
    if (last === undefined) return;
    this.#lastSession = {title: last.title, age: timeAgo(options.clock.date() - last.updatedAt)};
    redraw();
  }

  async #findBranch(): Promise<void> {
    const {options, signal, redraw} = this.#parts;
    const answer = await options.engine.query({query: 'branch'}, signal);
    if (answer.tag !== 'ok' || answer.value === this.#branch) return;
    this.#branch = answer.value;
    redraw();
  }

  #facts(): StartFacts {
    const {options, view} = this.#parts;
    const {version, directory, instructions, notices} = options;
    const {session, model, mode} = view();
    const about = session.tag === 'opening' ? '' : startText(model, mode);
    return {version, directory, instructions, notices, about, branch: this.#branch, lastSession: this.#lastSession};
  }
}
