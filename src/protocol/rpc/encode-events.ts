import type {McpServerState, McpTool} from '../../actions/mcp-port.ts';
import type {HookRunEvent} from '../../domain/hook.ts';
import type {AgentEvent, PromptSummary, SessionInfo, SettledCall} from '../../actions/agent-event.ts';
import type {BlockInfo} from '../../actions/ports.ts';
import type {Json} from '../../base/json.ts';
import {unreachable} from '../../base/unreachable.ts';
import {
  blockTexts,
  toolCalls,
  type AssistantBlock,
  type AssistantMessage,
  type StopReason,
} from '../../domain/conversation.ts';
import {faultText, type Fault} from '../../domain/fault.ts';
import type {ActionId, MessageId} from '../../domain/ids.ts';
import type {Repaired} from '../../domain/model-stream.ts';
import {noUsage, type Usage} from '../../domain/usage.ts';
import {commandResult} from './command-result.ts';
import {makeResultMessage} from './result-message.ts';
import type {
  MessageEnvelope,
  RpcAssistant,
  RpcInit,
  RpcMcpServer,
  RpcMessage,
  RpcUser,
  WireBlock,
  WireMessage,
  WireStreamEvent,
  WithoutEnvelope,
} from './rpc-message.ts';
import {type RunningTask, TaskMessages} from './encode-tasks.ts';
import {answerPartName, resultName} from './message-names.ts';
import {
  apiErrorKind,
  wireBlock,
  wireBlockStart,
  wireDelta,
  wireFallback,
  wireRepair,
  wireMessage,
  wireStop,
  wireToolResult,
  wireUsage,
} from './wire-content.ts';

export interface RpcEncoder {
  /** Returns the messages for one event. Most events have none. Events must come in the order of the engine. */
  encode(event: AgentEvent): readonly RpcMessage[];
  /** Returns the messages for a change of the session's terminals. */
  encodeTerminals(all: readonly BlockInfo[]): readonly RpcMessage[];
  runningTask(id: string): RunningTask | undefined;
}

export interface RpcEncoderOptions {
  /** Whether to send the model's raw stream as well as the finished blocks. */
  readonly partials: 'with' | 'without';
  /** Returns a new UUID, or for a name always the same one. */
  readonly uuid: (name?: string) => string;
  /** weft's own version. */
  readonly version: string;
  /** The time in milliseconds since 1970. */
  readonly now: () => number;
  readonly extras: RpcExtras;
}

/** Optional messages for a program that drives weft. */
export interface RpcExtras {
  /** Whether to report the progress of running tools, with a clock in milliseconds. */
  readonly progress: 'without' | {readonly now: () => number};
  /** Whether to report each run of a hook. */
  readonly hooks: 'with' | 'without';
  /** Whether to send the texts of sub-agents besides their calls and results. */
  readonly agentTexts: 'with' | 'without';
  /** True if a prompt is not the client's: it informs the model that a sub-agent ended. */
  readonly isOwnTurn: (prompt: MessageId) => boolean;
  /** Returns the content of a prompt if it must be echoed when it starts. */
  readonly echoOf: (prompt: MessageId) => Json | undefined;
  readonly servers: () => readonly RpcMcpServer[];
  /** The names of the tools of the MCP servers. */
  readonly serverTools: () => readonly string[];
  /** The available commands, skills, agent kinds and plugins. */
  readonly extensions: () => Pick<RpcInit, 'slash_commands' | 'skills' | 'agents' | 'plugins' | 'plugin_errors'>;
}

export const noExtras: RpcExtras = {
  progress: 'without',
  hooks: 'without',
  agentTexts: 'without',
  isOwnTurn: () => false,
  echoOf: () => undefined,
  servers: () => [],
  serverTools: () => [],
  extensions: () => ({slash_commands: [], agents: [], skills: [], plugins: []}),
};

/** Returns the Agent SDK's name for a server status. A server that waits for its first call is not connected yet. */
export function wireStatus(status: McpServerState['status']): string {
  if (status === 'idle' || status === 'untrusted') return 'pending';
  return status === 'needs-sign-in' ? 'needs-auth' : status;
}

/** Returns the current MCP servers and their tools for the opening message. */
export const serversOf = (mcp: {
  readonly servers: () => readonly Pick<McpServerState, 'name' | 'status' | 'source'>[];
  readonly tools: () => readonly Pick<McpTool, 'toolName'>[];
}): Pick<RpcExtras, 'servers' | 'serverTools'> => ({
  servers: () => mcp.servers().map(({name, status, source}) => ({name, status: wireStatus(status), source})),
  serverTools: () => mcp.tools().map(({toolName}) => toolName),
});

/**
 * Encodes engine events as Agent SDK messages. The first event must open the session. Earlier events belong to no
 * session and are dropped.
 */
export function makeRpcEncoder(options: RpcEncoderOptions): RpcEncoder {
  let encoder: SessionEncoder | undefined;
  return {
    encode(event) {
      if (event.event === 'session-opened') {
        const before = encoder;
        encoder = new SessionEncoder(event.session, options);
        return before?.clearedInto(encoder) ?? nothing;
      }
      return encoder === undefined ? nothing : encoder.encode(event);
    },
    encodeTerminals: all => encoder?.tasks.commandsChanged(all) ?? nothing,
    runningTask: id => encoder?.tasks.running(id),
  };
}

const nothing: readonly RpcMessage[] = [];

class SessionEncoder {
  #session: SessionInfo;
  readonly #options: RpcEncoderOptions;
  /**
   * The current model, under which usage is counted: the provider's name for the model, or before the first answer, the
   * session's name for it.
   */
  #answering: string;
  #open: PartialMessage | undefined;
  /** The phase that an interrupt would stop. */
  #phase: 'streaming' | 'tools' = 'streaming';
  /** The running prompt. A new prompt joins it. */
  #running: MessageId | 'none' = 'none';
  /** The cause of the current or last turn. */
  #runsFor: 'prompt' | 'sub-agent' = 'prompt';
  readonly #started = new Map<ActionId, {readonly toolName: string; readonly at: number}>();
  /** The calls that weft asked about. Only the client can have refused them. */
  readonly #asked = new Set<ActionId>();
  /** The model's tool names of waiting and running calls. */
  readonly #toolNames = new Map<ActionId, string>();
  readonly tasks: TaskMessages;
  #repairs: readonly Repaired[] = [];

  constructor(session: SessionInfo, options: RpcEncoderOptions) {
    this.#session = session;
    this.#answering = session.model;
    this.#options = options;
    this.tasks = new TaskMessages({
      texts: options.extras.agentTexts,
      uuid: () => options.uuid(),
      address: () => this.#address(),
      now: () => options.now(),
    });
  }

  /** Returns the messages for a new conversation if the running prompt, `/clear`, began it. */
  clearedInto(next: SessionEncoder): readonly RpcMessage[] {
    if (this.#running === 'none') return nothing;
    next.#running = this.#running;
    const reset = {
      type: 'conversation_reset',
      new_conversation_id: next.#session.id,
      trigger: 'clear',
      user_message_uuid: this.#running,
      timestamp: new Date(this.#options.now()).toISOString(),
    } as const;
    return [...this.#message(reset), next.#init()];
  }

  encode(event: Exclude<AgentEvent, {event: 'session-opened'}>): readonly RpcMessage[] {
    switch (event.event) {
      case 'prompt-accepted': {
        const echo = this.#echo(event.id);
        if (this.#running !== 'none') return echo;
        this.#running = event.id;
        this.#runsFor = this.#options.extras.isOwnTurn(event.id) ? 'sub-agent' : 'prompt';
        this.#phase = 'streaming';
        return [this.#init(), ...echo];
      }
      case 'turn-started':
        this.#phase = 'streaming';
        return this.#closeOpenMessage();
      case 'retrying':
        return this.#message({
          type: 'system',
          subtype: 'api_retry',
          // Retries count from 1. The engine counts tries, and the first try is not a retry.
          attempt: event.attempt - 1,
          max_retries: event.maxAttempts - 1,
          retry_delay_ms: event.delayMs,
          error_status: event.status === 0 ? null : event.status,
          error: apiErrorKind(event.status),
        });
      case 'fell-back':
        return this.#message({...wireFallback(event), parent_tool_use_id: null});
      case 'repaired':
        this.#repairs = [...this.#repairs, event];
        return this.#message({...wireRepair(event), parent_tool_use_id: null});
      case 'message-started': {
        const closed = this.#closeOpenMessage();
        this.#answering = event.model;
        const open = new PartialMessage({id: event.message, model: event.model, usage: event.usage});
        this.#open = open;
        return [...closed, ...this.#sendStreamEvents(() => [open.started])];
      }
      case 'block-started': {
        const {index, block} = event;
        if (this.#open === undefined) return nothing;
        this.#open.blockStarted(index);
        return this.#sendStreamEvents(() => [
          {type: 'content_block_start', index, content_block: wireBlockStart(block)},
        ]);
      }
      case 'block-delta': {
        const {index, delta} = event;
        if (this.#open === undefined) return nothing;
        return this.#sendStreamEvents(() => [{type: 'content_block_delta', index, delta: wireDelta(delta)}]);
      }
      case 'block-finished': {
        const {index, block} = event;
        const open = this.#open;
        if (open === undefined) return nothing;
        open.blockFinished(index, block);
        // The whole block comes before its stop event, as clients that read both expect.
        return [
          ...this.#sendBlock(open, block),
          ...this.#sendStreamEvents(() => [{type: 'content_block_stop', index}]),
        ];
      }
      case 'message-finished':
        return this.#finish(event.message);
      case 'action-started':
        if (this.#options.extras.progress !== 'without') {
          const toolName = this.#toolNames.get(event.id) ?? '';
          this.#started.set(event.id, {toolName, at: this.#options.extras.progress.now()});
        }
        return nothing;
      case 'action-output':
        return this.#progress(event);
      case 'action-settled':
        this.#started.delete(event.call.id);
        return [...this.tasks.commandStarted(event, 'main'), ...this.#settled(event)];
      case 'model-changed':
        this.#session = {...this.#session, model: event.model};
        return nothing;
      case 'mode-changed':
        this.#session = {...this.#session, mode: event.mode};
        return this.#message({type: 'system', subtype: 'status', status: null, permissionMode: event.mode});
      case 'compaction-begun':
        return this.#message({type: 'system', subtype: 'status', status: 'compacting'});
      case 'compaction-ended':
        return this.#message({type: 'system', subtype: 'status', status: null});
      case 'compacted': {
        const {trigger, tokens} = event.report;
        const metadata = {trigger, pre_tokens: tokens.before, post_tokens: tokens.after};
        return this.#message({type: 'system', subtype: 'compact_boundary', compact_metadata: metadata});
      }
      case 'sent-on':
        return this.#userText(event.text, {isSynthetic: true});
      case 'notice':
        return this.#message({type: 'system', subtype: 'informational', content: event.text, level: event.level});
      case 'prompt-suggested':
        return this.#message({type: 'prompt_suggestion', suggestion: event.prompt});
      case 'hook-started':
      case 'hook-ended':
        return this.#options.extras.hooks === 'with' ? this.#hook(event) : nothing;
      case 'prompt-finished':
        this.#running = 'none';
        this.#toolNames.clear();
        this.#asked.clear();
        return this.#end(event.summary);
      case 'approval-requested':
        this.#asked.add(event.approval.id);
        return nothing;
      case 'agent-started':
      case 'agent-changed':
      case 'agent-event':
        return this.tasks.encode(event);
      case 'prompt-withdrawn':
      case 'command-started':
      case 'command-finished':
      case 'action-queued':
      case 'approval-settled':
      case 'question-asked':
      case 'question-settled':
      case 'hand-over-asked':
      case 'hand-over-settled':
      case 'terminal-needed':
      case 'todos-framed':
      case 'usage-changed':
      case 'session-renamed':
      case 'rewound':
      case 'compaction-offered':
      case 'compaction-answered':
      case 'sandbox-proven':
      case 'review-opened':
      case 'plan-changed':
      case 'checks-changed':
        return nothing;
      default:
        return unreachable(event);
    }
  }

  #address(name?: string): MessageEnvelope {
    return {session_id: this.#session.id, uuid: this.#options.uuid(name), provider: this.#session.provider};
  }

  /** Builds a single message with the common fields. */
  #message(message: WithoutEnvelope<RpcMessage>): readonly RpcMessage[] {
    return [{...message, ...this.#address()}];
  }

  #echo(prompt: MessageId): readonly RpcMessage[] {
    const content = this.#options.extras.echoOf(prompt);
    if (content === undefined) return nothing;
    const message = {role: 'user', content} as const;
    return [{type: 'user', isReplay: true, message, parent_tool_use_id: null, ...this.#address(), uuid: prompt}];
  }

  #hook(event: HookRunEvent): readonly RpcMessage[] {
    const {id, name, event: at} = event.hook;
    const hook = {hook_id: id, hook_name: name, hook_event: at};
    if (event.event === 'hook-started') return this.#message({type: 'system', subtype: 'hook_started', ...hook});
    const {outcome, exitCode, stdout, stderr} = event.run;
    return this.#message({
      type: 'system',
      subtype: 'hook_response',
      ...hook,
      output: stdout + stderr,
      stdout,
      stderr,
      ...(exitCode === 'unknown' ? {} : {exit_code: exitCode}),
      outcome,
    });
  }

  #progress({id, chunk}: Extract<AgentEvent, {event: 'action-output'}>): readonly RpcMessage[] {
    const {progress} = this.#options.extras;
    const started = this.#started.get(id);
    if (progress === 'without' || started === undefined) return nothing;
    return this.#message({
      type: 'tool_progress',
      tool_use_id: id,
      tool_name: started.toolName,
      parent_tool_use_id: null,
      elapsed_time_seconds: Math.max(0, progress.now() - started.at) / 1000,
      output_delta: chunk,
    });
  }

  #init(): RpcInit {
    const {directory, tools, model, mode, provider} = this.#session;
    const {slash_commands, agents, skills, plugins, plugin_errors} = this.#options.extras.extensions();
    return {
      type: 'system',
      subtype: 'init',
      cwd: directory,
      tools: [...new Set([...tools, ...this.#options.extras.serverTools()])],
      mcp_servers: this.#options.extras.servers(),
      model,
      permissionMode: mode,
      slash_commands,
      apiKeySource: provider === 'anthropic' ? 'ANTHROPIC_API_KEY' : 'none',
      claude_code_version: this.#options.version,
      output_style: 'default',
      agents,
      skills,
      plugins,
      ...(plugin_errors === undefined ? {} : {plugin_errors}),
      capabilities: ['interrupt_receipt_v1', 'interrupt_cancel_queued_v1'],
      ...this.#address(),
    };
  }

  #finish(message: AssistantMessage): readonly RpcMessage[] {
    for (const {id, name} of toolCalls(message)) this.#toolNames.set(id, name);
    const open = this.#open ?? new PartialMessage({id: message.id, model: message.model, usage: message.usage});
    const wasOpen = this.#open !== undefined;
    const cutOff = message.stop === 'interrupted';
    const rest = open
      .unsentBlocks(message.blocks)
      .flatMap(block => this.#sendBlock(open, block, cutOff ? 'cut-off' : 'whole'));
    this.#open = undefined;
    this.#phase = cutOff || toolCalls(message).length === 0 ? 'streaming' : 'tools';
    return [...rest, ...(wasOpen ? this.#sendStreamEvents(() => open.closing(message.stop, message.usage)) : nothing)];
  }

  #settled({call, result, toolResult}: Extract<AgentEvent, {event: 'action-settled'}>): readonly RpcMessage[] {
    const output = commandResult(result);
    const settled: RpcUser = {
      type: 'user',
      message: {role: 'user', content: [wireToolResult(toolResult)]},
      parent_tool_use_id: null,
      ...this.#address(resultName(call.id)),
      ...(output === undefined ? {} : {tool_use_result: output}),
    };
    if (!isDeniedWithoutQuestion(result) || this.#asked.has(call.id)) return [settled];
    const denied = this.#message({
      type: 'system',
      subtype: 'permission_denied',
      tool_name: call.name,
      tool_use_id: call.id,
      message: blockTexts(toolResult.content).join('\n'),
    });
    return [...denied, settled];
  }

  /** Ends a message without any content worth keeping. */
  #closeOpenMessage(): readonly RpcMessage[] {
    const open = this.#open;
    if (open === undefined) return nothing;
    this.#open = undefined;
    return this.#sendStreamEvents(() => open.closing('interrupted'));
  }

  #end(summary: PromptSummary): readonly RpcMessage[] {
    const closed = this.#closeOpenMessage();
    const notes = this.#endNotes(summary);
    const address = this.#address();
    const result = makeResultMessage(summary, {
      address,
      model: this.#answering,
      phase: this.#phase,
      of: this.#runsFor,
      repairs: this.#repairs,
    });
    this.#runsFor = 'prompt';
    this.#repairs = [];
    return [...closed, ...notes, result];
  }

  /** Returns the notes that replace a missing answer. */
  #endNotes({end}: PromptSummary): readonly RpcMessage[] {
    switch (end.kind) {
      case 'interrupted':
        return this.#interruptNote();
      case 'failed':
        return end.fault.kind === 'provider' ? this.#errorMessage(end.fault) : nothing;
      case 'done':
      case 'max-turns':
      case 'max-cost':
      case 'stopped-by-hook':
      case 'invalid-output':
      case 'not-sent':
        return nothing;
      default:
        return unreachable(end);
    }
  }

  #interruptNote(): readonly RpcMessage[] {
    const text =
      this.#phase === 'tools' ? '[Request interrupted by user for tool use]' : '[Request interrupted by user]';
    return this.#userText(text, {});
  }

  #userText(text: string, more: Pick<RpcUser, 'isSynthetic'>): readonly RpcMessage[] {
    const message = {role: 'user', content: [{type: 'text', text}]} as const;
    return this.#message({type: 'user', message, parent_tool_use_id: null, ...more});
  }

  #errorMessage(fault: Extract<Fault, {kind: 'provider'}>): readonly RpcMessage[] {
    const content = [{type: 'text', text: faultText(fault)}] as const;
    const message = wireMessage({id: this.#options.uuid(), model: '<synthetic>', usage: noUsage}, content);
    const assistant: RpcAssistant = {type: 'assistant', message, parent_tool_use_id: null, ...this.#address()};
    return [{...assistant, error: apiErrorKind(fault.status)}];
  }

  #sendBlock(
    open: PartialMessage,
    block: AssistantBlock,
    extent: 'whole' | 'cut-off' = 'whole',
  ): readonly RpcMessage[] {
    if (block.kind === 'text' && block.text === '') return nothing;
    return [
      {
        type: 'assistant',
        message: open.withBlock(wireBlock(block)),
        parent_tool_use_id: null,
        ...this.#address(open.nextName()),
        ...(extent === 'cut-off' ? {aborted: true} : {}),
      },
    ];
  }

  #sendStreamEvents(events: () => readonly WireStreamEvent[]): readonly RpcMessage[] {
    if (this.#options.partials === 'without') return nothing;
    return events().flatMap(event => this.#message({type: 'stream_event', event, parent_tool_use_id: null}));
  }
}

/** True if the call was refused without asking: by a rule, by the mode, or because no user could be asked. */
const isDeniedWithoutQuestion = (settled: SettledCall): boolean =>
  settled.tag === 'action' &&
  settled.result.settled.state === 'cancelled' &&
  settled.result.settled.why.reason === 'denied';

type MessageHead = Pick<AssistantMessage, 'id' | 'model' | 'usage'>;

/** A message that the model is still writing, with its open blocks and the blocks already sent. */
class PartialMessage {
  readonly #head: MessageHead;
  readonly #begun = new Set<number>();
  readonly #sendBlock = new Set<AssistantBlock>();
  #parts = 0;

  constructor(head: MessageHead) {
    this.#head = head;
  }

  get started(): WireStreamEvent {
    return {type: 'message_start', message: wireMessage(this.#head, [])};
  }

  blockStarted(index: number): void {
    this.#begun.add(index);
  }

  blockFinished(index: number, block: AssistantBlock): void {
    this.#begun.delete(index);
    this.#sendBlock.add(block);
  }

  /** Returns the blocks of the finished message that were never sent: unfinished text of a message that was cut off. */
  unsentBlocks(blocks: readonly AssistantBlock[]): readonly AssistantBlock[] {
    return blocks.filter(block => !this.#sendBlock.has(block));
  }

  /** Closes every open block, so that each block start has a block stop. */
  closing(stop: StopReason, usage: Usage = this.#head.usage): readonly WireStreamEvent[] {
    const blocks = [...this.#begun].map(index => ({type: 'content_block_stop', index}) as const);
    this.#begun.clear();
    return [
      ...blocks,
      {type: 'message_delta', delta: {stop_reason: wireStop(stop), stop_sequence: null}, usage: wireUsage(usage)},
      {type: 'message_stop'},
    ];
  }

  /** Returns the message with one block. Its stop reason and full usage are not known yet. */
  withBlock(block: WireBlock): WireMessage {
    return wireMessage(this.#head, [block]);
  }

  /** Returns the name of the next message with a part of this answer. */
  nextName(): string {
    return answerPartName(this.#head.id, this.#parts++);
  }
}
