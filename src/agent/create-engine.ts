import type {AgentEvent, SessionInfo} from '../actions/agent-event.ts';
import type {HookSession} from '../actions/hooks-port.ts';
import {failed, ok, type Outcome, tryOr} from '../base/outcome.ts';
import {backgroundEndPrompt, commandEndPrompt} from '../domain/sub-agent.ts';
import {unreachable} from '../base/unreachable.ts';
import {type Fault, faultText, rejected, thrownFault} from '../domain/fault.ts';
import type {Message} from '../domain/conversation.ts';
import type {MessageId} from '../domain/ids.ts';
import type {JournalRecord, OpenSession, RewindScope} from '../domain/journal.ts';
import {rewindDetails} from '../domain/rewind.ts';
import {branchNote} from '../domain/session-list.ts';
import {givenTitle, goalIn} from '../domain/history.ts';
import {visibleLine} from '../base/visible.ts';
import {resolveModelAlias} from '../domain/model-alias.ts';
import {reminderBlock} from '../domain/reminder.ts';
import {noUsage} from '../domain/usage.ts';
import {answerQueries, type HostServices, type QueryHandlers, type WatchHandlers} from './answer-queries.ts';
import {CheckpointRecorder, hookExtent, type PromptCheckpoints} from './checkpoint-recorder.ts';
import {
  type AgentClient,
  type Answer,
  type EarlierMessage,
  type EventListener,
  type Op,
  type Query,
  type QueryName,
  type SessionBranch,
  type Watch,
  type WatchEnd,
  type WatchName,
  type Watches,
} from './client.ts';
import {commandOfWeft} from './context/prompt-command.ts';
import {ComputerUse} from './computer-use.ts';
import {CostBudget} from './cost-budget.ts';
import {openConversation, recordingSession, reopenConversation} from './conversation.ts';
import {ForegroundCommands} from './foreground-commands.ts';
import {runOwnCommand, runPrompt} from './loop.ts';
import {ownCommand, type SlashCommand} from '../domain/slash-command.ts';
import {PendingRequests} from './pending-requests.ts';
import {PromptHooks} from './prompt-hooks.ts';
import type {AgentLimits} from './sub-agents/agent-limits.ts';
import {samplingPort} from './sampling.ts';
import {performRewind, previewRewind} from './rewind.ts';
import {SessionHooks} from './session-hooks.ts';
import {SessionPlans} from './session-plans.ts';
import type {EngineSetup, PromptContext, SessionContext} from './session-context.ts';
import {journal, warn} from './session-context.ts';
import {checkStatuses} from './checks.ts';
import {AgentBranch, type AgentTree} from './sub-agents/agent-branch.ts';
import {makeStructuredAnswer} from './structured-output.ts';
import {makeToolRegistry, SentTools} from './tool-registry.ts';
import {runUserCommand} from './user-command.ts';
import {WorkQueue, type WaitingPrompt} from './work-queue.ts';

export interface EngineOptions extends EngineSetup {
  readonly host: HostServices;
  readonly agentLimits: AgentLimits;
}

/**
 * Creates the engine. It takes operations, does one piece of work after the other and publishes events. It journals and publishes a prompt,
 * runs its turns, and publishes a summary when everything the prompt started has settled.
 */
export function createEngine(options: EngineOptions): AgentClient {
  return new Engine(options);
}

class Engine implements AgentClient {
  readonly #session: SessionContext;
  readonly #listeners = new Listeners();
  readonly #work = new WorkQueue(prompt => this.#runPrompt(prompt));
  readonly #checkpoints: CheckpointRecorder;
  readonly #hooks: SessionHooks;
  /** The origin of the first session, or `announced` once a front end has subscribed and the session-start hooks have run. */
  #origin: SessionInfo['origin'] | 'announced';
  #prompt: MessageId | undefined;
  /** The checkpoints of the prompt that runs. */
  #running: PromptCheckpoints | undefined;
  readonly #queries: QueryHandlers;
  readonly #host: HostServices;
  /** The goal that the first prompt sets. */
  #goal: string;
  #isClosing = false;
  readonly #closed = new AbortController();

  constructor(options: EngineOptions) {
    const {ports, host, session, origin, disabledTools, place, agentLimits: _, ...rest} = options;
    const publish = (events: readonly AgentEvent[]): void => this.#listeners.publish(events);
    this.#session = {
      ...rest,
      ports,
      publish,
      listenersReady: () => this.#listeners.ready(),
      tools: makeToolRegistry({
        mcp: ports.machine.mcp,
        web: ports.machine.web,
        computer: ports.computer,
        skills: ports.machine.skills,
        agentKinds: ports.agentKinds,
        structuredOutput: rest.structuredOutput,
        disabledTools,
        interaction: rest.interaction,
        frontEnd: rest.frontEnd,
        selfReports: rest.selfReports,
        sentTools: () => this.#session.conversation.sentTools,
        canCall: place.kind === 'sub-agent' ? place.canCall : () => true,
        modelFacts: () => {
          const model = this.#session.promptModel ?? this.#session.model;
          const {contextWindow, profile} = ports.model.facts(model);
          return {model, contextWindow, profile};
        },
      }),
      ...(place.kind === 'sub-agent'
        ? {
            pending: place.pending,
            asker: place.asker,
            owner: place.owner,
            agents: place.agents(() => this.#session),
            budget: place.owner().budget,
          }
        : {
            pending: new PendingRequests({
              interaction: rest.interaction,
              secrets: ports.secrets,
              clock: ports.clock,
              publish,
            }),
            asker: 'main',
            owner: () => this.#session,
            agents: new AgentBranch(() => this.#loadAgents(options), {
              session: () => this.#session,
              parent: 'main',
              depth: 0,
            }),
            budget: new CostBudget(rest.limits.maxCostUsd, () => this.#session.conversation.usage.costUsd),
          }),
      sampling: samplingPort(() => this.#session),
      plans: new SessionPlans(() => this.#session),
      computer: new ComputerUse(ports),
      foreground: new ForegroundCommands(),
      checks: {running: new Map(), active: 0, begun: 0},
      addedContext: [],
      promptModel: undefined,
      promptRules: [],
      continuation: '',
      sandbox: 'unknown',
      conversation: {
        ...openConversation(recordingSession(session), origin, {ports, publish}),
        ...(place.kind === 'sub-agent'
          ? {grants: place.grants, sentTools: new SentTools(session.records, place.owner().conversation.sentTools)}
          : {}),
      },
    };
    ports.hooks.attach({
      publish: event => publish([event]),
      session: () => this.#hookSession(),
      messages: () => this.#session.conversation.messages,
      beforeChange: async (changes, signal) =>
        this.#running?.beforeHook(signal, async () =>
          hookExtent(changes, {judge: ports.judge, directory: this.#session.directory}),
        ),
    });
    this.#hooks = new SessionHooks(this.#session);
    this.#origin = origin;
    this.#goal = rest.conditions.goal;
    this.#checkpoints = new CheckpointRecorder({
      checkpoints: ports.checkpoints,
      publish,
      now: () => ports.clock.now(),
      running: () => tryOr(() => ports.workspaceState.runningCommands().map(({block}) => block), []),
    });
    this.#host = host;
    this.#queries = {
      ...host.queries,
      ...answerQueries({
        session: this.#session,
        work: this.#work,
        isClosing: () => this.#isClosing,
        reopen: () => this.#reopen(),
        compacted: () => this.#compacted(),
      }),
    };
  }

  async #loadAgents({host, agentLimits: limits, disabledTools}: EngineOptions): Promise<AgentTree> {
    const {SubAgents} = await import('./sub-agents/sub-agents.ts');
    const openEngine = (setup: EngineSetup): AgentClient =>
      createEngine({
        ...setup,
        host,
        agentLimits: limits,
        disabledTools: new Map([...disabledTools, ...setup.disabledTools]),
      });
    return new SubAgents({openEngine, session: () => this.#session, limits});
  }

  subscribe(listener: EventListener): () => void {
    const end = this.#listeners.add(listener);
    void listener(this.#sessionOpened());
    if (this.#origin !== 'announced') {
      this.#hooks.begin(this.#origin === 'new' ? 'startup' : 'resume');
      this.#session.ports.notices.listen(text => warn(this.#session, text));
      void this.#tellResumeCost();
    }
    this.#origin = 'announced';
    return end;
  }

  submit(op: Op): void {
    if (this.#isClosing) return;
    const session = this.#session;
    const {ids, secrets} = session.ports;
    switch (op.op) {
      case 'prompt':
        this.#work.add({
          kind: 'prompt',
          id: this.#isKnown(op.id) ? ids.message() : op.id,
          text: secrets.redact(op.text),
          images: op.images,
          // A command of weft can't join a running prompt.
          when: ownCommand(op.text) === undefined ? op.when : 'queued',
          by: 'user',
        });
        return;
      case 'run-command': {
        const context = {session, cancellation: () => this.#work.cancellation()};
        this.#work.add({kind: 'command', id: op.id, run: () => runUserCommand(op, context, this.#work.signal)});
        return;
      }
      case 'add-context':
        session.addedContext.push(reminderBlock(secrets.redact(op.text)));
        return;
      case 'add-messages':
        this.#work.add({kind: 'other', run: async () => this.#addMessages(op.messages), onDropped: () => {}});
        return;
      case 'withdraw-prompt':
        if (this.#work.take(op.id) !== undefined) session.publish([{event: 'prompt-withdrawn', id: op.id}]);
        return;
      case 'answer-approval':
      case 'answer-question':
      case 'answer-hand-over':
      case 'answer-compaction':
        session.pending.answer(op);
        return;
      case 'move-to-background':
        session.foreground.moveToBackground(op.id);
        return;
      case 'stop-agent':
        return session.agents.stop(op.id);
      case 'message-agent':
        session.agents.message(op.id, secrets.redact(op.text));
        return;
      case 'hear-agents':
      case 'hear-command': {
        if (op.op === 'hear-command') session.agents.addNote(secrets.redact(op.end));
        const text = op.op === 'hear-command' ? commandEndPrompt : backgroundEndPrompt;
        return this.#work.add({kind: 'prompt', id: op.id, text, images: [], when: 'queued', by: 'weft'});
      }
      case 'remember-prompt':
      case 'stop-terminal':
      case 'keep-terminal':
      case 'write-terminal':
      case 'resize-terminal':
        this.#host.submit(op);
        return;
      case 'interrupt':
        this.#endComputerUse();
        this.#stop('interrupted');
        return;
      case 'end-computer-use':
        if (!this.#endComputerUse()) {
          this.#notify('The agent has no permission to use the computer.');
        }
        return;
      case 'set-model':
        session.model = resolveModelAlias(op.model, session.ports.model.provider) ?? op.model;
        session.promptModel = undefined;
        this.#publishModel();
        return;
      case 'set-mode':
        session.mode = op.mode;
        session.agents.setMode(op.mode);
        session.publish([{event: 'mode-changed', mode: op.mode}]);
        return;
      case 'ask-about-everything':
        session.pending.askScope = 'everything';
        return;
      case 'start-plan':
        return session.plans.start(op.plan);
      case 'set-thinking':
        session.thinking = op.thinking;
        return;
      case 'open-session':
        this.#endComputerUse();
        this.#stop('interrupted');
        this.#work.add({kind: 'other', run: () => this.#openSession(op.session), onDropped: () => {}});
        return;
      default:
        unreachable(op);
    }
  }

  async query<Name extends QueryName>(request: Query<Name>, signal: AbortSignal): Promise<Answer<Name>> {
    if (this.#isClosing) return failed(rejected('The session is closed.'));
    const handler: QueryHandlers[Name] = this.#queries[request.query];
    return handler(request, signal);
  }

  async watch<Name extends WatchName>(
    request: Watch<Name>,
    listener: (piece: Watches[Name]['piece']) => void,
    signal: AbortSignal,
  ): Promise<WatchEnd> {
    if (this.#isClosing) return failed(rejected('The session is closed.'));
    const handler: WatchHandlers[Name] = this.#host.watches[request.watch];
    return handler(request, listener, AbortSignal.any([signal, this.#closed.signal]));
  }

  async close(reason: 'finished' | 'shutdown'): Promise<void> {
    this.#isClosing = true;
    this.#closed.abort();
    if (reason === 'shutdown') this.#stop('shutdown');
    await this.#work.done();
    await this.#session.agents.close();
    await this.#hooks.end(reason === 'finished' ? 'other' : 'prompt_input_exit');
    this.#session.conversation.journal.close();
  }

  async #runPrompt(prompt: WaitingPrompt): Promise<void> {
    const session = this.#session;
    if (prompt.by === 'weft' && !(await session.agents.hasNotes('look', this.#work.signal)))
      return session.publish([{event: 'prompt-withdrawn', id: prompt.id}]);
    this.#prompt = prompt.id;
    this.#hooks.stopIdleTimer();
    const checkpoints = this.#checkpoints.forPrompt(prompt.id, record => journal(session, record));
    const context = {
      session,
      queue: this.#work,
      hooks: new PromptHooks(session.ports.hooks, session.publish),
      checkpoints,
      structured: makeStructuredAnswer(session.structuredOutput),
      loopGuard: {made: undefined},
      cancellation: () => this.#work.cancellation(),
      compacted: () => this.#compacted(),
    };
    session.agents.beginPrompt(checkpoints);
    if (this.#goal !== '') journal(session, {kind: 'goal', text: this.#goal, state: 'set'});
    this.#goal = '';
    this.#running = checkpoints;
    session.conversation.todos.beginPrompt();
    await session.plans.beginPrompt();
    await this.#hooks.awaitStart(this.#work.signal);
    const command = await commandOfWeft(prompt, session, this.#work.signal);
    const summary = await (command === undefined
      ? runPrompt(prompt, context, this.#work.signal)
      : runOwnCommand(
          {prompt, name: command.name, run: signal => this.#answerCommand(command, context, signal)},
          context,
          this.#work.signal,
        ));
    this.#running = undefined;
    await checkpoints.afterRun();
    await session.plans.endPrompt(summary.end);
    const changedFiles = await this.#countChangedFiles(prompt.id);
    const checks = session.asker === 'main' ? await checkStatuses(session, new AbortController().signal) : [];
    session.publish([
      {event: 'prompt-finished', summary: {...summary, checks, ...(changedFiles > 0 && {changedFiles})}},
    ]);
    if (session.interaction === 'interactive' && session.asker === 'main') this.#hooks.startIdleTimer();
    const {continuation} = session;
    session.continuation = '';
    if (continuation !== '' && summary.end.kind === 'done') await this.#continueInNew(continuation);
  }

  async #answerCommand(
    command: SlashCommand,
    context: PromptContext,
    signal: AbortSignal,
  ): Promise<Outcome<string, Fault>> {
    const {answerCommand} = await import('./own-commands.ts');
    const clear = async (): Promise<boolean> => {
      const before = this.#session.conversation;
      await this.#openSession({kind: 'new'});
      return this.#session.conversation !== before;
    };
    return answerCommand(command, {context, client: this, clear}, signal);
  }

  /** Calls the hooks for the start of a conversation. A sub-agent's start hooks are about its own start. */
  #compacted(): void {
    if (this.#session.asker === 'main') this.#hooks.begin('compact');
  }

  /** Opens a new session whose first prompt includes the summary. */
  async #continueInNew(summary: string): Promise<void> {
    const session = this.#session;
    const before = session.conversation;
    await this.#openSession({kind: 'new'});
    if (session.conversation === before) return;
    session.addedContext.push(reminderBlock(`Summary of the previous conversation:\n${summary}`));
    this.#notify('The summary of the previous conversation is sent with your next prompt.');
  }

  #addMessages(earlier: readonly EarlierMessage[]): void {
    const session = this.#session;
    const {ids, secrets} = session.ports;
    for (const {role, text} of earlier) {
      const blocks = [{kind: 'text', text: secrets.redact(text)}] as const;
      const id = ids.message();
      const message: Message =
        role === 'user'
          ? {role, id, blocks}
          : {role, id, blocks, model: session.model, stop: 'end-turn', usage: noUsage};
      journal(session, message.role === 'user' ? {kind: 'prompt', message} : {kind: 'answer', message});
      session.conversation.messages.push(message);
    }
  }

  /** True if the id is taken. Front ends choose ids, but no two prompts of a session may share one. */
  #isKnown(id: MessageId): boolean {
    const {records} = this.#session.conversation.journal;
    return this.#work.holds(id) || records.some(record => record.kind === 'prompt' && record.message.id === id);
  }

  #stop(reason: 'interrupted' | 'shutdown'): void {
    const dropped = this.#work.stop(reason);
    if (dropped.length > 0) this.#session.publish(dropped.map(({id}) => ({event: 'prompt-withdrawn', id})));
  }

  /** Revokes the permission to use the computer. Returns whether there was one. */
  #endComputerUse(): boolean {
    if (this.#session.computer.end() === 'nothing') return false;
    this.#notify('Computer use has ended. To use the computer again, the agent must ask.');
    return true;
  }

  #publishModel(): void {
    const {model, ports, publish} = this.#session;
    publish([{event: 'model-changed', model, provider: ports.model.provider, effort: ports.model.facts(model).effort}]);
  }

  #notify(text: string): void {
    this.#session.publish([{event: 'notice', level: 'info', text}]);
  }

  /** Opens another session. If that fails, this one continues. Never throws. */
  async #openSession(wanted: Extract<Op, {op: 'open-session'}>['session']): Promise<void> {
    const session = this.#session;
    const {sessions} = session.ports;
    /** Lines for the user, once the branch is open. */
    const notes: string[] = [];
    try {
      if (wanted.kind === 'resume') await session.ports.endKilledSessions?.();
      const opened =
        wanted.kind === 'new'
          ? ok(sessions.create({directory: session.directory, model: session.model}))
          : wanted.kind === 'resume'
            ? sessions.resume(wanted.id)
            : await this.#branch(wanted, notes);
      if (opened.tag === 'failed') return warn(session, faultText(opened.error));
      const origin = wanted.kind === 'new' ? 'new' : 'resumed';
      const conversation = openConversation(recordingSession(opened.value), origin, session);
      await session.agents.close();
      await this.#hooks.end(wanted.kind === 'new' ? 'clear' : 'resume');
      session.conversation.journal.close();
      session.conversation = conversation;
    } catch (cause) {
      return warn(session, faultText(thrownFault('Could not open the session', cause)));
    }
    session.publish(this.#sessionOpened());
    if (notes.length > 0) this.#notify(notes.join('\n'));
    void this.#tellResumeCost();
    this.#hooks.begin(wanted.kind === 'new' ? 'clear' : 'resume');
  }

  /** Returns how many files an undo of the prompt would restore. Only an interactive session shows it. */
  async #countChangedFiles(to: MessageId): Promise<number> {
    const {interaction, asker, conversation, ports} = this.#session;
    const {records} = conversation.journal;
    const isChanged = records.some(record => record.kind === 'checkpoint' && record.prompt === to);
    if (interaction !== 'interactive' || asker !== 'main' || !isChanged) return 0;
    const session = {records, checkpoints: ports.checkpoints, others: () => []};
    const target = {kind: 'prompt', to, what: 'files'} as const;
    const preview = await previewRewind(target, session, this.#work.signal).catch(() => undefined);
    return preview?.tag === 'ok' ? preview.value.files.files.length : 0;
  }

  /** Opens a copy of a session, rewound to before the wanted prompt. */
  async #branch({id, to, files}: SessionBranch, notes: string[]): Promise<Outcome<OpenSession, Fault>> {
    const {checkpoints, sessions} = this.#session.ports;
    const copy = sessions.branch(id);
    if (copy.tag === 'failed') return copy;
    const records = [...copy.value.records];
    const keep = (record: JournalRecord): void => {
      copy.value.append(record);
      records.push(record);
    };
    if (to !== 'end') {
      const rewound = (what: RewindScope): ReturnType<typeof performRewind> =>
        performRewind(
          {kind: 'prompt', to, what},
          {id: copy.value.id, records, checkpoints, keep, others: prompts => sessions.changesAlongside(id, prompts)},
          this.#work.signal,
        );
      const done = await rewound(files === 'go-back' ? 'both' : 'talk');
      const failures = done.tag === 'failed' ? 0 : (done.value.files.failures ?? 0);
      // The branch ends before the prompt even if files stay.
      if (done.tag === 'failed' || failures > 0) await rewound('talk');
      if (done.tag === 'failed') notes.push(`The files stay as they are. ${faultText(done.error)}`);
      else if (done.value.files.files.length + done.value.files.conflicts.length > 0)
        notes.push(
          ...rewindDetails({...done.value, files: {...done.value.files, failures: 0}}, this.#session.directory),
        );
    }
    notes.push(branchNote(id));
    return ok({...copy.value, records});
  }

  /** Tells the user the cost of a resumed session's next request if it is high. The provider's cache has probably expired. */
  async #tellResumeCost(): Promise<void> {
    const session = this.#session;
    const {journal: stored, usage} = session.conversation;
    const tokens = usage.report().contextTokens;
    if (stored.writtenAt === undefined || tokens === 0 || session.asker !== 'main') return;
    const {cacheLifeMs, estimateCost, estimateText, isUnusual} = await import('../domain/cost-estimate.ts');
    const facts = session.ports.model.facts(session.model);
    if (session.ports.clock.now() - stored.writtenAt < (facts.cacheLifeMs ?? cacheLifeMs)) return;
    const estimate = estimateCost(facts.costOf, {tokens});
    if (isUnusual(estimate))
      warn(
        session,
        `The provider's cache of this conversation has probably expired. The next request: ${estimateText(estimate)}.`,
      );
  }

  /** Reopens the conversation after a rewind or a compaction. Returns the frames of the todo list. */
  #reopen(): readonly Uint8Array[] {
    const session = this.#session;
    session.conversation = reopenConversation(session.conversation, session);
    session.publish([{event: 'usage-changed', usage: session.conversation.usage.report()}]);
    return session.conversation.todoFrames;
  }

  #hookSession(): HookSession {
    const {conversation, directory, mode, model} = this.#session;
    return {sessionId: conversation.journal.id, directory, mode, model, promptId: this.#prompt ?? ''};
  }

  #sessionOpened(): readonly AgentEvent[] {
    const {conversation, directory, ports, model, mode, tools} = this.#session;
    const {journal: stored, origin, messages, todoFrames, usage} = conversation;
    const opened = {
      event: 'session-opened',
      session: {
        id: stored.id,
        origin,
        directory,
        provider: ports.model.provider,
        model,
        mode,
        tools: tools.names(),
      },
      history: [...messages],
      todoFrames,
      usage: usage.report(),
    } as const;
    const title = givenTitle(stored.records);
    const goal = this.#goal === '' && origin === 'resumed' ? goalIn(stored.records) : '';
    const text = `This session has an unmet goal: ${visibleLine(goal)}. /goal off drops it.`;
    return [
      opened,
      ...(title === '' ? [] : [{event: 'session-renamed', title} as const]),
      ...(goal === '' ? [] : [{event: 'notice', level: 'warning', text} as const]),
    ];
  }
}

/** The front ends that receive events. */
class Listeners {
  readonly #listeners = new Set<EventListener>();
  #ready: Promise<unknown> | undefined;

  add(listener: EventListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  publish(events: readonly AgentEvent[]): void {
    const busy = [...this.#listeners].map(listener => listener(events)).filter(taken => taken !== undefined);
    this.#ready = busy.length === 0 ? undefined : Promise.all(busy);
  }

  /** Settles when all listeners can take more events. `undefined` if they already can. */
  ready(): Promise<unknown> | undefined {
    return this.#ready;
  }
}
