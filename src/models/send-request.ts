import {randomUUID} from 'node:crypto';
import type {Readable} from 'node:stream';
import {isJsonObject, type JsonObject} from '../base/json.ts';
import type {ModelEvent, ModelRequest, Repaired} from '../domain/model-stream.ts';
import type {Decoder} from './decoder.ts';
import type {KnownRefusal} from './refusals.ts';
import {TextCalls} from './text-calls.ts';
import {takeUnreadBody, readServerEvents} from './http-fetch.ts';
import {
  type AnswerContent,
  connectionLost,
  type Endpoint,
  notMessage,
  type ProviderError,
  type Refused,
  type ServerHistory,
  briefError,
  toProviderError,
  type AttemptItem,
} from './provider-error.ts';

/** A wire protocol: how weft sends a request and reads the response. */
export interface ProviderDialect {
  readonly endpoint: Endpoint;
  /** Returns the body of the request, without the changes of `learned`. */
  body(request: ModelRequest, learned: SessionRefusalChanges): object;
  /** Sends a body unchanged. The response must come from `makeHttpFetch`. Rejects with the SDK's errors. */
  post(body: object, signal: AbortSignal): Promise<Response>;
  decoder(request: ModelRequest): Decoder;
  /** The betas that the server refused; `all` for all of them. Requests leave them out. */
  readonly refusedBetas?: Set<string>;
}

export type BodyChange = (body: JsonObject) => JsonObject;
export type RequestChange = (request: ModelRequest) => ModelRequest;

/** A lesson that takes something away. `from`: what it takes it from. `refused-media`: media that the session leaves out for good. */
export interface Loss {
  readonly from: 'media' | 'refused-media' | 'request';
  readonly event: Repaired;
  readonly body: BodyChange | undefined;
  readonly conversation: RequestChange | undefined;
}

/** The lessons of refusals about one model of a server. They hold for the session. */
export interface SessionRefusalChanges {
  readonly requestChanges: RequestChange[];
  readonly bodyChanges: BodyChange[];
  /** `required`: the server refuses answers that come back without their thinking. */
  thinkingEcho: 'as-known' | 'required';
  /** `refused`: the server can't load tools on demand. */
  toolReferences: 'as-known' | 'refused';
  /** The changes that take something away. Each prompt that loses something names them. */
  readonly losses: Loss[];
  /** Whether the server has marked the end of an answer. */
  endMarks: 'unknown' | 'sent';
  /** The refusals of earlier runs that no request of this run would have got so far. `unread`: not read yet. */
  known: readonly KnownRefusal[] | 'unread';
}

export const emptyRefusalChanges = (): SessionRefusalChanges => ({
  requestChanges: [],
  bodyChanges: [],
  losses: [],
  thinkingEcho: 'as-known',
  toolReferences: 'as-known',
  endMarks: 'unknown',
  known: 'unread',
});

/** The changes that earlier refusals require: for the whole session, and for this request alone. */
export interface RefusalChanges {
  readonly learned: SessionRefusalChanges;
  readonly once: readonly BodyChange[];
}

/** Sends the request once. It throws only on bugs, and leaves nothing open when it is abandoned. */
export type SendOnce = (
  request: ModelRequest,
  lessons: RefusalChanges,
  signal: AbortSignal,
) => AsyncIterable<AttemptItem>;

/** Returns the body of a request with the changes that earlier refusals require. */
export function bodyOf(dialect: ProviderDialect, request: ModelRequest, {learned, once}: RefusalChanges): object {
  const changed = learned.requestChanges.reduce((done, change) => change(done), request);
  const body: object = dialect.body(changed, learned);
  return isJsonObject(body) ? [...learned.bodyChanges, ...once].reduce((done, change) => change(done), body) : body;
}

/**
 * The usual silence in milliseconds after which a stream counts as lost. Local models may read a long prompt for minutes
 * before the first word.
 */
const maxSilenceMs = 300_000;
/** The same for a stream of comments, which only say that the server is alive. */
const maxCommentsMs = 1_800_000;
/** The longest time that weft waits for the rest of a finished answer, in milliseconds, so that its connection can be reused. */
const maxDrainMs = 1_000;

/** Makes the function that tries a request once in `dialect`. */
export function makeSendOnce(dialect: ProviderDialect, idleMs = maxSilenceMs): SendOnce {
  let server: ServerHistory = 'never-answered';
  return async function* sendOnce(request, lessons, signal): AsyncGenerator<AttemptItem, void, void> {
    const abort = new AbortController();
    const onAbort = (): void => abort.abort();
    signal.addEventListener('abort', onAbort);
    if (signal.aborted) abort.abort();
    const decoder = dialect.decoder(request);
    const textCalls = new TextCalls(request, () => randomUUID().replaceAll('-', ''));
    let whole = false;
    let silent = idleMs === maxSilenceMs ? 'five minutes' : `${idleMs / 1000} seconds`;
    try {
      const response = await dialect.post(bodyOf(dialect, request, lessons), abort.signal);
      server = 'answered-before';
      decoder.readHeaders(response.headers);
      const body = takeUnreadBody(response);
      const silence = setTimeout(() => abort.abort(), idleMs);
      const onlyComments = setTimeout(
        () => {
          silent = '30 minutes';
          abort.abort();
        },
        Math.max(maxCommentsMs, idleMs),
      );
      try {
        for await (const payloads of await eventsOf(response, body)) {
          silence.refresh();
          if (payloads.length > 0) onlyComments.refresh();
          const events: ModelEvent[] = [];
          const error = takeAll(payloads, decoder, events);
          whole = decoder.finished;
          if (decoder.hasEnd) lessons.learned.endMarks = 'sent';
          yield* shownOf(events, textCalls);
          if (error !== undefined) yield {kind: 'error', error};
          if (error !== undefined || whole) return;
        }
      } finally {
        clearTimeout(silence);
        clearTimeout(onlyComments);
        if (whole) drain(body);
      }
      const isJson = formOf(response) === 'json';
      const events: ModelEvent[] = [];
      if (isJson && decoder.hasBlocks) decoder.endAsIs(events);
      else decoder.end(events);
      whole = decoder.finished;
      yield* shownOf(events, textCalls);
      if (whole) return;
      if (!decoder.hasBlocks && (!decoder.started || decoder.unread !== '' || isJson)) {
        yield {kind: 'error', error: notMessage(decoder.unread)};
        return;
      }
      yield {kind: 'unmarked', content: decoder.content};
      const rest: ModelEvent[] = [];
      decoder.endAsIs(rest);
      whole = true;
      yield* shownOf(rest, textCalls);
    } catch (cause) {
      if (signal.aborted) return;
      // The answer is complete and paid for, so weft doesn't ask again.
      if (decoder.hasEnd) {
        const events: ModelEvent[] = [];
        decoder.end(events);
        yield* shownOf(events, textCalls);
        return;
      }
      yield {
        kind: 'error',
        error: abort.signal.aborted ? silentFor(silent) : toProviderError(cause, dialect.endpoint, server),
      };
    } finally {
      signal.removeEventListener('abort', onAbort);
      if (!whole) abort.abort();
    }
  };
}

/** The stream ended in order, but the answer did not. */
export const closedEarly = (content: AnswerContent): ProviderError =>
  content === 'cut-text' || content === 'cut-message'
    ? connectionLost(
        'The server cut the answer in the middle of a sentence.',
        'one-repeat',
        'Try again, or check the output and time limits of the server and its proxy.',
      )
    : connectionLost('The connection closed during the answer.', 'one-repeat');

const silentFor = (time: string): ProviderError =>
  briefError(`No data from the model for ${time}.`, 'Try again later, use another model, or set streamIdleTimeoutMs.');

async function* shownOf(events: readonly ModelEvent[], textCalls: TextCalls): AsyncGenerator<AttemptItem, void, void> {
  const shown = textCalls.take(events);
  if (textCalls.isUndecided) shown.push(...(await textCalls.decide()));
  if (shown.length > 0) yield {kind: 'events', events: shown};
}

function takeAll(
  payloads: readonly string[],
  decoder: Decoder,
  out: ModelEvent[],
): ProviderError | Refused | undefined {
  for (const payload of payloads) {
    const error = decoder.take(payload, out);
    if (error !== undefined) return error;
    if (decoder.finished) return undefined;
  }
  return undefined;
}

async function eventsOf(response: Response, body: Readable): Promise<AsyncIterable<readonly string[]>> {
  const form = formOf(response);
  return form === 'aws' ? (await import('./aws-event-stream.ts')).readAwsEvents(body) : readServerEvents(body, form);
}

function formOf({headers}: Response): 'aws' | 'json' | 'stream' {
  const type = headers.get('content-type') ?? '';
  if (type.startsWith('application/vnd.amazon.eventstream')) return 'aws';
  return /^application\/(?:[\w.-]+\+)?json\b/iu.test(type) ? 'json' : 'stream';
}

/** Reads the rest of the body, usually only the end mark, so that the next request can reuse the connection. */
function drain(body: ReturnType<typeof takeUnreadBody>): void {
  if (body.readableEnded) return;
  const timer = setTimeout(() => body.destroy(), maxDrainMs);
  body.on('close', () => clearTimeout(timer));
  body.on('error', () => clearTimeout(timer));
  body.resume();
}
