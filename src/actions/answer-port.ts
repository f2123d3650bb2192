import type {Json} from '../base/json.ts';
import type {Outcome} from '../base/outcome.ts';
import type {Fault} from '../domain/fault.ts';

/** Where the final answer goes when the caller wants it as JSON of a schema. */
export interface AnswerPort {
  /** Takes the answer out of what the model wrote; a fault says what does not fit the schema. */
  give(written: Json): Outcome<Json, Fault>;
}
