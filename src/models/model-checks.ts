import {isJsonObject, type Json, type JsonObject} from '../base/json.ts';
import {
  type AssistantBlock,
  messageText,
  type Message,
  type StopReason,
  type ToolCallBlock,
} from '../domain/conversation.ts';
import {type Fault, faultText} from '../domain/fault.ts';
import {messageId} from '../domain/ids.ts';
import type {ModelPort, ModelRequest, ToolSpec} from '../domain/model-stream.ts';
import {noUsage, type Usage} from '../domain/usage.ts';
import type {ModelInfo} from './model-facts.ts';

/** The result of a check. `ok` is also true for a feature that the model does not claim to have. */
export interface ModelCheck {
  readonly check: CheckName;
  readonly ok: boolean;
  readonly detail: string;
}

export const checkNames = [
  'text',
  'tool-call',
  'parallel-calls',
  'cut',
  'thinking',
  'image',
  'schema',
  'context',
  'caching',
  'streaming',
] as const;
type CheckName = (typeof checkNames)[number];

/** Roughly what all checks send and receive together, in tokens. */
export const checksUsage: Usage = {...noUsage, inputTokens: 18_000, outputTokens: 3000};

/** Milliseconds for one answer. Local models read slowly. */
const usualLimitMs = 180_000;
/** The longest wait before a repeated request, in milliseconds. */
const longestWaitMs = 10_000;
const maxTokens = 4096;
const cutTokens = 64;
/** The maximum number of tokens of the text that tests the context. Providers cache texts of this size. */
const contextTokens = 6000;

interface CheckedModel {
  readonly port: ModelPort;
  readonly model: string;
  readonly info: ModelInfo;
  readonly limitMs?: number;
}

interface Answer {
  readonly blocks: readonly AssistantBlock[];
  readonly text: string;
  readonly calls: readonly ToolCallBlock[];
  readonly stop: StopReason | undefined;
  readonly usage: Usage;
  readonly repairs: readonly string[];
  /** Why there is no answer; empty if there is one. */
  readonly error: string;
  readonly fault: Fault | undefined;
}

type Verdict = Omit<ModelCheck, 'check'>;
const ok = (detail: string): Verdict => ({ok: true, detail});
const bad = (detail: string): Verdict => ({ok: false, detail});
const notClaimed = (why: string): Verdict => ok(`not claimed: ${why}`);

/** Runs the checks in order, with one request each. Stops if the model doesn't answer at all. */
export async function* checkModel(checked: CheckedModel, signal: AbortSignal): AsyncGenerator<ModelCheck, void, void> {
  const state: CheckState = {called: undefined, long: undefined, counted: undefined};
  let reason = '';
  for (const check of checkNames) {
    if (signal.aborted) return;
    const verdict = reason === '' ? await checks[check](checked, state, signal) : bad(`not run: ${reason}`);
    if (check === 'text' && state.counted?.error !== '') reason = 'the model does not answer';
    if (!signal.aborted) yield {check, ...verdict};
  }
}

/** The answers that later checks look at again. */
interface CheckState {
  called: Answer | undefined;
  long: Answer | undefined;
  counted: Answer | undefined;
}

type Check = (checked: CheckedModel, state: CheckState, signal: AbortSignal) => Promise<Verdict>;

const checks: Readonly<Record<CheckName, Check>> = {
  async text(checked, state, signal) {
    const answer = await ask(checked, {messages: [user('Count from 1 to 20, with spaces between.')]}, signal);
    state.counted = answer;
    if (answer.error !== '') return bad(answer.error);
    if (answer.text.trim() === '') return bad('the answer has no text');
    return answer.stop === 'end-turn' ? ok('answers') : bad(`the answer ended with ${answer.stop}`);
  },
  async 'tool-call'(checked, state, signal) {
    const answer = await ask(checked, {messages: [user(weatherPrompt('Paris'))], tools: [weatherTool]}, signal);
    state.called = answer;
    if (answer.error !== '') return bad(answer.error);
    const [call] = answer.calls;
    if (call === undefined) return bad(`made no call, but answered ${quoted(answer.text)}`);
    if (call.name !== weatherTool.name) return bad(`called ${call.name} instead of ${weatherTool.name}`);
    return cityOf(call) === '' ? bad(`called it with ${quoted(JSON.stringify(call.input))}`) : ok('calls a tool');
  },
  async 'parallel-calls'(checked, _state, signal) {
    const text = `${weatherPrompt('Paris and in Rome')} Make both calls at once, in one answer.`;
    const answer = await ask(checked, {messages: [user(text)], tools: [weatherTool]}, signal);
    if (answer.error !== '') return bad(answer.error);
    const calls = answer.calls.filter(call => cityOf(call) !== '');
    return calls.length > 1 ? ok(`makes ${calls.length} calls at once`) : bad(`made ${calls.length} of 2 calls`);
  },
  async cut(checked, _state, signal) {
    const prompt = user('Count from 1 to 500, with spaces between.');
    const answer = await ask(checked, {messages: [prompt], maxTokens: cutTokens}, signal);
    if (answer.error !== '') return bad(answer.error);
    return answer.stop === 'max-tokens'
      ? ok(`says that the answer was cut at ${cutTokens} tokens`)
      : bad(`the limit of ${cutTokens} tokens had no effect: the answer ended with ${answer.stop}`);
  },
  async thinking(checked, {called}, signal) {
    if (called === undefined || called.error !== '') return bad('no answer to continue');
    const results = called.calls.map(({id}) => ({
      kind: 'tool-result' as const,
      id,
      content: [{kind: 'text' as const, text: 'Sunny, 21 degrees.'}],
      outcome: 'success' as const,
    }));
    const messages: readonly Message[] = [
      user(weatherPrompt('Paris')),
      {
        role: 'assistant',
        id: messageId('called'),
        model: checked.model,
        blocks: called.blocks,
        stop: called.stop ?? 'end-turn',
        usage: called.usage,
      },
      results.length === 0
        ? user('How many degrees? Guess.', 'next')
        : {role: 'user', id: messageId('next'), blocks: results},
    ];
    const answer = await ask(checked, {messages, tools: [weatherTool]}, signal);
    if (answer.error !== '') return bad(answer.error);
    const thinks = called.blocks.some(
      ({kind}) => kind === 'thinking' || kind === 'sealed-thinking' || kind === 'other',
    );
    if (answer.text.trim() === '' && answer.calls.length === 0) return bad('the next answer is empty');
    return thinks ? ok('takes its thinking back') : notClaimed('the answer had no thinking');
  },
  async image(checked, _state, signal) {
    const claimed = checked.info.images;
    if (claimed === 'unseen') return notClaimed('the model reads no images');
    const image = {kind: 'image', mediaType: 'image/png', data: redSquare} as const;
    const prompt: Message = {
      role: 'user',
      id: messageId('image'),
      blocks: [image, {kind: 'text', text: 'Which color is this image? Answer with one word.'}],
    };
    const answer = await ask(checked, {messages: [prompt]}, signal);
    const sees = answer.error === '' && answer.repairs.length === 0 && /\bred\b/iu.test(answer.text);
    if (sees) return ok('sees a red square');
    const what = answer.error || answer.repairs[0] || `answered ${quoted(answer.text)} about a red square`;
    return claimed === 'seen' ? bad(what) : notClaimed(what);
  },
  async schema(checked, _state, signal) {
    const text = `Use ${bookTool.name} once: a table for 4 guests, outside, with 1 high chair and 2 menus as extras.`;
    const answer = await ask(checked, {messages: [user(text)], tools: [bookTool]}, signal);
    if (answer.error !== '') return bad(answer.error);
    const [call] = answer.calls;
    if (call === undefined) return bad(`made no call, but answered ${quoted(answer.text)}`);
    return fitsBooking(call.input)
      ? ok('its input fits a nested schema')
      : bad(`its input does not fit: ${quoted(JSON.stringify(call.input))}`);
  },
  async context(checked, state, signal) {
    const answer = await ask(checked, longRequest(checked), signal);
    state.long = answer;
    if (answer.error !== '') return bad(answer.error);
    const read = inputOf(answer.usage);
    const sent = longTokens(checked);
    const window = checked.info.contextWindow;
    const claim = window === 0 ? 'its window is unknown' : `its window is ${window.toLocaleString('en-US')} tokens`;
    return answer.text.toLowerCase().includes(codeWord) || read > sent * 0.7
      ? ok(`reads ${(read || sent).toLocaleString('en-US')} tokens; ${claim}`)
      : bad(`lost the beginning of ${sent.toLocaleString('en-US')} tokens, and ${claim}`);
  },
  async caching(checked, {long}, signal) {
    if (long === undefined || long.error !== '') return bad('no answer to repeat');
    const answer = await ask(checked, longRequest(checked), signal);
    if (answer.error !== '') return bad(answer.error);
    const {cacheReadTokens} = answer.usage;
    if (cacheReadTokens > 0) return ok(`reads ${cacheReadTokens.toLocaleString('en-US')} tokens from the cache`);
    const {price} = checked.info;
    return price !== 'unknown' && price.cacheRead < price.input
      ? bad('read nothing from the cache, although its price has a discount for that')
      : notClaimed('it read nothing from a cache');
  },
  async streaming(checked, {counted}, signal) {
    const answer = await ask({...checked, model: unknownModel}, {messages: [user('Hello.')]}, signal);
    if (counted === undefined || counted.error !== '') return bad('no answer to look at');
    const {usage} = counted;
    if (usage.estimated === true) return bad('reports no usage');
    if (answer.error === '') return ok('reports usage, and answers to any model name');
    const {fault} = answer;
    return fault?.kind === 'provider' && fault.status >= 400 && fault.status < 500
      ? ok(`reports usage, and refuses an unknown model (${fault.status})`)
      : bad(`the error for an unknown model is unclear: ${answer.error}`);
  },
};

const unknownModel = 'weft-no-such-model';
const codeWord = 'kestrel';

const user = (text: string, id = 'first'): Message => ({
  role: 'user',
  id: messageId(id),
  blocks: [{kind: 'text', text}],
});

const weatherPrompt = (where: string): string => `Use ${weatherTool.name} to find out the weather in ${where}.`;

const weatherTool: ToolSpec = {
  name: 'get_weather',
  description: 'Returns the weather of one city.',
  inputSchema: {type: 'object', properties: {city: {type: 'string'}}, required: ['city'], additionalProperties: false},
  offered: 'from-the-start',
};

const bookTool: ToolSpec = {
  name: 'book_table',
  description: 'Books a table.',
  inputSchema: {
    type: 'object',
    properties: {
      guests: {type: 'integer', minimum: 1},
      seating: {type: 'string', enum: ['inside', 'outside']},
      extras: {
        type: 'array',
        items: {
          type: 'object',
          properties: {item: {type: 'string'}, count: {type: 'integer'}},
          required: ['item', 'count'],
          additionalProperties: false,
        },
      },
    },
    required: ['guests', 'seating', 'extras'],
    additionalProperties: false,
  },
  offered: 'from-the-start',
};

function fitsBooking(input: Json): boolean {
  if (!isJsonObject(input)) return false;
  const {guests, seating, extras, ...others} = input;
  return (
    Number.isInteger(guests) &&
    (seating === 'inside' || seating === 'outside') &&
    Array.isArray(extras) &&
    extras.every(isExtra) &&
    Object.keys(others).length === 0
  );
}

const isExtra = (extra: Json): boolean =>
  isJsonObject(extra) && typeof extra['item'] === 'string' && Number.isInteger(extra['count']);

/** Returns the city of a call; empty if the input does not fit the schema. */
function cityOf({input}: ToolCallBlock): string {
  const {city}: JsonObject = isJsonObject(input) ? input : {};
  return typeof city === 'string' ? city.trim() : '';
}

const inputOf = ({inputTokens, cacheReadTokens, cacheWriteTokens}: Usage): number =>
  inputTokens + cacheReadTokens + cacheWriteTokens;

/** The size of the long request: at most half of the window. */
const longTokens = ({info}: CheckedModel): number =>
  info.contextWindow === 0 ? contextTokens : Math.min(contextTokens, Math.floor(info.contextWindow / 2));

/** Returns a long request with a code word at its beginning. */
function longRequest(checked: CheckedModel): Pick<ModelRequest, 'messages'> {
  const tokens = longTokens(checked);
  // Few tokenizers make more than 15 tokens of a line, and few make less than 12.
  const lines = Array.from(
    {length: Math.floor(tokens / 15)},
    (_, at) => `Line ${at + 1}: the harbor was calm and the boats came in.`,
  );
  return {
    messages: [
      user(
        `The code word is ${codeWord}.\n${lines.join('\n')}\nWhat is the code word? Answer with this word alone.`,
        'long',
      ),
    ],
  };
}

/** A red image of 64 × 64 pixels. */
const redSquare =
  'iVBORw0KGgoAAAANSUhEUgAAAEAAAABACAIAAAAlC+aJAAAAS0lEQVR42u3PQQkAAAgAsetfWiP4FgYrsKZeS0BAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEDgsqnc8OJg6Ln3AAAAAElFTkSuQmCC';

const quoted = (text: string): string => {
  const flat = text.replaceAll(/\s+/gu, ' ').trim();
  return flat === '' ? 'nothing' : JSON.stringify(flat.length > 80 ? `${flat.slice(0, 80)}…` : flat);
};

/** Sends one request. Gives up if the provider asks for a long wait, or is overloaded twice. */
async function ask(
  {port, model, limitMs = usualLimitMs}: CheckedModel,
  request: Pick<ModelRequest, 'messages'> & Partial<ModelRequest>,
  signal: AbortSignal,
): Promise<Answer> {
  const blocks: AssistantBlock[] = [];
  const repairs: string[] = [];
  let usage = noUsage;
  let stop: StopReason | undefined;
  let error = '';
  let fault: Fault | undefined;
  const giveUp = new AbortController();
  const slow = AbortSignal.timeout(limitMs);
  const whole: ModelRequest = {model, system: '', tools: [], thinking: {kind: 'default'}, maxTokens, ...request};
  for await (const batch of port.stream(whole, AbortSignal.any([signal, giveUp.signal, slow]))) {
    for (const event of batch) {
      if (event.event === 'block-finished') blocks.push(event.block);
      else if (event.event === 'repaired' && event.repair !== 'small-window') repairs.push(event.text);
      else if (event.event === 'message-finished') ({stop, usage} = event);
      else if (event.event === 'failed') {
        ({fault} = event);
        error = faultText(fault);
      } else if (event.event === 'retrying' && (event.attempt > 1 || event.delayMs > longestWaitMs)) {
        error = event.message;
        giveUp.abort();
      }
    }
  }
  if (error === '' && slow.aborted) error = `took longer than ${limitMs / 1000} seconds`;
  if (error === '' && stop === undefined) error = 'the answer broke off';
  const calls = blocks.filter(block => block.kind === 'tool-call');
  const text = messageText({role: 'assistant', id: messageId('answer'), model, blocks, stop: 'end-turn', usage});
  return {blocks, text, calls, stop, usage, repairs, error, fault};
}
