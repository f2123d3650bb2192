import {unreachable} from '../../base/unreachable.ts';
import type {
  ClientAction,
  FinishReason,
  MessageBody,
  ProtocolMessage,
  ProtocolToolCall,
  ResponseEvent,
  TokenUsage,
} from '../task/response-event.ts';
import {fieldOf, reaches} from '../task/field-mask.ts';
import {RevertibleMap} from '../task/revertible-map.ts';
import {Transactions} from '../task/transactions.ts';
import {endOf} from './answer-end.ts';
import type {AnswerPiece, Saying} from './answer-piece.ts';
import {CallQueue, extendInput, isWritable, type Call, type WaitingCall} from './call-queue.ts';
import type {Growth} from './message-text.ts';
import {MessageTexts} from './message-texts.ts';
import {SeenText} from './seen-text.ts';
import {TodoCalls} from './todo-calls.ts';

/**
 * Reads the events of one response into the pieces of one answer, in one pass. Text is told as soon as it comes, thinking
 * likewise, each once; a stream cannot take it back, so where an update replaces it or a second attempt turns out different, it
 * stands and the new text follows whole. Calls are told once they can no longer change, and not at all if they were rolled back.
 * What a model did not say (a user's query, the description of a task, results of tools) is no part of the answer.
 */
export class AnswerReader {
  /** Ids of messages. */
  readonly #known = new RevertibleMap<'known'>({limit: 10_000, weightOf: () => 1});
  readonly #texts = new MessageTexts();
  readonly #seen = {text: new SeenText(), thinking: new SeenText()};
  readonly #calls = new CallQueue();
  readonly #todos = new TodoCalls();
  /** Calls last: those that need not wait any longer come with the end of a transaction. */
  readonly #transactions = new Transactions([
    this.#known,
    this.#texts,
    this.#seen.text,
    this.#seen.thinking,
    this.#todos,
    {
      begin: () => this.#emit(this.#calls.begin()),
      commit: () => this.#emit(this.#calls.commit()),
      rollback: () => this.#emit(this.#calls.rollback()),
    },
  ]);
  #out: AnswerPiece[] = [];

  /** The pieces of the next event; the last of them may end the answer, after which nothing may be read. */
  read(event: ResponseEvent): readonly AnswerPiece[] {
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
  breakOff(): readonly AnswerPiece[] {
    this.#finish({kind: 'done'}, []);
    return this.#taken();
  }

  #taken(): readonly AnswerPiece[] {
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
    if (isKnown && !reaches(mask, fieldOf(message.body))) return;
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
        else this.#changeCall(waiting, {...waiting, input: extendInput(waiting.input, call.input)});
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

  #becomes(kind: Saying['kind'], {message, place, text}: {message: ProtocolMessage; place: Place; text: string}): void {
    const key = keyOf(kind, message, place);
    const isAnother = message.id === '' && place.how === 'added';
    this.#say(kind, isAnother ? this.#texts.restart(key, text) : this.#texts.replace(key, text));
  }

  #say(kind: Saying['kind'], {more, opening}: Growth): void {
    if (more === '') return;
    const told = this.#seen[kind].say(more);
    if (told.text === '') return;
    this.#emit(this.#calls.releaseBefore());
    this.#out.push({kind, text: told.text, opening: opening === 'anew' ? opening : told.opening});
  }

  #call(message: ProtocolMessage, {callId, call}: ToolCallBody, place: Place): void {
    const made = callOf(call);
    if (made === undefined || !isWritable(made.input)) return;
    const id = callIdOf(message, callId);
    const waiting = this.#calls.find(id);
    if (waiting === undefined) {
      this.#emit(this.#calls.add({id, ...made, subject: 'tool'}));
      return;
    }
    const isNew =
      place.how === 'added' || call.kind === 'native' || reaches(place.mask, 'tool_call.call_mcp_tool.args');
    const input = isNew ? made.input : waiting.input;
    this.#changeCall(waiting, {...waiting, name: made.name === '' ? waiting.name : made.name, input});
  }

  #changeCall(before: WaitingCall, after: WaitingCall): void {
    if (isWritable(after.input)) this.#calls.change(before, after);
  }

  #finish(reason: FinishReason, usage: readonly TokenUsage[]): void {
    this.#settleText();
    const last = endOf(reason, usage);
    // The calls of an answer that failed are not to be run.
    if (last.kind === 'finished') this.#emit(this.#calls.releaseAll());
    this.#out.push(last);
  }

  #emit(pieces: readonly AnswerPiece[]): void {
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
const keyOf = (kind: Saying['kind'], message: ProtocolMessage, place: Place): string =>
  message.id === '' ? `${kind} of task ${place.taskId}` : `${kind} ${message.id}`;

const callIdOf = (message: ProtocolMessage, callId: string): string =>
  callId !== '' || message.id === '' ? callId : `call_${message.id}`;

function callOf(call: ProtocolToolCall): Pick<Call, 'name' | 'input'> | undefined {
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
