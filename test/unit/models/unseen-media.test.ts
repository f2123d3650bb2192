import * as fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {withoutUnseen} from '../../../src/models/unseen-media.ts';
import {randomInputs} from '../../support/random-inputs.ts';
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
    cacheTtl: '5m',
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

/** A conversation of so many images, each with so many characters. */
const conversation = (sizes: readonly number[]): readonly Message[] =>
  sizes.map((size, at) => ({
    role: 'user',
    id: messageId(`u${at}`),
    blocks: [{kind: 'image', mediaType: 'image/png', data: 'A'.repeat(size)}],
  }));

/** The beginning of a PNG of that height, as base64. */
const picture = (side: number): string => {
  const head = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
  const size = Buffer.alloc(8);
  size.writeUInt32BE(side, 4);
  return Buffer.concat([head, size]).toString('base64');
};

/** What is sent of PNGs of these heights by a provider that takes 8,000 pixels, and 2,000 beside more than 3 images. */
const told = (sides: readonly number[]): readonly string[] => {
  const shown = sides.map((side, at): Message => ({
    role: 'user',
    id: messageId(`u${at}`),
    blocks: [{kind: 'image', mediaType: 'image/png', data: picture(side)}],
  }));
  const longestSide = {ofFew: 8000, few: 3, ofMany: 2000};
  const bounds = {largestImage: 100, longestSide, maxImages: 8, maxMedia: 1000};
  return withoutUnseen(ask('', {messages: shown}), {images: 'sent', pdfs: 'sent', bounds}).messages.map(
    ({blocks: [block]}) => (block?.kind === 'text' ? block.text : (block?.kind ?? '')),
  );
};

describe('more than a provider takes', () => {
  const bounds = {largestImage: 100, longestSide: 'unbounded', maxImages: 8, maxMedia: 1000} as const;
  const kinds = (sizes: readonly number[]): string =>
    withoutUnseen(ask('', {messages: conversation(sizes)}), {images: 'sent', pdfs: 'sent', bounds})
      .messages.map(({blocks}) => (blocks[0]?.kind === 'image' ? 'i' : 't'))
      .join('');

  test('an image that is too large is told of in words', () => {
    expect(kinds([100, 101])).toBe('it');
  });

  test('by pixels: never more than the provider takes of one image, and fewer where there are many', () => {
    expect(told([8000, 8001, 2001])).toEqual(['image', expect.stringContaining('larger than this provider'), 'image']);
    expect(told([2000, 2001, 1, 1])).toEqual([
      'image',
      expect.stringContaining(
        'beside more than 3 images, this provider takes none with a side of more than 2000 pixels',
      ),
      'image',
      'image',
    ]);
  });

  test('of too many images the oldest go, a quarter of the bound at once', () => {
    expect([8, 9, 10, 11].map(many => kinds(Array<number>(many).fill(1)))).toEqual([
      'iiiiiiii',
      'ttiiiiiii',
      'ttiiiiiiii',
      'ttttiiiiiii',
    ]);
  });

  test.each([
    {
      by: 'number',
      bounds: {largestImage: 100, longestSide: 'unbounded', maxImages: 100, maxMedia: 1_000_000} as const,
      breaks: 8,
    },
    {
      by: 'size',
      bounds: {largestImage: 100, longestSide: 'unbounded', maxImages: 1000, maxMedia: 1000} as const,
      breaks: 8,
    },
  ])('of 300 requests with one image more each, few change what was sent before: by $by', ({bounds: most, breaks}) => {
    const requests = Array.from({length: 300}, (_, at) =>
      withoutUnseen(ask('', {messages: conversation(Array<number>(at + 1).fill(10))}), {
        images: 'sent',
        pdfs: 'sent',
        bounds: most,
      }).messages.map(message => JSON.stringify(message)),
    );
    const broken = requests.filter((now, at) => requests[at - 1]?.some((before, line) => now[line] !== before));
    expect(broken).toHaveLength(breaks);
  });

  test('what is too much altogether goes too, and what is left always fits', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({min: 1, max: 100}), {maxLength: 40}), sizes => {
        const left = kinds(sizes);
        const kept = sizes.filter((_, at) => left[at] === 'i');
        expect(kept.length).toBeLessThanOrEqual(bounds.maxImages);
        expect(kept.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(bounds.maxMedia);
        // The newest ones stay.
        expect(left).toMatch(/^t*i*$/u);
        if (sizes.length > 0) expect(left.at(-1)).toBe('i');
      }),
      {numRuns: randomInputs(200)},
    );
  });
});
