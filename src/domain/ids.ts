import type {Brand} from '../base/brand.ts';

/** Identifies a session, which is one stored conversation: a lower-case UUID. */
export type SessionId = Brand<string, 'SessionId'>;
/** Identifies one call of an action in its session: the provider's tool call id, unchanged. */
export type ActionId = Brand<string, 'ActionId'>;
/** Identifies one message of the conversation. weft or the provider makes it. */
export type MessageId = Brand<string, 'MessageId'>;
export type TodoId = Brand<string, 'TodoId'>;
/** Identifies a command that runs in its own terminal session. It is short, so that people can type it. */
export type BlockId = Brand<string, 'BlockId'>;
/** Identifies one task of the task stack: `task_`, its number and a few random digits. */
export type StackTaskId = Brand<string, 'StackTaskId'>;
/** Identifies one message of the task stack: `msg_`, its number and a few random digits. */
export type StackMessageId = Brand<string, 'StackMessageId'>;

/** Identifies a plan: `plan_` and eight hexadecimal digits. */
export type PlanId = Brand<string, 'PlanId'>;

/**
 * Identifies a task that a program runs over HTTP. The program or weft chooses it: up to 100 letters, digits, `_` and
 * `-`.
 */
export type AgentTaskId = Brand<string, 'AgentTaskId'>;

/** Identifies a document of a session: `d1`, `d2`. It is short, so that people can type it. */
export type DocumentId = Brand<string, 'DocumentId'>;

/** Identifies a schedule: `schedule_` and a few random digits. */
export type ScheduleId = Brand<string, 'ScheduleId'>;

/* oxlint-disable typescript/no-unsafe-type-assertion -- these parsers are the only way into the brands */

/** Accepts a UUID in any case; `undefined` for anything else. */
export const parseSessionId = (raw: string): SessionId | undefined =>
  /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/iu.test(raw)
    ? (raw.toLowerCase() as SessionId)
    : undefined;

export const actionId = (raw: string): ActionId => raw as ActionId;
export const messageId = (raw: string): MessageId => raw as MessageId;
export const todoId = (raw: string): TodoId => raw as TodoId;
/** Accepts any text. Does not check that a block with this id exists. */
export const blockId = (raw: string): BlockId => raw as BlockId;
/** Accepts any text. Does not check that a document with this id exists. */
export const documentId = (raw: string): DocumentId => raw as DocumentId;
export const parseAgentTaskId = (raw: string): AgentTaskId | undefined =>
  /^[A-Za-z0-9_-]{1,100}$/u.test(raw) ? (raw as AgentTaskId) : undefined;
/** Accepts any text. Does not check that the plan exists. */
export const planId = (raw: string): PlanId => raw as PlanId;
/** Accepts any text. Does not check that the task or message exists. */
export const stackTaskId = (raw: string): StackTaskId => raw as StackTaskId;
export const stackMessageId = (raw: string): StackMessageId => raw as StackMessageId;
/** Accepts any text. Does not check that the schedule exists. */
export const scheduleId = (raw: string): ScheduleId => raw as ScheduleId;
