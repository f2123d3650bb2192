import {expect, test} from 'vitest';
import {parseJson} from '../../../../src/base/json.ts';
import {encodeEvent} from '../../../../src/protocol/task/encode-event.ts';
import {readEventBytes, readEventJson} from '../../../../src/protocol/task/read-item.ts';
import type {ResponseEvent} from '../../../../src/protocol/task/response-event.ts';
import {bothRead, type Told} from './read-answers.ts';

/** A session as it stands in logs: payloads in base64 and decoded, one todo alone where there may be a list, no masks. */
const log = String.raw`
{"init":{"conversation_id":"c"}}
{"client_actions":{"actions":[{"begin_transaction":{}},{"create_task":{"task":{"id":"t","messages":[{"id":"q","user_query":{"query":"Set up"}},{"id":"p","tool_call":{"tool_call_id":"c0","server":{"payload":"IgIQAQ=="}}}]}}}]}}
{"client_actions":{"actions":[{"add_messages_to_task":{"task_id":"t","messages":[{"id":"m1","agent_output":{"text":"I will "}}]}}]}}
{"client_actions":{"actions":[{"append_to_message_content":{"task_id":"t","message":{"id":"m1","agent_output":{"text":"set it up."}},"mask":{"paths":["agent_output.text"]}}}]}}
{"client_actions":{"actions":[{"rollback_transaction":{}},{"begin_transaction":{}}]}}
{"client_actions":{"actions":[{"add_messages_to_task":{"task_id":"t","messages":[{"id":"m2","agent_output":{"text":"I will set it up."}}]}},{"commit_transaction":{}}]}}
{"clientActions":{"actions":[{"updateTaskMessage":{"taskId":"t","message":{"id":"m2","agentOutput":{"text":"I will set it up."}},"mask":"agentOutput.text"}}]}}
{"client_actions":{"actions":[{"update_task_description":{"task_id":"t","description":"Set up"}},{"add_messages_to_task":{"task_id":"t","messages":[{"id":"m3","tool_call":{"tool_call_id":"c1","server":{"payload":"WgA="}}}]}}]}}
{"client_actions":{"actions":[{"add_messages_to_task":{"task_id":"t","messages":[{"id":"m4","server_event":{"payload":{"2":{"1":{"1":"a","2":"Initialize Git repository","3":"Run git init"}}}}}]}}]}}
{"client_actions":{"actions":[{"update_task_message":{"task_id":"t","message":{"id":"m5","tool_call":{"tool_call_id":"c2","server":{"payload":"SgMKAWE"}}}}}]}}
{"client_actions":{"actions":[{"update_task_message":{"task_id":"t","message":{"id":"m4","server_event":{"payload":{"2":{"2":{"1":"a","2":"Initialize Git repository","3":"Run git init"}}}}}}}]}}
{"client_actions":{"actions":[{"add_messages_to_task":{"task_id":"t","messages":[{"id":"m6","tool_call":{"tool_call_id":"c3","call_mcp_tool":{"name":"issues.list","args":{"page":5,"deep":{"all":true,"of":[1,"x",null]}}}}},{"id":"m7","tool_call":{"tool_call_id":"c4","run_shell_command":{"command":"git init","is_read_only":true}}}]}}]}}
{"finished":{"done":{},"token_usage":[{"model_id":"m","total_input":9,"output":3}]}}
`;

const entry = (status: string, activeForm: string) => ({content: 'Initialize Git repository', status, activeForm});
const told: Omit<Told, 'stop'> = {
  text: 'I will set it up.',
  calls: [
    {id: 'c1', name: 'TodoWrite', input: {todos: []}},
    {id: 'call_m4', name: 'TodoWrite', input: {todos: [entry('pending', '执行 Initialize Git repository')]}},
    {id: 'c2', name: 'TaskStatusUpdate', input: {task_ids: ['a'], status: 'in_progress'}},
    {id: 'call_m4_2', name: 'TodoWrite', input: {todos: [entry('completed', '已完成 Initialize Git repository')]}},
    {id: 'c3', name: 'issues.list', input: {page: 5, deep: {all: true, of: [1, 'x', null]}}},
    {id: 'c4', name: 'run_shell_command', input: {command: 'git init', is_read_only: true}},
  ],
};
const both = {openai: {...told, stop: 'tool_calls'}, anthropic: {...told, stop: 'tool_use'}};

function eventsOf(lines: string): readonly ResponseEvent[] {
  return lines
    .trim()
    .split('\n')
    .flatMap(line => {
      const json = parseJson(line);
      if (json.tag === 'failed') throw new Error(json.error);
      const read = readEventJson(json.value);
      if (read.tag === 'failed') throw new Error(read.error);
      return read.value;
    });
}

function overTheWire(event: ResponseEvent): ResponseEvent {
  const read = readEventBytes(encodeEvent(event));
  if (read.tag === 'failed') throw new Error(read.error.message);
  return read.value;
}

test('a session as JSON', async () => {
  expect(await bothRead(eventsOf(log))).toEqual(both);
});

test('the same session as bytes', async () => {
  expect(await bothRead(eventsOf(log).map(overTheWire))).toEqual(both);
});
