import type {Outcome} from '../base/outcome.ts';
import type {Fault} from '../domain/fault.ts';

/** The kept sessions of the folder that weft works in. */
export interface ConversationsPort {
  /**
   * Reads a part of a session of this folder, without secrets: the messages before number `before`, as many as fit. An id that is
   * none, or that of a session of another folder, is a fault that names the latest sessions there are.
   */
  fetch(
    request: {readonly id: string; readonly before: number | 'end'},
    signal: AbortSignal,
  ): Promise<Outcome<FetchedConversation, Fault>>;
}

export interface FetchedConversation {
  readonly id: string;
  /** The first line of its first prompt. */
  readonly title: string;
  readonly updatedAt: number;
  /** In order; texts that are too long are cut and say so. */
  readonly messages: readonly FetchedMessage[];
  /** The number of the first of them, from 1, and of all messages of the session. */
  readonly first: number;
  readonly total: number;
  /** The line before and after what the session says, which nobody could know when it was written. */
  readonly boundary: string;
}

export interface FetchedMessage {
  readonly by: 'user' | 'agent';
  readonly text: string;
}

/** What the agent suggests to the user. */
export interface SuggestionsPort {
  /** Shows a next prompt, which the user may take, change or leave. It is never sent by itself. */
  suggestPrompt(suggestion: {readonly prompt: string; readonly label: string}): void;
  /** Opens a new conversation when the running prompt has ended well; its first prompt takes the summary along. */
  continueInNew(summary: string): void;
}
