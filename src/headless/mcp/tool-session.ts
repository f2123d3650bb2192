import * as z from 'zod/mini';
import type {AgentEvent, PromptSummary, SettledCall} from '../../actions/agent-event.ts';
import {accessOf, type Action, labelOf} from '../../actions/catalogue.ts';
import {eventWarning} from '../../actions/event-warning.ts';
import {runAgentTool, type ServedResult, type ToolCaller} from '../../actions/served-tools.ts';
import type {AgentClient} from '../../agent/client.ts';
import {clip, firstLine} from '../../base/clip.ts';
import type {JsonObject} from '../../base/json.ts';
import type {Outcome} from '../../base/outcome.ts';
import {raceAbort} from '../../base/race.ts';
import {relativeTo} from '../../base/shown-path.ts';
import {visible} from '../../base/visible.ts';
import type {Access} from '../../domain/access.ts';
import type {ResultContent, ToolCallBlock, ToolResultBlock} from '../../domain/conversation.ts';
import {causeText} from '../../domain/fault.ts';
import {editPaths} from '../../domain/file-edit.ts';
import {actionId, messageId} from '../../domain/ids.ts';
import {summaryNotes} from '../prompt-summary.ts';
import {approvalAnswer, approvalForm} from './approval-form.ts';

/** The engine in which a client's tool calls run, as the calls of a model. */
export interface ToolEngine {
  readonly engine: AgentClient;
  /** Sets the tool call of the next prompt. */
  give(call: ToolCallBlock): void;
}

/** Whether approvals can be asked for. */
export type Interaction = 'interactive' | 'unattended';

export interface AgentRequest {
  readonly cwd: string | undefined;
  readonly model: string | undefined;
  readonly session: string | undefined;
}

export interface ToolSessionOptions {
  readonly openTools: (interaction: Interaction) => Promise<ToolEngine>;
  /** Opens the engine of an agent. The error is a sentence. */
  readonly openAgent: (request: AgentRequest, interaction: Interaction) => Promise<Outcome<AgentClient, string>>;
  readonly uuid: () => string;
  readonly now: () => number;
}

/** Runs the tool calls of one client: in one session, one after the other. Agents run in sessions of their own, side by side. */
export class ToolSession {
  readonly #options: ToolSessionOptions;
  #tools: Promise<ToolEngine> | undefined;
  #last: Promise<void> = Promise.resolve();
  readonly #running = new Set<Promise<ServedResult>>();
  readonly #closing = new AbortController();

  constructor(options: ToolSessionOptions) {
    this.#options = options;
  }

  async call(name: string, input: JsonObject, given: ToolCaller): Promise<ServedResult> {
    const caller = {...given, signal: AbortSignal.any([given.signal, this.#closing.signal])};
    if (caller.signal.aborted) return cancelled;
    const run =
      name === runAgentTool.name
        ? this.#runAgent(input, caller)
        : this.#inTurn(() => this.#callTool({name, input}, caller), caller.signal);
    const settled = run.catch((cause: unknown) => failure(causeText(cause)));
    this.#running.add(settled);
    void settled.then(() => this.#running.delete(settled));
    return settled;
  }

  /** Stops all calls. Settles when nothing runs anymore. */
  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.all(this.#running);
    const tools = await this.#tools?.catch(() => undefined);
    await tools?.engine.close('shutdown');
  }

  /** Runs one call after the other, so that a change is made before the next call reads it. */
  async #inTurn(run: () => Promise<ServedResult>, signal: AbortSignal): Promise<ServedResult> {
    const before = this.#last;
    const turn = Promise.withResolvers<void>();
    this.#last = turn.promise;
    try {
      return (await raceAbort(before, signal)) === 'aborted' ? cancelled : await run();
    } finally {
      void before.then(() => turn.resolve());
    }
  }

  async #callTool(
    {name, input}: {readonly name: string; readonly input: JsonObject},
    caller: ToolCaller,
  ): Promise<ServedResult> {
    const opened = await (this.#tools ??= this.#options.openTools(interactionOf(caller)).catch((cause: unknown) => {
      this.#tools = undefined;
      throw cause;
    }));
    if (caller.signal.aborted) return cancelled;
    const id = actionId(`mcp_${this.#options.uuid()}`);
    opened.give({kind: 'tool-call', id, name, input});
    let result: ToolResultBlock | undefined;
    let action: Action | undefined;
    let directory = '';
    let reportedAt = -Infinity;
    const {summary, session} = await this.#prompt(opened.engine, `Call ${name}`, caller, event => {
      if (event.event === 'session-opened') ({directory} = event.session);
      if (event.event === 'action-queued' && event.id === id) ({action} = event);
      if (event.event === 'action-settled' && event.call.id === id) result = event.toolResult;
      if (event.event !== 'action-output' || this.#options.now() - reportedAt < reportEveryMs) return;
      const line = event.chunk.trimEnd().split('\n').at(-1) ?? '';
      if (line === '') return;
      reportedAt = this.#options.now();
      caller.report(visible(clip(line, maxReport)));
    });
    if (result === undefined) return {...(summary === 'withdrawn' ? cancelled : failure(endText(summary))), session};
    const isUnasked =
      summary !== 'withdrawn' && summary.denials.some(({by, of}) => by === 'nobody' && of.kind === 'call');
    return {
      content: isUnasked ? [...result.content, {kind: 'text', text: allowingText(action, directory)}] : result.content,
      isError: result.outcome !== 'success',
      session,
    };
  }

  async #runAgent(input: JsonObject, caller: ToolCaller): Promise<ServedResult> {
    const read = agentInput.safeParse(input);
    if (!read.success) return failure(`The input of ${runAgentTool.name} is invalid: ${z.prettifyError(read.error)}`);
    const {prompt, cwd, model, session_id: known} = read.data;
    const opened = await this.#options.openAgent({cwd, model, session: known}, interactionOf(caller));
    if (opened.tag === 'failed') return failure(opened.error);
    const engine = opened.value;
    try {
      const {summary, session} = await this.#prompt(engine, prompt, caller, event => {
        const text = agentReport(event);
        if (text !== '') caller.report(visible(clip(text, maxReport)));
      });
      if (summary === 'withdrawn') return {...cancelled, session};
      const {end, answer} = summary;
      const notes = summaryNotes(summary).join('\n');
      const texts = [answer, notes, `session_id: ${session}`].filter(text => text !== '');
      return {
        content: texts.map(text => ({kind: 'text', text})),
        isError: end.kind !== 'done',
        structured: {answer, session_id: session},
        session,
      };
    } finally {
      await engine.close('finished');
    }
  }

  /** Runs a prompt. Settles when everything that it started has settled. An abort of the caller interrupts it. */
  async #prompt(
    engine: AgentClient,
    text: string,
    caller: ToolCaller,
    hear: (event: AgentEvent) => void,
  ): Promise<{readonly summary: PromptSummary | 'withdrawn'; readonly session: string}> {
    const id = messageId(this.#options.uuid());
    const ended = Promise.withResolvers<PromptSummary | 'withdrawn'>();
    let session = '';
    const take = (event: AgentEvent): void => {
      hear(event);
      switch (event.event) {
        case 'session-opened':
          session = event.session.id;
          return;
        case 'approval-requested':
          void askFor(event, engine, caller);
          return;
        case 'question-asked':
          return engine.submit({op: 'answer-question', id: event.id, answer: {kind: 'dismissed'}});
        case 'hand-over-asked':
          return engine.submit({op: 'answer-hand-over', id: event.id, end: 'declined'});
        case 'prompt-withdrawn':
          return event.id === id ? ended.resolve('withdrawn') : undefined;
        case 'prompt-finished':
          return ended.resolve(event.summary);
        default:
      }
    };
    const unsubscribe = engine.subscribe(events => events.forEach(take));
    const interrupt = (): void => engine.submit({op: 'interrupt'});
    caller.signal.addEventListener('abort', interrupt, {once: true});
    try {
      engine.submit({op: 'prompt', id, text, images: [], when: 'queued'});
      if (caller.signal.aborted) interrupt();
      return {summary: await ended.promise, session};
    } finally {
      caller.signal.removeEventListener('abort', interrupt);
      unsubscribe();
    }
  }
}

/** The time between two reports of a command's output, in milliseconds. */
const reportEveryMs = 250;
const maxReport = 500;

const agentInput = z.strictObject({
  prompt: z.string().check(z.minLength(1)),
  cwd: z.optional(z.string()),
  model: z.optional(z.string()),
  session_id: z.optional(z.string()),
});

const interactionOf = ({ask}: ToolCaller): Interaction => (ask === 'cannot-ask' ? 'unattended' : 'interactive');

const textResult = (text: string): readonly ResultContent[] => [{kind: 'text', text}];

const failure = (text: string): ServedResult => ({content: textResult(text), isError: true, session: ''});

const cancelled: ServedResult = failure('The call was cancelled.');

/** Returns how to allow a call that weft could ask no one about. */
function allowingText(action: Action | undefined, directory: string): string {
  const rules = action === undefined ? [] : pathRules(accessOf(action), directory);
  const flag = rules.length === 0 ? 'the rule in --allowed-tools' : `--allowed-tools ${rules.map(quoted).join(' ')}`;
  const rule = rules[0] === undefined ? 'RULE' : quoted(rules[0]);
  return (
    `To allow it, start the server with ${flag} or another --permission-mode, ` +
    `or run: weft permissions add allow ${rule}`
  );
}

const quoted = (rule: string): string => JSON.stringify(rule);

function pathRules(access: Access, directory: string): readonly string[] {
  const rules = (tool: string, paths: readonly string[]) =>
    [...new Set(paths)].map(path => `${tool}(${relativeTo(path, directory)})`);
  if (access.kind === 'edit') return rules('Edit', access.edits.flatMap(editPaths));
  if (access.kind === 'read') return rules('Read', access.paths);
  return access.kind === 'search' ? rules('Read', [access.path]) : [];
}

async function askFor(
  {approval}: Extract<AgentEvent, {event: 'approval-requested'}>,
  engine: AgentClient,
  {ask}: ToolCaller,
): Promise<void> {
  const reply = ask === 'cannot-ask' ? 'declined' : await ask(approvalForm(approval));
  engine.submit({op: 'answer-approval', id: approval.id, answer: approvalAnswer(reply, approval)});
}

/** Returns why a prompt ended before its call ran. */
const endText = (summary: PromptSummary): string => summaryNotes(summary).join('\n') || 'The call was cancelled.';

/** Returns what an agent has just done, for its caller. Empty if there is nothing to tell. */
function agentReport(event: AgentEvent): string {
  if (event.event === 'action-queued') return event.label;
  if (event.event === 'block-finished' && event.block.kind === 'text') return event.block.text.trim();
  if (event.event === 'retrying') return event.message;
  if (event.event === 'action-settled') return settledReport(event.result);
  return eventWarning(event) ?? '';
}

function settledReport(result: SettledCall): string {
  if (result.tag === 'undecodable' || result.result.settled.state === 'success') return '';
  return `${firstLine(labelOf(result.result), maxReport)}: ${result.result.settled.state}`;
}
