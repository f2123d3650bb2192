import {failed, ok, type Outcome} from '../../../base/outcome.ts';
import {unreachable} from '../../../base/unreachable.ts';
import type {TodoList} from '../../../domain/todo.ts';
import {encodeBase64} from '../../../protocol/task/base64.ts';
import {encodeEvent} from '../../../protocol/task/encode-event.ts';
import {eventRecord} from '../../../protocol/task/response-event.ts';
import {LineSplitter, type LineRead} from '../../../protocol/task/line-splitter.ts';
import {readPayloadBytes} from '../../../protocol/task/payload.ts';
import {makePayloadEvents} from '../../../tasks/task-log.ts';
import {readTodosLine} from '../../../tasks/todo-lines.ts';
import {framesFor} from '../../../tasks/update-list.ts';
import {type TaskOutput, type Complain, type Filter} from './task-filter.ts';

/**
 * Converts todo lists, one per line, to the events between them. `base64` writes one payload per line. `json` and `sse` write one event
 * per list with all payloads of its change, so that a reader sees only the lists and no states in between.
 */
export function encodeFilter(output: TaskOutput, complain: Complain): Filter {
  const splitter = new LineSplitter(longestLine);
  const written = writerOf(output);
  let list: TodoList = [];

  function* outputs(lines: Iterable<LineRead>): Iterable<string> {
    for (const read of lines) {
      const next = nextList(read, list);
      if (next.tag === 'failed') {
        complain(`line ${read.line}`, next.error);
        continue;
      }
      const frames = framesFor(list, next.value);
      list = next.value;
      if (frames.length > 0) yield written(frames);
    }
  }

  return {push: text => outputs(splitter.push(text)), end: () => outputs(splitter.end())};
}

const longestLine = 64 * 1024 * 1024;

/** Parses the next list. An empty line changes nothing. */
function nextList(read: LineRead, before: TodoList): Outcome<TodoList, string> {
  if (read.kind === 'too-long') return failed(`longer than ${longestLine} characters`);
  return read.text.trim() === '' ? ok(before) : readTodosLine(read.text, before);
}

function writerOf(output: TaskOutput): (frames: readonly Uint8Array[]) => string {
  const eventOf = makePayloadEvents();
  const event = (frames: readonly Uint8Array[]) => eventOf(frames.map(frame => readPayloadBytes(frame, 'call')));
  switch (output) {
    case 'base64':
      return frames => frames.map(frame => `${encodeBase64(frame)}\n`).join('');
    case 'json':
      return frames => `${JSON.stringify(eventRecord(event(frames)))}\n`;
    case 'sse':
      return frames => `data: ${base64UrlOf(encodeEvent(event(frames)))}\n\n`;
    default:
      return unreachable(output);
  }
}

/** Encodes bytes like the protocol's servers: base64url with padding. */
const base64UrlOf = (bytes: Uint8Array): string => encodeBase64(bytes).replaceAll('+', '-').replaceAll('/', '_');
