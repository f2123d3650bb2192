import {estimateTokens, type VerbatimMessage} from './compaction.ts';
import {messageText} from './conversation.ts';
import {joinPartialAnswers} from './history.ts';
import type {JournalRecord} from './journal.ts';
import {conversationRecords} from './timeline.ts';

/** The maximum size of the pinned messages of a session: estimated tokens, and a share of the model's window if its size is known. */
const maxPinnedTokens = 20_000;
const maxPinnedPart = 0.25;

/** Returns the maximum number of tokens that pinned messages may take. `contextWindow` is the model's, or 0 if it is unknown. */
export const pinnedLimit = (contextWindow: number): number =>
  contextWindow > 0 ? Math.min(maxPinnedTokens, Math.floor(contextWindow * maxPinnedPart)) : maxPinnedTokens;

/** Estimates the tokens of a message with the line that a compaction writes before it. */
export const pinnedTokens = ({text}: Pick<VerbatimMessage, 'text'>): number => estimateTokens(text) + 20;

/**
 * Returns the messages that can be pinned, in order: the user's, and the agent's answers that contain text. The latest
 * pin record in the whole journal decides whether a message is pinned. A redo therefore brings messages back with their
 * pins, and a rewind to a later prompt changes no pin.
 */
export function pinnableMessages(records: readonly JournalRecord[]): readonly VerbatimMessage[] {
  const states = new Map(records.flatMap(record => (record.kind === 'pin' ? [[record.message, record.state]] : [])));
  const found: VerbatimMessage[] = [];
  let number = 0;
  for (const record of joinPartialAnswers(conversationRecords(records))) {
    if (record.kind !== 'prompt' && record.kind !== 'answer') continue;
    if (record.kind === 'prompt') number += 1;
    const {message} = record;
    const text = messageText(message);
    if (text.trim() === '') continue;
    const by = message.role === 'user' ? 'user' : 'agent';
    found.push({id: message.id, by, number, text, state: states.get(message.id) ?? 'unpinned'});
  }
  return found;
}

/** A message that can be pinned, in the form that lists show. */
export interface PinRow extends Omit<VerbatimMessage, 'text' | 'number'> {
  /** The message's first line, shortened if it is long. */
  readonly title: string;
  readonly tokens: number;
}
