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
import {CallQueue, appendToInput, canSerialize, type StreamedCall} from './call-queue.ts';
import {type TextChange, MessageTexts, SeenText} from './message-texts.ts';

/** Writes one response as the server-sent events of a model API. */
export interface AnswerStream {
  /** Returns the server-sent events for the next event; none after the answer has ended. */
  push(event: ResponseEvent): readonly string[];
  /** Returns the events that end the answer; none if it has already ended. */
  end(): readonly string[];
  readonly hasEnded: boolean;
}

/** How one model API writes an answer. Nothing follows a `finished` or `failed` part. */
export interface AnswerDialect {
  open(): readonly string[];
  write(piece: AnswerPart): readonly string[];
}

/**
 * Writes one response in a dialect. The first event opens the answer, and its `finished` event ends it. Later events
 * belong to another response and are ignored.
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
 * Turns changes of the todo list into calls: `TodoWrite` with the whole list if it was cleared or replaced, and
 * `TaskStatusUpdate` if todos started. A repeated message makes no call, and neither does an operation without
 * effect.
 */
class TodoCalls {
  readonly #todos = new MessageTodos();
  readonly parts: readonly Revertible[] = [this.#todos];

  /** Returns the call for a message that changes the todos, or `undefined`. */
  tell({id, body}: ProtocolMessage): StreamedCall | undefined {
    const news = todoChangeInMessage(body);
    const before = this.#todos.list;
    if (news === undefined || this.#todos.apply(id, news) === 'known') return undefined;
    const callId = callIdOfBody(body);
    const named = {id: callId === '' && id !== '' ? `call_${id}` : callId};
    if (news.kind === 'running') {
      const input = {task_ids: news.ids, status: 'in_progress'};
      return news.ids.length === 0 ? undefined : {...named, name: 'TaskStatusUpdate', input};
    }
    if (body.kind === 'update-todos' && this.#todos.list === before) return undefined;
    return {...named, name: 'TodoWrite', input: listOf(this.#todos.list)};
  }
}

const callIdOfBody = (body: MessageBody): string =>
  body.kind === 'tool-call' || body.kind === 'tool-result' ? body.callId : '';

/**
 * Returns the list in the form that other readers of the task protocol use for `TodoWrite`, with their Chinese active
 * forms: pending items first, then completed ones.
 */
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
 * Converts the events of one response into the parts of one answer, in one pass. Text and thinking are sent once, as
 * soon as they arrive. A stream can't take text back. So if an update replaces text, or a second attempt differs, the
 * old text stays and the new text follows whole. Calls are sent once they can no longer change, and never if they
 * were rolled back. Parts that the model did not write (user queries, task descriptions, tool results) are left out.
 */
class AnswerReader {
  readonly #known = new RevertibleMap<'known'>({limit: 10_000, weightOf: () => 1});
  readonly #texts = new MessageTexts();
  readonly #seen = {text: new SeenText(), thinking: new SeenText()};
  readonly #calls = new CallQueue();
  readonly #todos = new TodoCalls();
  /** The calls come last, because the end of a transaction releases them. */
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

  /** Returns the parts for the next event. The last part may end the answer; do not read further events then. */
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

  /** Returns the parts that end an answer whose stream broke off. */
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

  /** Applies an update. The mask counts only for a known message. An unknown message is added as a whole. */
  #update({message, mask, taskId}: MessageUpdate, apply: (place: MessageSource) => void): void {
    const isKnown = message.id !== '' && this.#known.get(message.id) !== undefined;
    if (isKnown && !maskCovers(mask, fieldPath(message.body))) return;
    apply({how: 'updated', taskId, mask: isKnown ? mask : []});
  }

  #know(id: string): void {
    if (id !== '' && this.#known.get(id) === undefined) this.#known.set(id, 'known');
  }

  #put(message: ProtocolMessage, place: MessageSource): void {
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

  /** Handles only the todos of a message. A moved message was sent at its old position, and a replacement sends its content again. */
  #putTodos(message: ProtocolMessage): void {
    const call = this.#todos.tell(message);
    if (call !== undefined) this.#emit(this.#calls.add({...call, subject: 'todos'}));
  }

  #append(message: ProtocolMessage, place: MessageSource): void {
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
      // Only strings can be appended to, and payloads are strings only in their encoding.
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
    {message, place, text}: {message: ProtocolMessage; place: MessageSource; text: string},
  ): void {
    const key = keyOf(kind, message, place);
    const isAnother = message.id === '' && place.how === 'added';
    this.#say(kind, isAnother ? this.#texts.restart(key, text) : this.#texts.replace(key, text));
  }

  #say(kind: AnswerText['kind'], {more, opening}: TextChange): void {
    if (more === '') return;
    const unseen = this.#seen[kind].say(more);
    if (unseen.text === '') return;
    this.#emit(this.#calls.releaseBefore());
    this.#out.push({kind, text: unseen.text, opening: opening === 'anew' ? opening : unseen.opening});
  }

  #call(message: ProtocolMessage, {callId, call}: ToolCallBody, place: MessageSource): void {
    const made = callOf(call);
    if (made === undefined || !canSerialize(made.input)) return;
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
    // A client must not run the calls of a failed answer.
    if (last.kind === 'finished') this.#emit(this.#calls.releaseAll());
    this.#out.push(last);
  }

  #emit(pieces: readonly AnswerPart[]): void {
    if (pieces.length > 0) this.#settleText();
    this.#out.push(...pieces);
  }

  /** Corrects the text before anything else is sent: after a rollback, the reader may have seen more text than counts. */
  #settleText(): void {
    const text = this.#seen.text.settle();
    if (text !== '') this.#out.push({kind: 'text', text, opening: 'anew'});
  }
}

/** How a message arrived: in full, or as an update of the fields in `mask`. */
type MessageSource =
  | {readonly how: 'added'; readonly taskId: string}
  | {readonly how: 'updated'; readonly taskId: string; readonly mask: readonly string[]};

type MessageUpdate = Extract<ClientAction, {kind: 'update-message' | 'append-content'}>;

type ToolCallBody = Extract<MessageBody, {kind: 'tool-call'}>;

/** A task is assumed to have only one message without an id. */
const keyOf = (kind: AnswerText['kind'], message: ProtocolMessage, place: MessageSource): string =>
  message.id === '' ? `${kind} of task ${place.taskId}` : `${kind} ${message.id}`;

const callIdOf = (message: ProtocolMessage, callId: string): string =>
  callId !== '' || message.id === '' ? callId : `call_${message.id}`;

function callOf(call: ProtocolToolCall): Pick<StreamedCall, 'name' | 'input'> | undefined {
  switch (call.kind) {
    case 'mcp':
    case 'native':
      // A call in a field that the schema does not define has no name.
      return call.kind === 'native' && call.name === '' ? undefined : {name: call.name, input: call.args};
    case 'server':
      return undefined;
    default:
      return unreachable(call);
  }
}

/** Returns the last part of an answer. */
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
  'quota-limit': 'This account has reached its quota.',
  'context-window-exceeded': 'The conversation is longer than the context window of the model.',
  'llm-unavailable': 'The model is unavailable. Try again later.',
} as const;

function invalidKeyText({provider, model}: {provider: string; model: string}): string {
  const whose = provider === '' ? 'The API key' : `The API key for ${provider}`;
  return `${whose} is not valid${model === '' ? '' : ` (model ${model})`}.`;
}
