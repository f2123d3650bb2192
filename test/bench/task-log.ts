// MB/s of reading a task-protocol log and folding it to its todo list, beside a bare JSON.parse of the same lines. run-all bundles it.
import {encodeBase64} from '../../src/protocol/task/base64.ts';
import {encodeEvent} from '../../src/protocol/task/encode-event.ts';
import {encodePayload, readPayloadField} from '../../src/protocol/task/payload.ts';
import {eventJson} from '../../src/protocol/task/response-event.ts';
import type {ClientAction, MessageBody, ResponseEvent} from '../../src/protocol/task/response-event.ts';
import {makeTaskReader} from '../../src/protocol/task/task-reader.ts';
import {todoId} from '../../src/domain/ids.ts';
import type {TaskItem, TaskPayload} from '../../src/domain/task-payload.ts';
import {makeTaskLog} from '../../src/tasks/task-log.ts';

const megabytes = Number(process.argv[2] ?? 50);
const chunkSize = 64 * 1024;

const item = (index: number): TaskItem => ({
  id: todoId(`ff566ea1-6879-428f-8ea8-${String(index).padStart(12, '0')}`),
  title: `Step ${index} of the work`,
  description: 'Run the tests of this step and look at what they say before going on to the next one',
});

const payload = (meaning: TaskPayload) => readPayloadField(encodeBase64(encodePayload(meaning)), 'event');

const action = (id: string, body: MessageBody): ClientAction => ({
  kind: 'add-messages',
  taskId: 'task',
  messages: [{id, taskId: 'task', body}],
});

/** One step of an agent's answer: text in pieces, a call of a tool, the todo list. */
function step(index: number): readonly ClientAction[] {
  const text = 'forty bytes of text, as models send them';
  const pending = [1, 2, 3, 4].map(offset => item(index + offset));
  const pieces = Array.from({length: 20}, (): ClientAction => ({
    kind: 'append-content',
    taskId: 'task',
    message: {id: `text-${index}`, taskId: '', body: {kind: 'agent-output', text}},
    mask: ['agent_output.text'],
  }));
  return [
    action(`text-${index}`, {kind: 'agent-output', text}),
    ...pieces,
    action(`call-${index}`, {
      kind: 'tool-call',
      callId: `call-${index}`,
      call: {kind: 'native', name: 'run_shell_command', args: {command: 'npm test', is_read_only: true}},
    }),
    action(`mark-${index}`, {
      kind: 'tool-call',
      callId: `mark-${index}`,
      call: {kind: 'server', payload: payload({kind: 'running', ids: [item(index).id]})},
    }),
    action(`list-${index}`, {
      kind: 'server-event',
      payload: payload({kind: 'snapshot', pending, completed: [item(index)], running: []}),
    }),
  ];
}

const lines: {readonly json: string; readonly sse: string}[] = [];
for (let index = 0; index < 50; index += 1) {
  for (const one of step(index)) {
    const event: ResponseEvent = {kind: 'client-actions', actions: [one], unknown: {source: 'none'}};
    lines.push({
      json: `${JSON.stringify(eventJson(event))}\n`,
      sse: `data: ${encodeBase64(encodeEvent(event)).replaceAll('+', '-').replaceAll('/', '_')}\n\n`,
    });
  }
}

function* log(form: 'json' | 'sse'): Generator<string> {
  const once = lines.map(line => line[form]).join('');
  for (let size = 0; size < megabytes * 1e6; size += once.length) {
    for (let at = 0; at < once.length; at += chunkSize) yield once.slice(at, at + chunkSize);
  }
}

/** Of CPU, since the machine may be doing other things. */
function megabytesPerSecond(size: number, start: NodeJS.CpuUsage): number {
  const {user, system} = process.cpuUsage(start);
  return size / (user + system);
}

function measure(form: 'json' | 'sse'): number {
  const reader = makeTaskReader({input: 'auto'});
  const fold = makeTaskLog();
  let size = 0;
  let events = 0;
  const take = (items: ReturnType<typeof reader.push>): void => {
    for (const found of items) {
      if (found.tag !== 'event') throw new Error(`line ${found.line} was not read`);
      fold.applyEvent(found.event);
      events += 1;
    }
  };
  const start = process.cpuUsage();
  for (const piece of log(form)) {
    size += piece.length;
    take(reader.push(piece));
  }
  take(reader.end());
  if (events === 0 || fold.view.completed.length !== 1) throw new Error('the log was not folded');
  return megabytesPerSecond(size, start);
}

/** The same lines through nothing but the parser. */
function measureParse(): number {
  let size = 0;
  const start = process.cpuUsage();
  let rest = '';
  for (const piece of log('json')) {
    const parts = (rest + piece).split('\n');
    rest = parts.pop() ?? '';
    for (const line of parts) if (JSON.parse(line) !== null) size += line.length + 1;
  }
  return megabytesPerSecond(size, start);
}

measure('json');
const figure = (rate: number): string => `${rate.toFixed(0)} MB/s`;
console.log(
  `${figure(measure('json'))} as JSON lines, ${figure(measure('sse'))} as server-sent events, ${figure(measureParse())} bare JSON.parse`,
);
