import {describe, expect, test} from 'vitest';
import {todoId} from '../../../src/domain/ids.ts';
import type {TaskItem, TaskPayload} from '../../../src/domain/task-payload.ts';
import {type DecodedPayload, encodePayload, readPayloadBytes} from '../../../src/protocol/task/payload.ts';
import {eventJson} from '../../../src/protocol/task/response-event.ts';
import {failedPayloads, makePayloadEvents} from '../../../src/tasks/task-log.ts';

const item: TaskItem = {id: todoId('a'), title: 'A', description: ''};
const read = (payload: TaskPayload): DecodedPayload => readPayloadBytes(encodePayload(payload), 'call');
const cleared = read({kind: 'cleared'});
const running = read({kind: 'running', ids: [item.id]});
const pending = read({kind: 'snapshot', pending: [item], completed: [], running: []});
const preamble = readPayloadBytes(Uint8Array.of(0x22, 0), 'call');

describe('events of payloads', () => {
  test('have each payload where the protocol has it', () => {
    const eventOf = makePayloadEvents();
    expect(eventJson(eventOf([cleared, pending, running, preamble]))).toEqual({
      client_actions: {
        actions: [
          added({id: 'message-1', tool_call: {tool_call_id: 'call-1', server: {payload: {11: {}}}}}),
          added({id: 'message-2', server_event: {payload: {2: {1: [{1: 'a', 2: 'A'}]}}}}),
          updated({id: 'message-3', tool_call: {tool_call_id: 'call-3', server: {payload: {9: {1: ['a']}}}}}),
          added({id: 'message-4', tool_call: {tool_call_id: 'call-4', server: {payload: {4: {}}}}}),
        ],
      },
    });
    expect(eventOf([pending, cleared, pending])).toMatchObject({
      actions: [{kind: 'update-message'}, {kind: 'add-messages'}, {kind: 'add-messages'}],
    });
  });

  test('say which of their payloads cannot be read', () => {
    const broken = readPayloadBytes(Uint8Array.of(0x12, 9), 'event');
    expect(broken.tag).toBe('failed');
    expect(failedPayloads(makePayloadEvents()([cleared, broken, pending]))).toEqual([broken]);
    expect(failedPayloads({kind: 'other', unknown: {source: 'none'}})).toEqual([]);
  });
});

const added = (message: object): object => ({
  add_messages_to_task: {task_id: 'task-1', messages: [{task_id: 'task-1', ...message}]},
});
const updated = (message: object): object => ({
  update_task_message: {task_id: 'task-1', message: {task_id: 'task-1', ...message}, mask: {paths: ['tool_call']}},
});
