import type {AgentEvent} from '../actions/agent-event.ts';
import {isRunning} from '../actions/block-text.ts';
import type {BlockInfo} from '../actions/ports.ts';
import type {AgentClient} from '../agent/client.ts';
import {firstLine} from '../base/clip.ts';
import {visibleLine} from '../base/visible.ts';
import type {SessionId} from '../domain/ids.ts';
import {hasEnded} from '../domain/sub-agent.ts';
import {type RunningSession, sessionTitle, shortSessionIds} from '../domain/session-list.ts';
import {weftCommand} from '../app/weft-command.ts';

/** Collects what weft prints after the terminal UI exits: how to resume the session, what was stopped, and which commands are still running. */
export class ExitSummary {
  readonly #client: AgentClient;
  /** Returns the other open sessions, which end with weft. */
  readonly #running: () => readonly RunningSession[];
  readonly #over = new AbortController();
  /** The open session; `none` if it has no messages. */
  #session: SessionId | 'none' = 'none';
  #opened: SessionId | 'none' = 'none';
  #known: readonly {readonly id: SessionId}[] = [];
  #terminals: readonly BlockInfo[] = [];
  /** The names of the background sub-agents that were still running when weft began to exit. */
  readonly #agents = new Map<SessionId, string>();
  #state: 'open' | 'closing' = 'open';

  /** True if the session is saved, so that it can be resumed. */
  readonly #persistence: boolean;

  /** Follows the engine until `lines` is called. */
  constructor(
    client: AgentClient,
    {persistence, running}: {readonly persistence: boolean; readonly running: () => readonly RunningSession[]},
  ) {
    this.#client = client;
    this.#running = running;
    this.#persistence = persistence;
    client.subscribe(events => {
      for (const event of events) this.#follow(event);
    });
    void this.#followTerminals();
  }

  /** Records the terminal sessions until the engine closes; the closing engine stops the last ones it reported. */
  async #followTerminals(): Promise<void> {
    const hear = (terminals: readonly BlockInfo[]): void => {
      this.#terminals = terminals;
    };
    await this.#client.watch({watch: 'terminals'}, hear, this.#over.signal);
    this.#state = 'closing';
  }

  /** Returns the lines to print. Call it after the terminal UI has exited. */
  lines(): readonly string[] {
    this.#over.abort();
    const session = this.#persistence ? this.#session : 'none';
    // The list of known sessions may not include a session that has just begun.
    const others = this.#running();
    const own = [...(session === 'none' ? [] : [session]), ...others.map(({summary}) => summary.id)];
    const known = [...this.#known.filter(each => !own.includes(each.id)), ...own.map(each => ({id: each}))];
    const short = shortSessionIds(known);
    const id = session === 'none' ? '' : (short.get(session) ?? session);
    const going = this.#terminals.filter(({state}) => isRunning(state));
    const kept = going.filter(({life}) => life === 'kept');
    const ended = going.filter(({life}) => life !== 'kept').map(({command}) => shownCommand(command));
    const stopped = [
      ...ended,
      ...[...this.#agents.values()].map(name => `the agent ${shownCommand(name)}`),
      ...others.flatMap(({background}) => background.map(shownCommand)),
    ];
    const lines = [
      ...(id === '' ? [] : [`Resume this session: ${weftCommand(`--resume ${id}`)}`]),
      ...others.map(
        ({summary}) =>
          `Resume "${shownCommand(sessionTitle(summary))}": ${weftCommand(`--resume ${short.get(summary.id) ?? summary.id}`)}`,
      ),
      ...(stopped.length === 0 ? [] : [`Stopped: ${stopped.join(', ')}`]),
      ...(kept.length === 0
        ? []
        : [`Still running: ${kept.map(keptText).join(', ')} · ${weftCommand('ps')} lists and stops them`]),
    ];
    return lines.length === 0 ? [] : ['', ...lines];
  }

  #follow(event: AgentEvent): void {
    switch (event.event) {
      case 'session-opened':
        this.#opened = event.session.id;
        this.#agents.clear();
        this.#session = event.history.length === 0 ? 'none' : event.session.id;
        if (this.#session !== 'none') void this.#readKnown();
        return;
      case 'prompt-accepted':
      case 'command-started':
        if (this.#session === this.#opened) return;
        this.#session = this.#opened;
        void this.#readKnown();
        return;
      case 'agent-started':
      case 'agent-changed': {
        if (this.#state === 'closing') return;
        const {agent, place, status} = event.row;
        if (place === 'background' && !hasEnded(status)) this.#agents.set(agent.id, agent.name);
        else this.#agents.delete(agent.id);
        return;
      }
      default:
    }
  }

  /** Reads the ids that the short id of the session must not be confused with. */
  async #readKnown(): Promise<void> {
    const idPrefix = this.#session.slice(0, 8);
    const answer = await this.#client.query({query: 'sessions', idPrefix}, this.#over.signal);
    if (answer.tag === 'ok') this.#known = [...this.#known, ...answer.value];
  }
}

const shownCommand = (text: string): string => visibleLine(firstLine(text, 60));

const keptText = ({command, ports}: BlockInfo): string =>
  [shownCommand(command), ...ports.map(port => `:${port}`)].join(' ');
