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
import {spokenError} from './message-fields.ts';
import type {Conversation, Driver, OpenedConversation, PromptEnd, Reporter} from './driver.ts';

/** UTF-16 units. What comes beyond is left out, and the user is told once. */
const bounds = {
  /** Of all texts of one prompt. */
  text: 4_000_000,
  /** Of the answer, from its end. */
  answer: 250_000,
  /** Of one tool's output. */
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
  /** `read-only`: whatever would change something is denied, and nobody is asked. */
  readonly access: 'with-approvals' | 'read-only';
  readonly times: RunTimes;
}

export interface RunTimes {
  /** In which the conversation has to be open. */
  readonly open: number;
  /** In which a harness that was interrupted has to stop by itself. */
  readonly interrupt: number;
}

/** The times of a user: one of the programs takes 20 s to start where the machine is busy. */
export const usualTimes: RunTimes = {open: 120_000, interrupt: 5000};

/**
 * Starts the program, opens its conversation and gives it the first prompt. The order of a run: `started`; for each prompt `working`,
 * what happens, `finished`; at the end `closed`. Whatever a harness says or leaves out, each of them comes once: a program that ends
 * fails its prompt, tools that nobody finished are finished with the prompt, and requests of a prompt that is over are withdrawn.
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
  readonly #errors: string[] = [];
  readonly #warned = new Set<string>();
  readonly #queue: string[] = [];
  /** Of the tools that run, how much they have printed; and those of this prompt that have finished. */
  readonly #tools = new Map<string, number>();
  readonly #ended = new Set<string>();
  /** Requests of the harness that wait for an answer; each can be withdrawn, or answered as cancelled. */
  readonly #open = new Set<{readonly cancel: () => void; readonly withdraw: () => void}>();
  #process: ServerProcess | undefined;
  #phase: 'opening' | 'idle' | 'working' | 'closed' = 'opening';
  #stopping: 'no' | 'prompt' | 'run' = 'no';
  #prompt = Promise.withResolvers<undefined>();
  /** What the harness wanted and was denied last; empty for nothing. */
  #denied = '';
  #message = 0;
  #said = '';
  #isNewMessage = true;
  /** The first half of a character whose second half comes with the next delta. */
  #half = '';
  #length = 0;
  #cut: 'nothing' | 'something' = 'nothing';

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
    if (started.tag === 'failed') return failed(this.#fault(started.error));
    this.#process = started.value;
    const ended = started.value.ended.then(how => failed(how));
    void ended.then(({error}) => this.#leave(error));
    const opening = Promise.race([this.#conversation.open(), ended]);
    const opened = await raceAbort(raceTimeout(opening, this.#setup.times.open), signal);
    if (opened === 'aborted' || opened === 'timeout' || opened.tag === 'failed') {
      await started.value.stop();
      if (opened === 'aborted') return failed(rejected(`${title} was interrupted while it started.`));
      const seconds = Math.round(this.#setup.times.open / 1000);
      return failed(this.#fault(opened === 'timeout' ? `it did not answer in ${seconds} s` : opened.error));
    }
    return this.#hasClosed() ? failed(this.#fault('it ended at once')) : ok(this.#begin(opened.value));
  }

  /** Interrupts, bounded, and ends the program. */
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
    this.#tell({event: 'started', session, model: line(model), version: line(version)});
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
    if (this.#isOver()) return failed(rejected(`${title} has ended: start it again to go on.`));
    if (this.#phase === 'working') {
      const steered = await Promise.race([this.#conversation.steer(message), this.closed]);
      if (steered === 'taken') return ok('steered');
      if (this.#isOver()) return failed(rejected(`${title} has ended: start it again to go on.`));
    }
    if (this.#phase === 'idle') {
      this.#work(message);
      return ok('begun');
    }
    if (this.#queue.length >= maxQueued) return failed(rejected(`${title} has ${maxQueued} messages to read already.`));
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
    this.#said = '';
    this.#denied = '';
    this.#ended.clear();
    this.#half = '';
    this.#isNewMessage = true;
    this.#length = 0;
    this.#cut = 'nothing';
    this.#tell({event: 'working'});
  }

  /** Resolves when the prompt has finished. A harness that does not stop in time is ended. */
  async #interrupt(withinMs: number): Promise<void> {
    this.#queue.length = 0;
    if (this.#phase !== 'working') return;
    const {promise} = this.#prompt;
    if (this.#stopping === 'no') this.#stopping = 'prompt';
    for (const request of this.#open) request.cancel();
    this.#conversation.interrupt();
    if ((await raceTimeout(promise, withinMs)) !== 'timeout') return;
    if (this.#stopping === 'prompt')
      this.#warn(`${this.#setup.title} did not stop when it was asked to, so weft ended it.`);
    this.#stopping = 'run';
    this.#finish({kind: 'cancelled'});
    await this.#process?.stop();
  }

  #leave(how: string): void {
    if (this.#phase === 'opening') this.#phase = 'closed';
    if (this.#phase === 'closed') {
      this.#close.resolve(undefined);
      return;
    }
    if (this.#phase === 'working') {
      const reason = `${this.#setup.title} ended before it was done: ${how}${this.#lastWords()}.`;
      this.#finish(this.#stopping === 'no' ? {kind: 'failed', reason} : {kind: 'cancelled'});
    }
    this.#phase = 'closed';
    this.#withdrawAll();
    this.#tell({event: 'closed', reason: how});
    this.#close.resolve(undefined);
  }

  #finish(end: PromptEnd): void {
    if (this.#phase !== 'working') return;
    this.#withdrawAll();
    const outcome = this.#outcome(end);
    const toolEnd = outcome.kind === 'failed' ? 'failed' : 'cancelled';
    for (const id of this.#tools.keys()) this.#reporter.toolFinished({id, end: toolEnd, output: '', files: []});
    this.#phase = 'idle';
    this.#tell({event: 'finished', outcome});
    this.#prompt.resolve(undefined);
    const next = this.#stopping === 'no' ? this.#queue.shift() : undefined;
    if (next !== undefined) this.#work(next);
  }

  #outcome(end: PromptEnd): HarnessOutcome {
    const said = this.#said.trim();
    switch (end.kind) {
      case 'succeeded':
        return this.#succeeded(withoutInvisible(end.text).slice(-bounds.answer).trim());
      case 'ended':
        return this.#succeeded(said);
      case 'failed':
        if (this.#stopping !== 'no') return {kind: 'cancelled', text: said};
        return {kind: 'failed', reason: clip(withoutInvisible(spokenError(end.reason)), bounds.line * 4), text: said};
      case 'cancelled':
        return {kind: 'cancelled', text: said};
      default:
        return unreachable(end);
    }
  }

  #succeeded(text: string): HarnessOutcome {
    if (text !== '') return {kind: 'succeeded', text};
    if (this.#stopping !== 'no') return {kind: 'cancelled', text: ''};
    const why = this.#denied === '' ? '' : ` after it was denied this: ${this.#denied}`;
    return {kind: 'failed', reason: `${this.#setup.title} ended without an answer${why}.`, text: ''};
  }

  #withdrawAll(): void {
    for (const request of this.#open) request.withdraw();
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
    this.#errors.push(cleaned);
    if (this.#errors.length > stderrLines) this.#errors.shift();
  }

  /** What the program wrote beside messages, as the end of a sentence: most say there why they end. */
  #lastWords(): string {
    const [last] = this.#errors.slice(-1);
    return last === undefined ? '' : ` (it wrote: ${clip(this.#errors.slice(-3).join(' ⏎ '), bounds.line)})`;
  }

  #fault(why: string): Fault {
    return rejected(`${this.#setup.title} could not be started: ${line(why)}${this.#lastWords()}.`);
  }

  #tell(event: HarnessEvent): void {
    this.#setup.host.observe(event);
  }

  /** The same warning is told once. */
  #warn(text: string): void {
    const cleaned = line(spokenError(text));
    if (cleaned === '' || this.#warned.has(cleaned) || this.#warned.size >= maxWarnings) return;
    this.#warned.add(cleaned);
    this.#tell({event: 'warning', text: cleaned});
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
        this.#half = '';
      },
      thinking: delta => {
        const fitting = this.#fitting(withoutInvisible(delta));
        if (this.#phase === 'working' && fitting !== '') this.#tell({event: 'thinking', delta: fitting});
      },
      toolStarted: ({id, name, title, input}) => {
        if (this.#phase !== 'working' || this.#tools.has(id) || this.#ended.has(id)) return;
        if (this.#tools.size + this.#ended.size >= maxTools) return;
        this.#tools.set(id, 0);
        this.#isNewMessage = true;
        this.#tell({event: 'tool-started', id, name: line(name), title: line(title), input: boundedInput(input)});
      },
      toolOutput: (id, chunk) => {
        const before = this.#tools.get(id);
        if (before === undefined || before >= bounds.output) return;
        const cleaned = clip(withoutInvisible(chunk), bounds.output - before);
        this.#tools.set(id, before + Math.max(1, cleaned.length));
        if (cleaned !== '') this.#tell({event: 'tool-output', id, chunk: cleaned});
      },
      toolFinished: ({id, end, output, files}) => {
        if (!this.#tools.delete(id)) return;
        this.#ended.add(id);
        const shown = clip(withoutInvisible(output), bounds.output);
        const changed = files.slice(0, 1000).map(({path, change}) => ({path: line(path), change}));
        this.#tell({event: 'tool-finished', id, end, output: shown, files: changed});
      },
      used: used => {
        if (this.#phase === 'idle' || this.#phase === 'working')
          this.#tell({event: 'usage', used: {...used, model: line(used.model)}});
      },
      plan: steps => {
        if (this.#phase !== 'working') return;
        const shown = steps.slice(0, 200).map(({title, status}) => ({title: line(title), status}));
        this.#tell({event: 'plan', steps: shown});
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
    const whole = this.#half + delta;
    const isHalf = /[\uD800-\uDBFF]$/u.test(whole);
    this.#half = isHalf ? whole.slice(-1) : '';
    const cleaned = this.#fitting(withoutInvisible(isHalf ? whole.slice(0, -1) : whole));
    if (cleaned === '') return;
    if (this.#isNewMessage) {
      this.#message += 1;
      this.#said = '';
      this.#isNewMessage = false;
    }
    this.#said = (this.#said + cleaned).slice(-bounds.answer);
    this.#tell({event: 'text', message: this.#message, delta: cleaned});
  }

  #fitting(text: string): string {
    const left = bounds.text - this.#length;
    this.#length += text.length;
    if (text.length <= left) return text;
    if (this.#cut === 'nothing') this.#warn(`${this.#setup.title} says more than weft shows.`);
    this.#cut = 'something';
    return text.slice(0, Math.max(0, left));
  }

  #approve(approval: HarnessApproval, answer: (decision: HarnessDecision) => void): () => void {
    if (this.#phase !== 'working' || this.#stopping !== 'no') return atOnce(answer, {kind: 'cancelled'});
    if (this.#setup.access === 'read-only' && !onlyReads[approval.access.kind]) {
      const message = 'You were started to read only: change nothing and run no commands.';
      return atOnce(answer, {kind: 'denied', message});
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
      return atOnce(answer, cancelled);
    const {host} = this.#setup;
    return this.#request<QuestionReply>(signal => host.ask(questions.map(shownQuestion), signal), {answer, cancelled});
  }

  /** Answers once: what the host says, or `cancelled`, or nothing where the request is withdrawn before. */
  #request<Answer>(
    ask: (signal: AbortSignal) => Promise<Answer>,
    {answer, cancelled}: {readonly answer: (answer: Answer) => void; readonly cancelled: Answer},
  ): () => void {
    if (this.#open.size >= maxQuestions) return atOnce(answer, cancelled);
    const abort = new AbortController();
    const request = {
      cancel: () => settle(() => answer(cancelled)),
      withdraw: () => settle(() => {}),
    };
    const settle = (how: () => void): void => {
      if (!this.#open.delete(request)) return;
      how();
      abort.abort();
    };
    this.#open.add(request);
    void ask(abort.signal).then(
      given => settle(() => answer(given)),
      // A host that breaks has not allowed anything.
      () => settle(() => answer(cancelled)),
    );
    return request.withdraw;
  }
}

/** Answers without asking: there is nothing to withdraw. */
function atOnce<Answer>(answer: (answer: Answer) => void, given: Answer): () => void {
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

const onlyReads = {
  read: true,
  search: true,
  'web-page': true,
  'web-query': true,
  // weft there works in plan mode, and the judge here knows what its own calls do.
  'own-call': true,
  command: false,
  edit: false,
  other: false,
} as const satisfies Record<HarnessApproval['access']['kind'], boolean>;

const shownQuestion = (question: Question): Question => ({
  ...question,
  question: clip(withoutInvisible(question.question), bounds.line * 4),
  header: line(question.header),
  options: question.options
    .slice(0, 20)
    .map(option => ({...option, label: line(option.label), description: line(option.description)})),
});

const line = (text: string): string => firstLine(collapseSpaces(withoutInvisible(text)), bounds.line);

/** What is too long to be shown is left out, and what is no object is put into one. */
function boundedInput(input: Json | undefined): JsonObject {
  const whole = isJsonObject(input) ? input : input === undefined ? {} : {input};
  return JSON.stringify(whole).length <= bounds.input ? whole : {note: 'The input is too long to be shown.'};
}
