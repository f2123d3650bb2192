import {Reader} from 'protobufjs/minimal.js';
import {failed, ok, type Outcome} from '../../base/outcome.ts';
import {causeText} from '../../domain/fault.ts';
import {todoId, type TodoId} from '../../domain/ids.ts';
import type {RawField, TaskItem, TaskPayload} from '../../domain/task-payload.ts';
import {itemField, lengthDelimited, payloadField, runningField, snapshotField} from './payload-fields.ts';

/**
 * Reads the bytes of a call's or an event's payload. A failure says in words what is wrong with the bytes; nothing throws.
 * Of several known fields the last one counts and a repeated one is merged, as protobuf has it for a oneof. Unknown fields
 * beside known ones are passed over; the frame itself is what is kept.
 */
export function decodePayload(raw: Uint8Array): Outcome<TaskPayload, string> {
  try {
    return ok(readPayload(raw));
  } catch (cause) {
    return failed(causeText(cause));
  }
}

function readPayload(raw: Uint8Array): TaskPayload {
  const others: RawField[] = [];
  let known: TaskPayload | undefined;
  eachField(raw, field => {
    if (field.content === undefined) {
      others.push({number: field.number, bytes: field.bytes});
      return;
    }
    switch (field.number) {
      case payloadField.snapshot:
        known = mergeSnapshot(known, field.content);
        break;
      case payloadField.running:
        known = mergeRunning(known, field.content);
        break;
      case payloadField.cleared:
        eachField(field.content, () => {});
        known = {kind: 'cleared'};
        break;
      default:
        others.push({number: field.number, bytes: field.bytes});
    }
  });
  return known ?? {kind: 'other', fields: others};
}

function mergeSnapshot(before: TaskPayload | undefined, content: Uint8Array): TaskPayload {
  const pending: TaskItem[] = before?.kind === 'snapshot' ? [...before.pending] : [];
  const completed: TaskItem[] = before?.kind === 'snapshot' ? [...before.completed] : [];
  eachField(content, field => {
    if (field.content === undefined) return;
    if (field.number === snapshotField.pending) pending.push(readItem(field.content));
    if (field.number === snapshotField.completed) completed.push(readItem(field.content));
  });
  return {kind: 'snapshot', pending, completed};
}

function mergeRunning(before: TaskPayload | undefined, content: Uint8Array): TaskPayload {
  const ids: TodoId[] = before?.kind === 'running' ? [...before.ids] : [];
  eachField(content, field => {
    if (field.content !== undefined && field.number === runningField.ids) ids.push(todoId(readText(field.content)));
  });
  return {kind: 'running', ids};
}

function readItem(content: Uint8Array): TaskItem {
  let id = '';
  let title = '';
  let description = '';
  eachField(content, field => {
    if (field.content === undefined) return;
    if (field.number === itemField.id) id = readText(field.content);
    if (field.number === itemField.title) title = readText(field.content);
    if (field.number === itemField.description) description = readText(field.content);
  });
  return {id: todoId(id), title, description};
}

/** `content` is what a length-delimited field holds, `undefined` for fields of every other wire type. */
interface Field extends RawField {
  readonly content: Uint8Array | undefined;
}

/** Throws on bytes that are no message: cut short, overlong, groups that do not close or nest too deep. */
function eachField(message: Uint8Array, visit: (field: Field) => void): void {
  const reader = new Reader(message);
  while (reader.pos < reader.len) {
    const start = reader.pos;
    const tag = reader.tag();
    const number = tag >>> 3;
    const wireType = tag & 7;
    // A reader knows only its own length, so a field that claims more than is left ends here and not in the next message.
    const afterTag = reader.pos;
    reader.skipType(wireType, 0, number);
    const end = reader.pos;
    let content: Uint8Array | undefined;
    if (wireType === lengthDelimited) {
      reader.pos = afterTag;
      content = reader.bytes();
    }
    visit({number, bytes: message.subarray(start, end), content});
  }
}

const strictUtf8 = new TextDecoder('utf-8', {fatal: true, ignoreBOM: true});

function readText(bytes: Uint8Array): string {
  try {
    return strictUtf8.decode(bytes);
  } catch {
    throw new Error('a string is not UTF-8');
  }
}
