import * as z from 'zod/mini';
import {isJsonObject, type Json, type JsonObject} from '../../base/json.ts';
import type {ChangeEntry} from '../../domain/change-set.ts';
import type {TaintedData} from '../../domain/reason.ts';

/** The control messages that weft writes: its requests, its answers, and the withdrawals of its requests. */
export type ControlMessage =
  | {readonly type: 'control_request'; readonly request_id: string; readonly request: WeftRequest}
  | {readonly type: 'control_response'; readonly response: ControlAnswer}
  | {readonly type: 'control_cancel_request'; readonly request_id: string}
  /** Carries no information. A write is the only way to detect that the reader is gone. */
  | {readonly type: 'keep_alive'};

export type ControlAnswer =
  | {readonly subtype: 'success'; readonly request_id: string; readonly response: JsonObject}
  | {readonly subtype: 'error'; readonly request_id: string; readonly error: string; readonly error_code: string};

export type WeftRequest = CanUseToolRequest | HookCallbackRequest | McpMessageRequest | ElicitationRequest;

/** Asks whether a call may run. The answer is allow, with optional new input or rules, or deny. */
export interface CanUseToolRequest {
  readonly subtype: 'can_use_tool';
  readonly tool_name: string;
  readonly display_name: string;
  readonly input: Json;
  readonly tool_use_id: string;
  /** The sub-agent that asks; absent for the agent of the session. */
  readonly agent_id?: string;
  readonly description?: string;
  readonly title?: string;
  readonly permission_suggestions?: readonly PermissionUpdate[];
  readonly decision_reason?: string;
  readonly decision_reason_type?: 'rule' | 'mode' | 'workingDir' | 'safetyCheck' | 'other';
  readonly blocked_path?: string;
  /** weft's own field: the texts from outside because of which weft asks. */
  readonly reasons?: readonly TaintedData[];
  /** weft's own field: the command already ran, and the question is whether to keep its changes. Changed input counts as a no. */
  readonly changes?: readonly ChangeEntry[];
  /** The answer needs more than a yes or no. */
  readonly requires_user_interaction?: true;
}

export type PermissionUpdate =
  | {
      readonly type: 'addRules';
      readonly rules: readonly {readonly toolName: string; readonly ruleContent?: string}[];
      readonly behavior: 'allow';
      readonly destination: 'localSettings';
    }
  | {readonly type: 'setMode'; readonly mode: 'acceptEdits'; readonly destination: 'session'};

interface HookCallbackRequest {
  readonly subtype: 'hook_callback';
  readonly callback_id: string;
  readonly input: JsonObject;
  readonly tool_use_id?: string;
}

/** A JSON-RPC message to an MCP server inside the client. */
interface McpMessageRequest {
  readonly subtype: 'mcp_message';
  readonly server_name: string;
  readonly message: JsonObject;
}

interface ElicitationRequest {
  readonly subtype: 'elicitation';
  readonly mcp_server_name: string;
  readonly message: string;
  readonly mode: 'form' | 'url';
  readonly url?: string;
  readonly elicitation_id?: string;
  readonly requested_schema?: JsonObject;
}

/** Any JSON value. */
const json = z.custom<Json>(() => true);
const object = z.custom<JsonObject>(isJsonObject);
const optionalNull = <T extends z.core.SomeType>(schema: T) => z.optional(z.nullable(schema));

const hookMatcher = z.looseObject({
  matcher: optionalNull(z.string()),
  hookCallbackIds: z.array(z.string()),
  /** Seconds. */
  timeout: optionalNull(z.number()),
  onFailure: z.optional(z.enum(['continue', 'allow', 'block'])),
});

/** A client's registration. The values of `hooks` are read one by one, so that an unknown event does not invalidate the others. */
const initialize = z.looseObject({
  subtype: z.literal('initialize'),
  hooks: optionalNull(z.record(z.string(), z.array(hookMatcher))),
  sdkMcpServers: z.optional(z.array(z.string())),
  jsonSchema: optionalNull(object),
  systemPrompt: z.optional(z.union([z.string(), z.array(z.string())])),
  appendSystemPrompt: optionalNull(z.string()),
  planModeInstructions: optionalNull(z.string()),
  title: optionalNull(z.string()),
  agents: optionalNull(z.record(z.string(), json)),
  mcpServers: optionalNull(z.record(z.string(), json)),
  plugins: optionalNull(z.array(json)),
  skills: optionalNull(z.union([z.string(), z.array(z.string())])),
  settings: optionalNull(json),
  disallowedTools: optionalNull(z.array(z.string())),
  managedSettings: optionalNull(json),
  toolAliases: optionalNull(z.record(z.string(), z.string())),
});

export const controlRequests = {
  initialize,
  interrupt: z.looseObject({subtype: z.literal('interrupt'), cancel_queued: z.optional(z.boolean())}),
  set_permission_mode: z.looseObject({subtype: z.literal('set_permission_mode'), mode: z.string()}),
  set_model: z.looseObject({subtype: z.literal('set_model'), model: optionalNull(z.string())}),
  set_max_thinking_tokens: z.looseObject({
    subtype: z.literal('set_max_thinking_tokens'),
    max_thinking_tokens: optionalNull(z.number().check(z.nonnegative())),
  }),
  rename_session: z.looseObject({
    subtype: z.literal('rename_session'),
    title: z.string(),
    session_id: z.optional(z.string()),
  }),
  generate_session_title: z.looseObject({
    subtype: z.literal('generate_session_title'),
    description: z.string(),
  }),
  rewind_files: z.looseObject({
    subtype: z.literal('rewind_files'),
    user_message_id: z.string(),
    dry_run: z.optional(z.boolean()),
  }),
  cancel_async_message: z.looseObject({subtype: z.literal('cancel_async_message'), message_uuid: z.string()}),
  stop_task: z.looseObject({subtype: z.literal('stop_task'), task_id: z.string()}),
  background_tasks: z.looseObject({subtype: z.literal('background_tasks'), tool_use_id: optionalNull(z.string())}),
  read_file: z.looseObject({
    subtype: z.literal('read_file'),
    path: z.string(),
    max_bytes: optionalNull(z.number().check(z.nonnegative())),
    encoding: optionalNull(z.enum(['utf-8', 'base64'])),
  }),
  seed_read_state: z.looseObject({subtype: z.literal('seed_read_state'), path: z.string(), mtime: z.number()}),
  apply_flag_settings: z.looseObject({subtype: z.literal('apply_flag_settings'), settings: object}),
  get_settings: z.looseObject({subtype: z.literal('get_settings')}),
  reload_plugins: z.looseObject({subtype: z.literal('reload_plugins')}),
  reload_skills: z.looseObject({subtype: z.literal('reload_skills')}),
  get_context_usage: z.looseObject({subtype: z.literal('get_context_usage')}),
  mcp_status: z.looseObject({subtype: z.literal('mcp_status')}),
  mcp_set_servers: z.looseObject({subtype: z.literal('mcp_set_servers'), servers: z.record(z.string(), object)}),
  mcp_reconnect: z.looseObject({subtype: z.literal('mcp_reconnect'), serverName: z.string()}),
  mcp_toggle: z.looseObject({subtype: z.literal('mcp_toggle'), serverName: z.string(), enabled: z.boolean()}),
  mcp_message: z.looseObject({subtype: z.literal('mcp_message'), server_name: z.string(), message: object}),
} as const;

type Requests = {readonly [Name in keyof typeof controlRequests]: z.infer<(typeof controlRequests)[Name]>};
export type ControlRequest = Requests[keyof Requests];
export type InitializeRequest = Requests['initialize'];
export type HookMatcher = z.infer<typeof hookMatcher>;
