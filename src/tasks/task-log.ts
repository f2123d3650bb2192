import {unreachable} from '../base/unreachable.ts';
import type {
  ClientAction,
  MessageBody,
  PayloadRead,
  ProtocolMessage,
  ResponseEvent,
} from '../protocol/task/response-event.ts';
import {reaches} from '../protocol/transform/field-mask.ts';
import {RevertibleMap} from '../protocol/transform/revertible-map.ts';
import {applyOperation} from './apply-operation.ts';
import {messagePayload} from './message-payload.ts';
import {applyTaskPayload, emptyTaskView, type TaskView} from './task-view.ts';

/** The fold of a task-protocol stream to its todo list. */
export interface TaskLog {
  readonly view: TaskView;
  /** Takes the next event; the view is another object only where the event changed something. */
  takeEvent(event: ResponseEvent): TaskView;
  /** Takes a payload that came by itself, without the event around it. */
  takePayload(payload: PayloadRead): TaskView;
}

/**
 * What a message says of todos applies when it comes, and once: the same message with the same content, through whichever action,
 * changes nothing again. A message whose content has changed applies anew, except that the list it has begun is changed and not
 * begun again. A transaction that is rolled back leaves neither list nor memory behind; a new stream has none open.
 */
export function makeTaskLog(): TaskLog {
  let view = emptyTaskView;
  /** The message that began the list shown; `''` where none did. */
  let begunBy = '';
  const checkpoints: Checkpoint[] = [];
  /** Transactions that were begun inside of as many as are kept: they are not undone by themselves. */
  let tooDeep = 0;
  const heard = new RevertibleMap<string>({limit: mostHeard, weightOf: content => content.length + 64});

  function takeAction(action: ClientAction): void {
    switch (action.kind) {
      case 'create-task':
        action.task.messages.forEach(takeWhole);
        break;
      case 'add-messages':
        action.messages.forEach(takeWhole);
        break;
      case 'update-message':
        takeUpdate(action.message, action.mask);
        break;
      case 'move-messages':
        action.newTask.messages.forEach(takeWhole);
        action.replacements.forEach(takeWhole);
        break;
      case 'begin':
        if (checkpoints.length >= mostCheckpoints) tooDeep += 1;
        else {
          checkpoints.push({view, begunBy});
          heard.begin();
        }
        break;
      case 'commit':
        if (tooDeep > 0) tooDeep -= 1;
        else if (checkpoints.pop() !== undefined) heard.commit();
        break;
      case 'rollback':
        rollBack();
        break;
      // Appending is for text. What it appends to has been heard, and nothing is appended to a message that is not known.
      case 'append-content':
      case 'update-summary':
      case 'update-description':
      case 'other':
        break;
      default:
        unreachable(action);
    }
  }

  function rollBack(): void {
    if (tooDeep > 0) {
      tooDeep -= 1;
      return;
    }
    const checkpoint = checkpoints.pop();
    if (checkpoint === undefined) return;
    // Trouble is counted, not undone: what could not be read could not be read.
    view = sameTrouble(checkpoint.view, view);
    begunBy = checkpoint.begunBy;
    heard.rollback();
  }

  /** An upsert: of a message that is known, only what the mask names has changed. */
  function takeUpdate(message: ProtocolMessage, mask: readonly string[]): void {
    const isKnown = heard.get(message.id) !== undefined;
    if (!isKnown || reaches(mask, fieldOf(message.body))) takeWhole(message);
  }

  function takeWhole({id, body}: ProtocolMessage): void {
    const content = contentOf(body);
    if (content === undefined) return;
    const before = id === '' ? undefined : heard.get(id);
    if (before === content) return;
    if (id !== '') heard.set(id, content);
    if (body.kind === 'update-todos') {
      if (body.operation.kind === 'create') {
        if (before !== undefined && begunBy !== id) return;
        const completed = before === undefined ? [] : view.completed;
        view = applyOperation({...view, completed}, body.operation);
        begunBy = id;
      } else view = applyOperation(view, body.operation);
      return;
    }
    const payload = messagePayload(body);
    if (payload !== undefined) takePayload(payload);
  }

  function takePayload(payload: PayloadRead): TaskView {
    view = payload.tag === 'ok' ? applyTaskPayload(view, payload.meaning) : {...view, unreadable: view.unreadable + 1};
    return view;
  }

  return {
    get view() {
      return view;
    },
    takePayload,
    takeEvent(event) {
      if (event.kind === 'init') {
        tooDeep = 0;
        while (checkpoints.pop() !== undefined) heard.commit();
      }
      if (event.kind === 'client-actions') event.actions.forEach(takeAction);
      return view;
    },
  };
}

interface Checkpoint {
  readonly view: TaskView;
  readonly begunBy: string;
}

/** Transactions nest; far fewer than this do. */
const mostCheckpoints = 100;

/** Characters of content that is remembered, so that what comes again is known; the oldest is forgotten. */
const mostHeard = 4 * 1024 * 1024;

const sameTrouble = (view: TaskView, {unreadable}: TaskView): TaskView =>
  view.unreadable === unreadable ? view : {...view, unreadable};

/** The name of the field that holds what a message says of todos. */
function fieldOf(body: MessageBody): string {
  switch (body.kind) {
    case 'server-event':
      return 'server_event.payload';
    case 'tool-call':
      return 'tool_call.server.payload';
    case 'tool-result':
      return 'tool_call_result.server.serialized_result';
    default:
      return 'update_todos';
  }
}

/** What tells one content of a message from another; `undefined` where it says nothing of todos. */
function contentOf(body: MessageBody): string | undefined {
  if (body.kind === 'update-todos') {
    return body.operation.kind === 'other' ? undefined : JSON.stringify(body.operation);
  }
  const payload = messagePayload(body);
  if (payload === undefined) return undefined;
  return payload.tag === 'failed' ? `${payload.position} ${payload.message}` : JSON.stringify(payload.tree);
}
