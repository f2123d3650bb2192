/** Why another model answers instead of the requested one. */
export type FallbackTrigger = 'overloaded' | 'server-error' | 'model-not-found' | 'not-allowed';

/** The requested model can't answer and sent no part of an answer, so the same request goes to `fallback`. */
export interface ModelFallback {
  readonly event: 'fell-back';
  readonly model: string;
  readonly fallback: string;
  readonly trigger: FallbackTrigger;
  /** The provider's message about `model`. */
  readonly message: string;
}

/** The maximum number of models that are tried after the requested one. */
export const maxFallbacks = 3;

/** Describes the fallback for people. */
export const fallbackText = ({model, fallback, message}: ModelFallback): string =>
  `${model} does not answer; ${fallback} answers the rest of this prompt, and the next prompt asks ${model} again. ${message}`;
