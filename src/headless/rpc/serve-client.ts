import type {AgentEvent, Approval, PromptSummary} from '../../actions/agent-event.ts';
import {eventWarning} from '../../actions/event-warning.ts';
import type {BlockInfo, Question} from '../../actions/ports.ts';
import type {AgentClient} from '../../agent/client.ts';
import {unreachable} from '../../base/unreachable.ts';
import type {ActionId} from '../../domain/ids.ts';
import type {ControlAnswer, ControlMessage} from '../../protocol/rpc/control-message.ts';
import {makeRpcEncoder, type RpcExtras, serversOf} from '../../protocol/rpc/encode-events.ts';
import type {RpcMessage} from '../../protocol/rpc/rpc-message.ts';
import {endOf, oneLine} from '../prompt-summary.ts';
import {maxUnread, type StdoutWriter} from '../stdout-writer.ts';
import {StallWatch, type HeadlessClock} from '../stall-watch.ts';
import type {ClientLine} from './client-input.ts';
import {ClientPrompts} from './client-prompts.ts';
import {type ClientServers, type RpcLaunch, serveRequest, type ServingOptions} from './serve-request.ts';
import type {ControlChannel} from './control-channel.ts';
import {
  askQuestions,
  canUseTool,
  permissionReply,
  questionResponse,
  questionsInput,
  questionTool,
} from './permission-request.ts';
import {refusedSummary} from './failure-results.ts';
import type {SessionState} from './session-state.ts';

export interface ClientServing {
  readonly engine: AgentClient;
  readonly state: SessionState;
  readonly channel: ControlChannel;
  readonly servers: ClientServers;
  readonly writer: StdoutWriter;
  readonly launch: RpcLaunch;
  readonly encoding: Pick<RpcExtras, 'progress' | 'hooks' | 'agentTexts' | 'extensions'> & {
    readonly partials: 'with' | 'without';
    /** Whether weft echoes a prompt when it starts on it. */
    readonly echo: 'with' | 'without';
  };
  readonly lineOf: (message: RpcMessage | ControlMessage) => string;
  readonly uuid: (name?: string) => string;
  readonly version: string;
  /** Prints one line to stderr, for the operator. */
  readonly note: (line: string) => void;
  readonly clock: HeadlessClock;
}

/**
 * Serves one program over lines of JSON. Its prompts go to the engine, the engine's events go to the program, and both send requests over
 * the control channel. The caller decodes each line; this class answers or queues it, and writes.
 */
export class ServedClient {
  readonly #options: ClientServing;
  readonly #stalls: StallWatch;
  readonly #prompts: ClientPrompts;
  readonly #encoder: ReturnType<typeof makeRpcEncoder>;
  /** The open requests to the client, by tool call. Aborting one cancels it. */
  readonly #asks = new Map<ActionId, AbortController>();
  readonly #finished = Promise.withResolvers<0 | 1 | 4>();
  readonly #over = new AbortController();
  #interrupt = new AbortController();
  #inputEnded = false;
  #serving = 0;
  #unread = 0;
  #last: 0 | 1 | 4 = 0;

  constructor(options: ClientServing) {
    const {engine, servers, encoding, uuid, version} = options;
    this.#options = options;
    this.#stalls = new StallWatch(options);
    this.#prompts = new ClientPrompts({
      submit: op => engine.submit(op),
      newId: () => uuid(),
      refuse: message => this.#refusePrompt(message),
    });
    const {partials, echo, ...encoderOptions} = encoding;
    const extras: RpcExtras = {
      ...encoderOptions,
      isOwnTurn: id => this.#prompts.isOwnTurn(id),
      echoOf: id => (echo === 'with' ? this.#prompts.contentOf(id) : undefined),
      ...serversOf(servers),
    };
    this.#encoder = makeRpcEncoder({partials, uuid, version, now: () => options.clock.date(), extras});
    engine.subscribe(events => {
      this.#tell(events);
      return options.writer.room(maxUnread.messages);
    });
    void engine.watch({watch: 'terminals'}, all => this.#hearCommands(all), this.#over.signal);
    void servers
      .ready(new AbortController().signal)
      .catch(() => {})
      .then(() => this.#prompts.begin());
  }

  /** Resolves when the client has ended its input and all its requests are done and written. */
  get exitCode(): Promise<0 | 1 | 4> {
    return this.#finished.promise;
  }

  /** Takes a line of the client. Never throws and never blocks, because the answers to open requests arrive the same way. */
  take(line: ClientLine): void {
    switch (line.kind) {
      case 'prompt':
        for (const what of line.prompt.leftOut) this.#inform(what);
        this.#prompts.add(line.prompt);
        return;
      case 'request':
        void this.#serve(line.id, line.request);
        return;
      case 'unserved-request':
        this.#answer({subtype: 'error', request_id: line.id, error: line.message, error_code: line.code});
        return;
      case 'response':
        this.#options.channel.settle(line.id, line.answer);
        return;
      case 'withdrawal':
      case 'keep-alive':
        return;
      case 'foreign':
        this.#inform(`weft can't use messages of type ${JSON.stringify(line.type)}`);
        return;
      case 'broken':
        this.#unread += 1;
        this.#inform(`can't read a line on stdin: ${line.message}`);
        return;
      case 'too-long':
        this.#tooLong(line);
        return;
      default:
        unreachable(line);
    }
  }

  /** Handles the end of the input: running work continues, and requests to the client are denied. */
  inputEnded(): void {
    this.#inputEnded = true;
    this.#options.channel.close();
    let looks = 0;
    // Only a new look finds the ports that a silent server has opened.
    const looking = setInterval(() => {
      looks += 1;
      if (looks > maxCommandLooks) this.#prompts.leaveCommands();
      const once = new AbortController();
      const hear = (all: readonly BlockInfo[]): void => {
        once.abort();
        this.#hearCommands(all);
      };
      void this.#options.engine.watch({watch: 'terminals'}, hear, once.signal);
    }, commandLookMs);
    looking.unref();
    this.#over.signal.addEventListener('abort', () => clearInterval(looking), {once: true});
    this.#finishIfDone();
  }

  #hearCommands(all: readonly BlockInfo[]): void {
    this.#options.writer.write(this.#encoder.encodeTerminals(all).map(this.#options.lineOf).join(''));
    this.#prompts.takeCommands(all);
    this.#finishIfDone();
  }

  /** Drops queued prompts. `exitCode` resolves when the running work has settled. */
  stop(): void {
    this.#prompts.stop();
    this.inputEnded();
  }

  #tell(events: readonly AgentEvent[]): void {
    const {state, writer, lineOf, note} = this.#options;
    for (const event of events) {
      // If the client reads too slowly, drop live tool output. The result contains the important part of the output.
      if (event.event === 'action-output' && writer.isBehind(maxUnread.messages)) continue;
      state.take(event);
      this.#stalls.take(event);
      if (event.event === 'prompt-accepted') this.#prompts.take(event);
      writer.write(this.#encoder.encode(event).map(lineOf).join(''));
      const warning = eventWarning(event);
      if (warning !== undefined) note(oneLine(warning));
      if (event.event === 'prompt-finished') this.#last = codeOf(event.summary);
      if (event.event !== 'prompt-accepted') this.#prompts.take(event);
      this.#ask(event);
    }
    this.#finishIfDone();
  }

  #ask(event: AgentEvent): void {
    switch (event.event) {
      case 'approval-requested':
        void this.#askApproval(event.approval);
        return;
      case 'question-asked':
        void this.#askQuestions(event.id, event.questions);
        return;
      case 'hand-over-asked':
        this.#options.engine.submit({op: 'answer-hand-over', id: event.id, end: 'declined'});
        return;
      case 'approval-settled':
      case 'question-settled':
        this.#asks.get(event.id)?.abort();
        this.#asks.delete(event.id);
        return;
      default:
    }
  }

  async #askApproval(approval: Approval): Promise<void> {
    const {engine, channel, launch} = this.#options;
    const {id, input} = approval;
    const answer = await channel.request(canUseTool(approval), this.#asking(id));
    if (answer.tag === 'failed') {
      if (answer.error.kind === 'aborted') return;
      const message = `Can't ask the user: ${answer.error.message}. Continue without it, or say what you would have done.`;
      this.#asks.delete(id);
      engine.submit({op: 'answer-approval', id, answer: {decision: 'refuse', message, by: 'program'}});
      return;
    }
    const reply = permissionReply(answer.value, input);
    this.#asks.delete(id);
    if (reply.kind === 'deny') {
      // If only the changes of a command are refused, the command has already run.
      const isBefore = approval.preview.kind !== 'changes';
      const message = isBefore && reply.message === '' ? notWanted : reply.message;
      engine.submit({op: 'answer-approval', id, answer: {decision: 'refuse', message, by: 'program'}});
      if (reply.next === 'interrupt') engine.submit({op: 'interrupt'});
      return;
    }
    const {mode, unserved} = reply.wishes;
    for (const what of unserved) this.#inform(what);
    if (mode === 'bypassPermissions' && launch.bypass === 'not-launched') {
      this.#inform('ignored the mode bypassPermissions: weft was not started with it');
    } else if (mode !== undefined) engine.submit({op: 'set-mode', mode});
    engine.submit({op: 'answer-approval', id, answer: reply.answer});
  }

  async #askQuestions(id: ActionId, questions: readonly Question[]): Promise<void> {
    const {engine, state, channel} = this.#options;
    const call = state.calls.get(id);
    const input = call?.name === questionTool ? call.input : questionsInput(questions);
    const answer = await channel.request(askQuestions(id, input), this.#asking(id));
    if (answer.tag === 'failed' && answer.error.kind === 'aborted') return;
    this.#asks.delete(id);
    const response = answer.tag === 'ok' ? questionResponse(answer.value, questions) : dismissed;
    engine.submit({op: 'answer-question', id, answer: response});
    const interrupts = answer.tag === 'ok' && answer.value['behavior'] === 'deny' && answer.value['interrupt'] === true;
    if (interrupts) engine.submit({op: 'interrupt'});
  }

  #asking(id: ActionId): AbortSignal {
    const abort = new AbortController();
    this.#asks.set(id, abort);
    return abort.signal;
  }

  async #serve(id: string, request: Parameters<typeof serveRequest>[0]): Promise<void> {
    const {engine, state, servers, launch} = this.#options;
    const serving: ServingOptions = {
      engine,
      state,
      prompts: this.#prompts,
      servers,
      launch,
      runningTask: task => this.#encoder.runningTask(task),
      interrupted: () => this.#interrupt.signal,
      interrupt: () => {
        for (const abort of this.#asks.values()) abort.abort();
        this.#asks.clear();
        this.#interrupt.abort();
        this.#interrupt = new AbortController();
      },
    };
    this.#serving += 1;
    try {
      const served = await serveRequest(request, serving);
      if (served.kind === 'error') {
        this.#answer({subtype: 'error', request_id: id, error: served.message, error_code: served.code});
        return;
      }
      this.#answer({subtype: 'success', request_id: id, response: served.payload});
      served.afterwards();
    } catch (cause) {
      const message = `${request.subtype} failed: ${String(cause)} (a bug in weft)`;
      this.#answer({subtype: 'error', request_id: id, error: message, error_code: 'internal_error'});
    } finally {
      this.#serving -= 1;
      this.#finishIfDone();
    }
  }

  #answer(response: ControlAnswer): void {
    this.#options.writer.write(this.#options.lineOf({type: 'control_response', response}));
  }

  /** Writes a warning to stdout, for the program, and to stderr, for its operator. */
  #inform(text: string): void {
    this.#options.note(oneLine(text));
    const messages = this.#encoder.encode({event: 'notice', level: 'warning', text});
    this.#options.writer.write(messages.map(this.#options.lineOf).join(''));
  }

  /** Reports a line that is too long. If its beginning shows that it needs an answer, answers with an error. */
  #tooLong({bytes, head}: Extract<ClientLine, {kind: 'too-long'}>): void {
    this.#unread += 1;
    const text = `ignored a line of ${Math.round(bytes / 1024 / 1024)} MB on stdin: the limit is 50 MB`;
    this.#inform(text);
    const [, type] = /"type"\s*:\s*"(user|control_request|control_response)"/u.exec(head) ?? [];
    const [, id] = /"request_id"\s*:\s*"([^"\\]+)"/u.exec(head) ?? [];
    if (type === 'user') this.#prompts.refuse(text);
    if (id === undefined) return;
    if (type === 'control_request') {
      this.#answer({subtype: 'error', request_id: id, error: text, error_code: 'too_long'});
    }
    if (type === 'control_response') this.#options.channel.settle(id, {tag: 'failed', error: text});
  }

  #refusePrompt(message: string): void {
    const summary = refusedSummary(message, this.#options.state.usage);
    this.#last = 1;
    this.#options.note(oneLine(message));
    this.#options.writer.write(
      this.#encoder.encode({event: 'prompt-finished', summary}).map(this.#options.lineOf).join(''),
    );
  }

  #finishIfDone(): void {
    if (!this.#inputEnded || this.#serving > 0 || !this.#prompts.idle) return;
    this.#over.abort();
    this.#finished.resolve(this.#last === 0 && this.#unread > 0 ? 1 : this.#last);
  }
}

/** How often weft looks at background commands after the end of the input. It waits as long as the Agent SDK: ten minutes. */
const commandLookMs = 1000;
const maxCommandLooks = 600;

const dismissed = {kind: 'dismissed'} as const;

const notWanted =
  'This was not run: it was refused without a reason. Do not try it another way. Wait for what the user says next.';

/**
 * Returns the exit code after a prompt. Refusals and interrupts came from the client itself, so only an error as the last
 * result gives 1.
 */
function codeOf(summary: PromptSummary): 0 | 1 | 4 {
  const {exitCode} = endOf(summary);
  if (exitCode === 4) return 4;
  return summary.end.kind === 'done' || summary.end.kind === 'stopped-by-hook' ? 0 : 1;
}
