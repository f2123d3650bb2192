import type {AgentEvent, PromptSummary} from '../actions/agent-event.ts';
import {eventWarning} from '../actions/event-warning.ts';
import type {Question} from '../actions/ports.ts';
import type {AgentClient, EarlierMessage} from '../agent/client.ts';
import {changedFiles} from '../actions/outcome.ts';
import {blockTexts, type ImageBlock, outcomeFields} from '../domain/conversation.ts';
import {causeText} from '../domain/fault.ts';
import {actionId, messageId, type ActionId, type SessionId} from '../domain/ids.ts';
import {planReminder, type Plan} from '../domain/plan.ts';
import {type AnswerEnd, isTaskSpec, type JobAnswer, type JobStore} from '../domain/job.ts';
import {EventLog} from './event-stream.ts';
import {ClaimedJob, stopJob} from './claimed-job.ts';
import {hasBackgroundCommands, LiveEvents} from './live-events.ts';
import {
  hasStepChanged,
  planStateFields,
  toQuestionAnswer,
  approvalAnswer,
  runLostText,
  permissionOf,
  toClientPlan,
  promptFigures,
  promptProblems,
} from './run-messages.ts';

/** Milliseconds that a question waits for its answer while no client reads the run's events. */
const unattendedMs = 300_000;

export interface Prompt {
  readonly text: string;
  readonly images: readonly ImageBlock[];
  /** The earlier conversation; empty if there was none. */
  readonly conversation: readonly EarlierMessage[];
  /** Context outside of the conversation; empty if there is none. */
  readonly context: string;
  /** `with`: text comes as `text_delta` events. */
  readonly deltas: 'with' | 'without';
  /** An `execution` carries out a plan that was started for this purpose. */
  readonly work: {readonly kind: 'prompt' | 'plan'} | {readonly kind: 'execution'; readonly plan: Plan};
  /** The job that the prompt runs for. It records how the prompt ends, and the events of an execution. */
  readonly job: ClaimedJob | 'none';
}

/** The other fields of a prompt that is text alone. */
export const textPrompt = {images: [], conversation: [], context: '', deltas: 'without'} as const;

/** A submitted prompt. Its events stay until the last reader has them. It continues if readers leave. */
export interface StartedPrompt {
  readonly events: EventLog;
  readonly session: SessionId | undefined;
  /** Resolves when everything is stored. */
  readonly finished: Promise<void>;
}

type Ask =
  | {readonly kind: 'approval'}
  | {readonly kind: 'question'; readonly questions: readonly Question[]}
  | {readonly kind: 'settled'};

/** Milliseconds that an idle session stays open for its approvals and background commands, and the maximum number of idle sessions. */
const idleMs = 600_000;
const maxIdle = 8;

/** A session's engine between two prompts: approvals for the session stay valid, and background commands continue. */
interface IdleSession {
  readonly client: AgentClient;
  readonly timer: NodeJS.Timeout;
}

interface AttachedSession {
  readonly client: AgentClient;
  terminals: number;
}

export interface AgentRunsOptions {
  readonly uuid: () => string;
  readonly jobs: JobStore;
  /** With `of-many`, another process may own a run, so this one polls for requests to its own runs. */
  readonly processes: 'of-one-process' | 'of-many';
  readonly now: () => number;
  /** Reports faults to the operator. */
  readonly note: (line: string) => void;
}

/** The running prompts, at most one per session, and the sessions kept open for their next prompt. */
export class AgentRuns {
  readonly #options: AgentRunsOptions;
  readonly #runs = new Map<SessionId, Run>();
  readonly #idle = new Map<SessionId, IdleSession>();
  /**
   * Runs that ended recently. A reader may return for the rest of their events. An answer that comes too late gets a different
   * error than an answer to an unknown question.
   */
  readonly #ended = new Map<SessionId, Pick<Run, 'events' | 'asks'>>();
  readonly #attached = new Map<SessionId, AttachedSession>();
  readonly #live = new WeakMap<AgentClient, LiveEvents>();
  #isClosing = false;

  constructor(options: AgentRunsOptions) {
    this.#options = options;
  }

  /**
   * Returns the engine of an idle session, to pass to `start`, or `none`. With `anew` the session is closed first, so that it can be
   * reopened with other options, unless a terminal has it.
   */
  async resume(session: SessionId, use: 'as-it-was' | 'anew'): Promise<AgentClient | 'none'> {
    const attached = this.#attached.get(session);
    if (attached !== undefined) return attached.client;
    const idle = this.#idle.get(session);
    if (idle === undefined) return 'none';
    this.#idle.delete(session);
    clearTimeout(idle.timer);
    if (use === 'as-it-was') return idle.client;
    await idle.client.close('finished');
    return 'none';
  }

  /** Returns the current events of a client's session. */
  live(client: AgentClient): LiveEvents {
    const live = this.#live.get(client) ?? new LiveEvents(client);
    this.#live.set(client, live);
    return live;
  }

  isAttached(session: SessionId): boolean {
    return this.#attached.has(session);
  }

  opened(session: SessionId): AgentClient | 'none' {
    return (
      this.#runs.get(session)?.client ??
      this.#attached.get(session)?.client ??
      this.#idle.get(session)?.client ??
      'none'
    );
  }

  /** Attaches a terminal to the session with this engine. Call the result when the terminal leaves. */
  attach(session: SessionId, client: AgentClient): () => Promise<void> {
    const live = this.live(client);
    const idle = this.#idle.get(session);
    clearTimeout(idle?.timer);
    this.#idle.delete(session);
    const attached = this.#attached.get(session) ?? {client, terminals: 0};
    attached.terminals += 1;
    this.#attached.set(session, attached);
    return async () => {
      attached.terminals -= 1;
      if (attached.terminals > 0) return;
      this.#attached.delete(session);
      // If a prompt of another program is running, the end of that prompt closes the engine.
      if (this.#runs.has(session)) return;
      if (live.isWorking) await this.#keepOpen(session, client);
      else await this.#settle(session, {client, grants: 'none'});
    };
  }

  start(client: AgentClient, prompt: Prompt): StartedPrompt {
    const live = this.live(client);
    const run: Run = new Run(client, prompt, {
      isWorking: () => live.isWorking,
      now: this.#options.now,
      note: this.#options.note,
      opened: session => {
        this.#runs.set(session, run);
        if (this.#options.processes === 'of-many') this.#listen(session, run);
      },
      settle: async session => {
        try {
          await this.#settle(session, run);
        } finally {
          run.stopListening();
          this.#runs.delete(session);
          this.#ended.delete(session);
          this.#ended.set(session, {events: run.events, asks: run.asks});
          const [oldest] = this.#ended.keys();
          if (this.#ended.size > maxEnded && oldest !== undefined) this.#ended.delete(oldest);
        }
      },
    });
    run.begin(this.#options.uuid);
    return run;
  }

  isRunning(session: SessionId): boolean {
    return this.#runs.has(session);
  }

  /** Returns the sessions in which any process runs a prompt, as far as known. */
  async running(): Promise<ReadonlySet<SessionId>> {
    return new Set([
      ...this.#runs.keys(),
      ...(this.#options.processes === 'of-many' ? await this.#options.jobs.running() : []),
    ]);
  }

  /** Listens for requests of other processes to the session's run. A prompt without a job gets a job for this purpose. */
  #listen(session: SessionId, run: Run): void {
    const listen = async (): Promise<void> => {
      if (run.job === 'none') run.job = await this.#addPromptJob(session);
      if (this.#runs.get(session) !== run) return run.job.job.spec.kind === 'prompt' ? run.job.remove() : undefined;
      run.stopListening = run.job.listen({
        stop: () => run.client.submit({op: 'interrupt'}),
        answer: (id, answer) => {
          if (run.asks.get(actionId(id))?.kind !== 'settled') this.#answerHere(session, id, answer);
        },
      });
    };
    // A failed notification must not end the run.
    void listen().catch(() => {});
  }

  async #addPromptJob(session: SessionId): Promise<ClaimedJob> {
    const job = {id: this.#options.uuid(), spec: {kind: 'prompt', session}, session} as const;
    await this.#options.jobs.add(job, 'running');
    return ClaimedJob.added(this.#options.jobs, job);
  }

  /** Returns the events of a session's prompt that is running or ended recently. */
  events(session: SessionId): EventLog | 'none' {
    return (this.#runs.get(session) ?? this.#ended.get(session))?.events ?? 'none';
  }

  /** Stops the running and queued work of a session, including background work. Resolves when the end of the work is stored. */
  async stop(session: SessionId): Promise<'known' | 'unknown'> {
    const run = this.#runs.get(session);
    const elsewhere =
      run === undefined && this.#options.processes === 'of-many'
        ? await stopJob(this.#options.jobs, {session})
        : 'unknown';
    await run?.stop();
    this.#attached.get(session)?.client.submit({op: 'interrupt'});
    await this.resume(session, 'anew');
    return run === undefined && elsewhere === 'unknown' ? 'unknown' : 'known';
  }

  /**
   * Keeps a session open if closing it would lose something. Otherwise closes it, and its next prompt or another weft
   * process reopens it.
   */
  async #settle(session: SessionId, {client, grants}: Pick<Run, 'client' | 'grants'>): Promise<void> {
    if (this.#attached.has(session)) return;
    const staysOpen = !this.#isClosing && (grants === 'for-session' || (await hasBackgroundCommands(client)));
    if (!staysOpen) {
      await client.close('finished');
      return;
    }
    await this.#keepOpen(session, client);
  }

  /** Closes the session after its idle time, and stops what still runs in it. */
  async #keepOpen(session: SessionId, client: AgentClient): Promise<void> {
    const [oldest] = this.#idle.keys();
    if (this.#idle.size >= maxIdle && oldest !== undefined) await this.#closeIdle(oldest);
    const timer = setTimeout(() => void this.#closeIdle(session), idleMs);
    timer.unref();
    this.#idle.set(session, {client, timer});
  }

  async #closeIdle(session: SessionId): Promise<void> {
    const idle = this.#idle.get(session);
    this.#idle.delete(session);
    clearTimeout(idle?.timer);
    await idle?.client.close('shutdown');
  }

  /** Answers a run's question, here or in another process. */
  async answer(session: SessionId, id: string, answer: JobAnswer): Promise<AnswerEnd> {
    const here = this.#answerHere(session, id, answer);
    return here === 'unknown' && this.#options.processes === 'of-many'
      ? this.#options.jobs.answer(session, id, answer)
      : here;
  }

  /** Closes all sessions that are open here and stops their runs. */
  async close(): Promise<void> {
    this.#isClosing = true;
    await Promise.all([
      ...[...this.#runs.values()].map(run => run.client.close('shutdown')),
      ...[...this.#attached.values()].map(({client}) => client.close('shutdown')),
      ...[...this.#idle.keys()].map(session => this.#closeIdle(session)),
    ]);
  }

  #answerHere(session: SessionId, id: string, answer: JobAnswer): AnswerEnd {
    const run = this.#runs.get(session);
    const ask = (run ?? this.#ended.get(session))?.asks.get(actionId(id));
    if (ask === undefined) return 'unknown';
    if (ask.kind === 'settled' || run === undefined) return 'already-answered';
    if (ask.kind !== answer.kind) return 'unknown';
    run.asks.set(actionId(id), {kind: 'settled'});
    if (answer.kind === 'approval') {
      if (answer.decision === 'allow_session') run.grants = 'for-session';
      run.client.submit({op: 'answer-approval', id: actionId(id), answer: approvalAnswer(answer)});
    } else if (ask.kind === 'question')
      run.client.submit({
        op: 'answer-question',
        id: actionId(id),
        answer: {
          kind: 'answered',
          answers: ask.questions.map(question => toQuestionAnswer(question, answer.answers[question.question])),
        },
      });
    return 'taken';
  }
}

/** The maximum number of ended prompts whose events and questions are kept. */
const maxEnded = 20;

interface RunListener {
  /** True if the session is running another prompt. */
  isWorking(): boolean;
  readonly now: () => number;
  opened(session: SessionId): void;
  readonly note: (line: string) => void;
  /** Resolves when the prompt's results are stored and the next prompt may start. */
  settle(session: SessionId): Promise<void>;
}

/** One prompt, from the opening of its session to its end. */
class Run implements StartedPrompt {
  readonly client: AgentClient;
  readonly events: EventLog;
  readonly asks = new Map<ActionId, Ask>();
  job: ClaimedJob | 'none';
  /** Stops listening for requests of other processes. Called at the end of the run. */
  stopListening = (): void => {};
  /** Whether the user's approvals outlast this run. */
  grants: 'none' | 'for-session' = 'none';
  readonly #prompt: Prompt;
  readonly #listener: RunListener;
  readonly #finished = Promise.withResolvers<void>();
  #session: SessionId | undefined;
  /** Whether the model was asked for a missing plan. */
  #planned: 'not-yet' | 'asked' = 'not-yet';
  /** The plan that is being made or carried out, in its current state. */
  #plan: Plan | 'none';
  #timer: NodeJS.Timeout | undefined;
  #unsubscribe = (): void => {};
  #newId = (): string => '';
  #id = messageId('');
  /** False until this run's prompt begins, if the session is also open elsewhere and may still be running another prompt. */
  #hasBegun: boolean;
  #isOver = false;
  /** The text of the current block that was sent as deltas. */
  #streamed = '';

  constructor(client: AgentClient, prompt: Prompt, listener: RunListener) {
    this.client = client;
    this.#hasBegun = !listener.isWorking();
    this.#prompt = prompt;
    this.job = prompt.job;
    this.#plan = prompt.work.kind === 'execution' ? prompt.work.plan : 'none';
    this.#listener = listener;
    this.events = new EventLog(() => this.#watchReaders());
  }

  begin(id: () => string): void {
    const {text, images, conversation, context, work} = this.#prompt;
    this.#newId = id;
    this.#id = messageId(id());
    this.#unsubscribe = this.client.subscribe(events => {
      for (const event of events) if (!this.#isOver) this.#take(event);
    });
    if (conversation.length > 0) this.client.submit({op: 'add-messages', messages: conversation});
    if (context !== '') this.client.submit({op: 'add-context', text: context});
    if (work.kind === 'execution') this.client.submit({op: 'start-plan', plan: work.plan});
    this.client.submit({op: 'prompt', id: this.#id, text, images, when: 'queued'});
  }

  get session(): SessionId | undefined {
    return this.#session;
  }

  get finished(): Promise<void> {
    return this.#finished.promise;
  }

  #add(event: object): void {
    this.events.add(event);
    if (this.#isTask) this.#keep(job => job.append(event));
  }

  get #isTask(): boolean {
    return this.job !== 'none' && isTaskSpec(this.job.job.spec);
  }

  /** Ends the run as failed if its events can't be stored. */
  #keep(work: (job: ClaimedJob) => Promise<void>): void {
    const {job} = this;
    if (job === 'none') return;
    void work(job).catch((cause: unknown) => {
      this.#listener.note(`session ${this.#session ?? 'not open yet'}: ${causeText(cause)}`);
      if (this.#isOver) return;
      this.client.submit({op: 'interrupt'});
      this.#end([runLostText], 'failed');
    });
  }

  async stop(): Promise<void> {
    this.client.submit({op: 'interrupt'});
    await this.#finished.promise;
  }

  #take(event: AgentEvent): void {
    if (event.event === 'prompt-accepted' && event.id === this.#id) this.#hasBegun = true;
    if (event.event === 'prompt-withdrawn' && event.id !== this.#id) return;
    if (!this.#hasBegun && event.event !== 'session-opened' && event.event !== 'prompt-withdrawn') return;
    switch (event.event) {
      case 'session-opened':
        this.#session = event.session.id;
        this.#keep(job => job.change({session: event.session.id}));
        this.#listener.opened(event.session.id);
        this.#add({type: 'session', sessionId: event.session.id});
        return;
      case 'block-delta':
        if (event.delta.kind === 'text') this.#addDelta(event.delta.text);
        return;
      case 'block-finished': {
        const {block} = event;
        if (block.kind === 'text') this.#addText(block.text);
        if (block.kind === 'tool-call')
          this.#add({type: 'tool_use', id: block.id, name: block.name, input: block.input});
        return;
      }
      case 'action-settled': {
        const {id, content} = event.toolResult;
        const end = outcomeFields(event.toolResult);
        if (event.result.tag === 'action' && this.#isTask) {
          const files = changedFiles(event.result.result);
          this.#keep(job => job.addFiles(files, id, this.#listener.now()));
        }
        const output = blockTexts(content).join('\n');
        this.#add({type: 'tool_result', toolUseId: id, output, isError: end.outcome !== 'success', ...end});
        return;
      }
      case 'approval-requested':
        this.#ask(event.approval.id, {kind: 'approval'}, permissionOf(event.approval), event.approval.label);
        return;
      case 'question-asked':
        this.#ask(
          event.id,
          {kind: 'question', questions: event.questions},
          {id: event.id, toolName: 'AskUserQuestion', questionId: event.id, input: {questions: event.questions}},
          event.questions.map(({question}) => question).join(' '),
        );
        return;
      case 'approval-settled':
      case 'question-settled':
        this.asks.set(event.id, {kind: 'settled'});
        this.#publish(job => job.settle(event.id));
        return;
      case 'hand-over-asked':
        this.client.submit({op: 'answer-hand-over', id: event.id, end: 'declined'});
        return;
      case 'prompt-withdrawn':
        this.#end(['The prompt was stopped before it began.'], 'interrupted');
        return;
      case 'plan-changed':
        if (event.plan.state === 'pending' || hasStepChanged(event.plan, this.#plan))
          this.#add({type: 'plan', plan: toClientPlan(event.plan)});
        this.#plan = event.plan;
        return;
      case 'prompt-finished':
        if (this.#prompt.work.kind === 'plan' && this.#plan === 'none' && event.summary.end.kind === 'done') {
          if (this.#planned === 'not-yet') {
            this.#planned = 'asked';
            const id = messageId(this.#newId());
            this.client.submit({op: 'prompt', id, text: planReminder, images: [], when: 'queued'});
            return;
          }
          this.#end(['The model gave no plan.'], event.summary);
          return;
        }
        this.#end(promptProblems(event.summary), event.summary);
        return;
      default:
        this.#addNotice(eventWarning(event));
    }
  }

  #addNotice(message: string | undefined): void {
    if (message !== undefined) this.#add({type: 'notice', message});
  }

  #addDelta(content: string): void {
    if (this.#prompt.deltas === 'without' || content === '') return;
    this.#streamed += content;
    this.#add({type: 'text_delta', content});
  }

  /** Adds a finished text, or what its deltas did not have. */
  #addText(text: string): void {
    if (this.#prompt.deltas === 'with') {
      if (text.startsWith(this.#streamed)) this.#addDelta(text.slice(this.#streamed.length));
      this.#streamed = '';
    } else if (text !== '') this.#add({type: 'text', content: text});
  }

  #ask(id: ActionId, ask: Ask, permission: object, title: string): void {
    this.asks.set(id, ask);
    this.#publish(job => job.ask(id, title));
    this.#add({type: 'permission_request', permission});
    this.#watchReaders();
  }

  /** A failed notification must not end the run. */
  #publish(say: (job: ClaimedJob) => Promise<void>): void {
    if (this.job !== 'none') void say(this.job).catch(() => {});
  }

  /** Answers open questions if readers don't return. */
  #watchReaders(): void {
    clearTimeout(this.#timer);
    if (this.#isOver || this.events.readers > 0) return;
    this.#timer = setTimeout(() => {
      for (const [id, ask] of this.asks) {
        if (ask.kind === 'approval')
          this.client.submit({
            op: 'answer-approval',
            id,
            answer: {decision: 'refuse', message: 'Nobody answered.', by: 'program'},
          });
        if (ask.kind === 'question') this.client.submit({op: 'answer-question', id, answer: {kind: 'dismissed'}});
      }
    }, unattendedMs);
    this.#timer.unref();
  }

  #end(problems: readonly string[], summary: PromptSummary | 'interrupted' | 'failed'): void {
    this.#isOver = true;
    this.#unsubscribe();
    clearTimeout(this.#timer);
    for (const message of problems) this.#add({type: 'error', message});
    const settled = this.#session === undefined ? this.client.close('finished') : this.#listener.settle(this.#session);
    // Report the end only once it is stored and the session can be continued.
    void settled.then(
      () => this.#finish(summary),
      (cause: unknown) => {
        this.#listener.note(`session ${this.#session ?? 'not open yet'}: ${causeText(cause)}`);
        this.#add({type: 'error', message: runLostText});
        return this.#finish('failed');
      },
    );
  }

  async #finish(summary: PromptSummary | 'interrupted' | 'failed'): Promise<void> {
    const end = typeof summary === 'string' ? summary : summary.end.kind;
    const figures = promptFigures(summary);
    const done = {type: 'done', ...figures, ...(this.#plan === 'none' ? {} : planStateFields(this.#plan))};
    try {
      if (this.job !== 'none') await this.#endJob(this.job, {done, end, cost: figures.cost});
    } catch (cause) {
      this.#listener.note(`session ${this.#session ?? 'not open yet'}: ${causeText(cause)}`);
    }
    this.events.add(done);
    this.events.end();
    this.#finished.resolve();
  }

  /** Stores the end last, so that all events can be read by then. */
  async #endJob(
    job: ClaimedJob,
    {done, end, cost}: {readonly done: object; readonly end: PromptSummary['end']['kind']; readonly cost: number},
  ): Promise<void> {
    const {spec, cost: before} = job.job;
    if (spec.kind === 'prompt') return job.remove();
    const isDone =
      spec.kind === 'execution' ? this.#plan !== 'none' && this.#plan.state === 'completed' : end === 'done';
    await Promise.all([
      isTaskSpec(spec) ? job.append(done) : undefined,
      job.change({
        state: end === 'interrupted' ? 'stopped' : isDone ? 'completed' : 'failed',
        cost: before + cost,
        news: spec.kind === 'scheduled' ? 'untold' : 'none',
      }),
    ]);
  }
}
