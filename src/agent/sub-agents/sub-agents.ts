import type {AgentEvent, AgentHappening, Denial} from '../../actions/agent-event.ts';
import type {AgentMessage, AgentReport, AgentRequest, AgentsPort, AgentWait} from '../../actions/agents-port.ts';
import {reportText} from '../../actions/start-agent.ts';
import {nearestName} from '../../base/nearest-name.ts';
import {failed, ok, type Outcome} from '../../base/outcome.ts';
import {raceAbort} from '../../base/race.ts';
import {faultText, rejected, thrownFault, type Fault} from '../../domain/fault.ts';
import type {ActionId, SessionId} from '../../domain/ids.ts';
import {modelNamed} from '../../domain/model-alias.ts';
import type {AgentRow, AgentStatus, Asker, SubAgent} from '../../domain/sub-agent.ts';
import {addUsage, noUsage} from '../../domain/usage.ts';
import type {PromptCheckpoints} from '../checkpoint-recorder.ts';
import {journal, type SessionContext} from '../session-context.ts';
import {type AgentKind, builtInKinds} from './agent-kind.ts';
import {afterEvent, hasEnded, withStatus} from './agent-progress.ts';
import type {SessionAgents} from './session-agents.ts';
import {modeOf, type Spending, type WeftAgentSetup, weftAgent} from './weft-agent.ts';

/** How far sub-agents may go. Times in milliseconds. */
export interface AgentLimits {
  /** Sub-agents below sub-agents. */
  readonly depth: number;
  readonly atOnce: number;
  /** Requests to the model of all sub-agents of a session together. */
  readonly turns: number;
  /** How often the same call may fail in the same way, one time after the other. */
  readonly sameFailures: number;
  /** Silence after which one counts as idle, and after which it is stopped. */
  readonly idleMs: number;
  readonly silentMs: number;
}

export const usualLimits: AgentLimits = {
  depth: 2,
  atOnce: 8,
  turns: 1000,
  sameFailures: 3,
  idleMs: 60_000,
  silentMs: 15 * 60_000,
};

export interface SubAgentsSetup extends Pick<WeftAgentSetup, 'newEngine' | 'host' | 'disabledTools'> {
  /** The agent of the session itself. */
  readonly session: () => SessionContext;
  readonly limits: AgentLimits;
}

/** What runs a sub-agent: an engine of its own, or a harness. */
interface AgentRunner {
  /** Begins with a message, or lets it join what runs. */
  send(text: string): Promise<Outcome<unknown, Fault>>;
  /** Ends what runs; its end is told as every other. */
  interrupt(): void;
  close(): Promise<void>;
}

interface Running {
  row: AgentRow;
  readonly kind: AgentKind;
  readonly branch: Branch;
  readonly runner: AgentRunner;
  /** Settles with the end of what runs now. */
  ended: PromiseWithResolvers<void>;
  /** Why it is being stopped, where that is no wish of anybody's. */
  stopReason: string;
  heardAt: number;
  lastFailure: {readonly text: string; readonly times: number};
}

/**
 * All sub-agents of a session, and those that they start. Each prompt of one ends exactly once, as its engine or its harness says; what
 * somebody asks of one that has ended is a new prompt.
 */
export class SubAgents {
  readonly #setup: SubAgentsSetup;
  readonly #running = new Map<SessionId, Running>();
  readonly #top: Branch;
  #starting = 0;
  #turns = 0;
  #watch: ReturnType<typeof setInterval> | undefined;

  constructor(setup: SubAgentsSetup) {
    this.#setup = setup;
    this.#top = new Branch(this, {session: setup.session, parent: 'main', depth: 0});
    setup.session().pending.whenAsking((asker, on) => this.#asks(asker, on));
  }

  /** Those of the session's own agent. */
  top(): SessionAgents {
    return this.#top;
  }

  rows(): readonly AgentRow[] {
    return [...this.#running.values()].map(({row}) => row);
  }

  async start(
    request: AgentRequest,
    {branch, call, wait}: {readonly branch: Branch; readonly call: ActionId; readonly wait: AgentWait},
  ): Promise<Outcome<AgentReport, Fault>> {
    const refusal = this.#whyNoMore(branch.depth);
    if (refusal !== undefined) return failed(rejected(refusal));
    this.#starting += 1;
    let started: Outcome<Running, Fault>;
    try {
      started = await this.#begin(request, {branch, call}, wait.signal);
    } catch (cause) {
      return failed(thrownFault('The sub-agent could not be started', cause));
    } finally {
      this.#starting -= 1;
    }
    if (started.tag === 'failed') return started;
    const running = started.value;
    const sent = await running.runner.send(`${running.kind.brief}\n\nThe task:\n${request.prompt}`);
    if (sent.tag === 'failed') this.#change(running, withStatus(running.row, broken(sent.error)));
    return ok(await this.#report(running, 'began', wait));
  }

  async send(
    {to, message}: AgentMessage,
    {branch, wait}: {readonly branch: Branch; readonly wait: AgentWait},
  ): Promise<Outcome<AgentReport, Fault>> {
    const found = this.#addressee(to, branch);
    if (found.tag === 'failed') return found;
    const running = found.value;
    const sent = await this.#tell(running, `Message from the agent that started you:\n${message}`, 'foreground');
    return sent.tag === 'failed' ? sent : ok(await this.#report(running, sent.value, wait));
  }

  /** The user's own message. */
  message(id: SessionId, text: string): void {
    const running = this.#running.get(id);
    if (running === undefined) return;
    const where = hasEnded(running.row.status) ? 'background' : running.row.place;
    const tell = async (): Promise<void> => {
      const sent = await this.#tell(running, `Message from the user:\n${text}`, where);
      if (sent.tag === 'failed') this.#warn(sent.error);
    };
    void tell();
  }

  stop(id: SessionId): void {
    const running = this.#running.get(id);
    if (running === undefined) return;
    for (const {row} of this.#running.values()) if (row.agent.parent === id) this.stop(row.agent.id);
    if (!hasEnded(running.row.status)) running.runner.interrupt();
  }

  async close(parent: SessionId | 'main'): Promise<void> {
    const own = [...this.#running.values()].filter(({row}) => parent === 'main' || row.agent.parent === parent);
    await Promise.all(own.map(({runner}) => runner.close()));
    for (const running of own) {
      if (!hasEnded(running.row.status))
        this.#change(running, withStatus(running.row, {kind: 'cancelled', answer: ''}));
      this.#running.delete(running.row.agent.id);
    }
    if (this.#running.size === 0) this.#unwatch();
  }

  #whyNoMore(depth: number): string | undefined {
    const {limits} = this.#setup;
    if (depth >= limits.depth) {
      return `A sub-agent this deep (${depth}) starts no others. Do the task yourself.`;
    }
    const busy = [...this.#running.values()].filter(({row}) => !hasEnded(row.status)).length;
    if (busy + this.#starting >= limits.atOnce) {
      return `${limits.atOnce} sub-agents are at work, and no more run at once. Start this one when one of them has ended.`;
    }
    if (this.#turns >= limits.turns) {
      return `The sub-agents of this session have taken ${limits.turns} turns, and may take no more. Do the task yourself.`;
    }
    return this.#isSpent() ? 'The session has cost what it may cost: no more sub-agents.' : undefined;
  }

  async #begin(
    request: AgentRequest,
    {branch, call}: {readonly branch: Branch; readonly call: ActionId},
    signal: AbortSignal,
  ): Promise<Outcome<Running, Fault>> {
    const parent = branch.session();
    const {ports} = parent;
    const kind = await this.#kindNamed(request.kind, parent, signal);
    if (kind.tag === 'failed') return kind;
    if (request.harness !== 'weft') {
      const known = ['weft', ...ports.harnesses.names()];
      if (!known.includes(request.harness)) {
        return failed(
          rejected(`There is no harness ${JSON.stringify(request.harness)}. There are ${known.join(', ')}.`),
        );
      }
      return failed(rejected(`Sub-agents in ${request.harness} cannot be started yet. Leave harness out.`));
    }
    const notes = notHeeded(kind.value, parent);
    const named = modelNamed(request.model, ports.model.provider) ?? modelNamed(kind.value.model, ports.model.provider);
    const model = named ?? parent.promptModel ?? parent.model;
    const session = ports.sessions.createBelow(parent.conversation.journal.id, {
      directory: parent.directory,
      model,
      title: request.name,
    });
    const agent: SubAgent = {
      id: session.id,
      call,
      parent: branch.parent,
      name: request.name,
      kind: kind.value.name,
      harness: request.harness,
      model,
      prompt: request.prompt,
      startedAt: ports.clock.now(),
    };
    session.append({kind: 'agent', agent, harnessSession: ''});
    return ok(
      this.#hold({agent, place: request.place, branch, kind: {...kind.value, notes}}, observer =>
        this.#weftRunner({agent, kind: kind.value, session, origin: 'new', parent, branch}, observer),
      ),
    );
  }

  async #kindNamed(name: string, {ports}: SessionContext, signal: AbortSignal): Promise<Outcome<AgentKind, Fault>> {
    await raceAbort(ports.agentKinds.ready(signal), signal);
    const ofFiles = ports.agentKinds.list();
    // A file may stand in the place of a kind that is built in.
    const kind = ofFiles.find(each => each.name === name) ?? builtInKinds.find(each => each.name === name);
    if (kind !== undefined) return ok(kind);
    const names = [...builtInKinds, ...ofFiles].map(each => each.name);
    const near = nearestName(name, names);
    const hint = near === undefined ? `There are ${names.join(', ')}.` : `Did you mean ${near}?`;
    return failed(rejected(`There is no kind of agent ${JSON.stringify(name)}. ${hint}`));
  }

  #weftRunner(
    given: Pick<WeftAgentSetup, 'agent' | 'kind' | 'session' | 'origin' | 'parent'> & {readonly branch: Branch},
    observer: Observer,
  ): AgentRunner {
    const {branch, agent, parent} = given;
    const {newEngine, host, disabledTools} = this.#setup;
    const engine = weftAgent({
      ...given,
      newEngine,
      host,
      disabledTools,
      checkpoints: () => branch.checkpoints,
      agents: session => new Branch(this, {session, parent: agent.id, depth: branch.depth + 1}),
      observe: event => observer.happened({by: 'weft', event}),
      spent: spending => observer.spent(spending),
    });
    return {
      async send(text) {
        engine.submit({op: 'prompt', id: parent.ports.ids.message(), text, images: [], when: 'steering'});
        return ok(undefined);
      },
      interrupt: () => engine.submit({op: 'interrupt'}),
      close: () => engine.close('shutdown'),
    };
  }

  #hold(
    given: {
      readonly agent: SubAgent;
      readonly place: AgentRow['place'];
      readonly branch: Branch;
      readonly kind: AgentKind;
    },
    makeRunner: (observer: Observer) => AgentRunner,
  ): Running {
    const {agent, place, branch, kind} = given;
    const row: AgentRow = {
      agent,
      status: {kind: 'started'},
      progress: {turns: 0, calls: 0, usage: noUsage, costUsd: 0, files: []},
      place,
    };
    const observer: Observer = {
      happened: happening => {
        const running = this.#running.get(agent.id);
        if (running !== undefined) this.#happened(running, happening);
      },
      spent: spending => {
        const running = this.#running.get(agent.id);
        if (running !== undefined) this.#spent(running, spending);
      },
    };
    this.#session().publish([{event: 'agent-started', row}]);
    const running: Running = {
      row,
      kind,
      branch,
      ended: Promise.withResolvers(),
      stopReason: '',
      heardAt: this.#now(),
      lastFailure: {text: '', times: 0},
      runner: makeRunner(observer),
    };
    this.#running.set(agent.id, running);
    this.#watchSilence();
    return running;
  }

  /** Gives one a message; one that has ended begins anew. */
  async #tell(running: Running, text: string, place: AgentRow['place']): Promise<Outcome<'began' | 'joined', Fault>> {
    if (hasEnded(running.row.status)) {
      const refusal = this.#whyNoMore(0);
      if (refusal !== undefined) return failed(rejected(refusal));
      running.ended = Promise.withResolvers();
      running.stopReason = '';
      this.#change(running, {...withStatus(running.row, {kind: 'started'}), place});
    }
    const message = running.row.status.kind === 'started' ? 'began' : 'joined';
    const sent = await running.runner.send(text);
    if (sent.tag === 'ok') return ok(message);
    if (message === 'began') this.#change(running, withStatus(running.row, broken(sent.error)));
    return sent;
  }

  /** Waits for the end of what runs, unless it goes on in the background or only got a message. */
  async #report(running: Running, message: AgentReport['message'], wait: AgentWait): Promise<AgentReport> {
    const report = (): AgentReport => ({row: running.row, message, notes: running.kind.notes});
    if (message === 'joined' || running.row.place === 'background') return report();
    const moved = AbortSignal.any([wait.signal, wait.background]);
    if ((await raceAbort(running.ended.promise, moved)) !== 'aborted') return report();
    if (!wait.signal.aborted) {
      if (!hasEnded(running.row.status)) this.#change(running, {...running.row, place: 'background'});
      return report();
    }
    this.stop(running.row.agent.id);
    await running.ended.promise;
    return report();
  }

  #addressee(to: string, branch: Branch): Outcome<Running, Fault> {
    const reachable = [...this.#running.values()].filter(
      ({row}) => branch.parent === 'main' || row.agent.parent === branch.parent,
    );
    const byId = reachable.find(({row}) => row.agent.id === to);
    if (byId !== undefined) return ok(byId);
    const named = reachable.filter(({row}) => row.agent.name === to);
    const [only] = named;
    if (only !== undefined && named.length === 1) return ok(only);
    const known = reachable.map(({row}) => `${row.agent.id} (${row.agent.name})`);
    const list = known.length === 0 ? 'There are none.' : `There are ${known.join(', ')}.`;
    return failed(
      rejected(
        named.length > 1
          ? `${named.length} sub-agents have the name ${JSON.stringify(to)}: use an id. ${list}`
          : `There is no sub-agent ${JSON.stringify(to)}. ${list}`,
      ),
    );
  }

  #happened(running: Running, happened: AgentHappening): void {
    const {agent} = running.row;
    running.heardAt = this.#now();
    this.#session().publish([{event: 'agent-event', agent: agent.id, call: agent.call, happened}]);
    if (running.row.status.kind === 'idle')
      this.#change(running, withStatus(running.row, {kind: 'in_progress', doing: ''}));
    if (happened.by === 'harness') return;
    const {event} = happened;
    if (event.event === 'prompt-finished') running.branch.denied(event.summary.denials);
    if (event.event === 'turn-started') {
      this.#turns += 1;
      if (this.#turns > this.#setup.limits.turns) {
        this.#stopFor(running, `All sub-agents together have taken ${this.#setup.limits.turns} turns.`);
      }
    }
    if (event.event === 'action-settled') this.#lookAtFailure(running, event);
    this.#change(running, afterEvent(running.row, event));
  }

  #lookAtFailure(running: Running, {call, toolResult}: Extract<AgentEvent, {event: 'action-settled'}>): void {
    const isFailure = toolResult.outcome === 'error';
    const text = isFailure ? JSON.stringify([call.name, call.input, toolResult.content]) : '';
    const times = isFailure && text === running.lastFailure.text ? running.lastFailure.times + 1 : 1;
    running.lastFailure = {text, times};
    if (isFailure && times >= this.#setup.limits.sameFailures) {
      this.#stopFor(running, `The same call of ${call.name} failed ${times} times in the same way.`);
    }
  }

  /** A question of a sub-agent to the user is open, or is settled. */
  #asks(asker: Asker, on: string | undefined): void {
    const running = asker === 'main' ? undefined : this.#running.get(asker.id);
    if (running === undefined || hasEnded(running.row.status)) return;
    running.heardAt = this.#now();
    const status: AgentStatus = on === undefined ? {kind: 'in_progress', doing: ''} : {kind: 'blocked', on};
    this.#change(running, withStatus(running.row, status));
  }

  #spent(running: Running, {model, usage, costUsd}: Spending): void {
    const {progress} = running.row;
    const cost = progress.costUsd === 'unknown' || costUsd === 'unknown' ? 'unknown' : progress.costUsd + costUsd;
    const session = this.#session();
    session.conversation.usage.addOfSubAgent({model, usage, costUsd});
    this.#change(running, {
      ...running.row,
      progress: {...progress, usage: addUsage(progress.usage, usage), costUsd: cost},
    });
    try {
      journal(session, {kind: 'agent-usage', model, usage, costUsd});
    } catch (cause) {
      this.#warn(thrownFault('What a sub-agent cost could not be kept', cause));
    }
    session.publish([{event: 'usage-changed', usage: session.conversation.usage.report()}]);
    if (!this.#isSpent()) return;
    for (const each of this.#running.values()) {
      if (!hasEnded(each.row.status)) this.#stopFor(each, 'The session has cost what it may cost.');
    }
  }

  #isSpent(): boolean {
    const {limits, conversation} = this.#session();
    return limits.maxCostUsd !== 'unlimited' && conversation.usage.costUsd >= limits.maxCostUsd;
  }

  #stopFor(running: Running, reason: string): void {
    if (running.stopReason !== '' || hasEnded(running.row.status)) return;
    running.stopReason = reason;
    this.stop(running.row.agent.id);
  }

  /** Every change of a row goes through here: an end is told once, and only as an end. */
  #change(running: Running, next: AgentRow): void {
    const before = running.row;
    if (next === before || (hasEnded(before.status) && hasEnded(next.status))) return;
    const row =
      next.status.kind === 'cancelled' && running.stopReason !== ''
        ? withStatus(next, {kind: 'failed', reason: running.stopReason, answer: next.status.answer})
        : next;
    running.row = row;
    this.#session().publish([{event: 'agent-changed', row}]);
    if (!hasEnded(row.status) || hasEnded(before.status)) return;
    running.ended.resolve();
    if (row.place === 'background') running.branch.tell(reportText({row, message: 'began', notes: running.kind.notes}));
    if ([...this.#running.values()].every(each => hasEnded(each.row.status))) this.#unwatch();
  }

  #watchSilence(): void {
    const {idleMs, silentMs} = this.#setup.limits;
    this.#watch ??= setInterval(
      () => {
        for (const running of this.#running.values()) {
          const {status} = running.row;
          const silence = this.#now() - running.heardAt;
          if (status.kind !== 'in_progress' && status.kind !== 'idle') continue;
          if (silence >= silentMs)
            this.#stopFor(running, `Nothing was heard of it for ${Math.round(silentMs / 60_000)} minutes.`);
          else if (silence >= idleMs && status.kind !== 'idle')
            this.#change(running, withStatus(running.row, {kind: 'idle'}));
        }
      },
      Math.min(idleMs, 10_000),
    );
  }

  #unwatch(): void {
    clearInterval(this.#watch);
    this.#watch = undefined;
  }

  #session(): SessionContext {
    return this.#setup.session();
  }

  #now(): number {
    return this.#session().ports.clock.now();
  }

  #warn(fault: Fault): void {
    this.#session().publish([{event: 'notice', level: 'warning', text: faultText(fault)}]);
  }
}

interface Observer {
  readonly happened: (happening: AgentHappening) => void;
  readonly spent: (spending: Spending) => void;
}

/** What of a kind does not hold here: sentences. */
function notHeeded(kind: AgentKind, {mode, ports}: SessionContext): readonly string[] {
  const own = modeOf(kind, mode);
  const isUnknown =
    kind.model !== '' && kind.model !== 'inherit' && modelNamed(kind.model, ports.model.provider) === undefined;
  return [
    ...kind.notes,
    ...(kind.mode === 'inherit' || own === kind.mode
      ? []
      : [`It works in mode ${own} and not ${kind.mode}, since it may do no more than who started it.`]),
    ...(isUnknown
      ? [`The provider has no model ${JSON.stringify(kind.model)}: it has the model of who started it.`]
      : []),
  ];
}

const broken = (fault: Fault): AgentStatus => ({kind: 'failed', reason: faultText(fault), answer: ''});

/** The sub-agents that one agent has started. */
class Branch implements SessionAgents {
  readonly #tree: SubAgents;
  readonly session: () => SessionContext;
  readonly parent: SessionId | 'main';
  /** How many agents stand above those that it starts, without the session's own. */
  readonly depth: number;
  /** Of the prompt that runs, or ran last. */
  checkpoints: PromptCheckpoints | undefined;
  #notes: string[] = [];
  #denials: Denial[] = [];
  #news = Promise.withResolvers<void>();

  constructor(
    tree: SubAgents,
    place: {
      readonly session: () => SessionContext;
      readonly parent: SessionId | 'main';
      readonly depth: number;
    },
  ) {
    this.#tree = tree;
    this.session = place.session;
    this.parent = place.parent;
    this.depth = place.depth;
  }

  portFor(call: ActionId): AgentsPort {
    return {
      start: (request, wait) => this.#tree.start(request, {branch: this, call, wait}),
      send: (request, wait) => this.#tree.send(request, {branch: this, wait}),
    };
  }

  rows(): readonly AgentRow[] {
    return this.#tree.rows();
  }

  stop(id: SessionId): void {
    this.#tree.stop(id);
  }

  message(id: SessionId, text: string): void {
    this.#tree.message(id, text);
  }

  beginPrompt(checkpoints: PromptCheckpoints): void {
    this.checkpoints = checkpoints;
  }

  /** One in the background has ended. */
  tell(note: string): void {
    this.#notes.push(note);
    this.#news.resolve();
    this.#news = Promise.withResolvers();
  }

  denied(denials: readonly Denial[]): void {
    this.#denials.push(...denials);
  }

  takeNotes(): readonly string[] {
    const notes = this.#notes;
    this.#notes = [];
    return notes;
  }

  takeDenials(): readonly Denial[] {
    const denials = this.#denials;
    this.#denials = [];
    return denials;
  }

  async hasNews(wait: 'wait' | 'look', signal: AbortSignal): Promise<boolean> {
    while (this.#notes.length === 0) {
      const goesOn = this.rows().some(
        ({agent, place, status}) => agent.parent === this.parent && place === 'background' && !hasEnded(status),
      );
      if (wait === 'look' || !goesOn || signal.aborted) return false;
      // oxlint-disable-next-line no-await-in-loop -- one after the other ends
      await raceAbort(this.#news.promise, signal);
    }
    return true;
  }

  close(): Promise<void> {
    return this.#tree.close(this.parent);
  }
}
