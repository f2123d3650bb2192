import {expect, test} from 'vitest';
import {resolveModelAlias} from '../../../src/domain/model-alias.ts';
import {knownModels} from '../../../src/models/model-facts.ts';

test('a family stands for the newest model of it that weft knows, where the provider has it', () => {
  for (const family of ['sonnet', 'opus', 'haiku']) {
    const newest = knownModels.anthropic.find(model => model.includes(family));
    expect([family, resolveModelAlias(family, 'anthropic'), resolveModelAlias(family, 'openai')]).toEqual([
      family,
      newest,
      undefined,
    ]);
  }
  expect(['inherit', '', 'gpt-5', 'constructor'].map(name => resolveModelAlias(name, 'openai'))).toEqual([
    undefined,
    undefined,
    'gpt-5',
    'constructor',
  ]);
});
