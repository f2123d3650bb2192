/**
 * What a scripted model says, in no provider's words. `model-server.ts` speaks it in three protocols.
 *
 *     answers([
 *       [say('I look first.'), call('Bash', {command: 'ls'})],
 *       fail(529),
 *       dropAfter(3, say('one two three four five')),
 *       say('Done.'),
 *     ])
 */
export type Part =
  | {readonly part: 'text'; readonly pieces: readonly string[]}
  | {readonly part: 'thinking'; readonly pieces: readonly string[]; readonly signature: string}
  | {readonly part: 'sealed-thinking'; readonly data: string}
  /** `json` is the input as it is sent; a script may cut it off or spoil it. */
  | {readonly part: 'call'; readonly id: string | undefined; readonly name: string; readonly json: string}
  /** A block as the Messages API has it, and its deltas, or an item as the Responses API has it; chat completions leave it out. */
  | {readonly part: 'raw'; readonly block: object; readonly deltas: readonly object[]}
  /** Sends nothing more until the promise is fulfilled. */
  | {readonly part: 'until'; readonly gate: PromiseLike<unknown>}
  | {readonly part: 'break'; readonly how: Break; readonly after: number}
  | {readonly part: 'usage'; readonly usage: ScriptedUsage}
  | {readonly part: 'stop'; readonly reason: 'max-tokens' | 'refusal'};

/**
 * `reset`: the connection is torn down. `end`: the answer ends properly, but too early. `hang`: nothing more comes. `garbage`: an
 * event that is not JSON. `error`: the provider reports an overload in the middle of the stream.
 */
export type Break = 'reset' | 'end' | 'hang' | 'garbage' | 'error';

/** Tokens as weft counts them: each once. */
export interface ScriptedUsage {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
}

/** An HTTP status in place of an answer. */
export interface Refusal {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** `undefined`: the error body of the dialect, with `message`. */
  readonly body: string | undefined;
  readonly message: string;
  readonly code: string | undefined;
}

export type Answer = Part | readonly Part[] | {readonly refusal: Refusal} | ServerStream | {readonly frames: Buffer};

/** The events of a server as they are sent, and headers of its own. */
export interface ServerStream {
  readonly stream: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** An event stream of chat completions as another server sends it, chunk by chunk. */
export const chunks = (...all: readonly unknown[]): ServerStream => ({
  stream: [...all.map(chunk => JSON.stringify(chunk)), '[DONE]'].map(data => `data: ${data}\n\n`).join(''),
});

/** Text, streamed word by word. */
export const say = (text: string): Part => ({part: 'text', pieces: words(text)});

/** Text in exactly these deltas. */
export const sayPieces = (...pieces: readonly string[]): Part => ({part: 'text', pieces});

/** Thinking; chat completions have no signature, and in the Responses API it is the encrypted text. */
export const think = (text: string, signature = 'sig'): Part => ({part: 'thinking', pieces: words(text), signature});

export const thinkSealed = (data: string): Part => ({part: 'sealed-thinking', data});

/** A tool call; without `id` the server makes one up that is unique. */
export const call = (name: string, input: object, options: {readonly id?: string} = {}): Part => ({
  part: 'call',
  id: options.id,
  name,
  json: JSON.stringify(input),
});

/** A tool call whose input is `json`, which need not be JSON. */
export const callRaw = (name: string, json: string, options: {readonly id?: string} = {}): Part => ({
  part: 'call',
  id: options.id,
  name,
  json,
});

export const raw = (block: object, ...deltas: readonly object[]): Part => ({part: 'raw', block, deltas});

/** Holds the answer here until `gate` is fulfilled. */
export const until = (gate: PromiseLike<unknown>): Part => ({part: 'until', gate});

export const usage = (counts: Partial<ScriptedUsage>): Part => ({
  part: 'usage',
  usage: {input: 10, output: 5, cacheRead: 0, cacheWrite: 0, ...counts},
});

export const stop = (reason: 'max-tokens' | 'refusal'): Part => ({part: 'stop', reason});

/** Breaks off here. */
export const breakOff = (how: Break): Part => ({part: 'break', how, after: 0});

/** Tears the connection down after that many deltas of the answer; tool inputs are sent in two. */
export const dropAfter = (deltas: number, ...parts: readonly Part[]): readonly Part[] => [
  {part: 'break', how: 'reset', after: deltas},
  ...parts,
];

/** Refuses with a status: `fail(429, {headers: {'retry-after': '2'}})`. */
export const fail = (
  status: number,
  options: {
    readonly headers?: Readonly<Record<string, string>>;
    readonly message?: string;
    readonly code?: string;
    readonly body?: string;
  } = {},
): Answer => ({
  refusal: {
    status,
    headers: options.headers ?? {},
    body: options.body,
    message: options.message ?? `scripted ${status}`,
    code: options.code,
  },
});

/** Accepts the request and never answers it. */
export const hang = (): Answer => breakOff('hang');

const words = (text: string): readonly string[] => text.match(/\s*\S+\s*$|\s*\S+/gu) ?? (text === '' ? [] : [text]);
