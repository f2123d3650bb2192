import {mcpClientModel} from '../../domain/journal.ts';
import type {AgentEvent} from '../../actions/agent-event.ts';
import {timeAgo} from '../../base/time-ago.ts';
import {startScreenLines, type StartFacts} from '../components/start-screen.tsx';
import type {TuiOptions} from '../options.ts';
import type {View} from '../state/view.ts';
import type {Frame} from '../text/wrap.ts';
import type {TranscriptBlock} from '../scrollback/scrollback-buffer.ts';

interface StartScreenDeps {
  readonly options: TuiOptions;
  readonly signal: AbortSignal;
  readonly view: () => View;
  readonly redraw: () => void;
}

/** The content of the start screen. It is part of the live region until something is written above it. Then it moves to the top of the scrollback. */
export class StartScreenState {
  readonly #deps: StartScreenDeps;
  #isWritten = false;
  #branch = '';
  #lastSession: StartFacts['lastSession'] = 'none';

  constructor(deps: StartScreenDeps) {
    this.#deps = deps;
  }

  get shown(): StartFacts | 'written' {
    return this.#isWritten ? 'written' : this.#facts();
  }

  /** Returns the lines of the start screen. Empty once it is written. */
  lines(frame: Frame): readonly string[] {
    return this.#isWritten ? [] : startScreenLines(this.#facts(), frame);
  }

  /** Returns the block for the scrollback once, and an empty list afterwards. */
  take(): readonly TranscriptBlock[] {
    if (this.#isWritten) return [];
    this.#isWritten = true;
    const facts = this.#facts();
    return [frame => startScreenLines(facts, frame)];
  }

  handleEvents(events: readonly AgentEvent[]): void {
    if (!this.#isWritten && events.some(({event}) => event === 'session-opened')) void this.#findBranch();
  }

  /** Looks for the session that the start screen offers to continue. Must be called after the first frame. */
  async findLastSession(): Promise<void> {
    const {options, signal, view, redraw} = this.#deps;
    const answer = await options.engine.query(
      {query: 'sessions', limit: searchedSessions, withoutModel: mcpClientModel},
      signal,
    );
    const {session} = view();
    if (answer.tag !== 'ok' || session.tag !== 'open' || session.info.origin !== 'new') return;
    const last = answer.value.find(({id, messages, title}) => id !== session.info.id && messages > 0 && title !== '');
    if (last === undefined) return;
    this.#lastSession = {title: last.title, age: timeAgo(options.clock.date() - last.updatedAt)};
    redraw();
  }

  async #findBranch(): Promise<void> {
    const {options, signal, redraw} = this.#deps;
    const answer = await options.engine.query({query: 'branch'}, signal);
    if (answer.tag !== 'ok' || answer.value === this.#branch) return;
    this.#branch = answer.value;
    redraw();
  }

  #facts(): StartFacts {
    const {options, view} = this.#deps;
    const {version, directory, instructions, notices} = options;
    const {session, model, mode} = view();
    const about = session.tag === 'opening' ? 'opening' : {model, mode};
    return {version, directory, instructions, notices, about, branch: this.#branch, lastSession: this.#lastSession};
  }
}

/** The number of new sessions in which to look for one with a prompt. */
const searchedSessions = 20;
