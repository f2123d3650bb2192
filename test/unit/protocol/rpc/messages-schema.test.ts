import {readdirSync, readFileSync} from 'node:fs';
import {Ajv2020, type ValidateFunction} from 'ajv/dist/2020.js';
import {expect, test} from 'vitest';
import {type ControlMessage, controlRequests, type WeftRequest} from '../../../../src/protocol/rpc/control-message.ts';
import {failureResult} from '../../../../src/headless/rpc/failure-results.ts';
import {decodeInput} from '../../../../src/protocol/rpc/decode-input.ts';
import {toOneShotResult} from '../../../../src/protocol/rpc/result-message.ts';
import {
  jsonLine,
  type RpcMessage,
  type WireBlock,
  type WireDelta,
  type WireStreamEvent,
} from '../../../../src/protocol/rpc/rpc-message.ts';

const file = new URL('../../../../src/protocol/rpc/messages.schema.json', import.meta.url);
const schema: Schema = JSON.parse(readFileSync(file, 'utf8'));

interface Schema {
  readonly $id: string;
  readonly version: string;
  readonly $defs: Readonly<Record<string, Definition>>;
}
interface Definition {
  readonly oneOf?: readonly Definition[];
  readonly $ref?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly not?: Definition;
  readonly properties?: Readonly<Record<string, Definition>>;
}

const ajv = new Ajv2020({strict: false, allErrors: true});
ajv.addSchema(schema);

function validator(name: string): ValidateFunction {
  const found = ajv.getSchema(`${schema.$id}#/$defs/${name}`);
  if (found === undefined) throw new Error(`no definition ${name}`);
  return found;
}

function faults(name: string, value: unknown): unknown {
  const validate = validator(name);
  return validate(value) ? [] : (validate.errors ?? []).slice(0, 3);
}

const golden = new URL('../../../golden/stream-json/', import.meta.url);

test.each(readdirSync(golden))('every line of %s fits', name => {
  const lines = readFileSync(new URL(name, golden), 'utf8').trimEnd().split('\n');
  for (const line of lines) expect([line, faults('output', JSON.parse(line))]).toEqual([line, []]);
});

test('it has a version', () => {
  expect([schema.version, schema.$id]).toEqual([expect.stringMatching(/^\d+\.\d+\.\d+$/u), 'urn:weft:rpc-messages:1']);
});

/** The kinds of every union member, so that one that is added to a type and not to the schema does not compile or fails. */
type KindOf<T> = T extends {readonly type: infer Type extends string; readonly subtype: infer Sub extends string}
  ? `${Type}/${Sub}`
  : T extends {readonly type: infer Type extends string; readonly isReplay: true}
    ? `${Type}/replay`
    : T extends {readonly type: infer Type extends string}
      ? Type
      : never;

/** Of those that weft has a word for. */
type Known<T> = T extends {readonly type: infer Type extends string} ? (string extends Type ? never : Type) : never;

const outputs: Readonly<Record<KindOf<RpcMessage | ControlMessage>, true>> = {
  'system/init': true,
  'system/api_retry': true,
  'system/model_fallback': true,
  'system/repair': true,
  'system/compact_boundary': true,
  'system/permission_denied': true,
  'system/status': true,
  'system/informational': true,
  'system/task_started': true,
  'system/task_updated': true,
  'system/background_tasks_changed': true,
  'system/task_progress': true,
  'system/task_notification': true,
  prompt_suggestion: true,
  conversation_reset: true,
  'system/hook_started': true,
  'system/hook_response': true,
  assistant: true,
  user: true,
  'user/replay': true,
  stream_event: true,
  tool_progress: true,
  'result/success': true,
  'result/error_during_execution': true,
  'result/error_max_turns': true,
  'result/error_max_budget_usd': true,
  'result/error_max_structured_output_retries': true,
  control_request: true,
  control_response: true,
  control_cancel_request: true,
  keep_alive: true,
};
const requests: Readonly<Record<WeftRequest['subtype'], true>> = {
  can_use_tool: true,
  hook_callback: true,
  mcp_message: true,
  elicitation: true,
};
const blocks: Readonly<Record<Known<WireBlock> | 'other', true>> = {
  text: true,
  thinking: true,
  redacted_thinking: true,
  tool_use: true,
  other: true,
};
const events: Readonly<Record<WireStreamEvent['type'], true>> = {
  message_start: true,
  content_block_start: true,
  content_block_delta: true,
  content_block_stop: true,
  message_delta: true,
  message_stop: true,
};
const deltas: Readonly<Record<Known<WireDelta> | 'other', true>> = {
  text_delta: true,
  thinking_delta: true,
  signature_delta: true,
  input_json_delta: true,
  other: true,
};

const members = (name: string): readonly Definition[] =>
  (schema.$defs[name]?.oneOf ?? []).map(
    member => (member.$ref === undefined ? member : schema.$defs[member.$ref.replace('#/$defs/', '')]) ?? member,
  );

/** `type`, `type/subtype`, `user/replay`, one for each value that the member allows. */
function kindsOfMember({properties}: Definition): readonly string[] {
  if (properties?.['type']?.not !== undefined) return ['other'];
  const type = String(properties?.['type']?.const);
  if (properties?.['isReplay'] !== undefined) return [`${type}/replay`];
  const {subtype} = properties ?? {};
  if (subtype === undefined) return [type];
  return (subtype.enum ?? [subtype.const]).map(value => `${type}/${String(value)}`);
}

test.each([
  ['output', outputs],
  ['block', blocks],
  ['rawEvent', events],
  ['delta', deltas],
] as const)('%s: as many kinds as the types have', (name, known) => {
  expect(members(name).flatMap(kindsOfMember).toSorted()).toEqual(Object.keys(known).toSorted());
});

const subtypesIn = (name: string): readonly string[] =>
  (schema.$defs[name]?.properties?.['request']?.oneOf ?? [])
    .map(member => (member.$ref === undefined ? member : schema.$defs[member.$ref.replace('#/$defs/', '')]) ?? member)
    .map(({properties}) => String(properties?.['subtype']?.const))
    .toSorted();

test('requests in both directions: as many as are served and sent', () => {
  expect(subtypesIn('weftRequest')).toEqual(Object.keys(requests).toSorted());
  expect(subtypesIn('clientRequest')).toEqual(Object.keys(controlRequests).toSorted());
});

const inputs = [
  {type: 'user', session_id: '', message: {role: 'user', content: 'x'}, parent_tool_use_id: null},
  {type: 'user', message: {role: 'user', content: [{type: 'text', text: 'x'}]}, uuid: 'a', priority: 'next'},
  {type: 'control_request', request_id: 'a', request: {subtype: 'initialize', systemPrompt: ['']}},
  {type: 'control_request', request_id: 'a', request: {subtype: 'interrupt'}},
  {type: 'control_request', request_id: 'a', request: {subtype: 'set_model', model: null}},
  {type: 'control_request', request_id: 'a', request: {subtype: 'mcp_toggle', serverName: 'a', enabled: true}},
  {type: 'control_response', response: {subtype: 'success', request_id: 'a', response: {behavior: 'allow'}}},
  {type: 'control_response', response: {subtype: 'error', request_id: 'a', error: 'no'}},
  {type: 'control_cancel_request', request_id: 'a'},
  {type: 'keep_alive'},
];
test.each(inputs)('what clients write fits, and is understood: %j', input => {
  expect(faults('input', input)).toEqual([]);
  expect(decodeInput(JSON.stringify(input)).kind).not.toMatch(/broken|foreign|unserved/u);
});

test.each([
  {type: 'user'},
  {type: 'control_request', request_id: 'a', request: {subtype: 'set_permission_mode', mode: 7}},
  {type: 'control_request', request: {subtype: 'interrupt'}},
  {type: 'poem'},
])('what cannot be served does not fit: %j', input => {
  expect(faults('input', input)).not.toEqual([]);
  expect(decodeInput(JSON.stringify(input)).kind).toMatch(/broken|foreign|unserved/u);
});

test('the result of a one-shot run fits', () => {
  for (const end of [
    {exitCode: 0, notes: []},
    {exitCode: 3, notes: ['not run']},
  ]) {
    const failure = toOneShotResult({...failureResult('x', () => 'a'), is_error: false}, end);
    expect([failure.is_error, failure.exit_code]).toEqual([end.exitCode !== 0, end.exitCode]);
    expect(faults('output', failure)).toEqual([]);
  }
});

test('weft’s own requests and answers fit', () => {
  const messages: readonly ControlMessage[] = [
    {
      type: 'control_request',
      request_id: 'a',
      request: {
        subtype: 'can_use_tool',
        tool_name: 'Bash',
        display_name: 'Bash',
        input: {command: 'x'},
        tool_use_id: 't',
        permission_suggestions: [{type: 'setMode', mode: 'acceptEdits', destination: 'session'}],
        changes: [{path: 'a', kind: 'created'}],
      },
    },
    {type: 'control_request', request_id: 'a', request: {subtype: 'hook_callback', callback_id: 'h', input: {}}},
    {type: 'control_response', response: {subtype: 'success', request_id: 'a', response: {}}},
    {type: 'control_response', response: {subtype: 'error', request_id: 'a', error: 'x', error_code: 'y'}},
    {type: 'control_cancel_request', request_id: 'a'},
  ];
  for (const message of messages) expect(faults('output', JSON.parse(jsonLine(message)))).toEqual([]);
});
