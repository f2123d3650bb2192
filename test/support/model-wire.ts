import {unreachable} from '../../src/base/unreachable.ts';
import type {Break, Part, Refusal, ScriptedUsage} from './model-script.ts';

/** What the server does next on the wire. */
export type WireStep =
  | {readonly step: 'send'; readonly text: string}
  | {readonly step: 'until'; readonly gate: PromiseLike<unknown>}
  | {readonly step: 'break'; readonly how: Exclude<Break, 'garbage' | 'error'>};

/** `number` of the request makes ids unique. */
interface Naming {
  readonly number: number;
  readonly model: string;
}

/** An answer as events of the Anthropic Messages API. */
export function anthropicEvents(parts: readonly Part[], naming: Naming): readonly WireStep[] {
  const steps = new Steps(parts);
  const counts = usageOf(parts);
  const send = (type: string, data: object): void =>
    steps.send(`event: ${type}\ndata: ${JSON.stringify({type, ...data})}\n\n`);
  send('message_start', {
    message: {
      id: `msg_${naming.number}`,
      type: 'message',
      role: 'assistant',
      model: naming.model,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: {
        input_tokens: counts.input,
        output_tokens: 1,
        cache_read_input_tokens: counts.cacheRead,
        cache_creation_input_tokens: counts.cacheWrite,
      },
    },
  });
  send('ping', {});
  let index = 0;
  for (const group of blocksOf(parts)) {
    const [first] = group;
    const at = index;
    if (opens(first)) {
      send('content_block_start', {index, content_block: anthropicStart(first, {...naming, index})});
    }
    for (const part of group) {
      steps.pass(part, overload => send('error', {error: {type: 'overloaded_error', message: overload}}));
      for (const delta of anthropicDeltas(part)) {
        steps.delta(() => send('content_block_delta', {index: at, delta}));
      }
    }
    if (opens(first)) {
      send('content_block_stop', {index});
      index++;
    }
  }
  const reasons = {'max-tokens': 'max_tokens', refusal: 'refusal'};
  const stop = parts.find(part => part.part === 'stop');
  const natural = parts.some(part => part.part === 'call') ? 'tool_use' : 'end_turn';
  send('message_delta', {
    delta: {stop_reason: stop === undefined ? natural : reasons[stop.reason], stop_sequence: null},
    usage: {output_tokens: counts.output},
  });
  send('message_stop', {});
  return steps.list;
}

function anthropicStart(part: Opening, {number, index}: Naming & {readonly index: number}): object {
  switch (part.part) {
    case 'text':
      return {type: 'text', text: ''};
    case 'thinking':
      return {type: 'thinking', thinking: '', signature: ''};
    case 'sealed-thinking':
      return {type: 'redacted_thinking', data: part.data};
    case 'raw':
      return part.block;
    case 'call':
      return {type: 'tool_use', id: part.id ?? `toolu_${number}_${index}`, name: part.name, input: {}};
    default:
      return unreachable(part);
  }
}

function anthropicDeltas(part: Part): readonly object[] {
  switch (part.part) {
    case 'text':
      return part.pieces.map(text => ({type: 'text_delta', text}));
    case 'thinking':
      return [
        ...part.pieces.map(thinking => ({type: 'thinking_delta', thinking})),
        {type: 'signature_delta', signature: part.signature},
      ];
    case 'raw':
      return part.deltas;
    case 'call':
      return halves(part.json).map(json => ({type: 'input_json_delta', partial_json: json}));
    default:
      return [];
  }
}

/** An answer as chunks of OpenAI chat completions. */
export function openAiEvents(parts: readonly Part[], {number, model}: Naming): readonly WireStep[] {
  const steps = new Steps(parts);
  const base = {id: `chatcmpl-${number}`, object: 'chat.completion.chunk', created: 1, model};
  const send = (data: object): void => steps.send(`data: ${JSON.stringify({...base, ...data})}\n\n`);
  const choose = (delta: object): void => send({choices: [{index: 0, delta, finish_reason: null}]});
  choose({role: 'assistant', content: ''});
  let index = 0;
  for (const part of parts) {
    steps.pass(part, overload => send({error: {code: 529, message: overload}}));
    if (part.part === 'text') for (const content of part.pieces) steps.delta(() => choose({content}));
    if (part.part === 'thinking') {
      for (const piece of part.pieces) steps.delta(() => choose({reasoning_content: piece}));
    }
    if (part.part === 'call') {
      const at = index++;
      choose({
        tool_calls: [
          {
            index: at,
            id: part.id ?? `call_${number}_${at}`,
            type: 'function',
            function: {name: part.name, arguments: ''},
          },
        ],
      });
      for (const half of halves(part.json)) {
        steps.delta(() => choose({tool_calls: [{index: at, function: {arguments: half}}]}));
      }
    }
  }
  send({choices: [{index: 0, delta: {}, finish_reason: openAiReason(parts)}]});
  send({choices: [], usage: openAiUsage(usageOf(parts))});
  steps.send('data: [DONE]\n\n');
  return steps.list;
}

/** An answer as one whole chat completion. */
export function openAiCompletion(parts: readonly Part[], {number, model}: Naming): string {
  const calls = parts
    .filter(part => part.part === 'call')
    .map((part, at) => ({
      id: part.id ?? `call_${number}_${at}`,
      type: 'function',
      function: {name: part.name, arguments: part.json},
    }));
  const text = parts.flatMap(part => (part.part === 'text' ? part.pieces : [])).join('');
  const message = {
    role: 'assistant',
    content: text === '' ? null : text,
    ...(calls.length > 0 ? {tool_calls: calls} : {}),
  };
  return JSON.stringify({
    id: `chatcmpl-${number}`,
    object: 'chat.completion',
    model,
    choices: [{index: 0, message, finish_reason: openAiReason(parts)}],
    usage: openAiUsage(usageOf(parts)),
  });
}

/** An answer as events of OpenAI's Responses API. */
export function responsesEvents(parts: readonly Part[], naming: Naming): readonly WireStep[] {
  const steps = new Steps(parts);
  let sequence = 0;
  const send = (type: string, data: object): void =>
    steps.send(`event: ${type}\ndata: ${JSON.stringify({type, sequence_number: sequence++, ...data})}\n\n`);
  send('response.created', {response: {...responseBase(naming), status: 'in_progress', output: []}});
  let index = 0;
  for (const group of blocksOf(parts)) {
    const [first] = group;
    const output_index = index;
    const item = opens(first) ? responsesItem(group, {...naming, index}) : undefined;
    if (item !== undefined) {
      send('response.output_item.added', {output_index, item: begun(item)});
      index++;
    }
    for (const part of group) {
      steps.pass(part, overload => send('error', {code: 'server_error', message: overload, param: null}));
      for (const [type, delta] of responsesDeltas(part)) steps.delta(() => send(type, {output_index, ...delta}));
    }
    if (item !== undefined) send('response.output_item.done', {output_index, item});
  }
  const cut = parts.find(part => part.part === 'stop');
  send(cut === undefined ? 'response.completed' : 'response.incomplete', {response: responseAtEnd(parts, naming)});
  return steps.list;
}

/** The same as one whole response. */
export const responsesWhole = (parts: readonly Part[], naming: Naming): string =>
  JSON.stringify(responseAtEnd(parts, naming));

const responseBase = ({number, model}: Naming): object => ({
  id: `resp_${number}`,
  object: 'response',
  model,
  error: null,
});

function responseAtEnd(parts: readonly Part[], naming: Naming): object {
  const cut = parts.find(part => part.part === 'stop');
  const {input, output, cacheRead, cacheWrite} = usageOf(parts);
  const reasons = {'max-tokens': 'max_output_tokens', refusal: 'content_filter'};
  let index = 0;
  return {
    ...responseBase(naming),
    status: cut === undefined ? 'completed' : 'incomplete',
    incomplete_details: cut === undefined ? null : {reason: reasons[cut.reason]},
    output: blocksOf(parts).flatMap(group => responsesItem(group, {...naming, index: index++}) ?? []),
    usage: {
      input_tokens: input + cacheRead + cacheWrite,
      input_tokens_details: {cached_tokens: cacheRead, cache_write_tokens: cacheWrite},
      output_tokens: output,
      output_tokens_details: {reasoning_tokens: 0},
      total_tokens: input + cacheRead + cacheWrite + output,
    },
  };
}

function responsesItem(group: readonly Part[], {number, index}: Naming & {readonly index: number}): object | undefined {
  const [first] = group;
  const text = group.flatMap(part => (part.part === 'text' || part.part === 'thinking' ? part.pieces : [])).join('');
  switch (first?.part) {
    case 'text':
      return {
        id: `msg_${number}_${index}`,
        type: 'message',
        role: 'assistant',
        status: 'completed',
        content: [{type: 'output_text', text, annotations: []}],
      };
    case 'thinking':
      return {
        id: `rs_${number}_${index}`,
        type: 'reasoning',
        summary: [{type: 'summary_text', text}],
        encrypted_content: first.signature,
      };
    case 'call': {
      const call_id = first.id ?? `call_${number}_${index}`;
      const item = {id: `fc_${number}_${index}`, type: 'function_call', call_id, name: first.name};
      return {...item, arguments: first.json, status: 'completed'};
    }
    case 'raw':
      return first.block;
    default:
      return undefined;
  }
}

/** An item as it is announced: without what is still to come. */
const begun = (item: object): object => ({
  ...item,
  ...('content' in item ? {content: []} : {}),
  ...('summary' in item ? {summary: [], encrypted_content: ''} : {}),
  ...('arguments' in item ? {arguments: ''} : {}),
  status: 'in_progress',
});

function responsesDeltas(part: Part): readonly (readonly [string, object])[] {
  switch (part.part) {
    case 'text':
      return part.pieces.map(delta => ['response.output_text.delta', {content_index: 0, delta}]);
    case 'thinking':
      return part.pieces.map(delta => ['response.reasoning_summary_text.delta', {summary_index: 0, delta}]);
    case 'call':
      return halves(part.json).map(delta => ['response.function_call_arguments.delta', {delta}]);
    default:
      return [];
  }
}

export const anthropicRefusal = ({status, message, code}: Refusal): string =>
  JSON.stringify({type: 'error', error: {type: code ?? typeOfStatus(status), message}, request_id: 'req_1'});

export const openAiRefusal = ({status, message, code}: Refusal): string =>
  JSON.stringify({error: {message, type: typeOfStatus(status), param: null, code: code ?? null}});

function typeOfStatus(status: number): string {
  const types: Readonly<Record<number, string>> = {
    400: 'invalid_request_error',
    401: 'authentication_error',
    403: 'permission_error',
    404: 'not_found_error',
    429: 'rate_limit_error',
    529: 'overloaded_error',
  };
  return types[status] ?? 'api_error';
}

function openAiReason(parts: readonly Part[]): string {
  const stop = parts.find(part => part.part === 'stop');
  if (stop !== undefined) return {'max-tokens': 'length', refusal: 'content_filter'}[stop.reason];
  return parts.some(part => part.part === 'call') ? 'tool_calls' : 'stop';
}

const openAiUsage = ({input, output, cacheRead, cacheWrite}: ScriptedUsage): object => ({
  prompt_tokens: input + cacheRead + cacheWrite,
  completion_tokens: output,
  total_tokens: input + cacheRead + cacheWrite + output,
  prompt_tokens_details: {cached_tokens: cacheRead, cache_write_tokens: cacheWrite},
});

function usageOf(parts: readonly Part[]): ScriptedUsage {
  const given = parts.findLast(part => part.part === 'usage');
  return given?.usage ?? {input: 10, output: 5, cacheRead: 0, cacheWrite: 0};
}

/** Collects steps, and sees to breaks that come after a number of deltas. */
class Steps {
  readonly list: WireStep[] = [];
  #left: number;
  readonly #early: Extract<Part, {part: 'break'}> | undefined;

  constructor(parts: readonly Part[]) {
    this.#early = parts.filter(part => part.part === 'break').find(part => part.after > 0);
    this.#left = this.#early?.after ?? Number.POSITIVE_INFINITY;
  }

  send(text: string): void {
    this.list.push({step: 'send', text});
  }

  delta(send: () => void): void {
    send();
    this.#left--;
    if (this.#left === 0 && this.#early !== undefined) this.#break(this.#early.how, () => {});
  }

  /** Takes the parts that are no content. */
  pass(part: Part, sendError: (message: string) => void): void {
    if (part.part === 'until') this.list.push({step: 'until', gate: part.gate});
    if (part.part === 'break' && part.after === 0) this.#break(part.how, sendError);
  }

  #break(how: Break, sendError: (message: string) => void): void {
    if (how === 'garbage') this.send('data: {"type": "content_block_delta", "ind\n\n');
    if (how === 'error') sendError('Overloaded');
    if (how !== 'garbage') this.list.push({step: 'break', how: how === 'error' ? 'end' : how});
  }
}

type Opening = Extract<Part, {part: 'text' | 'thinking' | 'sealed-thinking' | 'raw' | 'call'}>;

const opens = (part: Part | undefined): part is Opening =>
  part !== undefined && ['text', 'thinking', 'sealed-thinking', 'raw', 'call'].includes(part.part);

/** Texts that follow each other are one block, also with gates and breaks between them. */
function blocksOf(parts: readonly Part[]): readonly (readonly Part[])[] {
  const groups: Part[][] = [];
  for (const part of parts) {
    const group = groups.at(-1);
    const joins = !opens(part) || (part.part === 'text' && group?.[0]?.part === 'text');
    if (group !== undefined && joins) group.push(part);
    else groups.push([part]);
  }
  return groups;
}

const halves = (text: string): readonly string[] => {
  const middle = Math.ceil(text.length / 2);
  return text.length < 2 ? [text] : [text.slice(0, middle), text.slice(middle)];
};
