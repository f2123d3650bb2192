import {unreachable} from '../../../base/unreachable.ts';
import {makeStdoutWriter, type WriteState} from '../../../headless/stdout-writer.ts';
import type {DecodedPayload} from '../../../protocol/task/payload.ts';
import type {ResponseEvent} from '../../../protocol/task/response-event.ts';
import {makeTaskReader, type TaskItemRead} from '../../../protocol/task/task-reader.ts';
import {failedPayloads} from '../../../tasks/task-log.ts';
import {exitCode, type ExitCode} from '../../../app/exit-code.ts';
import {note, stdoutSink} from '../../../app/output.ts';
import {readText} from '../../stdin.ts';

/** Makes a filter for task-protocol input. It reports invalid input with its line number and processes the rest. */
export function taskFilter(options: {
  readonly input: TaskInput;
  readonly complain: Complain;
  readonly onEvent: (event: ResponseEvent, position: string) => string;
  readonly onPayload: (payload: DecodedPayload, position: string) => string;
  readonly onEnd: () => string;
}): Filter {
  const {input, complain, onEvent, onPayload, onEnd} = options;
  const reader = makeTaskReader({input});
  let isUnderstood = false;
  let unread = 0;

  /** Gives up on input that is not a stream at all, which would otherwise report every line of a long file. */
  function complainOrStop(position: string, message: string): void {
    unread += 1;
    if (!isUnderstood && unread > maxUnread)
      throw new Error(`This is not a task-protocol stream: none of its first ${maxUnread} lines is valid.`);
    complain(position, message);
  }

  function outputOf(item: TaskItemRead): string {
    const position = `line ${item.line}`;
    switch (item.tag) {
      case 'event':
        isUnderstood = true;
        for (const payload of failedPayloads(item.event)) complain(position, payloadErrorText(payload));
        return onEvent(item.event, position);
      case 'payload':
        if (item.payload.tag === 'failed') {
          complainOrStop(position, payloadErrorText(item.payload));
          return '';
        }
        isUnderstood = true;
        return onPayload(item.payload, position);
      case 'broken':
        complainOrStop(position, item.message);
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

/** The number of invalid lines after which a filter gives up if no line was valid. */
const maxUnread = 5;

const payloadErrorText = ({message, position}: DecodedPayload & {readonly tag: 'failed'}): string =>
  `can't read a payload: ${message} (byte ${position})`;

export interface Filter {
  /** Returns the output for this part of the text, in chunks. */
  push(text: string): Iterable<string>;
  end(): Iterable<string>;
}

/** Reports invalid input and its position. */
export type Complain = (position: string, message: string) => void;

/**
 * Runs a filter from a file or stdin to stdout. Writes the output of each chunk before it reads the next, which bounds memory. A reader
 * that closes stdout ends the filter without a failure. Invalid input makes the exit code 1.
 */
export async function runFilter(
  file: string | undefined,
  makeFilter: (complain: Complain) => Promise<Filter>,
): Promise<ExitCode> {
  const {complain, code} = makeComplaints();
  const filter = await makeFilter(complain);
  const stop = new AbortController();
  const stdout = makeStdoutWriter(stdoutSink('json'), () => stop.abort());
  const write = async (pieces: Iterable<string>): Promise<WriteState> => {
    let length = 0;
    for (const piece of pieces) {
      stdout.write(piece);
      length += piece.length;
      if (length > maxWaiting) {
        const {kind} = await stdout.drained();
        if (kind !== 'open') break;
        length = 0;
      }
    }
    return stdout.drained();
  };
  let state: WriteState = {kind: 'open'};
  for await (const text of readText(file, stop.signal)) {
    state = await write(filter.push(text));
    if (state.kind !== 'open') break;
  }
  if (state.kind === 'open') state = await write(filter.end());
  if (state.kind === 'failed') throw new Error(`Can't write to stdout: ${state.message}`);
  return code();
}

export function makeComplaints(): {readonly complain: Complain; readonly code: () => ExitCode} {
  let code: ExitCode = exitCode.done;
  return {
    complain(position, message) {
      noteAt(position, message);
      code = exitCode.failed;
    },
    code: () => code,
  };
}

/** Prints a notice about a position in the input to stderr. It does not change the exit code. */
export const noteAt = (position: string, message: string): void => {
  note(`${position}: ${message.replaceAll('\n', ' ⏎ ')}`);
};

/** The maximum number of characters of output to buffer for a slow reader. */
const maxWaiting = 256 * 1024;

/** The formats of task-protocol streams that `weft tasks` reads and writes. */
export const inputs = ['auto', 'base64', 'json', 'sse'] as const;
export const outputs = ['base64', 'json', 'sse'] as const;
export const transformTargets = ['openai', 'anthropic'] as const;

export type TaskInput = (typeof inputs)[number];
export type TaskOutput = (typeof outputs)[number];
export type TransformTarget = (typeof transformTargets)[number];
