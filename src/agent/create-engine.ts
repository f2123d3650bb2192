import type {AgentEvent, SessionInfo} from '../actions/agent-event.ts';
import {offeredTools, type OfferedTool} from '../actions/decode-action.ts';
import type {ActionPorts, HandOverEnd, QuestionReply} from '../actions/ports.ts';
import {unreachable} from '../base/unreachable.ts';
import type {ImageBlock, UserMessage} from '../domain/conversation.ts';
import {faultText, thrownFault} from '../domain/fault.ts';
import type {ActionId} from '../domain/ids.ts';
import type {JournalRecord, OpenSession} from '../domain/journal.ts';
import type {ToolSpec} from '../domain/model-stream.ts';
import type {RewindTarget} from '../domain/rewind.ts';
import type {PermissionMode} from '../domain/risk.ts';
import {openConversation, type Conversation} from './open-conversation.ts';
import {CheckpointKeeper} from './checkpoint-keeper.ts';
import {concealApproval, concealReply} from './conceal-answer.ts';
import type {ApprovalAnswer, Engine, Op} from './engine.ts';
import {PendingAnswers} from './pending-answers.ts';
import type {AgentPorts} from './ports.ts';
import {recordingSession} from './recording-session.ts';
import {carryOutRewind, previewRewind, rewindPoints} from './rewind-session.ts';
import {runPrompt, type PromptContext, type PromptLimits} from './run-prompt.ts';

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
}

/**
 * The engine: takes operations one after the other, runs one prompt at a time, and tells everything as events. Order of work
 * for a prompt: keep it, publish it, run its turns, publish its summary when all it started has settled.
 */
export function createEngine(options: EngineOptions): Engine {
  return new PromptQueue(options);
}

/** What the engine does one after the other. */
interface Work {
  readonly kind: 'prompt' | 'other';
  readonly run: () => Promise<void>;
}

class PromptQueue implements Engine {
  readonly #options: EngineOptions;
  readonly #listeners = new Set<(events: readonly AgentEvent[]) => void>();
  readonly #approvals = new PendingAnswers<ApprovalAnswer | 'aborted'>();
  readonly #questions = new PendingAnswers<QuestionReply>();
  readonly #handOvers = new PendingAnswers<HandOverEnd>();
  readonly #offered = offeredTools();
  /** With their schemas, which take time to make: with the first request. */
  #tools: readonly ToolSpec[] | undefined;
  #conversation: Conversation;
  readonly #checkpoints: CheckpointKeeper;
  #model: string;
  #mode: PermissionMode;
  #waiting: Work[] = [];
  #current: Work['kind'] | 'none' = 'none';
  #working: Promise<void> | undefined;
  #abort = new AbortController();
  #stopReason: 'interrupted' | 'shutdown' = 'interrupted';
  #closing = false;

  constructor(options: EngineOptions) {
    this.#options = options;
    this.#model = options.model;
    this.#mode = options.mode;
    this.#checkpoints = new CheckpointKeeper(options.ports.checkpoints, events => this.#publish(events));
    this.#conversation = this.#converse(recordingSession(options.session), options.origin);
  }

  subscribe(listener: (events: readonly AgentEvent[]) => void): () => void {
    this.#listeners.add(listener);
    listener([this.#opened()]);
    return () => this.#listeners.delete(listener);
  }

  submit(op: Op): void {
    if (this.#closing) return;
    switch (op.op) {
      case 'prompt':
        this.#enqueue({kind: 'prompt', run: () => this.#runPrompt(op.text, op.images)});
        return;
      case 'answer-approval':
        this.#approvals.answer(op.id, concealApproval(op.answer, this.#options.ports.secrets));
        return;
      case 'answer-question':
        this.#questions.answer(op.id, concealReply(op.answer, this.#options.ports.secrets));
        return;
      case 'answer-hand-over':
        this.#handOvers.answer(op.id, op.end);
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
      case 'open-session':
        this.#stop('interrupted');
        this.#enqueue({kind: 'other', run: async () => this.#switchTo(op.session)});
        return;
      case 'list-rewind-points':
        this.#publish([{event: 'rewind-points', points: rewindPoints(this.#conversation.session.records)}]);
        return;
      case 'preview-rewind':
        this.#unlessBusy(() => this.#previewRewind(op.target));
        return;
      case 'rewind':
        this.#unlessBusy(() => this.#rewind(op.target));
        return;
      default:
        unreachable(op);
    }
  }

  async close(reason: 'finished' | 'shutdown'): Promise<void> {
    this.#closing = true;
    if (reason === 'shutdown') this.#stop('shutdown');
    await this.#working;
    this.#conversation.session.close();
  }

  /** Going back while a prompt runs would pull the ground from under it. */
  #unlessBusy(run: () => Promise<void>): void {
    const isBusy = this.#current === 'prompt' || this.#waiting.some(({kind}) => kind === 'prompt');
    if (isBusy) this.#warn('A prompt is running: interrupt it or wait for its end, then go back.');
    else this.#enqueue({kind: 'other', run});
  }

  #warn(text: string): void {
    this.#publish([{event: 'notice', level: 'warning', text}]);
  }

  async #previewRewind(target: RewindTarget): Promise<void> {
    const {checkpoints} = this.#options.ports;
    const {records} = this.#conversation.session;
    const {signal} = this.#abort;
    const previewed = await previewRewind(target, {records, checkpoints}, signal);
    if (previewed.tag === 'ok') this.#publish([{event: 'rewind-previewed', target, report: previewed.value}]);
    else if (!signal.aborted) this.#warn(faultText(previewed.error));
  }

  async #rewind(target: RewindTarget): Promise<void> {
    const {checkpoints} = this.#options.ports;
    const {session, grants, meter, origin} = this.#conversation;
    const {signal} = this.#abort;
    try {
      const keep = (record: JournalRecord): void => session.append(record);
      const done = await carryOutRewind(target, {records: session.records, checkpoints, keep}, signal);
      if (done.tag === 'failed') {
        if (!signal.aborted) this.#warn(faultText(done.error));
        return;
      }
      this.#conversation = {...this.#converse(session, origin), grants, meter};
      this.#publish([{event: 'rewound', report: done.value, todoFrames: this.#conversation.todoFrames}]);
    } catch (cause) {
      this.#warn(faultText(thrownFault('Going back broke off', cause)));
    }
  }

  #enqueue(work: Work): void {
    this.#waiting.push(work);
    // Work begins after this, so that what a listener submits meanwhile finds that there is work and waits.
    this.#working ??= Promise.resolve().then(() => this.#drain());
  }

  async #drain(): Promise<void> {
    for (let work = this.#waiting.shift(); work !== undefined; work = this.#waiting.shift()) {
      this.#abort = new AbortController();
      this.#stopReason = 'interrupted';
      this.#current = work.kind;
      await work.run();
    }
    this.#current = 'none';
    this.#working = undefined;
  }

  #stop(reason: 'interrupted' | 'shutdown'): void {
    this.#stopReason = reason;
    this.#waiting = [];
    this.#abort.abort();
  }

  async #runPrompt(given: string, images: readonly ImageBlock[]): Promise<void> {
    const {ports} = this.#options;
    const text = ports.secrets.conceal(given);
    const {session, messages, meter, grants, todos} = this.#conversation;
    const message: UserMessage = {role: 'user', id: ports.ids.message(), blocks: [...images, {kind: 'text', text}]};
    const keep = (record: JournalRecord): void => session.append(record);
    const publish = (events: readonly AgentEvent[]): void => this.#publish(events);
    const checkpoints = this.#checkpoints.forPrompt(message.id, keep);
    const context: PromptContext = {
      checkpoints,
      begin: () => {
        keep({kind: 'prompt', message});
        messages.push(message);
        todos.beginPrompt();
        publish([{event: 'prompt-accepted', id: message.id, text}]);
      },
      judge: ports.judge,
      victims: ports.victims,
      clock: ports.clock,
      ids: ports.ids,
      model: ports.model,
      meter,
      messages,
      grants,
      keep,
      publish,
      limits: this.#options.limits,
      asking: this.#options.asking,
      approvals: this.#approvals,
      mode: () => this.#mode,
      reminderAfter: settled => todos.afterCall(settled),
      whyStopped: () => ({reason: this.#stopReason, message: ''}),
      portsFor: (id: ActionId) => this.#portsFor(id),
      request: () => ({
        model: this.#model,
        system: this.#options.systemPrompt,
        tools: (this.#tools ??= this.#offered.map(specOf)),
        messages: [...messages],
      }),
    };
    const summary = await runPrompt(context, this.#abort.signal);
    await checkpoints.afterPrompt();
    publish([{event: 'prompt-finished', summary}]);
  }

  #portsFor(id: ActionId): ActionPorts {
    return {
      ...this.#options.ports.machine,
      todos: this.#conversation.todos,
      questions: {
        ask: async (questions, signal) => {
          if (this.#options.asking === 'nobody') return {kind: 'nobody'};
          const waiting = this.#questions.wait(id, {kind: 'dismissed'}, signal);
          this.#publish([{event: 'question-asked', id, questions}]);
          const reply = await waiting;
          this.#publish([{event: 'question-settled', id}]);
          return reply;
        },
      },
      handOvers: {
        handOver: async (request, signal) => {
          if (this.#options.asking === 'nobody') return 'nobody';
          const waiting = this.#handOvers.wait(id, 'declined', signal);
          this.#publish([{event: 'hand-over-asked', id, block: request.id, reason: request.reason}]);
          const end = await waiting;
          this.#publish([{event: 'hand-over-settled', id}]);
          return end;
        },
      },
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

  #switchTo(wanted: Extract<Op, {op: 'open-session'}>['session']): void {
    const {sessions} = this.#options.ports;
    const {directory} = this.#options;
    const opened =
      wanted.kind === 'new'
        ? ({tag: 'ok', value: sessions.create({directory, model: this.#model})} as const)
        : sessions.resume(wanted.id);
    if (opened.tag === 'failed') {
      this.#publish([{event: 'notice', level: 'warning', text: faultText(opened.error)}]);
      return;
    }
    this.#conversation.session.close();
    this.#conversation = this.#converse(recordingSession(opened.value), wanted.kind === 'new' ? 'new' : 'resumed');
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
        tools: this.#offered.map(({name}) => name),
      },
      history: [...messages],
      todoFrames,
      usage: meter.report(),
    };
  }

  #publish(events: readonly AgentEvent[]): void {
    for (const listener of this.#listeners) listener(events);
  }
}

const specOf = ({name, description, jsonSchema}: OfferedTool): ToolSpec => ({
  name,
  description,
  inputSchema: jsonSchema(),
});
