import type {Outcome} from '../base/outcome.ts';
import type {Fault} from '../domain/fault.ts';

/** The stored sessions of the folder that weft works in. */
export interface ConversationsPort {
  /**
   * Reads part of a session of this folder, without secrets: the messages before number `before`, as many as fit.
   * Fails for an unknown id and for a session of another folder. The fault names the latest sessions.
   */
  fetch(
    request: {readonly id: string; readonly before: number | 'end'},
    signal: AbortSignal,
  ): Promise<Outcome<FetchedConversation, Fault>>;
}

export interface FetchedConversation {
  readonly id: string;
  /** The first line of the session's first prompt. */
  readonly title: string;
  readonly updatedAt: number;
  /** The messages in order. Long texts are cut and end with a note about this. */
  readonly messages: readonly FetchedMessage[];
  /** The number of the first message in `messages`, from 1. */
  readonly first: number;
  readonly total: number;
  /** An unguessable line before and after the text of the session. */
  readonly boundary: string;
}

export interface FetchedMessage {
  readonly by: 'user' | 'agent';
  readonly text: string;
}

/** Suggestions of the agent to the user. */
export interface SuggestionsPort {
  /** Shows a next prompt, which the user may send, change or ignore. Never sends it. */
  suggestPrompt(suggestion: {readonly prompt: string; readonly label: string}): void;
  /** Opens a new conversation when the running prompt has ended well. Its first prompt includes the summary. */
  continueInNew(summary: string): void;
}
