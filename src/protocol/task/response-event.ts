import type {JsonObject} from '../../base/json.ts';
import type {TodoId} from '../../domain/ids.ts';
import type {TaskItem, TaskPayload} from '../../domain/task-payload.ts';

/**
 * One event of a task-protocol stream, read once, whatever form it came in. Absent text is `''`, as protobuf has it. What the
 * typed form does not say is kept in `unknown`, so that encoding gives it back.
 */
export type ResponseEvent = {readonly unknown: UnknownFields} & (
  | {readonly kind: 'init'; readonly conversationId: string; readonly requestId: string; readonly runId: string}
  | {readonly kind: 'client-actions'; readonly actions: readonly ClientAction[]}
  | {
      readonly kind: 'finished';
      readonly reason: FinishReason;
      readonly usage: readonly TokenUsage[];
      /** How much of the model's context is used: 0 to 1, 0 where nothing was said. */
      readonly contextUsage: number;
    }
  | {readonly kind: 'other'}
);

/** The message an event was read from; `none` for an event that was made here. */
export type UnknownFields =
  | {readonly source: 'none'}
  | {readonly source: 'json'; readonly value: JsonObject}
  | {readonly source: 'bytes'; readonly message: object};

export type ClientAction =
  | {readonly kind: 'create-task'; readonly task: ProtocolTask}
  | {readonly kind: 'add-messages'; readonly taskId: string; readonly messages: readonly ProtocolMessage[]}
  /** An upsert: a message that is not known is added whole; of a known one the paths of `mask` are replaced. */
  | {
      readonly kind: 'update-message';
      readonly taskId: string;
      readonly message: ProtocolMessage;
      readonly mask: readonly string[];
    }
  /** Strings of the paths of `mask` grow by those of `message`. */
  | {
      readonly kind: 'append-content';
      readonly taskId: string;
      readonly message: ProtocolMessage;
      readonly mask: readonly string[];
    }
  | {readonly kind: 'update-summary'; readonly taskId: string; readonly summary: string}
  | {readonly kind: 'update-description'; readonly taskId: string; readonly description: string}
  | {readonly kind: 'begin'}
  | {readonly kind: 'commit'}
  | {readonly kind: 'rollback'}
  | {
      readonly kind: 'move-messages';
      readonly sourceTaskId: string;
      readonly newTask: ProtocolTask;
      readonly firstMessageId: string;
      readonly lastMessageId: string;
      readonly replacements: readonly ProtocolMessage[];
    }
  /** `field` is the name of the action, `''` for one this schema does not know. */
  | {readonly kind: 'other'; readonly field: string};

export interface ProtocolTask {
  readonly id: string;
  readonly description: string;
  /** `''` for a task of its own. */
  readonly parentTaskId: string;
  readonly summary: string;
  readonly messages: readonly ProtocolMessage[];
}

export interface ProtocolMessage {
  readonly id: string;
  readonly taskId: string;
  readonly body: MessageBody;
}

export type MessageBody =
  | {readonly kind: 'user-query'; readonly query: string}
  | {readonly kind: 'agent-output'; readonly text: string}
  | {readonly kind: 'reasoning'; readonly text: string}
  | {readonly kind: 'tool-call'; readonly callId: string; readonly call: ProtocolToolCall}
  | {readonly kind: 'tool-result'; readonly callId: string; readonly result: ProtocolToolResult}
  | {readonly kind: 'server-event'; readonly payload: DecodedPayload}
  | {readonly kind: 'update-todos'; readonly operation: TodoOperation}
  | {readonly kind: 'other'; readonly field: string};

export type ProtocolToolCall =
  | {readonly kind: 'server'; readonly payload: DecodedPayload}
  | {readonly kind: 'mcp'; readonly name: string; readonly args: JsonObject}
  /** `name` is the field's, e.g. `run_shell_command`; `''` for a call this schema does not know. */
  | {readonly kind: 'native'; readonly name: string; readonly args: JsonObject};

export type ProtocolToolResult =
  | {readonly kind: 'server'; readonly payload: DecodedPayload}
  | {readonly kind: 'other'; readonly field: string};

/** An opaque payload, decoded once: `tree` has field numbers as keys, `meaning` is what it says of tasks. */
export type DecodedPayload =
  | {readonly tag: 'ok'; readonly tree: JsonObject; readonly meaning: TaskPayload}
  /** `position` counts bytes of the payload, or characters of its text where that is no base64 or JSON. */
  | {readonly tag: 'failed'; readonly position: number; readonly message: string};

export type TodoOperation =
  | {readonly kind: 'create'; readonly todos: readonly TaskItem[]}
  | {readonly kind: 'update-pending'; readonly todos: readonly TaskItem[]}
  | {readonly kind: 'mark-completed'; readonly ids: readonly TodoId[]}
  | {readonly kind: 'other'};

export type FinishReason =
  | {
      readonly kind:
        | 'done'
        | 'other'
        | 'max-token-limit'
        | 'quota-limit'
        | 'context-window-exceeded'
        | 'llm-unavailable';
    }
  | {readonly kind: 'internal-error'; readonly message: string}
  | {readonly kind: 'invalid-api-key'; readonly provider: string; readonly model: string};

export interface TokenUsage {
  readonly model: string;
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly costInCents: number;
}
