import {jsonText} from '../../base/json.ts';

/** The next part of an answer, before it is written in a dialect. `finished` and `failed` are always last. */
export type AnswerPart = AnswerText | AnswerCall | AnswerEnd;

export type AnswerEnd =
  | {readonly kind: 'finished'; readonly stop: 'end' | 'length'; readonly usage: AnswerUsage | undefined}
  | {readonly kind: 'failed'; readonly failure: AnswerFailure};

export interface AnswerCall {
  readonly kind: 'call';
  /** `todos`: built from the server's todo list, so that a later call supersedes an earlier one. */
  readonly subject: 'tool' | 'todos';
  /** The call's id, unique in the answer. */
  readonly id: string;
  readonly name: string;
  /** The whole input, as the JSON text of an object. */
  readonly input: string;
}

/** Text that the reader has not seen yet. `anew` starts over because earlier text changed. */
export interface AnswerText {
  readonly kind: 'text' | 'thinking';
  readonly text: string;
  readonly opening: 'continues' | 'anew';
}

/** Tokens of all models of the answer. `input` includes tokens read from and written to a cache. */
export interface AnswerUsage {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
}

export interface AnswerFailure {
  readonly reason: 'quota-limit' | 'context-window-exceeded' | 'llm-unavailable' | 'internal-error' | 'invalid-api-key';
  /** One sentence for the user. */
  readonly message: string;
}

/** Returns a server-sent event with `data` as JSON. An empty `name` is omitted. */
export function serverEvent(name: string, data: object): string {
  const lead = name === '' ? '' : `event: ${name}\n`;
  return `${lead}data: ${jsonText(data)}\n\n`;
}
