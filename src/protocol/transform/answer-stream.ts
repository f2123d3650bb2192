import type {JsonObject} from '../../base/json.ts';
import {unreachable} from '../../base/unreachable.ts';
import type {TaskItem} from '../../domain/task-payload.ts';
import {todoChangeInMessage, MessageTodos} from '../task/message-todos.ts';
import {
  type ClientAction,
  fieldPath,
  type FinishReason,
  maskCovers,
  type MessageBody,
  type ProtocolMessage,
  type ProtocolToolCall,
  type ResponseEvent,
  type TokenUsage,
} from '../task/response-event.ts';
import type {TodoState} from '../task/todo-state.ts';
import {type Revertible, RevertibleMap, Transactions} from '../task/transactions.ts';
import type {AnswerEnd, AnswerFailure, AnswerPart, AnswerText, AnswerUsage} from './answer-part.ts';
import {CallQueue, appendToInput, isShallowEnough, type StreamedCall} from './call-queue.ts';
import {type TextChange, MessageTexts, SeenText} from './message-texts.ts';

/** Writes one response as the server-sent events of a model server. */
export interface AnswerStream {
  /** The text that the next event adds, whole events each; nothing once the answer has ended. */
  push(event: ResponseEvent): readonly string[];
  /** The text that ends the answer; nothing where it has ended already. */
  end(): readonly string[];
  /** Whether the answer has ended. */
  readonly hasEnded: boolean;
}

/** How one kind of model server writes an answer. After a `finished` or `failed` piece nothing follows. */
export interface AnswerDialect {
  open(): readonly string[];
  write(piece: AnswerPart): readonly string[];
}

/**
 * One response in a dialect. The first event opens the answer; its `finished` event ends it, and what comes later belongs to
 * another response and is passed over.
 */
export function makeAnswerStream(dialect: AnswerDialect): AnswerStream {
  const reader = new AnswerReader();
  let state: 'unopened' | 'open' | 'ended' = 'unopened';

  const write = (pieces: () => readonly AnswerPart[]): readonly string[] => {
    if (state === 'ended') return [];
    const written = state === 'unopened' ? [...dialect.open()] : [];
    state = 'open';
    for (const piece of pieces()) {
      written.push(...dialect.write(piece));
      if (piece.kind === 'finished' || piece.kind === 'failed') state = 'ended';
    }
    return written;
  };

  return {
    push: event => write(() => reader.read(event)),
    end: () => write(() => reader.breakOff()),
    get hasEnded() {
      return state === 'ended';
    },
  };
}

/**
 * What an answer says of its todo list, as calls: `TodoWrite` with the whole list where it was cleared or told anew,
 * `TaskStatusUpdate` where todos began to run. A message that comes again with what it said already makes no call, nor does an
 * operation that changes nothing.
 */
class TodoCalls {
  readonly #todos = new MessageTodos();
  readonly parts: readonly Revertible[] = [this.#todos];

  /** The call for a message, if it says anything new of todos. */
  tell({id, body}: ProtocolMessage): StreamedCall | undefined {
    const news = todoChangeInMessage(body);
    const before = this.#todos.list;
    if (news === undefined || this.#todos.apply(id, news) === 'known') return undefined;
    const callId = callIdIn(body);
    const named = {id: callId === '' && id !== '' ? `call_${id}` : callId};
    if (news.kind === 'running') {
      const input = {task_ids: news.ids, status: 'in_progress'};
      return news.ids.length === 0 ? undefined : {...named, name: 'TaskStatusUpdate', input};
    }
    if (body.kind === 'update-todos' && this.#todos.list === before) return undefined;
    return {...named, name: 'TodoWrite', input: listOf(this.#todos.list)};
  }
}

const callIdIn = (body: MessageBody): string =>
  body.kind === 'tool-call' || body.kind === 'tool-result' ? body.callId : '';

/** The item form that readers of the task protocol give `TodoWrite`, Chinese active forms included: pending, then completed. */
const listOf = ({pending, completed, running}: TodoState): JsonObject => ({
  todos: [
    ...pending.map(item => entryOf(item, running.has(item.id) ? 'in_progress' : 'pending')),
    ...completed.map(item => entryOf(item, 'completed')),
  ],
});

const entryOf = ({title}: TaskItem, status: 'pending' | 'in_progress' | 'completed'): JsonObject => ({
  content: title,
  status,
  activeForm: `${status === 'completed' ? '已完成' : '执行'} ${title}`,
});

/**
 * Reads the events of one response into the pieces of one answer, in one pass. Text is told as soon as it comes, thinking
 * likewise, each once; a stream cannot take it back, so where an update replaces it or a second attempt turns out different, it
 * stands and the new text follows whole. Calls are told once they can no longer change, and not at all if they were rolled back.
 * What a model did not say (a user's query, the description of a task, results of tools) is no part of the answer.
 */
class AnswerReader {
  /** Ids of messages. */
  readonly #known = new RevertibleMap<'known'>({limit: 10_000, weightOf: () => 1});
  readonly #texts = new MessageTexts();
  readonly #seen = {text: new SeenText(), thinking: new SeenText()};
  readonly #calls = new CallQueue();
  readonly #todos = new TodoCalls();
  /** Calls last: those that need not wait any longer come with the end of a transaction. */
  readonly #transactions = new Transactions([
    this.#known,
    ...this.#texts.parts,
    this.#seen.text,
    this.#seen.thinking,
    ...this.#todos.parts,
    {
      begin: () => this.#emit(this.#calls.begin()),
      commit: () => this.#emit(this.#calls.commit()),
      rollback: () => this.#emit(this.#calls.rollback()),
    },
  ]);
  #out: AnswerPart[] = [];

  /** The pieces of the next event; the last of them may end the answer, after which nothing may be read. */
  read(event: ResponseEvent): readonly AnswerPart[] {
    switch (event.kind) {
      case 'client-actions':
        for (const action of event.actions) this.#act(action);
        break;
      case 'finished':
        this.#finish(event.reason, event.usage);
        break;
      case 'init':
        this.#transactions.commitAll();
        break;
      case 'other':
        break;
      default:
        return unreachable(event);
    }
    return this.#taken();
  }

  /** The pieces that end an answer whose stream broke off. */
  breakOff(): readonly AnswerPart[] {
    this.#finish({kind: 'done'}, []);
    return this.#taken();
  }

  #taken(): readonly AnswerPart[] {
    const out = this.#out;
    this.#out = [];
    return out;
  }

  #act(action: ClientAction): void {
    switch (action.kind) {
      case 'create-task':
        for (const message of action.task.messages) this.#put(message, {how: 'added', taskId: action.task.id});
        break;
      case 'add-messages':
        for (const message of action.messages) this.#put(message, {how: 'added', taskId: action.taskId});
        break;
      case 'update-message':
        this.#update(action, place => this.#put(action.message, place));
        break;
      case 'append-content':
        this.#update(action, place => this.#append(action.message, place));
        break;
      case 'update-summary':
        this.#say('text', this.#texts.replace(`summary of ${action.taskId}`, action.summary));
        break;
      case 'begin':
        this.#transactions.begin();
        break;
      case 'commit':
      case 'rollback':
        this.#transactions.end(action.kind);
        break;
      case 'move-messages':
        for (const message of [...action.newTask.messages, ...action.replacements]) this.#putTodos(message);
        break;
      case 'update-description':
      case 'other':
        break;
      default:
        unreachable(action);
    }
  }

  /** A mask is about what is known of a message; one that is not known is taken as it is. */
  #update({message, mask, taskId}: MessageUpdate, apply: (place: Place) => void): void {
    const isKnown = message.id !== '' && this.#known.get(message.id) !== undefined;
    if (isKnown && !maskCovers(mask, fieldPath(message.body))) return;
    apply({how: 'updated', taskId, mask: isKnown ? mask : []});
  }

  #know(id: string): void {
    if (id !== '' && this.#known.get(id) === undefined) this.#known.set(id, 'known');
  }

  /** A message becomes what it says here. */
  #put(message: ProtocolMessage, place: Place): void {
    const {body} = message;
    this.#know(message.id);
    switch (body.kind) {
      case 'agent-output':
        this.#becomes('text', {message, place, text: body.text});
        break;
      case 'reasoning':
        this.#becomes('thinking', {message, place, text: body.text});
        break;
      case 'tool-call':
        if (body.call.kind === 'server') this.#putTodos(message);
        else this.#call(message, body, place);
        break;
      case 'tool-result':
      case 'server-event':
      case 'update-todos':
        this.#putTodos(message);
        break;
      case 'user-query':
      case 'other':
        break;
      default:
        unreachable(body);
    }
  }

  /** What a message says of todos, nothing else of it: what is moved was told where it was, what replaces it retells it. */
  #putTodos(message: ProtocolMessage): void {
    const call = this.#todos.tell(message);
    if (call !== undefined) this.#emit(this.#calls.add({...call, subject: 'todos'}));
  }

  /** Strings of a message go on with those it has here. */
  #append(message: ProtocolMessage, place: Place): void {
    const {body} = message;
    this.#know(message.id);
    switch (body.kind) {
      case 'agent-output':
        this.#say('text', this.#texts.extend(keyOf('text', message, place), body.text));
        break;
      case 'reasoning':
        this.#say('thinking', this.#texts.extend(keyOf('thinking', message, place), body.text));
        break;
      case 'tool-call': {
        const waiting = this.#calls.find(callIdOf(message, body.callId));
        const call = callOf(body.call);
        if (call === undefined) break;
        if (waiting === undefined) this.#put(message, place);
        else this.#calls.change(waiting, {...waiting, input: appendToInput(waiting.input, call.input)});
        break;
      }
      // Only strings are appended to, and payloads are one only in their packing.
      case 'tool-result':
      case 'server-event':
      case 'update-todos':
      case 'user-query':
      case 'other':
        break;
      default:
        unreachable(body);
    }
  }

  #becomes(
    kind: AnswerText['kind'],
    {message, place, text}: {message: ProtocolMessage; place: Place; text: string},
  ): void {
    const key = keyOf(kind, message, place);
    const isAnother = message.id === '' && place.how === 'added';
    this.#say(kind, isAnother ? this.#texts.restart(key, text) : this.#texts.replace(key, text));
  }

  #say(kind: AnswerText['kind'], {more, opening}: TextChange): void {
    if (more === '') return;
    const told = this.#seen[kind].say(more);
    if (told.text === '') return;
    this.#emit(this.#calls.releaseBefore());
    this.#out.push({kind, text: told.text, opening: opening === 'anew' ? opening : told.opening});
  }

  #call(message: ProtocolMessage, {callId, call}: ToolCallBody, place: Place): void {
    const made = callOf(call);
    if (made === undefined || !isShallowEnough(made.input)) return;
    const id = callIdOf(message, callId);
    const waiting = this.#calls.find(id);
    if (waiting === undefined) {
      this.#emit(this.#calls.add({id, ...made, subject: 'tool'}));
      return;
    }
    const isNew =
      place.how === 'added' || call.kind === 'native' || maskCovers(place.mask, 'tool_call.call_mcp_tool.args');
    const input = isNew ? made.input : waiting.input;
    this.#calls.change(waiting, {...waiting, name: made.name === '' ? waiting.name : made.name, input});
  }

  #finish(reason: FinishReason, usage: readonly TokenUsage[]): void {
    this.#settleText();
    const last = endOf(reason, usage);
    // The calls of an answer that failed are not to be run.
    if (last.kind === 'finished') this.#emit(this.#calls.releaseAll());
    this.#out.push(last);
  }

  #emit(pieces: readonly AnswerPart[]): void {
    if (pieces.length > 0) this.#settleText();
    this.#out.push(...pieces);
  }

  /** Before something else is told: a reader may have seen more text, of an attempt that was rolled back, than counts. */
  #settleText(): void {
    const text = this.#seen.text.settle();
    if (text !== '') this.#out.push({kind: 'text', text, opening: 'anew'});
  }
}

/** How a message came: in full, or as an update of what `mask` names. */
type Place =
  | {readonly how: 'added'; readonly taskId: string}
  | {readonly how: 'updated'; readonly taskId: string; readonly mask: readonly string[]};

type MessageUpdate = Extract<ClientAction, {kind: 'update-message' | 'append-content'}>;

type ToolCallBody = Extract<MessageBody, {kind: 'tool-call'}>;

/** Of messages without an id a task is taken to have one. */
const keyOf = (kind: AnswerText['kind'], message: ProtocolMessage, place: Place): string =>
  message.id === '' ? `${kind} of task ${place.taskId}` : `${kind} ${message.id}`;

const callIdOf = (message: ProtocolMessage, callId: string): string =>
  callId !== '' || message.id === '' ? callId : `call_${message.id}`;

function callOf(call: ProtocolToolCall): Pick<StreamedCall, 'name' | 'input'> | undefined {
  switch (call.kind) {
    case 'mcp':
    case 'native':
      // A call of a field that the schema does not know has no name to call it by.
      return call.kind === 'native' && call.name === '' ? undefined : {name: call.name, input: call.args};
    case 'server':
      return undefined;
    default:
      return unreachable(call);
  }
}

/** The piece with which an answer ends. */
function endOf(reason: FinishReason, usage: readonly TokenUsage[]): AnswerEnd {
  const failure = failureOf(reason);
  if (failure !== undefined) return {kind: 'failed', failure};
  return {kind: 'finished', stop: reason.kind === 'max-token-limit' ? 'length' : 'end', usage: usageOf(usage)};
}

function usageOf(usage: readonly TokenUsage[]): AnswerUsage | undefined {
  if (usage.length === 0) return undefined;
  const sum = (count: keyof AnswerUsage) => usage.reduce((total, tokens) => total + tokens[count], 0);
  return {
    input: sum('input'),
    output: sum('output'),
    cacheRead: sum('cacheRead'),
    cacheWrite: sum('cacheWrite'),
  };
}

function failureOf(reason: FinishReason): AnswerFailure | undefined {
  switch (reason.kind) {
    case 'done':
    case 'other':
    case 'max-token-limit':
      return undefined;
    case 'internal-error':
      return {reason: reason.kind, message: reason.message || 'The server had an internal error.'};
    case 'invalid-api-key':
      return {reason: reason.kind, message: invalidKeyText(reason)};
    case 'quota-limit':
    case 'context-window-exceeded':
    case 'llm-unavailable':
      return {reason: reason.kind, message: failureTexts[reason.kind]};
    default:
      return unreachable(reason);
  }
}

const failureTexts = {
  'quota-limit': 'The quota of this account is used up.',
  'context-window-exceeded': 'The conversation is longer than the context window of the model.',
  'llm-unavailable': 'The model is unavailable at the moment; try again later.',
} as const;

function invalidKeyText({provider, model}: {provider: string; model: string}): string {
  const whose = provider === '' ? 'The API key' : `The API key for ${provider}`;
  return `${whose} is not valid${model === '' ? '' : ` (model ${model})`}.`;
}
