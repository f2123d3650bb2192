import type {Json, JsonObject} from '../../base/json.ts';

/** What weft writes of the control protocol: its own requests, its answers, and requests that it takes back. */
export type ControlMessage =
  | {readonly type: 'control_request'; readonly request_id: string; readonly request: WeftRequest}
  | {readonly type: 'control_response'; readonly response: ControlAnswer}
  | {readonly type: 'control_cancel_request'; readonly request_id: string}
  /** Says nothing: whether anybody reads shows only where something is written. */
  | {readonly type: 'keep_alive'};

export type ControlAnswer =
  | {readonly subtype: 'success'; readonly request_id: string; readonly response: JsonObject}
  | {readonly subtype: 'error'; readonly request_id: string; readonly error: string; readonly error_code: string};

/** What weft asks the client for. */
export type WeftRequest = CanUseToolRequest | HookCallbackRequest | McpMessageRequest | ElicitationRequest;

/** May this call run? Answered with allow (and perhaps another input, or rules) or deny. */
export interface CanUseToolRequest {
  readonly subtype: 'can_use_tool';
  readonly tool_name: string;
  readonly display_name: string;
  readonly input: Json;
  readonly tool_use_id: string;
  readonly description?: string;
  readonly title?: string;
  readonly permission_suggestions?: readonly PermissionUpdate[];
  readonly decision_reason?: string;
  readonly decision_reason_type?: 'rule' | 'mode' | 'workingDir' | 'safetyCheck' | 'other';
  readonly blocked_path?: string;
  /** The answer is more than yes or no. */
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

export interface HookCallbackRequest {
  readonly subtype: 'hook_callback';
  readonly callback_id: string;
  readonly input: JsonObject;
  readonly tool_use_id?: string;
}

/** A JSON-RPC message to an MCP server inside the client. */
export interface McpMessageRequest {
  readonly subtype: 'mcp_message';
  readonly server_name: string;
  readonly message: JsonObject;
}

export interface ElicitationRequest {
  readonly subtype: 'elicitation';
  readonly mcp_server_name: string;
  readonly message: string;
  readonly mode: 'form' | 'url';
  readonly url?: string;
  readonly elicitation_id?: string;
  readonly requested_schema?: JsonObject;
}
