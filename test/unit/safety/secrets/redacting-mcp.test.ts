import {expect, test} from 'vitest';
import {
  noopMcp,
  type McpCallObserver,
  type McpCallRequest,
  type McpPort,
  type SamplingReply,
} from '../../../../src/actions/mcp-port.ts';
import {failed, ok} from '../../../../src/base/outcome.ts';
import {rejected} from '../../../../src/domain/fault.ts';
import {redactingMcp} from '../../../../src/app/redacting-ports.ts';
import {sampleSecrets} from './sample-secrets.ts';

const value = 'correct-horse-battery-staple';
const never = new AbortController().signal;

const observer: McpCallObserver = {
  progress: () => {},
  elicit: async () => ({action: 'decline', content: undefined}),
  sample: async ({params}) => ok({sampled: params}),
};

test('what servers answer has placeholders, and their tools get the secrets back', async () => {
  const secrets = sampleSecrets({env: `THING=${value}`});
  const placeholder = secrets.redact(value);
  expect(placeholder).not.toContain(value);
  const called: McpCallRequest[] = [];
  const guarded = redactingMcp(
    {
      ...noopMcp,
      call: async request => {
        called.push(request);
        return request.tool === 'fail'
          ? failed(rejected(`no ${value}`))
          : ok({blocks: [{kind: 'text', text: `got ${value}`}]});
      },
      readResource: async ({uri}) => ok({blocks: [{kind: 'text', text: uri}]}),
    },
    secrets,
  );
  const input = {key: placeholder, list: [{deep: `a ${placeholder}`}, 5, null]};
  expect(
    await guarded.call({server: 's', tool: 't', toolName: 'mcp__s__t', standing: 'as-known', input}, observer, never),
  ).toEqual(ok({blocks: [{kind: 'text', text: `got ${placeholder}`}]}));
  expect(called[0]?.input).toEqual({key: value, list: [{deep: `a ${value}`}, 5, null]});
  expect(
    await guarded.call(
      {server: 's', tool: 'fail', toolName: 'mcp__s__fail', standing: 'as-known', input: {}},
      observer,
      never,
    ),
  ).toEqual(failed(rejected(`no ${placeholder}`)));
  expect(await guarded.readResource({server: 's', uri: `mem://${placeholder}`}, never)).toEqual(
    ok({blocks: [{kind: 'text', text: `mem://${placeholder}`}]}),
  );
});

test('what a server asks the model has placeholders', async () => {
  const secrets = sampleSecrets({env: `THING=${value}`});
  const replies: SamplingReply[] = [];
  const call: McpPort['call'] = async (_request, {sample}, signal) => {
    replies.push(await sample({server: 's', params: {messages: [{text: `say ${value}`}], maxTokens: 5}}, signal));
    return ok({blocks: []});
  };
  const guarded = redactingMcp({...noopMcp, call}, secrets);
  await guarded.call({server: 's', tool: 't', toolName: 'mcp__s__t', standing: 'as-known', input: {}}, observer, never);
  expect(replies).toEqual([ok({sampled: {messages: [{text: `say ${secrets.redact(value)}`}], maxTokens: 5}})]);
});

test('a placeholder that nobody knows goes nowhere', async () => {
  const secrets = sampleSecrets({env: ''});
  const known = sampleSecrets({env: `THING=${value}`}).redact(value);
  const guarded = redactingMcp({...noopMcp, call: async () => ok({blocks: []})}, secrets);
  expect(
    await guarded.call(
      {server: 's', tool: 't', toolName: 'mcp__s__t', standing: 'as-known', input: {a: [known]}},
      observer,
      never,
    ),
  ).toMatchObject({
    tag: 'failed',
    error: {message: expect.stringContaining('The tool was not called')},
  });
});
