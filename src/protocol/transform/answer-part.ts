import {jsonText} from '../../base/json.ts';

/** What an answer says next, in no dialect yet. `finished` and `failed` are the last piece of an answer. */
export type AnswerPart = AnswerText | AnswerCall | AnswerEnd;

export type AnswerEnd =
  | {readonly kind: 'finished'; readonly stop: 'end' | 'length'; readonly usage: AnswerUsage | undefined}
  | {readonly kind: 'failed'; readonly failure: AnswerFailure};

export interface AnswerCall {
  readonly kind: 'call';
  /** `todos`: made of what the server told of its todo list, so that a later one says more than an earlier. */
  readonly subject: 'tool' | 'todos';
  /** Unique in the answer. */
  readonly id: string;
  readonly name: string;
  /** The whole input, as the JSON text of an object. */
  readonly input: string;
}

/** Text that a reader has not seen yet. `anew` begins again what turned out different from what was seen. */
export interface AnswerText {
  readonly kind: 'text' | 'thinking';
  readonly text: string;
  readonly opening: 'continues' | 'anew';
}

/** Tokens of all models of the answer; `input` counts those read from and written to a cache as well. */
export interface AnswerUsage {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
}

export interface AnswerFailure {
  readonly reason: 'quota-limit' | 'context-window-exceeded' | 'llm-unavailable' | 'internal-error' | 'invalid-api-key';
  /** One sentence for a person. */
  readonly message: string;
}

/** A server-sent event with `data` as JSON; `name` is left out where it is `''`. */
export function serverEvent(name: string, data: object): string {
  const lead = name === '' ? '' : `event: ${name}\n`;
  return `${lead}data: ${jsonText(data)}\n\n`;
}
