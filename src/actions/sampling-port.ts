import type {Outcome} from '../base/outcome.ts';
import type {ImageBlock, TextBlock} from '../domain/conversation.ts';

/** Model requests outside the conversation. */
export interface SamplingPort {
  model(): string;
  /** Returns why sampling is not possible now. Empty if sampling is possible. */
  refusalReason(): string;
  /** Asks the model without tools or conversation, and counts the cost. An error says why there is no answer. */
  answer(question: ModelQuestion, signal: AbortSignal): Promise<Outcome<SampledAnswer, string>>;
}

export interface ModelQuestion {
  readonly system: string;
  /** The messages. The first and the last are from the user. */
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
