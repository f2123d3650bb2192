import {execFile} from 'node:child_process';
import {mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {promisify} from 'node:util';
import {expect, test} from 'vitest';

/** Kinds that the Agent SDK does not have. Its clients skip them. */
const ownKinds: ReadonlySet<string> = new Set(['model_fallback', 'repair']);

/** Fields that the SDK's types demand and the API itself leaves out. */
const leftOut: Readonly<Record<string, object>> = {
  text: {citations: null},
  thinking_delta: {estimated_tokens: null},
  stop: {container: null, stop_details: null},
  message: {container: null, context_management: null, diagnostics: null, stop_details: null},
  message_delta: {context_management: null},
  deltaUsage: {fallback_credit: null, iterations: null, output_tokens_details: null, server_tool_use: null},
  usage: {
    cache_creation: {ephemeral_1h_input_tokens: 0, ephemeral_5m_input_tokens: 0},
    fallback_credit: null,
    inference_geo: '',
    iterations: [],
    output_tokens_details: {thinking_tokens: 0},
    server_tool_use: {web_fetch_requests: 0, web_search_requests: 0},
    service_tier: 'standard',
    speed: 'standard',
  },
};

/** Adds what the API leaves out, and removes weft's own fields where a type allows no others. */
function completed(value: unknown, within: string): unknown {
  if (Array.isArray(value)) return value.map(item => completed(item, within));
  if (typeof value !== 'object' || value === null) return value;
  const type = 'type' in value ? String(value.type) : within;
  const fields: Record<string, unknown> = Object.fromEntries(
    Object.entries(value).map(([name, field]) => [name, completed(field, type)]),
  );
  if ('uuid' in fields) fields['uuid'] = '00000000-0000-4000-8000-000000000000';
  if (type === 'tool_result') delete fields['outcome'];
  if ('tool_input' in fields) delete fields['changes'];
  if ('input_tokens' in fields && type !== 'result')
    return {...leftOut[type === 'message_delta' ? 'deltaUsage' : 'usage'], ...fields};
  return {...leftOut['stop_reason' in fields && !('type' in fields) ? 'stop' : type], ...fields};
}

/** A block that a model sent and no SDK knows. */
const foreignBlock = '"type":"poem"';

const root = join(import.meta.dirname, '..', '..', '..', '..');
const golden = join(root, 'test', 'golden', 'stream-json');

test("every recorded message is one of the Agent SDK's types", {tags: 'long'}, async () => {
  const lines = readdirSync(golden)
    .flatMap(name => readFileSync(join(golden, name), 'utf8').trimEnd().split('\n'))
    .filter(line => !ownKinds.has(JSON.parse(line).subtype) && !line.includes(foreignBlock))
    .map(line => JSON.stringify(completed(JSON.parse(line), '')));
  const folder = mkdtempSync(join(tmpdir(), 'weft-types-'));
  try {
    const sdk = join(root, 'node_modules', '@anthropic-ai', 'claude-agent-sdk', 'sdk.js');
    const program = [
      `import type {SDKMessage} from ${JSON.stringify(sdk)};`,
      // A type parameter accepts weft's own fields besides those of the SDK.
      'const check = <Message extends SDKMessage>(_: Message): void => {};',
      ...lines.map(line => `check(${line});`),
    ].join('\n');
    writeFileSync(join(folder, 'recorded.ts'), program);
    const flags = [
      '--noEmit',
      '--ignoreConfig',
      '--strict',
      '--skipLibCheck',
      '--module',
      'nodenext',
      '--target',
      'es2024',
    ];
    const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
    const found = await promisify(execFile)(process.execPath, [tsc, ...flags, join(folder, 'recorded.ts')]).catch(
      (cause: unknown) => String(Object(cause).stdout),
    );
    expect(found).toEqual({stdout: '', stderr: ''});
  } finally {
    rmSync(folder, {recursive: true});
  }
});
