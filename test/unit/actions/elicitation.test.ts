import * as fc from 'fast-check';
import {expect, test} from 'vitest';
import {elicitByQuestions} from '../../../src/actions/elicitation.ts';
import type {Elicitation} from '../../../src/actions/mcp-port.ts';
import type {Question, QuestionAnswer, QuestionReply} from '../../../src/actions/ports.ts';
import {isJsonObject, type Json, type JsonObject} from '../../../src/base/json.ts';
import {randomInputs} from '../../support/random-inputs.ts';

const never = new AbortController().signal;
const form = (requestedSchema: JsonObject | undefined): Elicitation => ({
  server: 'calc',
  message: 'Which one?',
  mode: 'form',
  url: '',
  elicitationId: '',
  requestedSchema,
});
const fields = (properties: JsonObject, ...required: readonly string[]): Elicitation =>
  form({type: 'object', properties, required: [...required]});
const choose = (...selected: readonly string[]): QuestionAnswer => ({selected, other: ''});
const type = (other: string): QuestionAnswer => ({selected: [], other});

/** What the server hears, and what the user was asked. */
async function elicited(elicitation: Elicitation, reply: QuestionReply | readonly QuestionAnswer[]) {
  const asked: Question[] = [];
  const said = 'kind' in reply ? reply : ({kind: 'answered', answers: reply} as const);
  const ask = async (questions: readonly Question[]): Promise<QuestionReply> => {
    asked.push(...questions);
    return said;
  };
  return {heard: await elicitByQuestions(elicitation, {ask}, never), asked};
}

const color = fields({color: {type: 'string', enum: ['r', 'g'], enumNames: ['Red', 'Green']}}, 'color');
const size = fields({size: {type: 'integer', title: 'Size', description: 'in cm', default: 3}});

test.each<readonly [string, Elicitation, QuestionReply | readonly QuestionAnswer[], JsonObject]>([
  ['a choice', color, [choose('Green')], {action: 'accept', content: {color: 'g'}}],
  ['what is no choice', color, [type('blue')], {action: 'decline'}],
  ['nothing where something is needed', color, [choose()], {action: 'decline'}],
  ['a no', color, [choose('Decline')], {action: 'decline'}],
  ['a number', size, [type('12')], {action: 'accept', content: {size: 12}}],
  ['what the server proposes', size, [choose('3')], {action: 'accept', content: {size: 3}}],
  ['no number', size, [type('1.5')], {action: 'decline'}],
  ['nothing where nothing is needed', size, [choose('Skip')], {action: 'accept', content: {}}],
  ['yes', fields({ok: {type: 'boolean'}}, 'ok'), [choose('Yes')], {action: 'accept', content: {ok: true}}],
  [
    'several',
    fields({tags: {type: 'array', items: {type: 'string', enum: ['a', 'b', 'c']}}}, 'tags'),
    [choose('a', 'c')],
    {action: 'accept', content: {tags: ['a', 'c']}},
  ],
  [
    'a no to several',
    fields({tags: {type: 'array', items: {enum: ['a']}}}),
    [choose('a', 'Decline')],
    {action: 'decline'},
  ],
  ['a form without fields', fields({}), [choose('Yes')], {action: 'accept', content: {}}],
  ['a question that is put aside', color, {kind: 'dismissed'}, {action: 'cancel'}],
  ['nobody', color, {kind: 'unattended'}, {action: 'decline'}],
])('%s', async (_case, elicitation, reply, heard) => {
  expect((await elicited(elicitation, reply)).heard).toEqual({content: undefined, ...heard});
});

test('each field is a question, which says who asks', async () => {
  const {asked} = await elicited(size, [choose('3')]);
  expect(asked).toEqual([
    {
      question: 'The MCP server calc asks: Which one?\nSize: in cm',
      header: 'size',
      options: [
        {label: '3', description: 'what the server proposes', recommended: 'plain'},
        {label: 'Skip', description: '', recommended: 'plain'},
        {label: 'Decline', description: 'tell the server that you decline', recommended: 'plain'},
      ],
      choice: 'one',
    },
  ]);
});

test('an address is shown whole, and weft does not open it', async () => {
  const link = {...form(undefined), mode: 'url', url: 'https://example.com/in?a=b'} as const;
  const {asked, heard} = await elicited(link, [choose('Done')]);
  expect(asked[0]?.question).toContain('asks you to open https://example.com/in?a=b\n');
  expect(heard).toEqual({action: 'accept', content: undefined});
  expect((await elicited(link, [choose('No')])).heard.action).toBe('decline');
});

test.each<readonly [string, Elicitation]>([
  ['no form', form(undefined)],
  ['too many fields', fields(Object.fromEntries(Array.from({length: 11}, (_, at) => [`f${at}`, {type: 'string'}])))],
])('%s: nobody is asked', async (_case, elicitation) => {
  expect(await elicited(elicitation, [])).toEqual({heard: {action: 'decline', content: undefined}, asked: []});
});

test('whatever form a server sends, it gets an answer', async () => {
  await fc.assert(
    fc.asyncProperty(fc.jsonValue(), fc.array(fc.string()), async (value, selected) => {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- built of JSON only
      const json = value as Json;
      const schema = isJsonObject(json) ? json : {properties: {a: json}};
      const {heard} = await elicited(form(schema), [choose(...selected)]);
      expect(['accept', 'decline']).toContain(heard.action);
    }),
    {numRuns: randomInputs(300)},
  );
});
