import {expect, test} from 'vitest';
import type {Message} from '../../../src/domain/conversation.ts';
import {messageId} from '../../../src/domain/ids.ts';
import type {Effort, ModelRequest} from '../../../src/domain/model-stream.ts';
import {effortChangeBlock} from '../../../src/domain/reminder.ts';
import {noUsage} from '../../../src/domain/usage.ts';
import {connectAnthropic} from '../../../src/models/anthropic.ts';
import {anthropicRequest} from '../../../src/models/anthropic-request.ts';
import {modelTable} from '../../../src/models/model-facts.ts';
import {infoOf, knownTable} from '../../support/model-info.ts';

const says = (id: string, ...texts: readonly string[]): Message => ({
  role: 'user',
  id: messageId(id),
  blocks: texts.map(text => ({kind: 'text', text})),
});
const answer: Message = {
  role: 'assistant',
  id: messageId('a'),
  model: 'claude-opus-5-5',
  blocks: [{kind: 'text', text: 'Yes.'}],
  stop: 'end-turn',
  usage: noUsage,
};
const note = (from: Effort | 'default', to: Effort | 'default'): Message => ({
  role: 'user',
  id: messageId(`note-${to}`),
  blocks: [effortChangeBlock({from, to})],
});

function sent(effort: Effort | 'default', messages: readonly Message[], host: 'official' | 'other' = 'official') {
  const request: ModelRequest = {
    model: 'claude-opus-5-5',
    system: '',
    tools: [],
    messages,
    thinking: {kind: 'default'},
    maxTokens: 'default',
  };
  const own = effort === 'default' ? {} : {effort};
  const body = anthropicRequest(request, {
    info: infoOf('claude-opus-5-5', own),
    cacheTtl: '5m',
    toolReferences: 'taken',
    host,
  });
  return {
    effort: body.output_config?.effort,
    messages: body.messages.map(({content, ...rest}) => ({...rest, count: content.length})),
  };
}

const [one, two] = [says('1', 'hi'), says('2', 'more')];
const user = {role: 'user', count: 1};
const assistant = {role: 'assistant', count: 1};
const system = (effort: Effort) => ({role: 'system', count: 0, output_config: {effort}});

test('a change of the effort is a message behind the prompt, so that the beginning of the request stays the same', () => {
  expect(sent('medium', [one])).toEqual({effort: 'medium', messages: [user]});
  expect(sent('high', [one, answer, two, note('medium', 'high')])).toEqual({
    effort: 'medium',
    messages: [user, assistant, user, system('high')],
  });
  expect(sent('low', [one, answer, two, note('medium', 'high'), answer, two, note('high', 'low')])).toEqual({
    effort: 'medium',
    messages: [user, assistant, user, system('high'), assistant, user, system('low')],
  });
});

test("the model's default is no word of the API", () => {
  expect(sent('default', [one, answer, two, note('low', 'default')])).toEqual({
    effort: 'low',
    messages: [user, assistant, user, system('medium')],
  });
  expect(sent('max', [one, answer, two, note('default', 'max')])).toEqual({
    effort: undefined,
    messages: [user, assistant, user, system('max')],
  });
});

test('other servers, and a conversation with the notes of another model, get the effort of the request', () => {
  const changed = [one, answer, two, note('medium', 'high')];
  expect(sent('high', changed, 'other')).toEqual({effort: 'high', messages: [user, assistant, user]});
  expect(sent('max', changed)).toEqual({effort: 'max', messages: [user, assistant, user]});
});

const changes = (baseUrl: string | undefined) => {
  const options = {
    apiKey: 'k',
    environment: {},
    models: knownTable,
    fallbacks: [],
    cacheTtl: '5m',
    toolReferences: 'taken',
  } as const;
  const port = connectAnthropic({...options, baseUrl});
  return ['claude-opus-5-5', 'claude-opus-5', 'claude-fable-5-1', 'claude-sonnet-5', 'claude-opus-4-8'].map(
    model => port.facts(model).effortChange,
  );
};

test('only Anthropic itself takes changes as messages, for models that know them', () => {
  expect(changes(undefined)).toEqual(['appended', 'appended', 'appended', 'cache-lost', 'cache-lost']);
  expect(new Set(changes('http://127.0.0.1:1'))).toEqual(new Set(['cache-lost']));
  expect(modelTable({}).facts('gpt-5.5').effortChange).toBe('cache-lost');
});
