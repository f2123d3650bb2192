import {Option, type Command} from 'commander';
import {exiting, type ExitCode} from '../../app/exit-code.ts';
import {addSubcommands, type JsonOption} from '../flags.ts';
import {
  inputs,
  outputs,
  type TaskInput,
  type TaskOutput,
  transformTargets,
  type TransformTarget,
  noteAt,
  runFilter,
} from './tasks/task-filter.ts';
import {randomUUID} from 'node:crypto';
import {unreachable} from '../../base/unreachable.ts';
import type {AnswerStream} from '../../protocol/transform/answer-stream.ts';
import type {ResponseEvent} from '../../protocol/task/response-event.ts';
import type {TaskView} from '../../tasks/task-view.ts';
import {jsonText} from '../../base/json.ts';
import {isStdoutTerminal} from '../../app/output.ts';

/** `weft tasks decode|watch|encode|transform`. */
export function add(tasks: Command): void {
  const file = ['[file]', 'File to read; stdin if missing or "-"'] as const;
  const json = ['--json', 'Print the list as one line of JSON after each change (default in a pipe)'] as const;
  const input = new Option('--input <form>', 'Input format').choices(inputs).default('auto');
  const output = new Option('--output <form>', 'Output format').choices(outputs).default('base64');
  const to = new Option('--to <api>', 'Target API').choices(transformTargets).makeOptionMandatory();
  const aboutEncode = 'Turn todo lists ({"todos":[...]} lines) into task-protocol events';
  const aboutTransform = 'Convert an event stream to the stream of another API (SSE)';
  addSubcommands(tasks, [
    ['decode', 'Print each payload or event as one line of JSON', [file, input], exiting(decodeTasks)],
    ['watch', 'Show the todo list live', [file, json], exiting(watchTasks)],
    ['encode', aboutEncode, [file, output], exiting(encodeTasks)],
    ['transform', aboutTransform, [file, to], exiting(transformTasks)],
  ]);
}

/** `weft tasks decode`: prints payloads as objects with field numbers as keys, and events as JSON with their payloads decoded. */
function decodeTasks(file: string | undefined, {input}: {readonly input: TaskInput}): Promise<ExitCode> {
  return runFilter(file, async complain => {
    const [{taskFilter}, {eventJson}] = await Promise.all([
      import('./tasks/task-filter.ts'),
      import('../../protocol/task/response-event.ts'),
    ]);
    return taskFilter({
      input,
      complain,
      onEvent: event => `${jsonText(eventJson(event))}\n`,
      onPayload: payload => (payload.tag === 'ok' ? `${jsonText(payload.tree)}\n` : ''),
      onEnd: () => '',
    });
  });
}

/** `weft tasks watch`: shows a live panel on a terminal. Elsewhere, and with `--json`, prints the list as one line after each change. */
async function watchTasks(file: string | undefined, {json}: JsonOption): Promise<ExitCode> {
  if (json === undefined && isStdoutTerminal()) {
    await (await import('../../tui/terminal/yoga.ts')).loadLayout();
    return (await import('./tasks/watch-panel.ts')).watchPanel(file);
  }
  return runFilter(file, async complain => {
    const [{taskFilter}, {makeTaskLog}, {todosOf}, {writeTodosLine: todosLine}] = await Promise.all([
      import('./tasks/task-filter.ts'),
      import('../../tasks/task-log.ts'),
      import('../../tasks/task-view.ts'),
      import('../../tasks/todo-lines.ts'),
    ]);
    const log = makeTaskLog();
    let shown = log.view;
    let printed = todosLine(todosOf(shown));
    const lineOf = (view: TaskView): string => {
      if (view === shown) return '';
      shown = view;
      const line = todosLine(todosOf(view));
      if (line === printed) return '';
      printed = line;
      return `${line}\n`;
    };
    return taskFilter({
      input: 'auto',
      complain,
      onEvent: event => lineOf(log.applyEvent(event)),
      onPayload: payload => lineOf(log.applyPayload(payload)),
      onEnd: () => '',
    });
  });
}

/** `weft tasks encode`: prints the events that lead from each list to the next one. */
function encodeTasks(file: string | undefined, {output}: {readonly output: TaskOutput}): Promise<ExitCode> {
  return runFilter(file, async complain => {
    const {encodeFilter} = await import('./tasks/encode-filter.ts');
    return encodeFilter(output, complain);
  });
}

/** `weft tasks transform`: prints the stream of another API. The stream is complete even if the input is cut off. */
function transformTasks(file: string | undefined, {to}: {readonly to: TransformTarget}): Promise<ExitCode> {
  return runFilter(file, async complain => {
    const [{taskFilter}, {makePayloadEvents}, stream] = await Promise.all([
      import('./tasks/task-filter.ts'),
      import('../../tasks/task-log.ts'),
      targetStream(to),
    ]);
    const eventOf = makePayloadEvents();
    let isNoted = false;
    const takeEvent = (event: ResponseEvent, position: string): string => {
      if (stream.hasEnded && event.kind === 'client-actions' && !isNoted) {
        isNoted = true;
        noteAt(position, 'the response ended before this line; the events of another response are skipped');
      }
      return stream.push(event).join('');
    };
    return taskFilter({
      input: 'auto',
      complain,
      onEvent: takeEvent,
      onPayload: (payload, position) => takeEvent(eventOf([payload]), position),
      onEnd: () => stream.end().join(''),
    });
  });
}

async function targetStream(to: TransformTarget): Promise<AnswerStream> {
  const name = randomUUID();
  switch (to) {
    case 'openai': {
      const {makeOpenAiStream} = await import('../../protocol/transform/openai-stream.ts');
      return makeOpenAiStream({id: `chatcmpl-${name}`, created: Math.floor(Date.now() / 1000), model: unknownModel});
    }
    case 'anthropic': {
      const {makeAnthropicStream} = await import('../../protocol/transform/anthropic-stream.ts');
      return makeAnthropicStream({id: `msg_${name}`, model: unknownModel});
    }
    default:
      return unreachable(to);
  }
}

/** Used because the protocol names the model only at the end of a stream. */
const unknownModel = 'unknown';
