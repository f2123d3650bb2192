import type {AgentEvent} from '../actions/agent-event.ts';
import {isBackgroundAgentEnd} from '../actions/background-agent-end.ts';
import {BackgroundCommands} from '../actions/background-commands.ts';
import {isRunning} from '../actions/block-text.ts';
import type {BlockInfo} from '../actions/ports.ts';
import type {AgentClient, EventListener, Op} from '../agent/client.ts';
import {firstLine} from '../base/clip.ts';
import type {Outcome} from '../base/outcome.ts';
import {visibleLine} from '../base/visible.ts';
import {messageText} from '../domain/conversation.ts';
import {causeText, faultText} from '../domain/fault.ts';
import type {MessageId, SessionId} from '../domain/ids.ts';
import type {SessionSummary} from '../domain/journal.ts';
import {branchNote, type RunningSession, sessionTitle} from '../domain/session-list.ts';
import {hasEnded} from '../domain/sub-agent.ts';
import {questionIdOf, asksUser, settlesQuestion, LiveEvents} from '../jobs/live-events.ts';

/** The session that an operation requests. */
export type WantedSession = OpenOp['session'];
type OpenOp = Extract<Op, {op: 'open-session'}>;

interface OpenSessionsOptions {
  /** Opens one more session; the error is a sentence. New sessions start in `directory`. */
  open(wanted: WantedSession, directory: string): Promise<Outcome<AgentClient, string>>;
  /** `reuse`: the engine of an idle session opens the next session itself. `separate`: the next session gets its own client. */
  readonly engineWhenIdle: 'reuse' | 'separate';
  newPromptId(): MessageId;
  now(): number;
}

/** The maximum number of sessions that can be open at once, including the one on the screen. */
const maxOpen = 8;

/**
 * The client of a front end that shows one session while others continue. A working session keeps its engine when the
 * user switches to another one. When the user returns, the screen shows what has happened since. Notices say what the
 * other sessions need. An engine in the background closes when no work of its session is running anymore.
 */
export class OpenSessions implements AgentClient {
  readonly #options: OpenSessionsOptions;
  readonly #background = new Set<OpenSession>();
  readonly #listeners = new Map<EventListener, () => void>();
  readonly #closings = new Set<Promise<void>>();
  #shown: OpenSession;
  #switched = new AbortController();
  /** Operations that wait for the session that is being opened. */
  #held: Op[] | 'none' = 'none';
  /** The sessions that weft stopped when it exited. */
  #stopped: readonly RunningSession[] | 'none' = 'none';

  constructor(first: AgentClient, options: OpenSessionsOptions) {
    this.#options = options;
    this.#shown = this.#follow(first);
  }

  /** Returns the running background sessions, those that need an answer first. After `close`, returns those that it stopped. */
  running(): readonly RunningSession[] {
    if (this.#stopped !== 'none') return this.#stopped;
    const order = ['needs-input', 'running', 'commands'];
    return [...this.#background]
      .flatMap(session => session.running())
      .toSorted((a, b) => order.indexOf(a.state) - order.indexOf(b.state));
  }

  submit(op: Op): void {
    if (this.#held !== 'none') this.#held.push(op);
    else if (op.op === 'open-session') void this.#go(op);
    else this.#shown.submit(op);
  }

  subscribe(listener: EventListener): () => void {
    this.#listeners.set(listener, this.#shown.client.subscribe(listener));
    return () => {
      this.#listeners.get(listener)?.();
      this.#listeners.delete(listener);
    };
  }

  readonly query: AgentClient['query'] = (request, signal) => this.#shown.client.query(request, signal);

  /** Watches the session on the screen. A watch of terminals continues with the next session after a switch. */
  readonly watch: AgentClient['watch'] = async (request, listener, signal) => {
    if (request.watch !== 'terminals') return this.#shown.client.watch(request, listener, signal);
    for (;;) {
      const switched = this.#switched.signal;
      const end = await this.#shown.client.watch(request, listener, AbortSignal.any([signal, switched]));
      if (signal.aborted || !switched.aborted) return end;
    }
  };

  async close(reason: 'finished' | 'shutdown'): Promise<void> {
    this.#stopped = this.running();
    const open = [this.#shown, ...this.#background];
    await Promise.all([...open.map(({client}) => client.close(reason)), ...this.#closings]);
  }

  /** Opens a session. Operations that arrive in the meantime wait for it. */
  async #go(op: OpenOp): Promise<void> {
    this.#held = [];
    // The requested session may be one that is just closing.
    await Promise.all(this.#closings);
    await this.#enter(op);
    const held = this.#held;
    this.#held = 'none';
    for (const each of held) this.submit(each);
  }

  async #enter(op: OpenOp): Promise<void> {
    const {session: wanted} = op;
    const left = this.#shown;
    if (wanted.kind === 'resume' && wanted.id === left.id) return;
    if (wanted.kind === 'branch' && wanted.files === 'go-back' && left.works) {
      this.#tell('warning', 'The agent works on these files. Press Esc to stop it first.');
      return;
    }
    const known = wanted.kind === 'resume' ? [...this.#background].find(({id}) => id === wanted.id) : undefined;
    if (known === undefined && !left.works && this.#options.engineWhenIdle === 'reuse') return left.submit(op);
    const next = known ?? (await this.#openBeside(wanted, left));
    if (next === undefined) return;
    this.#show(next, left);
    if (wanted.kind === 'branch') this.#tell('info', branchNote(wanted.id));
  }

  async #openBeside(wanted: WantedSession, left: OpenSession): Promise<OpenSession | undefined> {
    if (this.#background.size + 1 >= maxOpen) {
      this.#tell('warning', `${maxOpen} sessions are open. Stop one first. To list them, type /resume.`);
      return undefined;
    }
    try {
      const opened = await this.#options.open(wanted, left.summary().directory);
      if (opened.tag === 'ok') {
        if (this.#stopped !== 'none') await opened.value.close('shutdown');
        const next = this.#follow(opened.value);
        if (this.#options.engineWhenIdle === 'reuse') next.takeAfter(left);
        return next;
      }
      this.#tell('warning', opened.error);
    } catch (cause) {
      this.#tell('warning', causeText(cause));
    }
    return undefined;
  }

  #follow(client: AgentClient): OpenSession {
    const session = new OpenSession(client, {
      now: () => this.#options.now(),
      hears: (event, rests) => this.#hear(session, event, rests),
      blocksChanged: () => this.#closeAtRest(session),
      newPromptId: () => this.#options.newPromptId(),
    });
    session.follow();
    return session;
  }

  #show(next: OpenSession, left: OpenSession): void {
    this.#shown = next;
    const isKnown = this.#background.delete(next);
    this.#background.add(left);
    for (const [listener, end] of this.#listeners) {
      end();
      let asNext = isKnown ? asResumed : (event: AgentEvent): AgentEvent => event;
      const hear: EventListener = events => {
        const heard = events.map(asNext);
        asNext = event => event;
        return listener(heard);
      };
      this.#listeners.set(listener, next.client.subscribe(hear));
    }
    this.#switched.abort();
    this.#switched = new AbortController();
    const [goesOn] = left.running();
    if (goesOn === undefined) this.#closeAtRest(left);
    else {
      const does = goesOn.state === 'needs-input' ? 'is waiting for your answer' : 'continues in the background';
      this.#tell('info', `${left.name} ${does}. To return to it, type /resume.`);
    }
  }

  /** Tells the user about a background session: a question, or its end. */
  #hear(session: OpenSession, event: AgentEvent, rests: Rest): void {
    if (!this.#background.has(session) || this.#stopped !== 'none') return;
    if (isBackgroundAgentEnd(event)) session.submit({op: 'hear-agents', id: this.#options.newPromptId()});
    if (asksUser(event)) this.#tell('warning', `${session.name} needs your answer. To open it, type /resume.`);
    if (rests === 'since-now' && !session.works) {
      const end = event.event === 'prompt-finished' ? event.summary.end : ({kind: 'done'} as const);
      if (end.kind === 'failed') this.#tell('warning', `${session.name} failed: ${faultText(end.fault)}`);
      else {
        const more = session.running().length > 0 ? '; its background commands are still running' : '';
        this.#tell(
          'info',
          `${session.name} ${end.kind === 'done' ? 'is done' : 'was stopped'}${more}. To open it, type /resume.`,
        );
      }
    }
    this.#closeAtRest(session);
  }

  /** Closes a background session if none of its work is running. Its conversation is saved. */
  #closeAtRest(session: OpenSession): void {
    if (this.#stopped !== 'none' || session.running().length > 0 || !this.#background.delete(session)) return;
    const closing = session.client.close('finished').finally(() => this.#closings.delete(closing));
    this.#closings.add(closing);
  }

  #tell(level: 'info' | 'warning', text: string): void {
    for (const listener of this.#listeners.keys()) void listener([{event: 'notice', level, text}]);
  }
}

/** Marks a session as resumed when the user returns to it. */
const asResumed = (event: AgentEvent): AgentEvent =>
  event.event === 'session-opened' ? {...event, session: {...event.session, origin: 'resumed'}} : event;

/** Wraps an engine so that later subscribers also get the earlier events of the running prompt. */
export function withEarlierEvents(client: AgentClient): AgentClient {
  const live = new LiveEvents(client);
  return {
    submit: op => client.submit(op),
    subscribe: listener => live.subscribe(listener),
    query: (request, signal) => client.query(request, signal),
    watch: (request, listener, signal) => client.watch(request, listener, signal),
    close: reason => client.close(reason),
  };
}

/** Whether a session's work ended with this event. */
type Rest = 'since-now' | 'as-before';

interface OpenSessionHost {
  readonly now: () => number;
  readonly hears: (event: AgentEvent, rests: Rest) => void;
  readonly blocksChanged: () => void;
  readonly newPromptId: () => MessageId;
}

/** An open session, and its running work. */
class OpenSession {
  readonly client: AgentClient;
  readonly #host: OpenSessionHost;
  #info: Extract<AgentEvent, {event: 'session-opened'}>['session'] | 'opening' = 'opening';
  #title = '';
  #messages = 0;
  #since: number;
  #isWorking = false;
  /** The user's queued prompts and commands. */
  readonly #waiting = new Set<MessageId>();
  readonly #asks = new Set<string>();
  readonly #agents = new Map<SessionId, string>();
  #blocks: readonly BlockInfo[] = [];
  readonly #commands = new BackgroundCommands();

  constructor(client: AgentClient, host: OpenSessionHost) {
    this.client = client;
    this.#host = host;
    this.#since = host.now();
  }

  follow(): void {
    this.client.subscribe(events => {
      for (const event of events) {
        const worked = this.works;
        this.#follow(event);
        this.#commands.take(event);
        this.#host.hears(event, worked && !this.works ? 'since-now' : 'as-before');
      }
    });
    const hear = (blocks: readonly BlockInfo[]): void => {
      this.#blocks = blocks.filter(({state, life}) => isRunning(state) && life !== 'kept');
      for (const end of this.#commands.ended(blocks))
        this.submit({op: 'hear-command', id: this.#host.newPromptId(), end});
      this.#host.blocksChanged();
    };
    void this.client.watch({watch: 'terminals'}, hear, new AbortController().signal);
  }

  get id(): SessionId | 'opening' {
    return this.#info === 'opening' ? 'opening' : this.#info.id;
  }

  /** True if something runs or waits that closing the session would interrupt. */
  get works(): boolean {
    return this.#isWorking || this.#asks.size + this.#waiting.size + this.#agents.size > 0;
  }

  /** The session's name in a sentence: `Session "Fix the tests"`. */
  get name(): string {
    return `Session "${visibleLine(firstLine(sessionTitle(this.summary()), 40))}"`;
  }

  /** Returns the session as a row of a list, because the store does not know every session. */
  summary(): Omit<SessionSummary, 'id'> {
    const {directory, model} = this.#info === 'opening' ? {directory: '', model: ''} : this.#info;
    const [createdAt, updatedAt] = [this.#since, this.#since];
    return {title: this.#title, directory, model, createdAt, updatedAt, messages: this.#messages};
  }

  running(): readonly RunningSession[] {
    const {id} = this;
    if (id === 'opening' || (!this.works && this.#blocks.length === 0)) return [];
    const state = this.#asks.size > 0 ? 'needs-input' : this.works ? 'running' : 'commands';
    const background = [
      ...this.#blocks.map(({command}) => command),
      ...[...this.#agents.values()].map(name => `the agent ${name}`),
    ];
    return [{summary: {...this.summary(), id}, state, background}];
  }

  submit(op: Op): void {
    if (op.op === 'prompt' || op.op === 'run-command' || op.op === 'hear-agents' || op.op === 'hear-command')
      this.#waiting.add(op.id);
    if (op.op === 'stop-terminal') this.#commands.forget(op.id);
    this.client.submit(op);
  }

  /** Takes over the mode and model of the session that the user left. */
  takeAfter(left: OpenSession): void {
    const [before, now] = [left.#info, this.#info];
    if (before === 'opening' || now === 'opening') return;
    if (before.mode !== now.mode) this.submit({op: 'set-mode', mode: before.mode});
    if (before.model !== now.model) this.submit({op: 'set-model', model: before.model});
  }

  #follow(event: AgentEvent): void {
    if (asksUser(event)) this.#asks.add(questionIdOf(event));
    else if ('id' in event && settlesQuestion(event)) this.#asks.delete(event.id);
    switch (event.event) {
      case 'session-opened': {
        const first = event.history.find(({role}) => role === 'user');
        this.#info = event.session;
        this.#title = first === undefined ? '' : firstLine(messageText(first), 200);
        this.#messages = event.history.length;
        this.#isWorking = false;
        this.#asks.clear();
        this.#agents.clear();
        return;
      }
      case 'session-renamed':
        this.#title = event.title;
        return;
      case 'prompt-accepted':
      case 'command-started':
        this.#isWorking = true;
        this.#waiting.delete(event.id);
        this.#messages += 1;
        this.#since = this.#host.now();
        if (this.#title === '' && event.event === 'prompt-accepted') this.#title = firstLine(event.text, 200);
        return;
      case 'prompt-withdrawn':
        this.#waiting.delete(event.id);
        return;
      case 'compaction-begun':
        if (event.trigger === 'manual') this.#isWorking = true;
        return;
      case 'compaction-ended':
        if (event.trigger === 'manual') this.#isWorking = false;
        return;
      case 'prompt-finished':
      case 'command-finished':
        this.#isWorking = false;
        return;
      case 'mode-changed':
        if (this.#info !== 'opening') this.#info = {...this.#info, mode: event.mode};
        return;
      case 'model-changed':
        if (this.#info !== 'opening') this.#info = {...this.#info, model: event.model};
        return;
      case 'agent-started':
      case 'agent-changed': {
        const {agent, place, status} = event.row;
        if (place === 'background' && !hasEnded(status)) this.#agents.set(agent.id, agent.name);
        else this.#agents.delete(agent.id);
        return;
      }
      default:
    }
  }
}
