import type {AgentEvent, SessionInfo} from '../actions/agent-event.ts';
import type {ToolSources} from '../actions/decode-action.ts';
import type {ActionPorts} from '../actions/ports.ts';
import {ok} from '../base/outcome.ts';
import {unreachable} from '../base/unreachable.ts';
import type {TextBlock} from '../domain/conversation.ts';
import {faultText, thrownFault} from '../domain/fault.ts';
import {actionId, type ActionId, type MessageId} from '../domain/ids.ts';
import type {JournalRecord, OpenSession} from '../domain/journal.ts';
import type {ModelRequest, Thinking} from '../domain/model-stream.ts';
import {reminderBlock} from '../domain/reminder.ts';
import type {PermissionMode} from '../domain/risk.ts';
import {attachMentions} from './attach-mentions.ts';
import {CheckpointKeeper} from './checkpoint-keeper.ts';
import {CompactionDesk} from './compaction-desk.ts';
import type {CompactorParts} from './compactor.ts';
import type {Engine, EventListener, Op} from './engine.ts';
import {goBack, tellPreview, type GoingBack} from './go-back.ts';
import {Listeners} from './listeners.ts';
import {makeOfferedNow, type OfferedNow} from './offered-now.ts';
import {openConversation, type Conversation} from './open-conversation.ts';
import {OpenQuestions} from './open-questions.ts';
import type {AgentPorts} from './ports.ts';
import {PromptHooks} from './prompt-hooks.ts';
import {PromptIntake} from './prompt-intake.ts';
import {recordingSession} from './recording-session.ts';
import {rewindPoints} from './rewind-session.ts';
import {makeAnswerKeeper, type AnswerKeeper, type StructuredOutput} from './structured-output.ts';
import {runUserCommand} from './run-user-command.ts';
import {runPrompt, type PromptContext, type PromptLimits} from './run-prompt.ts';
import type {WaitingPrompt} from './work-queue.ts';
import {WorkRunner} from './work-runner.ts';

export interface EngineOptions {
  readonly ports: AgentPorts;
  /** The session to begin with; the caller opened it. */
  readonly session: OpenSession;
  /** The workspace root, which sessions belong to. */
  readonly directory: string;
  readonly origin: SessionInfo['origin'];
  readonly model: string;
  readonly mode: PermissionMode;
  readonly systemPrompt: string;
  readonly limits: PromptLimits;
  /** Whether a front end will answer approvals and questions. */
  readonly asking: 'somebody' | 'nobody';
  readonly structured: StructuredOutput;
  /** Tools that are not offered. */
  readonly withheld: ToolSources['withheld'];
  /** Until it is set otherwise. */
  readonly thinking: Thinking;
}

/**
 * The engine: takes operations one after the other, runs one prompt at a time, and tells everything as events. Order of work
 * for a prompt: keep it, publish it, run its turns, publish its summary when all it started has settled.
 */
export function createEngine(options: EngineOptions): Engine {
  return new SessionEngine(options);
}

class SessionEngine implements Engine {
  readonly #options: EngineOptions;
  readonly #listeners = new Listeners();
  readonly #questions: OpenQuestions;
  readonly #offered: OfferedNow;
  /** Of the prompt that runs. */
  #answer: AnswerKeeper;
  #conversation: Conversation;
  readonly #checkpoints: CheckpointKeeper;
  #model: string;
  #mode: PermissionMode;
  #thinking: Thinking;
  readonly #work = new WorkRunner(prompt => this.#runPrompt(prompt));
  readonly #compaction = new CompactionDesk();
  /** What goes to the model with the next prompt. */
  readonly #toLearn: TextBlock[] = [];
  #closing = false;

  constructor(options: EngineOptions) {
    const publish = (events: readonly AgentEvent[]): void => this.#publish(events);
    this.#options = options;
    this.#model = options.model;
    this.#mode = options.mode;
    this.#thinking = options.thinking;
    this.#offered = makeOfferedNow({...options, mcp: options.ports.machine.mcp});
    this.#answer = makeAnswerKeeper(options.structured);
    this.#questions = new OpenQuestions({asking: options.asking, secrets: options.ports.secrets, publish});
    this.#checkpoints = new CheckpointKeeper(options.ports.checkpoints, publish);
    this.#conversation = this.#converse(recordingSession(options.session), options.origin);
  }

  subscribe(listener: EventListener): () => void {
    const end = this.#listeners.add(listener);
    void listener([this.#opened()]);
    return end;
  }

  submit(op: Op): void {
    if (this.#closing) return;
    switch (op.op) {
      case 'prompt':
        this.#work.add({
          kind: 'prompt',
          id: this.#isKnown(op.id) ? this.#options.ports.ids.message() : op.id,
          text: this.#options.ports.secrets.conceal(op.text),
          images: op.images,
          when: op.when,
        });
        return;
      case 'run-command':
        this.#work.add({kind: 'command', id: op.id, run: () => this.#runCommand(op)});
        return;
      case 'learn':
        this.#toLearn.push(reminderBlock(this.#options.ports.secrets.conceal(op.text)));
        return;
      case 'withdraw-prompt':
        if (this.#work.queue.take(op.id) !== undefined) this.#publish([{event: 'prompt-withdrawn', id: op.id}]);
        return;
      case 'answer-approval':
      case 'answer-question':
      case 'answer-hand-over':
        this.#questions.answer(op);
        return;
      case 'interrupt':
        this.#stop('interrupted');
        return;
      case 'set-model':
        this.#model = op.model;
        this.#publish([{event: 'model-changed', model: op.model}]);
        return;
      case 'set-mode':
        this.#mode = op.mode;
        this.#publish([{event: 'mode-changed', mode: op.mode}]);
        return;
      case 'set-thinking':
        this.#thinking = op.thinking;
        return;
      case 'open-session':
        this.#stop('interrupted');
        this.#work.add({kind: 'other', run: async () => this.#switchTo(op.session)});
        return;
      case 'list-rewind-points':
        this.#publish([{event: 'rewind-points', points: rewindPoints(this.#conversation.session.records)}]);
        return;
      case 'preview-compact':
      case 'compact':
        this.#unlessBusy(() => this.#compaction.run(op, this.#compacting, this.#work.signal));
        return;
      case 'preview-rewind':
        this.#unlessBusy(() => tellPreview(op.target, this.#goingBack, this.#work.signal));
        return;
      case 'rewind':
        this.#unlessBusy(() => {
          const parts = {...this.#goingBack, reopen: () => this.#reopen()};
          return goBack(op.target, parts, this.#work.signal);
        });
        return;
      default:
        unreachable(op);
    }
  }

  async close(reason: 'finished' | 'shutdown'): Promise<void> {
    this.#closing = true;
    if (reason === 'shutdown') this.#stop('shutdown');
    await this.#work.done();
    this.#conversation.session.close();
  }

  /** Going back or compacting while a prompt runs would pull the ground from under it. */
  #unlessBusy(run: () => Promise<void>): void {
    if (this.#work.hasPrompt) this.#warn('A prompt is running: interrupt it or wait for its end first.');
    else this.#work.add({kind: 'other', run});
  }

  #warn(text: string): void {
    this.#publish([{event: 'notice', level: 'warning', text}]);
  }

  get #goingBack(): GoingBack {
    const {checkpoints} = this.#options.ports;
    return {session: this.#conversation.session, checkpoints, publish: events => this.#publish(events)};
  }

  get #compacting(): CompactorParts {
    const {ports, limits, directory} = this.#options;
    const {session, meter, todos} = this.#conversation;
    const state = {limits, directory, meter, todos, files: ports.machine.files, records: session.records};
    return {
      ...ports,
      ...state,
      request: this.#request(),
      keep: record => session.append(record),
      publish: events => this.#publish(events),
      isLeaving: () => this.#closing,
      reopen: () => this.#reopen(),
    };
  }

  /** For the conversation as it stands. */
  #request(): ModelRequest {
    return {
      model: this.#model,
      system: this.#options.systemPrompt,
      tools: this.#offered.specs(),
      messages: [...this.#conversation.messages],
      thinking: this.#thinking,
    };
  }

  /** After going back or compacting; what was allowed and spent stays. */
  #reopen(): readonly Uint8Array[] {
    const {session, grants, meter, origin} = this.#conversation;
    meter.follow(session.records);
    this.#conversation = {...this.#converse(session, origin), grants, meter};
    this.#publish([{event: 'usage-changed', usage: meter.report()}]);
    return this.#conversation.todoFrames;
  }

  /** Ids come from outside; no two prompts of a session may share one. */
  #isKnown(id: MessageId): boolean {
    const {records} = this.#conversation.session;
    return this.#work.holds(id) || records.some(record => record.kind === 'prompt' && record.message.id === id);
  }

  #stop(reason: 'interrupted' | 'shutdown'): void {
    const dropped = this.#work.stop(reason);
    if (dropped.length > 0) this.#publish(dropped.map(({id}) => ({event: 'prompt-withdrawn', id})));
  }

  async #runPrompt(prompt: WaitingPrompt): Promise<void> {
    const {ports} = this.#options;
    const {session, messages, meter, grants, todos} = this.#conversation;
    const keep = (record: JournalRecord): void => session.append(record);
    const publish = (events: readonly AgentEvent[]): void => this.#publish(events);
    const checkpoints = this.#checkpoints.forRun(prompt.id, keep);
    const hooks = new PromptHooks(ports.hooks, publish);
    const mentioning = {files: ports.machine.files, warn: (text: string) => this.#warn(text)};
    this.#answer = makeAnswerKeeper(this.#options.structured);
    todos.beginPrompt();
    const context: PromptContext = {
      ...ports,
      checkpoints,
      hooks,
      answer: this.#answer,
      toolsReady: signal => ports.machine.mcp.ready(signal),
      toolSources: () => this.#offered.sources(),
      prompt,
      intake: new PromptIntake({
        queue: this.#work.queue,
        hooks,
        checkpoints,
        messages,
        keep,
        publish,
        toLearn: this.#toLearn,
        attached: (text, signal) =>
          attachMentions(text, {...mentioning, judge: ports.judge, mode: () => this.#mode}, signal),
      }),
      meter,
      messages,
      grants,
      keep,
      publish,
      caughtUp: () => this.#listeners.caughtUp(),
      limits: this.#options.limits,
      asking: this.#options.asking,
      approvals: this.#questions.approvals,
      mode: () => this.#mode,
      reminderAfter: settled => todos.afterCall(settled),
      whyStopped: () => this.#work.whyStopped(),
      portsFor: (id: ActionId) => this.#portsFor(id),
      request: () => this.#request(),
    };
    const summary = await runPrompt(context, this.#work.signal);
    await checkpoints.afterRun();
    publish([{event: 'prompt-finished', summary}]);
  }

  async #runCommand({id, command}: Extract<Op, {op: 'run-command'}>): Promise<void> {
    const {secrets, clock} = this.#options.ports;
    const {session, messages} = this.#conversation;
    await runUserCommand(
      {id, command},
      {
        ports: this.#portsFor(actionId(id)),
        secrets,
        clock,
        messages,
        keep: record => session.append(record),
        publish: events => this.#publish(events),
        whyStopped: () => this.#work.whyStopped(),
      },
      this.#work.signal,
    );
  }

  #portsFor(id: ActionId): ActionPorts {
    return {
      ...this.#options.ports.machine,
      todos: this.#conversation.todos,
      answer: this.#answer,
      ...this.#questions.portsFor(id),
    };
  }

  #converse(session: OpenSession, origin: SessionInfo['origin']): Conversation {
    return openConversation({
      session,
      origin,
      model: this.#options.ports.model,
      newTodoId: () => this.#options.ports.ids.todo(),
      publish: events => this.#publish(events),
    });
  }

  /** Where the other session cannot be opened, this one goes on. Never throws. */
  #switchTo(wanted: Extract<Op, {op: 'open-session'}>['session']): void {
    const {sessions} = this.#options.ports;
    const {directory} = this.#options;
    try {
      const opened =
        wanted.kind === 'new' ? ok(sessions.create({directory, model: this.#model})) : sessions.resume(wanted.id);
      if (opened.tag === 'failed') return this.#warn(faultText(opened.error));
      const origin = wanted.kind === 'new' ? 'new' : 'resumed';
      const conversation = this.#converse(recordingSession(opened.value), origin);
      this.#conversation.session.close();
      this.#conversation = conversation;
    } catch (cause) {
      return this.#warn(faultText(thrownFault('The session could not be opened', cause)));
    }
    this.#publish([this.#opened()]);
  }

  #opened(): AgentEvent {
    const {session, origin, messages, todoFrames, meter} = this.#conversation;
    return {
      event: 'session-opened',
      session: {
        id: session.id,
        origin,
        directory: this.#options.directory,
        provider: this.#options.ports.model.provider,
        model: this.#model,
        mode: this.#mode,
        tools: this.#offered.names(),
      },
      history: [...messages],
      todoFrames,
      usage: meter.report(),
    };
  }

  #publish(events: readonly AgentEvent[]): void {
    this.#listeners.tell(events);
  }
}
