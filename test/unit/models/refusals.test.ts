import {describe, expect, test} from 'vitest';
import {judgeRefusal} from '../../../src/models/refusals.ts';

const endpoint = {name: 'The server', baseUrl: 'https://api.openai.com/v1', keyVariable: 'KEY', urlVariable: 'URL'};
const judge = (status: number, body: unknown, headers: Readonly<Record<string, string>> = {}) =>
  judgeRefusal(
    {
      kind: 'refused',
      status,
      header: name => headers[name] ?? null,
      body: typeof body === 'string' ? body : JSON.stringify(body),
    },
    endpoint,
    {model: 'm', tools: []},
  );
const error = (message: string, more: object = {}): object => ({error: {message, ...more}});

/** Status, body, tokens and window that the provider tells. */
const tooLong: readonly (readonly [string, number, object | string, number, number])[] = [
  [
    'Anthropic',
    400,
    error('prompt is too long: 213462 tokens > 200000 maximum', {type: 'invalid_request_error'}),
    213_462,
    200_000,
  ],
  ['Bedrock', 400, {message: 'Input is too long for requested model.'}, 0, 0],
  ['Bedrock, short', 400, {message: 'Input is too long.'}, 0, 0],
  ['OpenAI by code', 400, error('Too much.', {code: 'context_length_exceeded'}), 0, 0],
  ['OpenAI by text', 400, error('Your input exceeds the context window of this model.'), 0, 0],
  ['OpenAI in the stream', 0, error('Too much.', {code: 'context_length_exceeded'}), 0, 0],
  [
    'Gemini',
    400,
    [error('The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).', {code: 400})],
    1_200_000,
    1_048_576,
  ],
  ['Gemini, short', 400, [error('input token length too long')], 0, 0],
  [
    'vLLM',
    400,
    {
      message:
        "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens (8900 in the messages, 100 in the completion).",
    },
    8900,
    8192,
  ],
  [
    'vLLM, other words',
    400,
    {message: 'The decoder prompt (length 9000) is longer than the maximum model length of 8192.'},
    0,
    8192,
  ],
  ['SGLang', 400, {message: "Input length (9000) exceeds model's maximum context length (8192)."}, 9000, 8192],
  [
    'OpenRouter',
    400,
    error(
      "This endpoint's maximum context length is 131072 tokens. However, you requested about 140000 tokens (138000 of text input, 2000 in the output).",
    ),
    138_000,
    131_072,
  ],
  [
    'OpenRouter, input',
    400,
    error('The input (300000 tokens) exceeds the maximum allowed input length of 262144 tokens'),
    300_000,
    262_144,
  ],
  [
    'OpenRouter, raw',
    400,
    error('Provider returned error', {
      metadata: {raw: '{"error":{"message":"prompt is too long: 9 tokens > 8 maximum"}}'},
    }),
    9,
    8,
  ],
  ['Z.ai', 400, error('Prompt exceeds max length', {code: '1261'}), 0, 0],
  ['Z.ai, other words', 400, error('Prompt too long'), 0, 0],
  [
    'Kimi',
    400,
    error('Invalid request: Your request exceeded model token limit: 262144 (requested: 291351)'),
    291_351,
    262_144,
  ],
  ['DashScope', 400, error('Range of input length should be [1, 258048]'), 0, 258_048],
  ['MiniMax', 400, error('invalid params, context window exceeds limit'), 0, 0],
  [
    'Mistral',
    400,
    {
      object: 'error',
      message: 'Prompt contains 65673 tokens and 0 draft tokens, too large for model with 32768 maximum context length',
    },
    65_673,
    32_768,
  ],
  [
    'xAI',
    400,
    {error: "This model's maximum prompt length is 131072 but the request contains 537812 tokens."},
    537_812,
    131_072,
  ],
  ['Groq', 400, error('Please reduce the length of the messages or completion.'), 0, 0],
  [
    'Groq, limit',
    413,
    error('Request too large for model x on tokens per minute (TPM): Limit 6000, Requested 8000'),
    8000,
    6000,
  ],
  ['Together', 400, error("The input is longer than the model's context length."), 0, 0],
  ['Copilot', 413, 'failed to parse request', 0, 0],
  ['Copilot, count', 400, error('prompt token count of 140000 exceeds the limit of 128000'), 140_000, 128_000],
  ['LiteLLM', 400, error('litellm.ContextWindowExceededError: AnthropicException'), 0, 0],
  [
    'TGI',
    422,
    {error: 'Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 5000 `inputs` tokens'},
    5000,
    4096,
  ],
  [
    'llama.cpp',
    400,
    error('the request exceeds the available context size. try increasing the context size', {
      code: 400,
      type: 'exceed_context_size_error',
      n_prompt_tokens: 5000,
      n_ctx: 4096,
    }),
    5000,
    4096,
  ],
  [
    'LM Studio',
    400,
    {error: 'The number of tokens to keep from the initial prompt is greater than the context length.'},
    0,
    0,
  ],
  [
    'a newer TGI',
    422,
    {error: 'Input validation error: `inputs` must have less than 4096 tokens. Given: 9000'},
    9000,
    4096,
  ],
  ['an input length', 400, {error: 'Input length 9000 exceeds limit 4096'}, 9000, 4096],
  ['a KV cache', 400, {error: 'the prompt overflows the KV cache (n_ctx=4096)'}, 0, 4096],
  ['Chinese', 400, {error: '上下文长度超过限制'}, 0, 0],
  ['Z.ai in Chinese', 400, {error: {code: '1210', message: 'Prompt 超长'}}, 0, 0],
  ['Ollama', 400, {error: 'prompt too long; exceeded max context length by 4 tokens'}, 0, 0],
  [
    'Vertex',
    400,
    error('{"type":"error","error":{"type":"invalid_request_error","message":"Prompt is too long"}}'),
    0,
    0,
  ],
];

test.each(tooLong)('too long a conversation at %s is told with its numbers', (_name, status, body, tokens, window) => {
  const {error: judged} = judge(status, body);
  const refusal = judged.kind === 'final' && judged.fault.kind === 'provider' ? judged.fault.refusal : undefined;
  expect(refusal).toEqual({kind: 'too-long', tokens, window});
});

test.each([
  [
    'a text of one field',
    400,
    error("Invalid 'messages[1].content': string too long. Expected a string with maximum length 1048576"),
  ],
  ['a policy', 400, error('prompt is too long', {code: 'policy_blocked'})],
  ['a leak', 400, error('prompt is too long', {code: 'dlp_request_denied'})],
])('%s is not too long a conversation', (_name, status, body) => {
  expect(judge(status, body).is.kind).not.toBe('too-long');
});

describe('a refusal that a change repairs', () => {
  test.each([
    [
      'input length and `max_tokens` exceed context limit: 180000 + 32000 > 200000',
      {kind: 'max-tokens', most: 19_000, input: 180_000, window: 200_000},
    ],
    [
      'max_tokens: 64000 > 32000, which is the maximum allowed number of output tokens',
      {kind: 'max-tokens', most: 32_000, input: 0, window: 0},
    ],
    [
      'max_tokens is too large: 64000. This model supports at most 16384 completion tokens',
      {kind: 'max-tokens', most: 16_384, input: 0, window: 0},
    ],
    [
      'Invalid max_tokens value, the valid range of max_tokens is [1, 8192]',
      {kind: 'max-tokens', most: 8192, input: 0, window: 0},
    ],
    [
      "This endpoint's maximum context length is 131,072 tokens. However, you requested about 140000 tokens (100000 of text input, 40000 in the output).",
      {kind: 'max-tokens', most: 16_072, input: 100_000, window: 131_072},
    ],
    ['Could not process image', {kind: 'image'}],
    [
      'messages.0.content.1.image.source.base64: image exceeds 5 MB maximum: 6000000 bytes > 5242880 bytes',
      {kind: 'image'},
    ],
    ['At least one of the image dimensions exceed max allowed size: 8000 pixels', {kind: 'image'}],
    ['Image does not match the provided media type image/png', {kind: 'image'}],
    ['image cannot be empty', {kind: 'image'}],
    ['images exceed the api limit', {kind: 'image'}],
    ['image file is empty', {kind: 'image'}],
    ['Could not process PDF', {kind: 'document'}],
    ['A maximum of 100 PDF pages may be provided.', {kind: 'document'}],
    ['The PDF specified was not valid.', {kind: 'document'}],
    ['The PDF specified is password protected.', {kind: 'document'}],
    ['pdf cannot be empty', {kind: 'document'}],
    ['too many images and documents: 101 + 0 > 100', {kind: 'too-many-media'}],
    ['too much media', {kind: 'too-many-media'}],
    ['The request size (40000000 bytes) exceeds 32 MB limit', {kind: 'too-many-bytes'}],
    ['messages: text is not set', {kind: 'result-media'}],
    ['tool message content must be a string', {kind: 'result-media'}],
    ['expected string, got list', {kind: 'result-media'}],
    [
      'messages.1.content.0: Invalid `signature` in `thinking` block. The block is bound to a different conversation.',
      {kind: 'thinking-signature'},
    ],
    ['messages.1.content.0: Invalid data in `redacted_thinking` block', {kind: 'thinking-signature'}],
    ['messages.1.content.0.thinking.signature: Field required', {kind: 'thinking-signature'}],
    [
      'messages.3.content.1: `thinking` blocks in the latest assistant message cannot be modified',
      {kind: 'thinking-signature'},
    ],
    ['The encrypted content for item rs_1 could not be verified.', {kind: 'thinking-signature'}],
    ['"thinking.type.enabled" is not supported for this model. Use "thinking.type.adaptive".', {kind: 'thinking-type'}],
    ['This model does not support the effort parameter.', {kind: 'effort'}],
    ['output_config: Extra inputs are not permitted', {kind: 'effort'}],
    ['Function call is missing a thought_signature in functionCall parts, position 2.', {kind: 'call-signature'}],
    ['Corrupted thought signature.', {kind: 'call-signature'}],
    ['The `reasoning_content` in the thinking mode must be passed back to the API.', {kind: 'thinking-echo'}],
    ['Missing reasoning_content field in the assistant message at message index 2', {kind: 'thinking-echo'}],
    ['tools.0.input_schema: input_schema does not support oneOf, allOf, or anyOf at the top level', {kind: 'schema'}],
    ['The compiled grammar is too large', {kind: 'schema'}],
    ['Too many strict tools (25)', {kind: 'schema'}],
    ['Schemas contains too many parameters with union types (17)', {kind: 'schema'}],
    ['tools.function.parameters is not a valid moonshot flavored json schema, details: <At path x>', {kind: 'schema'}],
    ['failed to parse grammar', {kind: 'schema'}],
    ['Tool call id was call_1 but must be a-z, A-Z, 0-9, with a length of 9.', {kind: 'call-id', most: 9}],
    [
      "Invalid 'messages[1].tool_calls[0].id': string too long. Expected a string with maximum length 40",
      {kind: 'call-id', most: 40},
    ],
    ['Unexpected role "developer"', {kind: 'system-role'}],
    ['Unknown variant `developer`, expected one of `system`, `user`', {kind: 'system-role'}],
    ['messages.2.content.0.cache_control: Extra inputs are not permitted', {kind: 'cache-control'}],
    ['No endpoints found that support image input', {kind: 'no-images'}],
  ])('%s', (message, is) => {
    expect(judge(400, error(message)).is).toEqual(is);
  });

  test.each([
    ["Unsupported parameter: 'parallel_tool_calls' is not supported with this model.", 'parallel_tool_calls'],
    ['stream_options: Extra inputs are not permitted', 'stream_options'],
    ['Unrecognized request argument supplied: prompt_cache_key', 'prompt_cache_key'],
    ['{"detail":[{"type":"extra_forbidden","loc":["body","store"],"msg":"Extra inputs are not permitted"}]}', 'store'],
    ['json: unknown field "reasoning.summary"', 'reasoning.summary'],
  ])('%s', (message, name) => {
    const {is} = judge(400, message.startsWith('{') ? message : error(message));
    expect(is).toMatchObject({kind: 'parameter', names: expect.arrayContaining([name])});
  });
});

describe('what passes and what does not', () => {
  const now = Date.now();
  test.each([
    ['Bedrock throttles', 400, {message: 'Too many tokens, please wait before trying again.'}, {}, 0],
    ['DashScope throttles', 400, error('Request rate increased too quickly'), {}, 0],
    ['an overload', 529, error('Overloaded', {type: 'overloaded_error'}), {}, 0],
    ['Z.ai is overloaded', 429, error('The service is at capacity', {code: '1305'}), {}, 0],
    ['an overload in the stream', 0, error('Overloaded', {type: 'overloaded_error'}), {}, 0],
    [
      'Google says in words when to come again',
      429,
      [error('You exceeded your current quota. Please retry in 34.07s.')],
      {},
      34_070,
    ],
    ['the server wants another try', 400, error('Odd.'), {'x-should-retry': 'true'}, 0],
    [
      'a plan whose usage is unknown now',
      503,
      error('Later.', {code: 'subscription_sharing_usage_unavailable'}),
      {},
      0,
    ],
    ['a wait in milliseconds', 429, error('Slow down.'), {'retry-after-ms': '250'}, 250],
  ])('%s', (_name, status, body, headers, retryAfterMs) => {
    expect(judge(status, body, headers).error).toMatchObject({kind: 'passing', retryAfterMs});
  });

  test('the end of a limit may be told as a time', () => {
    const reset = String(Math.ceil(now / 1000) + 100);
    const {error: judged} = judge(429, error('Slow down.'), {'anthropic-ratelimit-unified-reset': reset});
    expect(judged.kind === 'passing' && Math.round(judged.retryAfterMs / 10_000)).toBe(10);
  });

  const page = 'Check your plan and credit at platform.openai.com/settings/organization/billing, or use another key.';
  const noModel = 'Check the model (--model) and the base URL (--base-url or URL).';
  test.each([
    ['a quota by code', 429, error('You ran out.', {code: 'insufficient_quota'}), page],
    [
      'a quota by text',
      429,
      error('You exceeded your current quota, please check your plan and billing details.'),
      page,
    ],
    ['credit', 400, error('Your credit balance is too low to access the API.'), page],
    ['payment', 402, error('Insufficient Balance'), page],
    ['a plan of Z.ai', 429, error('Usage limit reached for 5 hour.', {code: '1308'}), page],
    [
      'the limit of a ChatGPT plan',
      429,
      error('No.', {code: 'subscription_sharing_usage_limit_exceeded'}),
      'See your usage at https://chatgpt.com/settings/usage, or use another model.',
    ],
    [
      'the limit of a person in a workspace',
      429,
      error('No.', {code: 'subscription_sharing_workplace_individual_usage_limit_exceeded'}),
      'Ask the admin of your workspace to raise it (admin.openai.com, Workspace, Usage limits), or use another model.',
    ],
    [
      'a model of Bedrock without an inference profile',
      400,
      {message: "Invocation of model ID m with on-demand throughput isn't supported."},
      'Use the one of your region, such as --model us.anthropic.m',
    ],
    ['a model that Bedrock does not have', 400, {message: 'The provided model identifier is invalid.'}, noModel],
    ['a model that DeepSeek does not have', 400, error('Model Not Exist'), noModel],
    ['a model that Mistral does not have', 400, {message: 'Invalid model: m', code: '1500'}, noModel],
    ['a model that OpenRouter does not have', 400, error('m is not a valid model ID'), noModel],
    ['wrong keys of AWS', 403, {message: 'The security token included in the request is invalid.'}, 'Check KEY.'],
    ['a wrong clock', 403, {message: 'Signature expired: 1 is now earlier than 2'}, 'Check the clock of this machine.'],
    ['a plan that may not be shared', 429, error('No.', {type: 'subscription_sharing_not_allowed'}), page],
    [
      'a data policy',
      404,
      error('No endpoints found matching your data policy.'),
      'Change the policy at the settings of your account, or use another model.',
    ],
    [
      'a filter',
      400,
      error('Filtered.', {code: 'content_filter'}),
      'Rephrase the prompt, or use another model (/model, --fallback-model).',
    ],
    [
      'a suspicion',
      400,
      error('This was flagged for possible cybersecurity risk.'),
      'Rephrase the prompt, or use another model (/model, --fallback-model).',
    ],
    ['no other try is wanted', 500, error('Odd.'), 'Use another model.'],
    [
      'a model without tools',
      400,
      error('m does not support tools'),
      'Check that m supports tools, or use another model.',
    ],
  ])('%s is final', (_name, status, body, fix) => {
    const {error: judged} = judge(status, body, status === 500 ? {'x-should-retry': 'false'} : {});
    expect(judged).toMatchObject({kind: 'final', fault: {fix}});
  });

  test.each([
    [401, 'Check the API key of this server (keyVariable or headers in the settings).'],
    [403, 'Check that the API key of this server (keyVariable or headers in the settings) may use the model m.'],
  ])('a server without a variable for its key names what to check (%i)', (status, fix) => {
    const refused = {kind: 'refused', status, header: () => null, body: JSON.stringify(error('No.'))} as const;
    const {error: judged} = judgeRefusal(refused, {...endpoint, keyVariable: ''}, {model: 'm', tools: []});
    expect(judged).toMatchObject({kind: 'final', fault: {fix}});
  });

  test('the reason that a gateway hides is shown', () => {
    const body = error('Provider returned error', {metadata: {raw: '{"error":{"message":"Temperature is odd."}}'}});
    expect(judge(400, body).error).toMatchObject({
      fault: {message: 'The server rejected the request (400): Temperature is odd.'},
    });
  });
});

function messageOf(status: number, body: object) {
  const judged = judge(status, body).error;
  return judged.kind === 'final' && judged.fault.kind === 'provider' ? judged.fault.message : judged;
}

test.each([
  ['Anthropic', 400, error('Output blocked by content filtering policy', {type: 'invalid_request_error'})],
  ['DeepSeek', 400, error('Content Exists Risk', {type: 'invalid_request_error'})],
  ['DashScope', 400, error('Input data may contain inappropriate content.', {code: 'data_inspection_failed'})],
  ['Z.ai', 400, error('系统检测到输入或生成内容可能包含不安全或敏感内容', {code: '1301'})],
  ['MiniMax', 400, error('input new_sensitive (1026)')],
  ['xAI', 403, error('Content violates usage guidelines. Failed check: SAFETY_CHECK_TYPE_BIO')],
  ['OpenRouter', 403, error('m requires moderation on OpenAI. Your input was flagged for "violence".')],
  ['LiteLLM', 400, error('litellm.ContentPolicyViolationError: blocked')],
  ['Vertex', 400, error("This prompt contains sensitive words that violate Google's Responsible AI practices.")],
])('a prompt that %s declines is told apart from other refusals', (_provider, status, body) => {
  const judged = judge(status, body).error;
  expect(judged.kind === 'final' && judged.fault.kind === 'provider' && judged.fault.refusal).toEqual({kind: 'policy'});
});

test('a message names the status that the server sent', () => {
  expect([
    messageOf(400, error('No such model.', {code: 'model_not_found'})),
    messageOf(400, error('API key not valid.')),
    messageOf(405, {detail: 'Method Not Allowed'}),
    messageOf(
      400,
      error('Your prompt was flagged as potentially violating our usage policy.', {code: 'invalid_prompt'}),
    ),
    messageOf(0, {type: 'error', error: {type: 'authentication_error', message: 'No.'}}),
  ]).toEqual([
    'The server has no model m at https://api.openai.com/v1 (400): No such model.',
    'The server rejected the API key (400): API key not valid.',
    'https://api.openai.com/v1 takes no requests to a model (405): Method Not Allowed',
    'The server refused this prompt (400): Your prompt was flagged as potentially violating our usage policy.',
    'The server rejected the API key (401): No.',
  ]);
});
