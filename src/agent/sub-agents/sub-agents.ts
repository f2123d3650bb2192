import type {NestedAgentEvent} from '../../actions/agent-event.ts';
import type {AgentMessage, AgentReport, AgentRequest, AgentWait} from '../../actions/agents-port.ts';
import {reportText} from '../../actions/start-agent.ts';
import {failed, ok, type Outcome} from '../../base/outcome.ts';
import {raceAbort} from '../../base/race.ts';
import {faultText, rejected, thrownFault, type Fault} from '../../domain/fault.ts';
import {parseSessionId, type ActionId, type SessionId} from '../../domain/ids.ts';
import type {PermissionMode} from '../../domain/risk.ts';
import {type AgentRow, type AgentStatus, type Asker, hasEnded, type SubAgent} from '../../domain/sub-agent.ts';
import {addUsage, noUsage} from '../../domain/usage.ts';
import type {Worktree} from '../../actions/worktrees-port.ts';
import type {SeparateMachine} from '../ports.ts';
import {countAgentUsage, type SessionContext, warn} from '../session-context.ts';
import {type AgentKind, openingOf} from './agent-kind.ts';
import {
  applyAgentEvent,
  applyHarnessEvent,
  type HarnessTurn,
  unstartedStatus,
  nextHarnessTurn,
  withStatus,
} from './agent-progress.ts';
import {settleWorktree, worktreeBrief} from './agent-worktree.ts';
import {reopenAgent, createAgent, openWorktree} from './open-agent.ts';
import type {AgentRunner, AgentSetup, RunnerDeps, Spending} from './agent-runner.ts';
import {HarnessAgent} from './harness-agent.ts';
import type {AgentLimits} from './agent-limits.ts';
import type {AgentBranch, AgentTree} from './agent-branch.ts';
import {minTurns, modeOf, unsupportedFieldWarnings, makeWeftRunner} from './weft-agent.ts';

export interface SubAgentsSetup extends Pick<RunnerDeps, 'openEngine'> {
  readonly limits: AgentLimits;
  readonly session: () => SessionContext;
}

/** The engine or harness of a sub-agent. A message opens a closed one again. */
type AgentEngine = OpenEngine | {readonly state: 'closed'; readonly closed: Promise<void>};

interface OpenEngine {
  readonly state: 'open';
  readonly runner: AgentRunner;
  readonly place: SeparateMachine;
}

interface Running {
  row: AgentRow;
  readonly kind: AgentKind;
  readonly branch: AgentBranch;
  engine: AgentEngine;
  worktree: Worktree | 'none';
  /** The fate of the worktree as a text. Empty before it is settled. */
  outcome: string;
  /** Set while its worktree is being settled. An abort leaves the worktree unchanged. */
  settling: AbortController | undefined;
  /** True once weft closes the sub-agent. Then it asks no questions about the worktree. */
  isClosing: boolean;
  /** Settles when the running work ends. */
  ended: PromiseWithResolvers<void>;
  /** Why weft is stopping it. Empty if a person stopped it. */
  stopReason: string;
  activeAt: number;
  turn: HarnessTurn;
}

/**
 * All sub-agents of a session, with their sub-agents. Each prompt of a sub-agent ends exactly once, as its engine or
 * harness reports. A message to a sub-agent that has ended is a new prompt.
 */
export class SubAgents implements AgentTree {
  readonly #setup: SubAgentsSetup;
  readonly #running = new Map<SessionId, Running>();
  #starting = 0;
  #turns = 0;
  #watch: ReturnType<typeof setInterval> | undefined;

  constructor(setup: SubAgentsSetup) {
    this.#setup = setup;
    setup.session().pending.onAsking((asker, on) => this.#onAsking(asker, on));
  }

  rows(): readonly AgentRow[] {
    return [...this.#running.values()].map(({row}) => row);
  }

  async start(
    request: AgentRequest,
    {branch, call, wait}: {readonly branch: AgentBranch; readonly call: ActionId; readonly wait: AgentWait},
  ): Promise<Outcome<AgentReport, Fault>> {
    const refusal = this.#startProblem(branch.depth);
    if (refusal !== undefined) return failed(rejected(refusal));
    this.#starting += 1;
    let started: Outcome<Running, Fault>;
    try {
      const setup = await createAgent(request, {branch, call}, wait.signal);
      started = setup.tag === 'failed' ? setup : ok(this.#register(setup.value));
    } catch (cause) {
      return failed(thrownFault('The sub-agent could not be started', cause));
    } finally {
      this.#starting -= 1;
    }
    if (started.tag === 'failed') return started;
    const running = started.value;
    const {kind, row, worktree} = running;
    const stop = (): void => this.stop(row.agent.id);
    wait.signal.addEventListener('abort', stop, {once: true});
    const where = worktree === 'none' ? '' : worktreeBrief(worktree);
    const sent = await this.#sendToEngine(running, `${openingOf(kind, row.agent)}${where}The task:\n${request.prompt}`);
    wait.signal.removeEventListener('abort', stop);
    if (sent.tag === 'failed') this.#change(running, withStatus(running.row, unstartedStatus(sent.error, wait.signal)));
    return ok(await this.#report(running, 'began', wait));
  }

  async send(
    {to, message}: AgentMessage,
    {branch, wait}: {readonly branch: AgentBranch; readonly wait: AgentWait},
  ): Promise<Outcome<AgentReport, Fault>> {
    const found = (await this.#reopen(to, branch, wait.signal)) ?? this.#findAgent(to, branch);
    if (found.tag === 'failed') return found;
    const running = found.value;
    const place = hasEnded(running.row.status) ? 'foreground' : running.row.place;
    const sent = await this.#sendText(running, `Message from the agent that started you:\n${message}`, place);
    return sent.tag === 'failed' ? sent : ok(await this.#report(running, sent.value, wait));
  }

  message(id: SessionId, text: string): void {
    const running = this.#running.get(id);
    if (running === undefined) return;
    const where = hasEnded(running.row.status) ? 'background' : running.row.place;
    const tell = async (): Promise<void> => {
      const sent = await this.#sendText(running, `Message from the user:\n${text}`, where);
      if (sent.tag === 'failed') warn(this.#session(), faultText(sent.error));
    };
    void tell();
  }

  stop(id: SessionId): void {
    const running = this.#running.get(id);
    if (running === undefined) return;
    for (const {row} of this.#running.values()) if (row.agent.parent === id) this.stop(row.agent.id);
    if (running.settling !== undefined) running.settling.abort();
    else if (!hasEnded(running.row.status) && running.engine.state === 'open') running.engine.runner.interrupt();
  }

  /** Sets the mode of the parent, which none of its sub-agents may exceed. */
  setMode(parent: SessionId | 'main', mode: PermissionMode): void {
    for (const {row, kind, engine} of this.#running.values()) {
      if (row.agent.parent === parent && engine.state === 'open') engine.runner.setMode(modeOf(kind, mode));
    }
  }

  async close(parent: SessionId | 'main'): Promise<void> {
    const own = [...this.#running.values()].filter(({row}) => parent === 'main' || row.agent.parent === parent);
    for (const running of own) {
      running.isClosing = true;
      running.settling?.abort();
    }
    await Promise.all(own.map(({engine}) => (engine.state === 'open' ? engine.runner.close() : engine.closed)));
    for (const running of own) {
      if (!hasEnded(running.row.status))
        this.#change(running, withStatus(running.row, {kind: 'cancelled', answer: ''}));
      await running.ended.promise;
      this.#running.delete(running.row.agent.id);
    }
    if (this.#running.size === 0) this.#unwatch();
  }

  #startProblem(depth: number): string | undefined {
    const {limits} = this.#setup;
    if (depth >= limits.depth) {
      return `A sub-agent at depth ${depth} can't start others. Do the task yourself.`;
    }
    const busy = [...this.#running.values()].filter(({row}) => !hasEnded(row.status)).length;
    if (busy + this.#starting >= limits.maxConcurrent) {
      return `${limits.maxConcurrent} sub-agents are running, which is the limit. Start this one when one of them has ended.`;
    }
    if (this.#turns >= limits.turns) {
      return `The sub-agents of this session have used up their ${limits.turns} turns. Do the task yourself.`;
    }
    return this.#isSpent() ? 'The session has reached its cost limit, so no more sub-agents can start.' : undefined;
  }

  /** Reopens a sub-agent of an earlier run of weft by its id. Returns `undefined` if the id is not one. */
  async #reopen(to: string, branch: AgentBranch, signal: AbortSignal): Promise<Outcome<Running, Fault> | undefined> {
    const id = parseSessionId(to);
    if (id === undefined || this.#running.has(id)) return undefined;
    const setup = await reopenAgent(id, branch, signal);
    return setup?.tag === 'ok' ? ok(this.#register(setup.value)) : setup;
  }

  #register(setup: AgentSetup): Running {
    const {agent, branch, kind, worktree} = setup;
    const row: AgentRow = {
      agent,
      status: setup.status,
      progress: {turns: 0, calls: 0, usage: noUsage, costUsd: 0, files: []},
      place: setup.place,
    };
    this.#session().publish([{event: 'agent-started', row}]);
    const running: Running = {
      row,
      kind: {...kind, notes: unsupportedFieldWarnings(kind, branch.session(), agent.harness)},
      branch,
      ended: Promise.withResolvers(),
      stopReason: '',
      activeAt: this.#now(),
      turn: 'between',
      worktree,
      outcome: '',
      settling: undefined,
      isClosing: false,
      engine: this.#openEngine(setup),
    };
    this.#running.set(agent.id, running);
    if (!hasEnded(row.status)) this.#showRunning(running);
    return running;
  }

  #openEngine(setup: AgentSetup): OpenEngine {
    const {agent, branch, worktree} = setup;
    const parent = branch.session();
    const directory = worktree === 'none' ? parent.directory : worktree.directory;
    const place = parent.ports.separateMachine(worktree === 'none' ? 'same' : {in: directory});
    const deps: RunnerDeps = {
      directory,
      place,
      openEngine: this.#setup.openEngine,
      tree: this,
      onEvent: happening => {
        const running = this.#running.get(agent.id);
        if (running !== undefined) this.#onEvent(running, happening);
      },
      onUsage: spending => {
        const running = this.#running.get(agent.id);
        if (running !== undefined) this.#onUsage(running, spending);
      },
    };
    const runner = agent.harness === 'weft' ? makeWeftRunner(setup, deps) : new HarnessAgent(setup, deps);
    return {state: 'open', runner, place};
  }

  /** Closes the engines of all but the sub-agents that ended last, because an engine keeps its conversation in memory. */
  #closeEarlierEngines(): void {
    const all = [...this.#running.values()];
    const parents = new Set<string>(all.map(({row}) => row.agent.parent));
    const ended = all.filter(({row: {agent, status}, engine}) => {
      const canReopen = agent.harness === 'weft' && agent.isolation === 'none' && !parents.has(agent.id);
      return engine.state === 'open' && hasEnded(status) && canReopen;
    });
    for (const running of ended.toSorted((a, b) => a.activeAt - b.activeAt).slice(0, -maxOpenEnded))
      if (running.engine.state === 'open') running.engine = {state: 'closed', closed: running.engine.runner.close()};
  }

  /** Sends a text to the sub-agent's engine, which it opens again if it is closed. */
  async #sendToEngine(running: Running, text: string): Promise<Outcome<unknown, Fault>> {
    if (running.engine.state === 'closed') await running.engine.closed;
    // Another message may have opened it in the meantime.
    if (running.engine.state === 'closed') {
      const {row, kind, branch, worktree} = running;
      const {agent, status, place} = row;
      const opened = branch.session().ports.sessions.resume(agent.id);
      if (opened.tag === 'failed') return opened;
      const stored = {session: opened.value, origin: 'resumed', resume: 'new'} as const;
      running.engine = this.#openEngine({agent, kind, branch, worktree, status, place, ...stored});
    }
    return running.engine.runner.send(text);
  }

  /** Sends a message to a sub-agent. An ended sub-agent starts again. */
  async #sendText(
    running: Running,
    text: string,
    place: AgentRow['place'],
  ): Promise<Outcome<'began' | 'joined', Fault>> {
    if (running.settling !== undefined) return failed(rejected(unsettledText));
    if (hasEnded(running.row.status)) {
      const refusal = this.#startProblem(0);
      if (refusal !== undefined) return failed(rejected(refusal));
      const worktree = await openWorktree(running.row.agent, running.branch.session(), neverAborted);
      if (worktree.tag === 'failed') return worktree;
      running.worktree = worktree.value;
      running.outcome = '';
      running.ended = Promise.withResolvers();
      running.stopReason = '';
      this.#change(running, {...withStatus(running.row, {kind: 'started'}), place});
    }
    const message = running.row.status.kind === 'started' ? 'began' : 'joined';
    const sent = await this.#sendToEngine(running, text);
    if (sent.tag === 'ok') return ok(message);
    if (message === 'began') this.#change(running, withStatus(running.row, unstartedStatus(sent.error, neverAborted)));
    return sent;
  }

  /** Waits for the end of the running work, unless it runs in the background or only got a message. */
  async #report(running: Running, message: AgentReport['message'], wait: AgentWait): Promise<AgentReport> {
    const report = (): AgentReport => reportOf(running, message);
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

  #findAgent(to: string, branch: AgentBranch): Outcome<Running, Fault> {
    const reachable = [...this.#running.values()].filter(
      ({row}) => branch.parent === 'main' || row.agent.parent === branch.parent,
    );
    const byId = reachable.find(({row}) => row.agent.id === to);
    if (byId !== undefined) return ok(byId);
    const named = reachable.filter(({row}) => row.agent.name === to);
    const [only] = named;
    if (only !== undefined && named.length === 1) return ok(only);
    const known = reachable.map(({row}) => `${row.agent.id} (${row.agent.name})`);
    const list = known.length === 0 ? 'There are none.' : `Available: ${known.join(', ')}.`;
    return failed(
      rejected(
        named.length > 1
          ? `${named.length} sub-agents are named ${JSON.stringify(to)}. Use an id. ${list}`
          : `No sub-agent has the id or name ${JSON.stringify(to)}. ${list}`,
      ),
    );
  }

  #onEvent(running: Running, happened: NestedAgentEvent): void {
    const {agent} = running.row;
    this.#markActive(agent);
    const {id, name, call} = agent;
    this.#session().publish([{event: 'agent-event', agent: id, name, call, happened}]);
    if (running.row.status.kind === 'idle')
      this.#change(running, withStatus(running.row, {kind: 'in_progress', doing: ''}));
    if (happened.by === 'harness') {
      const {progress} = running.row;
      const turn = nextHarnessTurn(running.turn, happened.event);
      const begins = turn === 'open' && running.turn === 'between';
      running.turn = turn;
      const row = begins ? {...running.row, progress: {...progress, turns: progress.turns + 1}} : running.row;
      this.#change(running, applyHarnessEvent(row, happened.event));
      if (begins) this.#countTurn(running);
      return;
    }
    const {event} = happened;
    if (event.event === 'prompt-finished') running.branch.addDenials(event.summary.denials);
    if (event.event === 'turn-started') this.#countTurn(running);
    this.#change(running, applyAgentEvent(running.row, event));
  }

  #countTurn(running: Running): void {
    const {limits} = this.#setup;
    this.#turns += 1;
    if (this.#turns > limits.turns)
      this.#stopFor(running, `All sub-agents together have used up their ${limits.turns} turns.`);
    // weft's own sub-agents are stopped by their engine.
    const own = minTurns(running.kind.maxTurns, running.branch.session().limits.maxTurns);
    if (running.row.agent.harness !== 'weft' && running.row.progress.turns > own)
      this.#stopFor(running, `Stopped after ${own} turns.`);
  }

  /** An agent that waits for a sub-agent counts as active while the sub-agent is. */
  #markActive(agent: SubAgent): void {
    const running = this.#running.get(agent.id);
    if (running === undefined) return;
    running.activeAt = this.#now();
    const parent = agent.parent === 'main' ? undefined : this.#running.get(agent.parent);
    if (parent !== undefined) this.#markActive(parent.row.agent);
  }

  /** Called when a sub-agent's question to the user opens, and when it is settled. */
  #onAsking(asker: Asker, on: string | undefined): void {
    const running = asker === 'main' ? undefined : this.#running.get(asker.id);
    if (running === undefined || hasEnded(running.row.status)) return;
    running.activeAt = this.#now();
    const status: AgentStatus = on === undefined ? {kind: 'in_progress', doing: ''} : {kind: 'blocked', on};
    this.#change(running, withStatus(running.row, status));
  }

  #onUsage(running: Running, {model, usage, costUsd}: Spending): void {
    const {progress} = running.row;
    const cost = progress.costUsd === 'unknown' || costUsd === 'unknown' ? 'unknown' : progress.costUsd + costUsd;
    const session = this.#session();
    this.#change(running, {
      ...running.row,
      progress: {...progress, usage: addUsage(progress.usage, usage), costUsd: cost},
    });
    try {
      countAgentUsage({model, usage, costUsd}, session);
    } catch (cause) {
      warn(session, faultText(thrownFault("Couldn't save the cost of a sub-agent", cause)));
    }
    if (!this.#isSpent()) return;
    for (const each of this.#running.values()) {
      if (!hasEnded(each.row.status)) this.#stopFor(each, 'The session has reached its cost limit.');
    }
  }

  #isSpent(): boolean {
    return this.#session().budget.limitExceededBy(0) !== undefined;
  }

  #stopFor(running: Running, reason: string): void {
    if (running.stopReason !== '' || hasEnded(running.row.status)) return;
    running.stopReason = reason;
    this.stop(running.row.agent.id);
  }

  /** Applies every change of a row. Ignores a second end, even while the worktree is being settled after the first. */
  #change(running: Running, next: AgentRow): void {
    const before = running.row;
    if (next === before || (running.settling !== undefined && hasEnded(next.status))) return;
    if (hasEnded(before.status) && hasEnded(next.status) && next.status !== before.status) return;
    const {engine, worktree} = running;
    if (hasEnded(next.status) && !hasEnded(before.status) && worktree !== 'none' && engine.state === 'open') {
      void this.#settle(running, next, {worktree, engine});
      return;
    }
    const row =
      (next.status.kind === 'cancelled' || next.status.kind === 'failed') && running.stopReason !== ''
        ? withStatus(next, {kind: 'failed', reason: running.stopReason, answer: next.status.answer})
        : next;
    this.#show(running, row);
    this.#publishProgress(before, row);
    if (row.status.kind !== before.status.kind) this.#tellParent(running);
    if (!hasEnded(row.status) || hasEnded(before.status)) return;
    running.ended.resolve();
    this.#closeEarlierEngines();
    if (row.place === 'background') running.branch.addNote(reportText(reportOf(running, 'began')));
    if ([...this.#running.values()].every(each => hasEnded(each.row.status))) this.#unwatch();
  }

  /** Tells the parent of a change that it subscribed to. The report of the end comes by itself. */
  #tellParent({row: {agent, place, status}, branch}: Running): void {
    if (place === 'foreground' || hasEnded(status) || !agent.lifecycle.includes(status.kind)) return;
    const on = status.kind === 'blocked' ? `: ${status.on}` : '';
    branch.addNote(`[agent ${agent.id}: ${agent.name}, ${status.kind}${on}]`);
  }

  /** Publishes the end once the worktree is settled, so that nothing still runs there. */
  async #settle(
    running: Running,
    next: AgentRow,
    {worktree, engine}: {readonly worktree: Worktree; readonly engine: OpenEngine},
  ): Promise<void> {
    const settling = new AbortController();
    running.settling = settling;
    this.#show(running, withStatus(next, {kind: 'in_progress', doing: 'Look at its worktree'}));
    const {row, branch} = running;
    const {runner, place} = engine;
    const end = running.isClosing || next.status.kind === 'cancelled' ? 'cancelled' : 'ended';
    running.outcome = await settleWorktree({row, worktree, end, branch, runner, place}, settling.signal);
    running.worktree = 'none';
    running.settling = undefined;
    this.#change(running, {...running.row, status: next.status});
  }

  #show(running: Running, row: AgentRow): void {
    if (hasEnded(row.status)) this.#session().ports.runningAgents.hide(row.agent.id);
    else if (hasEnded(running.row.status)) this.#showRunning(running);
    running.row = row;
    this.#session().publish([{event: 'agent-changed', row}]);
  }

  #showRunning({row: {agent}, branch}: Pick<Running, 'row' | 'branch'>): void {
    const {id, name, kind, harness, startedAt} = agent;
    const {conversation, ports} = this.#session();
    ports.runningAgents.show({
      id,
      name,
      kind,
      harness,
      startedAt,
      parent: conversation.journal.id,
      directory: branch.session().directory,
    });
    this.#watchSilence();
  }

  /** Shows each step of the sub-agent as a line of output of its call. */
  #publishProgress(before: AgentRow, {agent, status, place}: AgentRow): void {
    if (agent.parent !== 'main' || place === 'background' || status === before.status) return;
    const doing = status.kind === 'in_progress' ? status.doing : '';
    const line = status.kind === 'blocked' ? `waits for you: ${status.on}` : doing;
    if (line !== '') this.#session().publish([{event: 'action-output', id: agent.call, chunk: `${line}\n`}]);
  }

  #watchSilence(): void {
    const {idleMs, silentMs} = this.#setup.limits;
    this.#watch ??= setInterval(
      () => {
        for (const id of this.#session().ports.runningAgents.stopRequests()) this.stop(id);
        for (const running of this.#running.values()) {
          const {status} = running.row;
          const silence = this.#now() - running.activeAt;
          if (status.kind === 'blocked' || hasEnded(status)) continue;
          if (silence >= silentMs)
            this.#stopFor(running, `It was silent for ${Math.round(silentMs / 60_000)} minutes.`);
          else if (silence >= idleMs && status.kind === 'in_progress')
            this.#change(running, withStatus(running.row, {kind: 'idle'}));
        }
      },
      Math.min(idleMs, checkIntervalMs),
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
}

/** The maximum number of ended sub-agents whose engines stay open for another message. */
const maxOpenEnded = 4;

const unsettledText = 'It has ended, but its worktree is not settled yet. Send the message later.';

const reportOf = ({row, kind, outcome}: Running, message: AgentReport['message']): AgentReport => ({
  row,
  message,
  notes: kind.notes,
  worktree: outcome,
});

/** Milliseconds between two checks for silent sub-agents, and for stop requests of other processes. */
const checkIntervalMs = 1000;

const neverAborted = new AbortController().signal;
