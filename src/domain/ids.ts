import type {Brand} from '../base/brand.ts';

/** One conversation kept on disk: a lower-case UUID. */
export type SessionId = Brand<string, 'SessionId'>;
/** One call of an action, unique in its session: the provider's tool call id, kept as it came. */
export type ActionId = Brand<string, 'ActionId'>;
/** One message of the conversation, ours or the provider's. */
export type MessageId = Brand<string, 'MessageId'>;
/** One entry of the todo list. */
export type TodoId = Brand<string, 'TodoId'>;
/** A command that runs beside the conversation; short, for people to type. */
export type BlockId = Brand<string, 'BlockId'>;

/* oxlint-disable typescript/no-unsafe-type-assertion -- these parsers are the only way into the brands */

/** Accepts a UUID in any case; `undefined` for anything else. */
export const parseSessionId = (raw: string): SessionId | undefined =>
  /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/iu.test(raw)
    ? (raw.toLowerCase() as SessionId)
    : undefined;

/** Provider ids are opaque to us: any text is one. */
export const actionId = (raw: string): ActionId => raw as ActionId;
export const messageId = (raw: string): MessageId => raw as MessageId;
export const todoId = (raw: string): TodoId => raw as TodoId;
/** An id that no block has is found out when it is looked up. */
export const blockId = (raw: string): BlockId => raw as BlockId;
