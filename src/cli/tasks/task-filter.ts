import {unreachable} from '../../base/unreachable.ts';
import type {PayloadRead, ResponseEvent} from '../../protocol/task/response-event.ts';
import {failedPayloads} from '../../tasks/failed-payloads.ts';
import {makeTaskReader, type TaskItemRead} from '../../protocol/task/task-reader.ts';
import type {TaskInput} from '../program.ts';
import type {Complain, Filter} from './run-filter.ts';

/** A filter of task-protocol input. What cannot be read is complained of, with its line; the rest goes on. */
export function taskFilter(options: {
  readonly input: TaskInput;
  readonly complain: Complain;
  readonly onEvent: (event: ResponseEvent, position: string) => string;
  readonly onPayload: (payload: PayloadRead, position: string) => string;
  readonly onEnd: () => string;
}): Filter {
  const {input, complain, onEvent, onPayload, onEnd} = options;
  const reader = makeTaskReader({input});

  function outputOf(item: TaskItemRead): string {
    const position = `line ${item.line}`;
    switch (item.tag) {
      case 'event':
        for (const payload of failedPayloads(item.event)) complain(position, troubleOf(payload));
        return onEvent(item.event, position);
      case 'payload':
        if (item.payload.tag === 'failed') {
          complain(position, troubleOf(item.payload));
          return '';
        }
        return onPayload(item.payload, position);
      case 'broken':
        complain(position, item.message);
        return '';
      default:
        return unreachable(item);
    }
  }

  function* outputs(items: Iterable<TaskItemRead>): Iterable<string> {
    for (const item of items) yield outputOf(item);
  }

  return {
    push: text => outputs(reader.push(text)),
    *end() {
      yield* outputs(reader.end());
      yield onEnd();
    },
  };
}

const troubleOf = ({message, position}: PayloadRead & {readonly tag: 'failed'}): string =>
  `a payload cannot be read: ${message} (byte ${position})`;
