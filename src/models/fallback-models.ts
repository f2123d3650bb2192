import type {Fault} from '../domain/fault.ts';
import type {FallbackTrigger} from '../domain/model-fallback.ts';

/** The models that may answer in the place of `model`, in order: those behind it where it is one of them itself. */
export function fallbacksAfter(model: string, fallbacks: readonly string[]): readonly string[] {
  return fallbacks.slice(fallbacks.indexOf(model) + 1);
}

/**
 * Why another model is worth asking after this fault; `undefined` where it would fail the same way: it is about the key, the request
 * or the connection.
 */
export function fallbackTrigger(fault: Fault): FallbackTrigger | undefined {
  if (fault.kind !== 'provider') return undefined;
  const {status} = fault;
  if (status === 404) return 'model-not-found';
  if (status === 403) return 'not-allowed';
  if (status === 429 || status === 503 || status === 529) return 'overloaded';
  return status >= 500 ? 'server-error' : undefined;
}
