/** Why another model answers in the place of the one that was asked. */
export type FallbackTrigger = 'overloaded' | 'server-error' | 'model-not-found' | 'not-allowed';

/** The model that was asked cannot answer, and nothing of its answer had come: the same request goes to `fallback`. */
export interface FellBack {
  readonly event: 'fell-back';
  readonly model: string;
  readonly fallback: string;
  readonly trigger: FallbackTrigger;
  /** The provider's message about `model`. */
  readonly message: string;
}

/** Most models that are tried after the one that was asked. */
export const maxFallbacks = 3;

/** The same in words, for people. */
export const fallbackText = ({model, fallback, message}: FellBack): string =>
  `${model} does not answer; ${fallback} answers the rest of this prompt, and the next prompt asks ${model} again. ${message}`;
