import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import {expect} from 'vitest';
import type {ResponseEvent} from '../../../../src/protocol/task/response-event.ts';
import {makeAnthropicStream} from '../../../../src/protocol/transform/anthropic-stream.ts';
import {makeOpenAiStream} from '../../../../src/protocol/transform/openai-stream.ts';

export const openAiText = (events: readonly ResponseEvent[]): string => {
  const stream = makeOpenAiStream({id: 'chatcmpl-1', created: 7, model: 'm'});
  return [...events.flatMap(event => stream.push(event)), ...stream.end()].join('');
};

export const anthropicText = (events: readonly ResponseEvent[]): string => {
  const stream = makeAnthropicStream({id: 'msg_1', model: 'm'});
  return [...events.flatMap(event => stream.push(event)), ...stream.end()].join('');
};

/** What the real client makes of server-sent events. Rejects where they are not well-formed or tell an error. */
export async function readOpenAi(body: string) {
  const client = new OpenAI({apiKey: 'key', baseURL: 'http://127.0.0.1', maxRetries: 0, fetch: answering(body)});
  return client.chat.completions.stream({model: 'm', messages: [{role: 'user', content: 'x'}]}).finalChatCompletion();
}

/** The same for messages; beside the message, the raw events as the client saw them. */
export async function readAnthropic(body: string) {
  const client = new Anthropic({apiKey: 'key', baseURL: 'http://127.0.0.1', maxRetries: 0, fetch: answering(body)});
  const stream = client.messages.stream({model: 'm', max_tokens: 9, messages: [{role: 'user', content: 'x'}]});
  const events: Anthropic.MessageStreamEvent[] = [];
  stream.on('streamEvent', event => events.push(structuredClone(event)));
  return {message: await stream.finalMessage(), events};
}

const answering = (body: string) => async (): Promise<Response> =>
  new Response(body, {headers: {'content-type': 'text/event-stream'}});

/** The parts of an answer that matter, the same for both dialects. */
export interface Told {
  readonly text: string;
  readonly calls: readonly {readonly id: string; readonly name: string; readonly input: unknown}[];
  readonly stop: string | null;
}

/** What both clients read of these events. */
export async function bothRead(events: readonly ResponseEvent[]): Promise<{openai: Told; anthropic: Told}> {
  const completion = await readOpenAi(openAiText(events));
  const choice = completion.choices[0];
  const {message} = await readAnthropic(anthropicText(events));
  return {
    openai: {
      text: choice?.message.content ?? '',
      calls: (choice?.message.tool_calls ?? []).flatMap(call =>
        call.type === 'function'
          ? [{id: call.id, name: call.function.name, input: JSON.parse(call.function.arguments)}]
          : [],
      ),
      stop: choice?.finish_reason ?? null,
    },
    anthropic: {
      text: message.content.flatMap(block => (block.type === 'text' ? [block.text] : [])).join(''),
      calls: message.content.flatMap(block =>
        block.type === 'tool_use' ? [{id: block.id, name: block.name, input: block.input}] : [],
      ),
      stop: message.stop_reason,
    },
  };
}

/** Both clients read the same, but for the names of the reasons to stop. */
export async function expectTold(events: readonly ResponseEvent[], told: Pick<Told, 'text' | 'calls'>): Promise<void> {
  const made = told.calls.length > 0;
  expect(await bothRead(events)).toEqual({
    openai: {...told, stop: made ? 'tool_calls' : 'stop'},
    anthropic: {...told, stop: made ? 'tool_use' : 'end_turn'},
  });
}
