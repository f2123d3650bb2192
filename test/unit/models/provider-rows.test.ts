import {expect, test} from 'vitest';
import {rowAt} from '../../../src/models/provider-rows.ts';

test.each([
  ['https://api.openai.com/v1', '', 'max_completion_tokens', 'none'],
  ['https://res.openai.azure.com/openai/v1', 'AZURE_OPENAI_API_KEY', 'max_completion_tokens', 'none'],
  ['https://generativelanguage.googleapis.com/v1beta/openai', 'GEMINI_API_KEY', 'max_completion_tokens', 'none'],
  ['https://api.deepseek.com', 'DEEPSEEK_API_KEY', 'max_tokens', 'always'],
  ['https://api.moonshot.ai/v1', 'MOONSHOT_API_KEY', 'max_tokens', 'always'],
  ['https://api.kimi.com/coding/v1', 'KIMI_API_KEY', 'max_tokens', 'always'],
  ['https://api.z.ai/api/coding/paas/v4', 'ZAI_API_KEY', 'max_tokens', 'own'],
  ['https://open.bigmodel.cn/api/paas/v4', 'ZAI_API_KEY', 'max_tokens', 'own'],
  ['https://api.minimax.io/v1', 'MINIMAX_API_KEY', 'max_tokens', 'own'],
  ['https://dashscope-intl.aliyuncs.com/compatible-mode/v1', 'DASHSCOPE_API_KEY', 'max_completion_tokens', 'own'],
  ['https://coding.dashscope.aliyuncs.com/v1', 'DASHSCOPE_API_KEY', 'max_completion_tokens', 'own'],
  [
    'https://token-plan.cn-beijing.maas.aliyuncs.com/compatible-mode/v1',
    'DASHSCOPE_API_KEY',
    'max_completion_tokens',
    'own',
  ],
  ['https://api.mistral.ai/v1', 'MISTRAL_API_KEY', 'max_tokens', 'none'],
  ['https://api.x.ai/v1', 'XAI_API_KEY', 'max_completion_tokens', 'none'],
  ['https://api.groq.com/openai/v1', 'GROQ_API_KEY', 'max_completion_tokens', 'own'],
  ['https://api.cerebras.ai/v1', 'CEREBRAS_API_KEY', 'max_completion_tokens', 'none'],
  ['https://api.together.xyz/v1', 'TOGETHER_API_KEY', 'max_tokens', 'own'],
  ['https://api.fireworks.ai/inference/v1', 'FIREWORKS_API_KEY', 'max_completion_tokens', 'own'],
  ['https://openrouter.ai/api/v1', 'OPENROUTER_API_KEY', 'max_completion_tokens', 'own'],
  ['http://127.0.0.1:8080/v1', '', 'max_completion_tokens', 'none'],
  ['https://api.deepseek.com.example.org/v1', '', 'max_completion_tokens', 'none'],
  ['not a URL', '', 'max_completion_tokens', 'none'],
] as const)('%s', (baseUrl, keyVariable, outputLimit, echo) => {
  expect(rowAt(baseUrl)).toMatchObject({keyVariable, outputLimit, echo});
});
