/**
 * Requests of the official packages as a server on loopback received them, without what differs from run to run: @anthropic-ai/sdk 1.12.0
 * with bedrock-sdk 1.1.3 (`AnthropicBedrockMantle`, and `AnthropicBedrock` for the legacy API), vertex-sdk 1.1.3 and foundry-sdk 1.1.1. Each was asked to create a message with
 * `max_tokens: 1000`, `stream: true` and the prompt "hi" with a cache mark.
 */
export const officialRequests = {
  'bedrock, bearer': {
    path: '/anthropic/v1/messages',
    headers: {
      authorization: 'Bearer bedrock-key',
      'anthropic-version': '2026-10-21',
      'content-type': 'application/json',
    },
    body: '{"model":"anthropic.claude-opus-4-7","max_tokens":1000,"stream":true,"messages":[{"role":"user","content":[{"type":"text","text":"hi","cache_control":{"type":"ephemeral"}}]}]}',
  },
  'bedrock legacy, bearer': {
    path: '/model/us.anthropic.claude-sonnet-4-5-20250929-v1:0/invoke-with-response-stream',
    headers: {authorization: 'Bearer bedrock-key', 'content-type': 'application/json'},
    // The package sends its newest version, which AWS does not document for this API.
    body: '{"max_tokens":1000,"messages":[{"role":"user","content":[{"type":"text","text":"hi","cache_control":{"type":"ephemeral"}}]}],"anthropic_version":"bedrock-2023-05-31"}',
  },
  vertex: {
    path: '/v1/projects/my-project/locations/global/publishers/anthropic/models/claude-sonnet-4-5@20250929:streamRawPredict',
    headers: {
      authorization: 'Bearer google-token',
      'x-goog-user-project': 'billed',
      'content-type': 'application/json',
    },
    body: '{"max_tokens":1000,"stream":true,"messages":[{"role":"user","content":[{"type":"text","text":"hi","cache_control":{"type":"ephemeral"}}]}],"anthropic_version":"2026-10-21"}',
  },
  'foundry, key': {
    path: '/anthropic/v1/messages',
    headers: {'x-api-key': 'foundry-key', 'anthropic-version': '2026-10-21', 'content-type': 'application/json'},
    body: '{"model":"my-deployment","max_tokens":1000,"stream":true,"messages":[{"role":"user","content":[{"type":"text","text":"hi","cache_control":{"type":"ephemeral"}}]}]}',
  },
  'foundry, entra': {
    path: '/anthropic/v1/messages',
    headers: {
      authorization: 'Bearer entra-token',
      'anthropic-version': '2026-10-21',
      'content-type': 'application/json',
    },
    body: '{"model":"my-deployment","max_tokens":1000,"stream":true,"messages":[{"role":"user","content":[{"type":"text","text":"hi","cache_control":{"type":"ephemeral"}}]}]}',
  },
} as const;
