import {type Json, type JsonObject, jsonText} from '../../base/json.ts';
import type {CallOutcome, OutcomeFields} from '../../domain/conversation.ts';
import type {PermissionMode} from '../../domain/risk.ts';
import type {ChangeEntry} from '../../domain/change-set.ts';
import type {TaintedData} from '../../domain/reason.ts';
import type {ControlMessage} from './control-message.ts';

/**
 * The Agent SDK's messages on the wire: one JSON object per line. Optional fields are those of the wire format.
 * Readers skip unknown types, so members can be added.
 */
export type RpcMessage =
  | RpcInit
  | RpcAssistant
  | RpcUser
  | RpcStreamEvent
  | RpcUserReplay
  | RpcApiRetry
  | RpcModelFallback
  | RpcRepair
  | RpcPermissionDenied
  | RpcStatus
  | RpcCompactBoundary
  | RpcInformational
  | RpcHookStarted
  | RpcHookResponse
  | RpcToolProgress
  | RpcPromptSuggestion
  | RpcConversationReset
  | RpcTaskStarted
  | RpcTaskUpdated
  | RpcBackgroundTasks
  | RpcTaskProgress
  | RpcTaskNotification
  | RpcResult;

export interface MessageEnvelope {
  readonly session_id: string;
  readonly uuid: string;
  /** weft's own field, not in the Agent SDK: the provider of the model. */
  readonly provider: string;
}

interface SystemMessage<Subtype extends string> extends MessageEnvelope {
  readonly type: 'system';
  readonly subtype: Subtype;
}

export type WithoutEnvelope<Message> = Message extends unknown ? Omit<Message, keyof MessageEnvelope> : never;

/** Sent at the start of every prompt. */
export interface RpcInit extends SystemMessage<'init'> {
  readonly cwd: string;
  readonly tools: readonly string[];
  readonly mcp_servers: readonly RpcMcpServer[];
  readonly model: string;
  readonly permissionMode: PermissionMode;
  readonly slash_commands: readonly string[];
  readonly apiKeySource: 'ANTHROPIC_API_KEY' | 'none';
  readonly claude_code_version: string;
  readonly output_style: string;
  readonly agents: readonly string[];
  readonly skills: readonly string[];
  readonly plugins: readonly {readonly name: string; readonly path: string; readonly version?: string}[];
  /** Problems with plugins; absent if there are none. */
  readonly plugin_errors?: readonly {
    readonly plugin: string;
    readonly type: string;
    readonly message: string;
    readonly path?: string;
  }[];
  /** The features that a client can rely on, by the Agent SDK's names. */
  readonly capabilities: readonly string[];
}

export interface RpcMcpServer {
  readonly name: string;
  readonly status: string;
  readonly source: string;
}

/** One content block of a message from the model. Blocks of the same message share its id. */
export interface RpcAssistant extends MessageEnvelope {
  readonly type: 'assistant';
  readonly message: WireMessage;
  readonly parent_tool_use_id: string | null;
  /** Set if the message was cut off and this is only a part of it. */
  readonly aborted?: true;
  /** Set on the message with the text of an API error. */
  readonly error?: ApiErrorKind;
}

/** A prompt when it starts, for a client that requested its echo. */
export interface RpcUserReplay extends MessageEnvelope {
  readonly type: 'user';
  readonly isReplay: true;
  readonly message: {readonly role: 'user'; readonly content: Json};
  readonly parent_tool_use_id: null;
}

/** A tool's result, or a note in the user's role. */
export interface RpcUser extends MessageEnvelope {
  readonly type: 'user';
  readonly message: {readonly role: 'user'; readonly content: readonly (WireToolResult | WireText)[]};
  readonly parent_tool_use_id: string | null;
  readonly tool_use_result?: CommandResult;
  /** Set on a text of weft that sends the model on after its answer. */
  readonly isSynthetic?: true;
}

export interface RpcStreamEvent extends MessageEnvelope {
  readonly type: 'stream_event';
  readonly event: WireStreamEvent;
  readonly parent_tool_use_id: string | null;
}

export interface RpcApiRetry extends SystemMessage<'api_retry'> {
  readonly attempt: number;
  readonly max_retries: number;
  readonly retry_delay_ms: number;
  /** `null` if no answer came. */
  readonly error_status: number | null;
  readonly error: ApiErrorKind;
}

/** Another model answers the rest of the prompt, or of a sub-agent's task. */
export interface RpcModelFallback extends SystemMessage<'model_fallback'> {
  readonly trigger: 'overloaded' | 'server_error' | 'model_not_found' | 'permission_denied';
  readonly original_model: string;
  readonly fallback_model: string;
  readonly content: string;
  readonly parent_tool_use_id: string | null;
}

/** weft's own message: the provider refused a request, and weft sent it again in another form. */
export interface RpcRepair extends SystemMessage<'repair'> {
  /** The name of the refusal's repair, such as `media-left-out`. */
  readonly reason: string;
  /** The change that weft made, in words. */
  readonly action: string;
  readonly parent_tool_use_id: string | null;
}

/** A call was refused without asking. */
export interface RpcPermissionDenied extends SystemMessage<'permission_denied'> {
  readonly tool_name: string;
  readonly tool_use_id: string;
  readonly message: string;
}

/** The permission mode has changed, or a compaction begins or ends. */
export interface RpcStatus extends SystemMessage<'status'> {
  readonly status: 'compacting' | null;
  readonly permissionMode?: PermissionMode;
}

/** The messages before this one were compacted. */
export interface RpcCompactBoundary extends SystemMessage<'compact_boundary'> {
  readonly compact_metadata: {
    readonly trigger: 'manual' | 'auto';
    readonly pre_tokens: number;
    readonly post_tokens: number;
  };
}

/** A notice that belongs to no call, as one sentence. */
export interface RpcInformational extends SystemMessage<'informational'> {
  readonly content: string;
  readonly level: 'info' | 'warning';
}

/** A next prompt that the agent suggests. */
export interface RpcPromptSuggestion extends MessageEnvelope {
  readonly type: 'prompt_suggestion';
  readonly suggestion: string;
}

/** `/clear` began a new conversation. `session_id` is the old one. */
export interface RpcConversationReset extends MessageEnvelope {
  readonly type: 'conversation_reset';
  readonly new_conversation_id: string;
  readonly trigger: 'clear';
  readonly user_message_uuid: string;
  readonly timestamp: string;
}

interface HookMessage<Subtype extends string> extends SystemMessage<Subtype> {
  readonly hook_id: string;
  readonly hook_name: string;
  readonly hook_event: string;
}

/** A hook is called. Sent only on request. */
export type RpcHookStarted = HookMessage<'hook_started'>;

/** A hook ended. `output` is everything that it printed. */
export interface RpcHookResponse extends HookMessage<'hook_response'> {
  readonly output: string;
  readonly stdout: string;
  readonly stderr: string;
  readonly exit_code?: number;
  readonly outcome: 'success' | 'error' | 'cancelled';
}

/** A tool is still running. Sent only on request. `output_delta` is weft's own field: the output since the last message. */
export interface RpcToolProgress extends MessageEnvelope {
  readonly type: 'tool_progress';
  readonly tool_use_id: string;
  readonly tool_name: string;
  readonly parent_tool_use_id: null;
  readonly elapsed_time_seconds: number;
  readonly output_delta: string;
}

/** Work beside the conversation: a sub-agent, or a command in the background. */
export type RpcTask = {
  readonly task_id: string;
  readonly description: string;
  readonly parent_task_id?: string;
} & ({readonly task_type: 'local_agent'; readonly subagent_type: string} | {readonly task_type: 'local_bash'});

/** A task starts, or a sub-agent starts again with a message. A sub-agent has a prompt. */
export type RpcTaskStarted = SystemMessage<'task_started'> &
  RpcTask & {readonly tool_use_id: string; readonly is_backgrounded: boolean; readonly prompt?: string};

/** A sub-agent moved to the background, or a task ended. */
export interface RpcTaskUpdated extends SystemMessage<'task_updated'> {
  readonly task_id: string;
  readonly patch:
    | {readonly is_backgrounded: boolean}
    | {
        readonly status: 'completed' | 'failed' | 'killed';
        /** In milliseconds since 1970. */
        readonly end_time: number;
        readonly error?: string;
      };
}

/** All tasks that run in the background now. Sent when the set changes. */
export interface RpcBackgroundTasks extends SystemMessage<'background_tasks_changed'> {
  readonly tasks: readonly RpcTask[];
}

/** A sub-agent has begun another call. */
export interface RpcTaskProgress extends SystemMessage<'task_progress'> {
  readonly task_id: string;
  readonly tool_use_id: string;
  readonly description: string;
  readonly subagent_type: string;
  readonly usage: TaskUsage;
}

/** A task has ended. Only sub-agents have a usage. */
export interface RpcTaskNotification extends SystemMessage<'task_notification'> {
  readonly task_id: string;
  readonly tool_use_id: string;
  readonly status: 'completed' | 'failed' | 'stopped';
  /** Always empty: the output is in the sub-agent's session, or `BashOutput` reads it. */
  readonly output_file: string;
  readonly summary: string;
  readonly usage?: TaskUsage;
}

export interface TaskUsage {
  readonly total_tokens: number;
  readonly tool_uses: number;
  readonly duration_ms: number;
}

export type RpcResult = RpcSuccess | RpcFailure;

interface ResultFigures extends MessageEnvelope {
  readonly type: 'result';
  readonly is_error: boolean;
  readonly result: string;
  /** weft's own field: an interrupted prompt did not fail. */
  readonly outcome: CallOutcome['outcome'];
  /** The exit code of a one-shot run. Absent for a program that drives weft, because the process keeps running. */
  readonly exit_code?: number;
  /** The value of the answer, if it had to match a schema and does. */
  readonly structured_output?: Json;
  readonly duration_ms: number;
  readonly duration_api_ms: number;
  readonly num_turns: number;
  /** The command of weft that ran instead of turns. */
  readonly local_command?: string;
  readonly stop_reason: WireStopReason | null;
  /** The session's cost in US dollars. Models without a known price add nothing. */
  readonly total_cost_usd: number;
  readonly usage: WireTurnUsage;
  readonly modelUsage: Readonly<Record<string, WireModelUsage>>;
  /** weft's own field: the models that `total_cost_usd` leaves out, by name. */
  readonly unknown_costs?: readonly string[];
  /** weft's own field: the models whose part of `total_cost_usd` is an estimate, because no provider counted all tokens. */
  readonly estimated_costs?: readonly string[];
  /** weft's own field: the requests of this turn that the provider refused and weft repaired. */
  readonly repairs?: readonly Pick<RpcRepair, 'reason' | 'action'>[];
  readonly permission_denials: readonly {
    readonly tool_name: string;
    readonly tool_use_id: string;
    readonly tool_input: Json;
    /** weft's own field: the texts from outside because of which weft asked. */
    readonly reasons?: readonly TaintedData[];
    /** weft's own field: the command ran, but these changes were not kept. */
    readonly changes?: readonly ChangeEntry[];
    /** weft's own field: the number of changes, if `changes` lists only the first ones. */
    readonly changes_total?: number;
  }[];
  /** weft's own field: the latest run of each check of the session, such as `npm test`, in order of the first runs. */
  readonly checks: readonly WireCheck[];
  /** Set on the result of a turn without a prompt, after a background sub-agent ended. */
  readonly origin?: {readonly kind: 'task-notification'};
  readonly terminal_reason?:
    | 'completed'
    | 'max_turns'
    | 'budget_exhausted'
    | 'aborted_streaming'
    | 'aborted_tools'
    | 'api_error'
    | 'hook_stopped';
}

export interface WireCheck {
  readonly name: string;
  readonly command: string;
  /** The folder in which it ran, an absolute path. */
  readonly directory: string;
  /** `null` if the command hid the exit code, such as in a pipe, or if the check was stopped. */
  readonly exit_code: number | null;
  /** True if no file that the check depends on has changed since. */
  readonly fresh: boolean;
  readonly passed?: number;
  readonly failed?: number;
  readonly at: string;
  readonly tree: string;
}

/** The answer, or with `is_error` the text of an API error. */
export interface RpcSuccess extends ResultFigures {
  readonly subtype: 'success';
  readonly api_error_status?: number | null;
}

export interface RpcFailure extends ResultFigures {
  readonly subtype:
    | 'error_during_execution'
    | 'error_max_turns'
    | 'error_max_budget_usd'
    | 'error_max_structured_output_retries';
  readonly errors: readonly string[];
}

export interface WireMessage {
  readonly id: string;
  readonly type: 'message';
  readonly role: 'assistant';
  readonly model: string;
  readonly content: readonly WireBlock[];
  readonly stop_reason: WireStopReason | null;
  readonly stop_sequence: null;
  readonly usage: WireUsage;
}

export type WireBlock =
  | WireText
  | {readonly type: 'thinking'; readonly thinking: string; readonly signature: string}
  | {readonly type: 'redacted_thinking'; readonly data: string}
  | {readonly type: 'tool_use'; readonly id: string; readonly name: string; readonly input: Json}
  | WireOther;

/** A block, or a part of one, of a type unknown to weft, as the API sent it. */
export interface WireOther extends JsonObject {
  readonly type: string;
}

export interface WireText {
  readonly type: 'text';
  readonly text: string;
}

interface Base64Source {
  readonly source: {readonly type: 'base64'; readonly media_type: string; readonly data: string};
}

export interface WireImage extends Base64Source {
  readonly type: 'image';
}

export interface WireDocument extends Base64Source {
  readonly type: 'document';
  readonly title: string;
}

export interface WireToolResult extends OutcomeFields {
  readonly type: 'tool_result';
  readonly tool_use_id: string;
  readonly content: string | readonly (WireText | WireImage | WireDocument)[];
  readonly is_error: boolean;
}

/** The structured output of Bash. `stdout` contains both stdout and stderr in their original order. */
export interface CommandResult {
  readonly stdout: string;
  readonly stderr: string;
  readonly interrupted: boolean;
  readonly isImage: boolean;
  /** The files changed by a command that ran without asking, because a sandbox confined it. */
  readonly changedFiles?: readonly ChangedFile[];
}

/** A changed file. Each line of a hunk begins with a space, `-` or `+`. */
export type ChangedFile = Readonly<{
  filePath: string;
  change: 'created' | 'deleted' | 'changed';
  added: number;
  removed: number;
  structuredPatch: readonly Readonly<{
    oldStart: number;
    oldLines: number;
    newStart: number;
    newLines: number;
    lines: readonly string[];
  }>[];
}>;

export type WireStreamEvent =
  | {readonly type: 'message_start'; readonly message: WireMessage}
  | {readonly type: 'content_block_start'; readonly index: number; readonly content_block: WireBlock}
  | {readonly type: 'content_block_delta'; readonly index: number; readonly delta: WireDelta}
  | {readonly type: 'content_block_stop'; readonly index: number}
  | {
      readonly type: 'message_delta';
      readonly delta: {readonly stop_reason: WireStopReason | null; readonly stop_sequence: null};
      readonly usage: WireUsage;
    }
  | {readonly type: 'message_stop'};

export type WireDelta =
  | {readonly type: 'text_delta'; readonly text: string}
  | {readonly type: 'thinking_delta'; readonly thinking: string}
  | {readonly type: 'signature_delta'; readonly signature: string}
  | {readonly type: 'input_json_delta'; readonly partial_json: string}
  | WireOther;

export type WireStopReason =
  | 'end_turn'
  | 'tool_use'
  | 'max_tokens'
  | 'refusal'
  | 'model_context_window_exceeded'
  | 'pause_turn';

export interface WireUsage {
  readonly input_tokens: number;
  readonly cache_creation_input_tokens: number;
  readonly cache_read_input_tokens: number;
  readonly output_tokens: number;
}

/** The usage of a turn. weft does not know the constant fields, but the Agent SDK's type has them. */
export interface WireTurnUsage extends WireUsage {
  readonly server_tool_use: {readonly web_search_requests: number; readonly web_fetch_requests: 0};
  readonly service_tier: 'standard';
  readonly cache_creation: {readonly ephemeral_1h_input_tokens: 0; readonly ephemeral_5m_input_tokens: number};
  readonly output_tokens_details: {readonly thinking_tokens: 0};
  readonly inference_geo: '';
  readonly iterations: readonly [];
  readonly speed: 'standard';
  readonly fallback_credit: null;
}

/** `contextWindow` and `maxOutputTokens` are 0 if they are not known. */
export interface WireModelUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadInputTokens: number;
  readonly cacheCreationInputTokens: number;
  readonly webSearchRequests: number;
  readonly costUSD: number;
  readonly contextWindow: number;
  readonly maxOutputTokens: number;
}

export type ApiErrorKind =
  | 'authentication_failed'
  | 'billing_error'
  | 'rate_limit'
  | 'overloaded'
  | 'invalid_request'
  | 'model_not_found'
  | 'server_error'
  | 'unknown';

/** Returns a message as a line, with its LF. */
export const jsonLine = (message: RpcMessage | ControlMessage): string => `${jsonText(message)}\n`;
