import {isJsonObject, type JsonObject} from '../base/json.ts';
import {omittedInput} from '../domain/conversation.ts';
import {messageId} from '../domain/ids.ts';
import {type Fault, otherRefusal} from '../domain/fault.ts';
import type {FallbackTrigger} from '../domain/model-fallback.ts';
import type {BlockStart, ModelEvent, ModelPort, ModelRequest} from '../domain/model-stream.ts';
import {noUsage} from '../domain/usage.ts';
import type {Access} from './access.ts';
import type {ModelTable} from './model-facts.ts';
import type {ProxyEnvironment} from './proxy.ts';
import {type AnswerContent, connectionLost, type ProviderError, type Refused} from './provider-error.ts';
import type {KeptRefusals, KnownRefusal} from './refusals.ts';
import type {Repair} from './repairs.ts';
import {decideRetry, realClock, type RetryClock} from './retry.ts';
import {
  type BodyChange,
  bodyOf,
  type SessionRefusalChanges,
  type RefusalChanges,
  makeSendOnce,
  closedEarly,
  emptyRefusalChanges,
  type ProviderDialect,
  type SendOnce,
} from './send-request.ts';
import {deltaLength, StreamMerger, TriesBill} from './stream-merger.ts';

/** The dependencies of every connection to a provider. */
export interface ProviderOptions {
  readonly apiKey: string | undefined;
  /** The base URL of the server. `undefined` for the provider's own. */
  readonly baseUrl: string | undefined;
  /** The environment variables that name the proxy, if there is one. */
  readonly environment: ProxyEnvironment;
  /** The known facts about models. */
  readonly models: ModelTable;
  /** The models to try, in this order, if the requested one can't answer. */
  readonly fallbacks: readonly string[];
  readonly clock?: RetryClock;
  /** The lessons of earlier runs about this server. If absent, every run starts anew. */
  readonly memory?: RefusalMemory | undefined;
  /** The silence in milliseconds after which a stream counts as lost, if it is not the usual one. */
  readonly idleMs?: number | undefined;
  /** If absent, weft sends the key in the form that the provider expects. */
  readonly access?: Access | undefined;
}

/** Keeps the lessons of refusals. A memory that fails keeps nothing. */
export interface RefusalMemory {
  /** True if nothing is kept. Loads nothing. */
  isEmpty(): boolean;
  open(): Promise<KeptRefusals>;
}

/** The lessons of a session, by model. */
export class Lessons {
  readonly #dialect: ProviderDialect;
  readonly #memory: RefusalMemory | undefined;
  readonly #learned = new Map<string, SessionRefusalChanges>();
  /** The models about which earlier runs have learnt something. */
  readonly #recalled = new Set<string>();

  constructor(dialect: ProviderDialect, memory: RefusalMemory | undefined) {
    this.#dialect = dialect;
    this.#memory = memory;
  }

  of(model: string): SessionRefusalChanges {
    const known = this.#learned.get(model) ?? emptyRefusalChanges();
    this.#learned.set(model, known);
    return known;
  }

  /** Applies what earlier runs have learnt to the lessons about the request's model. */
  async recall(request: ModelRequest): Promise<void> {
    const learned = this.of(request.model);
    if (learned.known === 'unread') {
      const memory = this.#memory;
      learned.known = memory === undefined || memory.isEmpty() ? [] : (await memory.open()).recall(request.model);
      if (learned.known.length > 0) this.#recalled.add(request.model);
    }
    if (learned.known.length === 0) return;
    const {recallRepairs} = await import('./repairs.ts');
    const body = (): JsonObject => jsonBody(this.#dialect, request, {learned, once: []});
    const {endpoint, refusedBetas} = this.#dialect;
    learned.known = recallRepairs(learned.known, body, {request, learned, server: endpoint.name, refusedBetas});
  }

  /** Returns what the lessons take away from a request, for the user. */
  async lossesAt(request: ModelRequest): Promise<readonly ModelEvent[]> {
    const {losses} = this.of(request.model);
    if (losses.length === 0) return [];
    const body: object = this.#dialect.body(request, emptyRefusalChanges());
    return (await import('./repairs.ts')).lossesAt(request, isJsonObject(body) ? body : {}, losses);
  }

  /** Keeps repairs that have helped. */
  async keep(model: string, known: readonly KnownRefusal[]): Promise<void> {
    await (await this.#memory?.open())?.keep(model, known);
  }

  /** Forgets the lessons of earlier runs, because the server refuses a request all the same. */
  async forget(model: string): Promise<void> {
    if (!this.#recalled.delete(model)) return;
    this.#learned.delete(model);
    await (await this.#memory?.open())?.forget(model);
  }
}

/** Connects to a provider's models over its protocol. */
export function openPort(
  dialect: ProviderDialect,
  {
    provider,
    searchesWeb,
    models,
    fallbacks,
    clock = realClock,
    memory,
    idleMs,
  }: Pick<ModelPort, 'provider' | 'searchesWeb'> &
    Pick<ProviderOptions, 'models' | 'fallbacks' | 'clock' | 'memory' | 'idleMs'>,
): ModelPort {
  const sendOnce = makeSendOnce(dialect, idleMs);
  const lessons = new Lessons(dialect, memory);
  const judge: Judge = (refused, sent) => judgeRefused(refused, sent, dialect);
  return {
    provider,
    searchesWeb,
    stream(request, signal) {
      const bill = new TriesBill(sendOnce, models);
      return bill.withUsage(
        streamWithRetries(request, {sendOnce: bill.sendOnce, clock, fallbacks, lessons, judge}, signal),
      );
    },
    facts: model => models.facts(model),
  };
}

interface SentRequest {
  readonly request: ModelRequest;
  readonly lessons: RefusalChanges;
  readonly tried: ReadonlySet<string>;
}

/** Decides whether to retry, repair or report a refusal. */
type Judge = (
  refused: Refused,
  sent: SentRequest,
) => Promise<{readonly error: ProviderError; readonly repair: Repair | undefined}>;

async function judgeRefused(
  refused: Refused,
  {request, lessons, tried}: SentRequest,
  dialect: ProviderDialect,
): ReturnType<Judge> {
  const {endpoint} = dialect;
  if (refused.status === 200) {
    const {notMessageError} = await import('./not-message.ts');
    const error = notMessageError(refused.body, endpoint);
    if (error !== undefined) return {error, repair: undefined};
  }
  const {judgeRefusal} = await import('./refusals.ts');
  const judged = judgeRefusal(refused, endpoint, request);
  if (judged.is.kind === 'other' || judged.is.kind === 'too-long') return {error: judged.error, repair: undefined};
  const {repairOf} = await import('./repairs.ts');
  const given = {
    request,
    body: jsonBody(dialect, request, lessons),
    learned: lessons.learned,
    server: endpoint.name,
    tried,
    refusedBetas: dialect.refusedBetas,
  };
  return {error: judged.error, repair: repairOf(judged, given)};
}

function jsonBody(dialect: ProviderDialect, request: ModelRequest, changes: RefusalChanges): JsonObject {
  const body: object = bodyOf(dialect, request, changes);
  return isJsonObject(body) ? body : {};
}

const nothingToUndo = (): void => {};

/**
 * Streams one answer, with as many tries as the policy of `retry.ts` allows. If nothing was shown, weft sends the same
 * request again. Once text was shown, weft asks the model to continue this text, and the answer continues in the same
 * message (`stream-merger.ts` has the rules). If the model can't answer and no block has arrived, or declines to answer,
 * the next of the `fallbacks` gets the same request.
 */
export async function* streamWithRetries(
  first: ModelRequest,
  {
    sendOnce,
    clock,
    fallbacks,
    lessons: learning,
    judge,
  }: {
    readonly sendOnce: SendOnce;
    readonly clock: RetryClock;
    readonly fallbacks: readonly string[];
    readonly lessons: Pick<Lessons, 'of' | 'recall' | 'lossesAt' | 'keep' | 'forget'>;
    readonly judge: Judge;
  },
  signal: AbortSignal,
): AsyncGenerator<readonly ModelEvent[], void, void> {
  let request = first;
  let others = fallbacksAfter(first.model, fallbacks);
  let merger = new StreamMerger();
  let tried = new Set<string>();
  let once: readonly BodyChange[] = [];
  let undo = nothingToUndo;
  let repaired: readonly KnownRefusal[] = [];
  /** The events of a repair that the user sees when the answer begins. */
  let helpful: readonly ModelEvent[] = [];
  /** The number of tries whose answer had begun or ended in order, and that are billed. */
  let billed = 0;
  for (let attempt = 1; !signal.aborted; attempt++) {
    let error: ProviderError | Refused | undefined;
    await learning.recall(request);
    if (attempt === 1 && tried.size === 0) {
      const losses = await learning.lossesAt(request);
      if (losses.length > 0) yield losses;
    }
    const lessons = {learned: learning.of(request.model), once};
    let declined: Fault | undefined;
    const bounds = new AnswerBounds();
    let asIs: readonly ModelEvent[] = [];
    // The server has read the request, so the try may be billed.
    let isStarted = false;
    let isBegun = false;
    for await (const item of sendOnce(continued(request, merger.shownText), lessons, signal)) {
      if (item.kind === 'error') {
        error = item.error;
        break;
      }
      if (item.kind === 'unmarked') {
        if (!keepsUnmarked(item.content, lessons.learned, billed)) {
          error = closedEarly(item.content === 'none' && merger.shownText !== '' ? 'cut-text' : item.content);
          break;
        }
        asIs = [unmarkedNote];
        continue;
      }
      isStarted ||= item.events.length > 0;
      isBegun ||= item.events.some(({event}) => event === 'block-started');
      if (isBegun && repaired.length > 0) {
        await learning.keep(request.model, repaired);
        repaired = [];
      }
      if (isBegun && helpful.length > 0) {
        yield helpful;
        helpful = [];
      }
      declined = others.length === 0 ? undefined : declinedFault(item.events, request.model);
      const events = merger.take(declined === undefined ? item.events : item.events.filter(isNotEnd));
      if (events.length > 0) yield [...asIs, ...events];
      asIs = [];
      if (declined !== undefined) {
        error = {kind: 'final', fault: declined};
        break;
      }
      const overrun = bounds.overrun(item.events);
      if (overrun?.kind === 'tool-input') {
        yield merger.endWithout(overrun);
        return;
      }
      if (overrun !== undefined) {
        error = overrun.error;
        break;
      }
      if (merger.finished) return;
    }
    if (signal.aborted) return;
    error ??= connectionLost('The answer was cut off.');

    const broken = [...merger.breakOff()];
    if (error.kind === 'refused') {
      const judged = await judge(error, {request, lessons, tried});
      // If the server refuses the repaired request too, the repair did not help.
      if (judged.repair === undefined && isFinalRefusal(judged.error)) {
        undo();
        repaired = [];
        helpful = [];
        await learning.forget(request.model);
      }
      undo = nothingToUndo;
      const repair = merger.hasBlocks ? undefined : judged.repair;
      if (repair !== undefined) {
        if (repair.said === 'if-it-helps') helpful = [repair.event];
        yield repair.said === 'if-it-helps' ? broken : [...broken, repair.event];
        ({request} = repair);
        tried.add(repair.key);
        ({undo} = repair);
        if (repair.known !== undefined) repaired = [...repaired, repair.known];
        if (repair.once !== undefined) once = [...once, repair.once];
        attempt -= 1;
        continue;
      }
      ({error} = judged);
    }
    if (error.kind === 'passing' && merger.hasFinishedCalls) {
      yield [...broken, ...merger.endWithCalls()];
      return;
    }
    // If a model continues after another one declined, it continues in the same message.
    const isShown = merger.hasBlocks;
    const fallback = isShown && declined === undefined ? undefined : others[0];
    const otherwise = fallback === undefined ? 'nobody' : 'another-model';
    const isPaid =
      isBegun || (error.kind === 'passing' && (error.patience === 'one-repeat' || (isStarted && error.status === 0)));
    if (isPaid) billed += 1;
    const next = decideRetry(error, {attempt, billed, otherwise}, clock);
    const trigger = next.step === 'give-up' ? fallbackTrigger(next.fault) : undefined;
    if (next.step === 'give-up' && fallback !== undefined && trigger !== undefined) {
      yield [...broken, {event: 'fell-back', model: request.model, fallback, trigger, message: next.fault.message}];
      request = {...request, model: fallback};
      others = others.slice(1);
      if (!isShown) merger = new StreamMerger();
      tried = new Set();
      once = [];
      repaired = [];
      helpful = [];
      undo = nothingToUndo;
      attempt = 0;
      billed = 0;
      continue;
    }
    if (next.step === 'give-up') {
      yield [...broken, ...merger.close(), {event: 'failed', fault: next.fault}];
      return;
    }
    const {step: _, ...retry} = next;
    const message = error.kind === 'passing' ? error.message : '';
    const status = error.kind === 'passing' ? error.status : 0;
    if (isPaid && message !== '') broken.push(askedAgain(message, retry));
    yield [...broken, {event: 'retrying', ...retry, status, message}];
    await clock.sleep(next.delayMs, signal);
  }
}

/**
 * True if an answer without an end mark is kept. Text that stops in the middle of a sentence never is. The agent asks for
 * a cut call again.
 */
const keepsUnmarked = (content: AnswerContent, {endMarks}: SessionRefusalChanges, billed: number): boolean =>
  content === 'whole'
    ? billed > 0 || endMarks === 'unknown'
    : content === 'cut-call' && billed > 0 && endMarks === 'unknown';

/** The line about a repeat that costs money. */
const askedAgain = (
  message: string,
  {attempt, maxAttempts}: {readonly attempt: number; readonly maxAttempts: number},
): ModelEvent => ({
  event: 'repaired',
  repair: 'asked-again',
  text: `${message} weft asked again (try ${attempt} of ${maxAttempts}).`,
  leftOut: [],
});

const unmarkedNote: ModelEvent = {
  event: 'repaired',
  repair: 'no-end-mark',
  text: "The server didn't mark the end of the answer; it may be cut.",
  leftOut: [],
};

/** True if the server refused the request itself, and not its length, its key or its time. */
const isFinalRefusal = (error: ProviderError): boolean =>
  error.kind === 'final' &&
  error.fault.kind === 'provider' &&
  error.fault.refusal.kind !== 'policy' &&
  error.fault.refusal.kind !== 'too-long' &&
  (error.fault.status === 400 || error.fault.status === 422);

/** The fault if the provider's safeguards ended the answer. */
function declinedFault(events: readonly ModelEvent[], model: string): Fault | undefined {
  const end = events.find(event => event.event === 'message-finished');
  if (end?.stop !== 'refusal') return undefined;
  const why = end.explanation === undefined ? '.' : `: ${end.explanation}`;
  return {kind: 'provider', message: `${model} declined to answer${why}`, fix: '', status: 403, refusal: otherRefusal};
}

const isNotEnd = ({event}: ModelEvent): boolean => event !== 'message-finished';

/** Returns the fallback models for `model`, in order. If `model` is one of them, returns only those after it. */
function fallbacksAfter(model: string, fallbacks: readonly string[]): readonly string[] {
  return fallbacks.slice(fallbacks.indexOf(model) + 1);
}

/**
 * Returns why another model might succeed after this fault; `undefined` if another model would fail in the same way,
 * because of the key, the request or the connection.
 */
function fallbackTrigger(fault: Fault): FallbackTrigger | undefined {
  if (fault.kind !== 'provider') return undefined;
  const {status, refusal} = fault;
  if (refusal.kind === 'policy') return 'not-allowed';
  if (status === 404) return 'model-not-found';
  if (status === 403) return 'not-allowed';
  if (status === 429 || status === 503 || status === 529) return 'overloaded';
  return status >= 500 ? 'server-error' : undefined;
}

/** Returns `request`, extended by the text shown so far and a prompt to continue it. */
function continued(request: ModelRequest, shown: string): ModelRequest {
  // Providers refuse a message of only white space, and a model that starts over loses nothing in that case.
  if (shown.trim() === '') return request;
  return {
    ...request,
    messages: [
      ...request.messages,
      {
        role: 'assistant',
        id: messageId('broken-off'),
        model: request.model,
        blocks: [{kind: 'text', text: shown}],
        stop: 'interrupted',
        usage: noUsage,
      },
      {role: 'user', id: messageId('go-on'), blocks: [{kind: 'text', text: goOn}]},
    ],
  };
}

const goOn =
  'The connection dropped after that text; the user has read it. Continue exactly where it stopped, in the middle of the word ' +
  'if need be. Do not repeat any of it and do not mention the interruption.';

/**
 * The maximum size of one answer in UTF-16 units, many times the longest real answers. weft reads no more, because such
 * an answer wouldn't end.
 */
const maxBlockLength = 4 * 1024 * 1024;
const maxAnswerLength = 16 * 1024 * 1024;
const maxBlocks = 1000;

type Overrun =
  /** The input of this tool call doesn't end. The call gets an error, and everything before it stays. */
  | {readonly kind: 'tool-input'; readonly index: number; readonly instead: string}
  | {readonly kind: 'answer'; readonly error: ProviderError};

/** Counts the content of one try at an answer. */
class AnswerBounds {
  readonly #blocks = new Map<number, {readonly kind: BlockStart['kind']; length: number}>();
  #length = 0;

  /** Returns the first event that exceeds a limit. */
  overrun(events: readonly ModelEvent[]): Overrun | undefined {
    for (const event of events) {
      if (event.event === 'block-started') {
        this.#blocks.set(event.index, {kind: event.block.kind, length: 0});
        if (this.#blocks.size > maxBlocks) return tooMuch(`more than ${maxBlocks} blocks (texts and tool calls)`);
        continue;
      }
      if (event.event !== 'block-delta') continue;
      const block = this.#blocks.get(event.index);
      if (block === undefined) continue;
      const length = deltaLength(event.delta);
      block.length += length;
      this.#length += length;
      if (block.length > maxBlockLength) {
        if (block.kind === 'tool-call') return {kind: 'tool-input', index: event.index, instead: leftOut};
        return tooMuch(`a text of more than ${megabytes(maxBlockLength)}`);
      }
      if (this.#length > maxAnswerLength) return tooMuch(`more than ${megabytes(maxAnswerLength)}`);
    }
    return undefined;
  }
}

const megabytes = (length: number): string => `${length / 1024 / 1024} MB`;

const leftOut = omittedInput(
  `it is longer than ${megabytes(maxBlockLength)}, and weft stopped reading there. Nothing was done; give less at a time`,
);

const tooMuch = (what: string): Overrun => ({
  kind: 'answer',
  error: {
    kind: 'final',
    fault: {
      kind: 'provider',
      message: `The answer is too long: it has ${what}. weft stopped reading and ran none of its tool calls.`,
      fix: 'Rephrase the prompt, or use another model.',
      status: 0,
      refusal: otherRefusal,
    },
  },
});
