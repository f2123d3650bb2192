import {describe, expect, test} from 'vitest';
import type {Message} from '../../../src/domain/conversation.ts';
import {actionId, messageId} from '../../../src/domain/ids.ts';
import {noUsage} from '../../../src/domain/usage.ts';
import {connectAnthropic} from '../../../src/models/anthropic.ts';
import {modelTable} from '../../../src/models/model-facts.ts';
import {connectOpenAi} from '../../../src/models/openai.ts';
import {ask, eventsOf} from '../../support/model-events.ts';
import {say} from '../../support/model-script.ts';
import {type DialectName, startModelServer} from '../../support/model-server.ts';

const image = {kind: 'image', mediaType: 'image/png', data: 'iVBORw0='} as const;
const pdf = {kind: 'document', mediaType: 'application/pdf', name: 'a.pdf', data: 'JVBERi0='} as const;
const messages: readonly Message[] = [
  {role: 'user', id: messageId('u1'), blocks: [{kind: 'text', text: 'Look.'}, image]},
  {
    role: 'assistant',
    id: messageId('a1'),
    model: 'small-model',
    blocks: [{kind: 'tool-call', id: actionId('c1'), name: 'Read', input: {}}],
    stop: 'tool-use',
    usage: noUsage,
  },
  {
    role: 'user',
    id: messageId('r1'),
    blocks: [{kind: 'tool-result', id: actionId('c1'), content: [image, pdf], outcome: 'success'}],
  },
];

/** What a server got of a conversation with pictures and a PDF, with what the user says of the model. */
async function sent(dialect: DialectName, own: Parameters<typeof modelTable>[0][string]): Promise<string> {
  await using server = await startModelServer([say('ok')]);
  const options = {
    apiKey: 'key',
    baseUrl: server.baseUrl[dialect],
    environment: {},
    models: modelTable({'small-model': own}),
    fallbacks: [],
    effort: 'default',
    toolReferences: 'refused',
  } as const;
  const model =
    dialect === 'anthropic'
      ? connectAnthropic(options)
      : connectOpenAi({...options, wireApi: dialect === 'responses' ? 'responses' : 'chat'});
  await eventsOf(model.stream(ask('', {messages}), new AbortController().signal));
  return JSON.stringify(server.requests[0]?.body);
}

const count = (text: string, part: string): number => text.split(part).length - 1;

describe.each(['anthropic', 'openai', 'responses'] as const)('%s', dialect => {
  test('a model that sees none is told so in words, for each of them', async () => {
    const body = await sent(dialect, {images: false, pdfs: false});
    expect([count(body, image.data), count(body, pdf.data)]).toEqual([0, 0]);
    expect(count(body, 'this model sees no images')).toBe(2);
    expect(count(body, 'a.pdf was not sent')).toBe(1);
  });

  test('a model of which nobody knows is sent its images', async () => {
    const body = await sent(dialect, {});
    expect([count(body, image.data), count(body, 'this model sees no images')]).toEqual([2, 0]);
  });

  test('a model that the user knows to read PDFs is sent them', async () => {
    const body = await sent(dialect, {pdfs: true});
    expect([count(body, pdf.data), count(body, 'was not sent')]).toEqual([1, 0]);
  });
});
