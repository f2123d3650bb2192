import type {Outcome} from '../base/outcome.ts';
import type {ImageBlock, TextBlock} from '../domain/conversation.ts';

/** The model, for what is no part of the conversation. */
export interface SamplingPort {
  model(): string;
  /** Why the user is not asked about a sampling now; empty where nothing stands in the way. */
  obstacle(): string;
  /** Asks without tools and with no word of the conversation, and counts the cost. An error says why there is no answer. */
  answer(question: ModelQuestion, signal: AbortSignal): Promise<Outcome<SampledAnswer, string>>;
}

export interface ModelQuestion {
  readonly system: string;
  /** Begins and ends with the user. */
  readonly messages: readonly AskedMessage[];
  readonly maxTokens: number;
}

export interface AskedMessage {
  readonly role: 'user' | 'assistant';
  readonly blocks: readonly (TextBlock | ImageBlock)[];
}

export interface SampledAnswer {
  readonly text: string;
  readonly model: string;
  readonly end: 'whole' | 'cut-off';
}
