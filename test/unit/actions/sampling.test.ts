import * as fc from 'fast-check';
import {expect, test} from 'vitest';
import type {Question} from '../../../src/actions/ports.ts';
import type {ModelQuestion} from '../../../src/actions/sampling-port.ts';
import {sampleWithApproval} from '../../../src/actions/sampling.ts';
import {isJsonObject, type Json, type JsonObject} from '../../../src/base/json.ts';
import {ok} from '../../../src/base/outcome.ts';
import {randomInputs} from '../../support/random-inputs.ts';

/** What becomes of a request that the user allows: what is asked of the model, or why nothing is. */
async function allowed(params: JsonObject) {
  const shown: Question[] = [];
  const sent: ModelQuestion[] = [];
  const reply = await sampleWithApproval(
    {server: 's', params},
    {
      questions: {
        async ask(questions) {
          shown.push(...questions);
          return {kind: 'answered', answers: [{selected: ['Allow once'], other: ''}]};
        },
      },
      sampling: {
        model: () => 'm',
        refusalReason: () => '',
        async answer(question) {
          sent.push(question);
          return ok({text: 'yes', model: 'm', end: 'cut-off'});
        },
      },
    },
    new AbortController().signal,
  );
  return {reply, sent: sent[0], shown: shown[0]?.question ?? ''};
}

const says = (role: string, ...content: readonly Json[]): JsonObject => ({role, content: [...content]});
const text = (words: string): JsonObject => ({type: 'text', text: words});

test('text and images are passed on, neighbours of one role as one; the answer is bounded', async () => {
  const image = {type: 'image', data: 'AA==', mimeType: 'image/png'};
  const {sent, reply} = await allowed({
    messages: [
      says('user', text('a'), image),
      {role: 'user', content: text('b')},
      says('assistant', text('c')),
      says('user', text('d')),
    ],
    maxTokens: 1_000_000,
    includeContext: 'allServers',
  });
  expect(sent).toEqual({
    system: '',
    messages: [
      {
        role: 'user',
        blocks: [
          {kind: 'text', text: 'a'},
          {kind: 'image', mediaType: 'image/png', data: 'AA=='},
          {kind: 'text', text: 'b'},
        ],
      },
      {role: 'assistant', blocks: [{kind: 'text', text: 'c'}]},
      {role: 'user', blocks: [{kind: 'text', text: 'd'}]},
    ],
    maxTokens: 4096,
  });
  expect(reply).toMatchObject({value: {content: {text: 'yes'}, stopReason: 'maxTokens'}});
});

test.each<readonly [string, JsonObject, RegExp]>([
  ['no messages', {}, /must be from the user/u],
  [
    'an answer of the model last',
    {messages: [says('user', text('a')), says('assistant', text('b'))]},
    /must be from the user/u,
  ],
  ['audio', {messages: [says('user', {type: 'audio', data: 'AA==', mimeType: 'audio/wav'})]}, /text and images/u],
  ['tools', {messages: [says('user', text('a'))], tools: [{name: 't'}]}, /does not support tools/u],
  ['too much', {messages: [says('user', text('a'.repeat(200_000)))]}, /too large/u],
  ['too many messages', {messages: Array.from({length: 60}, () => says('user', text('a')))}, /at most 50/u],
])('%s: the server reads why not, and nobody is asked', async (_case, params, why) => {
  const {reply, sent, shown} = await allowed(params);
  expect([reply, sent, shown]).toEqual([{tag: 'failed', error: expect.stringMatching(why)}, undefined, '']);
});

test('of a long request the user sees the beginning, and how much more there is', async () => {
  const {shown} = await allowed({messages: [says('user', text('word '.repeat(1000)))], maxTokens: 1});
  expect(shown).toMatch(
    /^The MCP server s wants to ask m, for at most 1 token of answer:\nword .*\n\[3000 more characters\]$/su,
  );
});

test('whatever a server sends, it gets an answer', async () => {
  await fc.assert(
    fc.asyncProperty(fc.jsonValue(), async value => {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- built of JSON only
      const params = value as Json;
      const {reply} = await allowed(isJsonObject(params) ? params : {messages: params});
      expect(['ok', 'failed']).toContain(reply.tag);
    }),
    {numRuns: randomInputs(300)},
  );
});
