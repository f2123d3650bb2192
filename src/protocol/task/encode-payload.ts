import {Writer} from 'protobufjs/minimal.js';
import {unreachable} from '../../base/unreachable.ts';
import type {TodoId} from '../../domain/ids.ts';
import type {TaskItem, TaskPayload} from '../../domain/task-payload.ts';
import {itemField, payloadField, runningField, snapshotField} from './payload-fields.ts';
import {wireType} from './wire-cursor.ts';

/** The bytes of a payload. Text must be well-formed: a lone surrogate has no UTF-8 form and comes back as U+FFFD. */
export function encodePayload(payload: TaskPayload): Uint8Array {
  const writer = new Writer();
  switch (payload.kind) {
    case 'snapshot':
      open(writer, payloadField.snapshot);
      for (const item of payload.pending) writeItem(writer, snapshotField.pending, item);
      for (const item of payload.completed) writeItem(writer, snapshotField.completed, item);
      writer.ldelim();
      if (payload.running.length > 0) writeRunning(writer, payload.running);
      break;
    case 'running':
      writeRunning(writer, payload.ids);
      break;
    case 'cleared':
      open(writer, payloadField.cleared).ldelim();
      break;
    case 'other':
      return joined(payload.fields.map(field => field.bytes));
    default:
      return unreachable(payload);
  }
  return writer.finish();
}

function writeRunning(writer: Writer, ids: readonly TodoId[]): void {
  open(writer, payloadField.running);
  for (const id of ids) writeText(writer, runningField.ids, id);
  writer.ldelim();
}

const open = (writer: Writer, field: number): Writer => writer.uint32(tagOf(field)).fork();

const tagOf = (field: number): number => (field << 3) | wireType.lengthDelimited;

function writeItem(writer: Writer, field: number, item: TaskItem): void {
  open(writer, field);
  writeText(writer, itemField.id, item.id);
  // Empty text is the default of a field and is left out, as every protobuf encoder does.
  if (item.title !== '') writeText(writer, itemField.title, item.title);
  if (item.description !== '') writeText(writer, itemField.description, item.description);
  writer.ldelim();
}

function writeText(writer: Writer, field: number, text: string): void {
  writer.uint32(tagOf(field)).string(text.toWellFormed());
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
