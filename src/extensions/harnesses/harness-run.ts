import type {
  HarnessApproval,
  HarnessDecision,
  HarnessEvent,
  HarnessHost,
  HarnessRun,
} from '../../actions/harness-port.ts';
import type {ServerProcess, ServerProcesses, ServerProgram} from '../../actions/mcp-port.ts';
import type {Question, QuestionReply} from '../../actions/ports.ts';
import {clip, collapseSpaces, firstLine} from '../../base/clip.ts';
import {
  isDeeperThan,
  isJsonObject,
  type Json,
  type JsonObject,
  jsonText,
  maxJsonDepth,
  parseJson,
} from '../../base/json.ts';
import {failed, ok, type Outcome} from '../../base/outcome.ts';
import {raceAbort, raceTimeout} from '../../base/race.ts';
import {byKind, type ByKind, unreachable} from '../../base/unreachable.ts';
import {withoutInvisible} from '../../base/visible.ts';
import {rejected, type Fault} from '../../domain/fault.ts';
import type {HarnessOutcome, HarnessSessionId} from '../../domain/harness.ts';
import {extractErrorMessage} from './message-fields.ts';
import type {Conversation, Driver, OpenedConversation, PromptEnd, Reporter} from './driver.ts';

/** In UTF-16 units. Longer text is cut off, and the user is warned once. */
const bounds = {
  /** The texts of one prompt in total. */
  text: 4_000_000,
  /** The answer. If it is longer, its end is kept. */
  answer: 250_000,
  /** The output of one tool. */
  output: 200_000,
  input: 100_000,
  line: 500,
} as const;

const maxTools = 5000;
const maxQuestions = 64;
const maxQueued = 100;
const maxWarnings = 200;
const stderrLines = 20;

export interface RunSetup {
  readonly title: string;
  readonly program: ServerProgram;
  readonly driver: Driver;
  readonly processes: ServerProcesses;
  readonly host: HarnessHost;
  readonly prompt: string;
  /** `read-only`: weft denies every change without asking. */
  readonly access: 'with-approvals' | 'read-only';
  readonly times: RunTimeouts;
}

export interface RunTimeouts {
  /** The time limit for opening the conversation, in milliseconds. */
  readonly open: number;
  /** The time limit for a harness to stop after an interrupt, in milliseconds. */
  readonly interrupt: number;
}

/** The defaults. One of the programs takes 20 s to start on a busy machine. */
export const defaultTimeouts: RunTimeouts = {open: 120_000, interrupt: 5000};

/**
 * Starts the program, opens its conversation and sends the first prompt. The events of a run are in order: `started`;
 * for each prompt `working`, its activity, and `finished`; at the end `closed`. Each of these comes exactly once,
 * whatever the harness sends. A program that exits fails its prompt. Unfinished tools are finished with the prompt,
 * and open requests of a finished prompt are withdrawn.
 */
export async function startRun(setup: RunSetup, signal: AbortSignal): Promise<Outcome<HarnessRun, Fault>> {
  const run = new Run(setup);
  const started = await run.start(signal);
  if (started.tag === 'failed') return started;
  const abort = (): void => void run.stop();
  if (signal.aborted) abort();
  else signal.addEventListener('abort', abort, {once: true});
  void run.closed.then(() => signal.removeEventListener('abort', abort));
  return started;
}

class Run {
  readonly closed: Promise<unknown>;
  readonly #setup: RunSetup;
  readonly #reporter: Reporter;
  readonly #conversation: Conversation;
  readonly #close = Promise.withResolvers<undefined>();
  readonly #outputLines: string[] = [];
  readonly #warned = new Set<string>();
  readonly #queue: string[] = [];
  /** The length of the output of each running tool, and the tools of this prompt that have finished. */
  readonly #tools = new Map<string, number>();
  readonly #ended = new Set<string>();
  /** Requests of the harness that wait for an answer. Each can be withdrawn, or answered as cancelled. */
  readonly #openRequests = new Set<{readonly cancel: () => void; readonly withdraw: () => void}>();
  #process: ServerProcess | undefined;
  #phase: 'opening' | 'idle' | 'working' | 'closed' = 'opening';
  #stopping: 'no' | 'prompt' | 'run' = 'no';
  #prompt = Promise.withResolvers<undefined>();
  /** The harness's last denied action; empty if nothing was denied. */
  #denied = '';
  #message = 0;
  #lastMessage = '';
  #isNewMessage = true;
  /** The first half of a surrogate pair whose second half comes with the next delta. */
  #pendingSurrogate = '';
  #length = 0;
  #truncated: 'nothing' | 'something' = 'nothing';

  constructor(setup: RunSetup) {
    this.#setup = setup;
    this.closed = this.#close.promise;
    this.#reporter = this.#makeReporter();
    this.#conversation = setup.driver.converse(this.#reporter);
  }

  async start(signal: AbortSignal): Promise<Outcome<HarnessRun, Fault>> {
    const {processes, program, title} = this.#setup;
    const events = {line: (line: string) => this.#take(line), log: (line: string) => this.#log(line)};
    if (signal.aborted) return failed(rejected(`${title} was not started: it was interrupted.`));
    const started = await processes.start(program, events);
    if (started.tag === 'failed') return failed(this.#startFault(started.error));
    this.#process = started.value;
    const ended = started.value.ended.then(how => failed(how));
    void ended.then(({error}) => this.#onExit(error));
    const opening = Promise.race([this.#conversation.open(), ended]);
    const opened = await raceAbort(raceTimeout(opening, this.#setup.times.open), signal);
    if (opened === 'aborted' || opened === 'timeout' || opened.tag === 'failed') {
      await started.value.stop();
      if (opened === 'aborted') return failed(rejected(`${title} was interrupted while starting.`));
      const seconds = Math.round(this.#setup.times.open / 1000);
      return failed(this.#startFault(opened === 'timeout' ? `it did not answer within ${seconds} s` : opened.error));
    }
    return this.#hasClosed() ? failed(this.#startFault('it exited right away')) : ok(this.#begin(opened.value));
  }

  /** Interrupts the prompt within a time limit and ends the program. */
  async stop(): Promise<void> {
    this.#stopping = 'run';
    await this.#interrupt(Math.min(1000, this.#setup.times.interrupt));
    await this.#process?.stop();
    await this.closed;
  }

  #hasClosed(): boolean {
    return this.#phase === 'closed';
  }

  #begin({session, model, version}: OpenedConversation): HarnessRun {
    this.#phase = 'idle';
    this.#emit({event: 'started', session, model: line(model), version: line(version)});
    this.#work(this.#setup.prompt);
    return this.#handle(session);
  }

  #handle(session: HarnessSessionId): HarnessRun {
    return {
      session,
      send: async message => this.#send(message),
      interrupt: async () => {
        await this.#interrupt(this.#setup.times.interrupt);
        if (this.#phase === 'closed') await this.closed;
      },
      dispose: async () => this.stop(),
    };
  }

  async #send(message: string): Promise<Outcome<'steered' | 'queued' | 'begun', Fault>> {
    const {title} = this.#setup;
    if (this.#isOver()) return failed(rejected(`${title} has ended: start it again to continue.`));
    if (this.#phase === 'working') {
      const steered = await Promise.race([this.#conversation.steer(message), this.closed]);
      if (steered === 'taken') return ok('steered');
      if (this.#isOver()) return failed(rejected(`${title} has ended: start it again to continue.`));
    }
    if (this.#phase === 'idle') {
      this.#work(message);
      return ok('begun');
    }
    if (this.#queue.length >= maxQueued) return failed(rejected(`${title} already has ${maxQueued} unread messages.`));
    this.#queue.push(message);
    return ok('queued');
  }

  #isOver(): boolean {
    return this.#phase === 'closed' || this.#stopping === 'run';
  }

  #work(text: string): void {
    this.#enterPrompt();
    this.#conversation.prompt(text);
  }

  #enterPrompt(): void {
    this.#phase = 'working';
    if (this.#stopping === 'prompt') this.#stopping = 'no';
    this.#prompt = Promise.withResolvers();
    this.#lastMessage = '';
    this.#denied = '';
    this.#ended.clear();
    this.#pendingSurrogate = '';
    this.#isNewMessage = true;
    this.#length = 0;
    this.#truncated = 'nothing';
    this.#emit({event: 'working'});
  }

  /** Resolves when the prompt has finished. Ends a harness that does not stop in time. */
  async #interrupt(withinMs: number): Promise<void> {
    this.#queue.length = 0;
    if (this.#phase !== 'working') return;
    const {promise} = this.#prompt;
    if (this.#stopping === 'no') this.#stopping = 'prompt';
    for (const request of this.#openRequests) request.cancel();
    this.#conversation.interrupt();
    if ((await raceTimeout(promise, withinMs)) !== 'timeout') return;
    if (this.#stopping === 'prompt') this.#warn(`${this.#setup.title} did not stop when asked, so weft ended it.`);
    this.#stopping = 'run';
    this.#finish({kind: 'cancelled'});
    await this.#process?.stop();
  }

  #onExit(how: string): void {
    if (this.#phase === 'opening') this.#phase = 'closed';
    if (this.#phase === 'closed') {
      this.#close.resolve(undefined);
      return;
    }
    if (this.#phase === 'working') {
      const reason = `${this.#setup.title} ended before it was done: ${how}${this.#recentOutput()}.`;
      this.#finish(this.#stopping === 'no' ? {kind: 'failed', reason} : {kind: 'cancelled'});
    }
    this.#phase = 'closed';
    this.#withdrawAll();
    this.#emit({event: 'closed', reason: how});
    this.#close.resolve(undefined);
  }

  #finish(end: PromptEnd): void {
    if (this.#phase !== 'working') return;
    this.#withdrawAll();
    const outcome = this.#outcome(end);
    const toolEnd = outcome.kind === 'failed' ? 'failed' : 'cancelled';
    for (const id of this.#tools.keys()) this.#reporter.toolFinished({id, end: toolEnd, output: '', files: []});
    this.#phase = 'idle';
    this.#emit({event: 'finished', outcome});
    this.#prompt.resolve(undefined);
    const next = this.#stopping === 'no' ? this.#queue.shift() : undefined;
    if (next !== undefined) this.#work(next);
  }

  #outcome(end: PromptEnd): HarnessOutcome {
    const said = this.#lastMessage.trim();
    switch (end.kind) {
      case 'succeeded':
        return this.#succeeded(withoutInvisible(end.text).slice(-bounds.answer).trim());
      case 'ended':
        return this.#succeeded(said);
      case 'failed':
        if (this.#stopping !== 'no') return {kind: 'cancelled', text: said};
        return {
          kind: 'failed',
          reason: clip(withoutInvisible(extractErrorMessage(end.reason)), bounds.line * 4),
          text: said,
        };
      case 'cancelled':
        return {kind: 'cancelled', text: said};
      default:
        return unreachable(end);
    }
  }

  #succeeded(text: string): HarnessOutcome {
    if (text !== '') return {kind: 'succeeded', text};
    if (this.#stopping !== 'no') return {kind: 'cancelled', text: ''};
    const why = this.#denied === '' ? '' : ` after this was denied: ${this.#denied}`;
    return {kind: 'failed', reason: `${this.#setup.title} ended without an answer${why}.`, text: ''};
  }

  #withdrawAll(): void {
    for (const request of this.#openRequests) request.withdraw();
  }

  #take(text: string): void {
    if (this.#phase === 'closed') return;
    const json = parseJson(text);
    if (json.tag === 'failed' || !isJsonObject(json.value) || isDeeperThan(json.value, maxJsonDepth)) this.#log(text);
    else this.#conversation.take(json.value);
  }

  #log(text: string): void {
    const cleaned = line(text);
    if (cleaned === '') return;
    this.#outputLines.push(cleaned);
    if (this.#outputLines.length > stderrLines) this.#outputLines.shift();
  }

  /**
   * Returns the last lines that the program wrote outside messages, as the end of a sentence. Most programs explain
   * there why they exit.
   */
  #recentOutput(): string {
    const [last] = this.#outputLines.slice(-1);
    return last === undefined ? '' : ` (it wrote: ${clip(this.#outputLines.slice(-3).join(' ⏎ '), bounds.line)})`;
  }

  #startFault(why: string): Fault {
    return rejected(`${this.#setup.title} could not start: ${line(why)}${this.#recentOutput()}.`);
  }

  #emit(event: HarnessEvent): void {
    this.#setup.host.observe(event);
  }

  /** Reports each warning only once. */
  #warn(text: string): void {
    const cleaned = line(extractErrorMessage(text));
    if (cleaned === '' || this.#warned.has(cleaned) || this.#warned.size >= maxWarnings) return;
    this.#warned.add(cleaned);
    this.#emit({event: 'warning', text: cleaned});
  }

  #makeReporter(): Reporter {
    return {
      write: message => void this.#process?.write(jsonText(message)).catch(() => {}),
      began: () => {
        if (this.#phase === 'idle' && this.#stopping === 'no') this.#enterPrompt();
      },
      text: delta => this.#text(delta),
      endMessage: () => {
        this.#isNewMessage = true;
        this.#pendingSurrogate = '';
      },
      thinking: delta => {
        const fitting = this.#limitText(withoutInvisible(delta));
        if (this.#phase === 'working' && fitting !== '') this.#emit({event: 'thinking', delta: fitting});
      },
      toolStarted: ({id, name, title, input, access}) => {
        if (this.#phase !== 'working' || this.#tools.has(id) || this.#ended.has(id)) return;
        if (this.#tools.size + this.#ended.size >= maxTools) return;
        this.#tools.set(id, 0);
        this.#isNewMessage = true;
        this.#emit({event: 'tool-started', id, name: line(name), title: line(title), input: limitInput(input), access});
      },
      toolOutput: (id, chunk) => {
        const before = this.#tools.get(id);
        if (before === undefined || before >= bounds.output) return;
        const cleaned = clip(withoutInvisible(chunk), bounds.output - before);
        this.#tools.set(id, before + Math.max(1, cleaned.length));
        if (cleaned !== '') this.#emit({event: 'tool-output', id, chunk: cleaned});
      },
      toolFinished: ({id, end, output, files}) => {
        if (!this.#tools.delete(id)) return;
        this.#ended.add(id);
        const shown = clip(withoutInvisible(output), bounds.output);
        const changed = files.slice(0, 1000).map(({path, change}) => ({path: line(path), change}));
        this.#emit({event: 'tool-finished', id, end, output: shown, files: changed});
      },
      used: used => {
        if (this.#phase === 'idle' || this.#phase === 'working')
          this.#emit({event: 'usage', used: {...used, model: line(used.model)}});
      },
      plan: steps => {
        if (this.#phase !== 'working') return;
        const shown = steps.slice(0, 200).map(({title, status}) => ({title: line(title), status}));
        this.#emit({event: 'plan', steps: shown});
      },
      warn: text => {
        if (this.#phase !== 'closed' && this.#phase !== 'opening') this.#warn(text);
      },
      approve: (approval, answer) => this.#approve(approval, answer),
      ask: (questions, answer) => this.#ask(questions, answer),
      finished: end => this.#finish(end),
    };
  }

  #text(delta: string): void {
    if (this.#phase !== 'working' || delta === '') return;
    const whole = this.#pendingSurrogate + delta;
    const isHalf = /[\uD800-\uDBFF]$/u.test(whole);
    this.#pendingSurrogate = isHalf ? whole.slice(-1) : '';
    const cleaned = this.#limitText(withoutInvisible(isHalf ? whole.slice(0, -1) : whole));
    if (cleaned === '') return;
    if (this.#isNewMessage) {
      this.#message += 1;
      this.#lastMessage = '';
      this.#isNewMessage = false;
    }
    this.#lastMessage = (this.#lastMessage + cleaned).slice(-bounds.answer);
    this.#emit({event: 'text', message: this.#message, delta: cleaned});
  }

  #limitText(text: string): string {
    const left = bounds.text - this.#length;
    this.#length += text.length;
    if (text.length <= left) return text;
    if (this.#truncated === 'nothing') this.#warn(`${this.#setup.title} wrote more than weft can show.`);
    this.#truncated = 'something';
    return text.slice(0, Math.max(0, left));
  }

  #approve(approval: HarnessApproval, answer: (decision: HarnessDecision) => void): () => void {
    if (this.#phase !== 'working' || this.#stopping !== 'no') return answerAtOnce(answer, {kind: 'cancelled'});
    if (this.#setup.access === 'read-only' && !isReadOnly[approval.access.kind]) {
      const message = 'You were started to read only: change nothing and run no commands.';
      return answerAtOnce(answer, {kind: 'denied', message});
    }
    const {host} = this.#setup;
    const {toolName, reason} = approval;
    const shown = {...approval, toolName: line(toolName), reason: line(reason)};
    let decided: HarnessDecision | undefined;
    const decide = async (signal: AbortSignal): Promise<HarnessDecision> =>
      (decided = await host.approve(shown, signal));
    return this.#request(decide, {
      answer: decision => {
        if (decision.kind === 'denied') this.#denied = clip(accessText(approval), 200);
        answer(decision);
        if (decision.kind === 'cancelled' && decision === decided) void this.#interrupt(this.#setup.times.interrupt);
      },
      cancelled: {kind: 'cancelled'},
    });
  }

  #ask(questions: readonly Question[], answer: (reply: QuestionReply) => void): () => void {
    const cancelled = {kind: 'dismissed'} as const;
    if (this.#phase !== 'working' || this.#stopping !== 'no' || questions.length === 0)
      return answerAtOnce(answer, cancelled);
    const {host} = this.#setup;
    return this.#request<QuestionReply>(signal => host.ask(questions.map(toShownQuestion), signal), {
      answer,
      cancelled,
    });
  }

  /** Answers once, with the host's answer or with `cancelled`. A request that is withdrawn first is never answered. */
  #request<Answer>(
    ask: (signal: AbortSignal) => Promise<Answer>,
    {answer, cancelled}: {readonly answer: (answer: Answer) => void; readonly cancelled: Answer},
  ): () => void {
    if (this.#openRequests.size >= maxQuestions) return answerAtOnce(answer, cancelled);
    const abort = new AbortController();
    const request = {
      cancel: () => settle(() => answer(cancelled)),
      withdraw: () => settle(() => {}),
    };
    const settle = (how: () => void): void => {
      if (!this.#openRequests.delete(request)) return;
      how();
      abort.abort();
    };
    this.#openRequests.add(request);
    void ask(abort.signal).then(
      given => settle(() => answer(given)),
      // A host that fails has not allowed anything.
      () => settle(() => answer(cancelled)),
    );
    return request.withdraw;
  }
}

/** Answers without asking, so there is nothing to withdraw. */
function answerAtOnce<Answer>(answer: (answer: Answer) => void, given: Answer): () => void {
  answer(given);
  return () => {};
}

const accessText = ({access}: HarnessApproval): string => line(byKind(access, accessTexts));

const pathsText = ({paths}: {readonly paths: readonly string[]}): string => paths.join(', ');

const accessTexts: ByKind<HarnessApproval['access'], string> = {
  command: ({command}) => command,
  edit: pathsText,
  read: pathsText,
  search: pathsText,
  'web-page': ({url}) => url,
  'web-query': ({text}) => text,
  'own-call': ({name}) => name,
  other: ({title}) => title,
};

const isReadOnly = {
  read: true,
  search: true,
  'web-page': true,
  'web-query': true,
  // The weft process on the other machine runs in plan mode, and the judge here knows what weft's own calls do.
  'own-call': true,
  command: false,
  edit: false,
  other: false,
} as const satisfies Record<HarnessApproval['access']['kind'], boolean>;

const toShownQuestion = (question: Question): Question => ({
  ...question,
  question: clip(withoutInvisible(question.question), bounds.line * 4),
  header: line(question.header),
  options: question.options
    .slice(0, 20)
    .map(option => ({...option, label: line(option.label), description: line(option.description)})),
});

const line = (text: string): string => firstLine(collapseSpaces(withoutInvisible(text)), bounds.line);

/** Replaces an input that is too long to show, and wraps a value that is not an object. */
function limitInput(input: Json | undefined): JsonObject {
  const whole = isJsonObject(input) ? input : input === undefined ? {} : {input};
  return JSON.stringify(whole).length <= bounds.input ? whole : {note: 'The input is too long to show.'};
}
