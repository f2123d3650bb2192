import {expect, test} from 'vitest';
import {profileOf} from '../../../src/domain/model-family.ts';
import {modelTable} from '../../../src/models/model-facts.ts';

const profiles = {
  'claude-sonnet-5-5': 'claude-5',
  'claude-fable-5-1': 'claude-5',
  'claude-opus-5': 'claude-5',
  'claude-opus-6-20270101': 'claude-5',
  'global.anthropic.claude-haiku-5-5': 'claude-5',
  'anthropic/claude-sonnet-4.5': 'claude-4',
  'claude-opus-4-8': 'claude-4',
  'claude-sonnet-4-5@20250929': 'claude-4',
  'claude-opus-4-20250514': 'claude-4',
  'us.anthropic.claude-3-7-sonnet-20250219-v1:0': 'claude-4',
  'anthropic.claude-v2': 'claude-4',
  'claude-instant-1.2': 'claude-4',
  'gpt-6.1-sol': 'gpt',
  'gpt-5-codex': 'gpt',
  'openai/gpt-4o': 'gpt',
  'ft:gpt-4.1:org::id': 'gpt',
  'chatgpt-4o-latest': 'gpt',
  o3: 'gpt',
  'o4-mini': 'gpt',
  'models/gemini-3.8-flash': 'gemini',
  'openai/gpt-oss-120b': 'open',
  'gemma-3': 'open',
  'deepseek-v4': 'open',
  'qwen3-claude-4.5-distill': 'open',
  'my-model': 'open',
};

test('the name of a model tells its family', () => {
  const table = modelTable({});
  expect(Object.fromEntries(Object.keys(profiles).map(name => [name, table.facts(name).profile]))).toEqual(profiles);
});

const profileAt = (provider: string, name = 'production'): string => modelTable({}, {provider}).facts(name).profile;

test('the cloud tells the family of a deployment with a name of its own', () => {
  expect(['bedrock', 'vertex', 'foundry', 'azure', 'openai'].map(provider => profileAt(provider))).toEqual([
    'claude-5',
    'claude-5',
    'claude-5',
    'gpt',
    'open',
  ]);
  expect(profileAt('azure', 'claude-sonnet-4-5')).toBe('claude-4');
});

test('only an open model with a small window has the small profile', () => {
  expect([0, 8192, 65_536, 65_537].map(window => profileOf('open', window))).toEqual([
    'open',
    'small',
    'small',
    'open',
  ]);
  expect(profileOf('claude-5', 8192)).toBe('claude-5');
  expect(modelTable({'my-model': {contextWindow: 32_000}}).facts('my-model').profile).toBe('small');
});
