import type {ModelEvent, ModelFacts, ModelRequest} from '../domain/model-stream.ts';

/** A model provider as the engine sees it. */
export interface ModelConnection {
  readonly provider: string;
  /**
   * Streams one answer, a batch for each piece that arrives from the network. Expected trouble is a `failed` event, retries
   * happen inside. After an abort the iteration ends soon, without throwing.
   */
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<readonly ModelEvent[]>;
  facts(model: string): ModelFacts;
}
