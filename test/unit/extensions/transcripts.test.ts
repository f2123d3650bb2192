import * as fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {historyFromJournal} from '../../../src/domain/history.ts';
import {toolCalls, type Message} from '../../../src/domain/conversation.ts';
import {readClaudeSession, writeClaudeSession} from '../../../src/extensions/transcripts/claude.ts';
import {readCodexSession, writeCodexSession} from '../../../src/extensions/transcripts/codex.ts';
import type {ForeignSession} from '../../../src/extensions/transcripts/session-builder.ts';

const sessionId = '0f9a1a34-1111-4222-8333-444455556666';

/** Ids that count up, so that each run makes the same files. */
function counting(): () => string {
  let last = 0;
  return () => `00000000-0000-4000-8000-${String((last += 1)).padStart(12, '0')}`;
}

/** One step of a conversation that an agent may have saved. */
const steps = [
  'prompt',
  'answer',
  'call',
  'parallel',
  'interrupted',
  'failed',
  'image',
  'side',
  'compacted',
  'unknown',
  'unicode',
  'meta',
  'thinking',
  'large',
  'branch',
] as const;
type Step = (typeof steps)[number];

const unicode = 'Grüße 🌍\u2028\u0000 \ud83d \u202e';
const toolUse = (id: string) => ({type: 'tool_use', id, name: 'Bash', input: {command: 'ls'}});
const toolResult = (id: string, more: object = {}) => ({
  type: 'tool_result',
  tool_use_id: id,
  content: `out of ${id}`,
  ...more,
});
const text = (said: string) => ({type: 'input_text', text: said});

const pixel = 'iVBORw0KGgo=';

/** Builds a file in the form of Claude Code, from steps. The names of its fields are those of version 2.1. */
function claudeFile(plan: readonly Step[], sizeOfLarge: number): string {
  const uuid = counting();
  const lines: object[] = [];
  let parentUuid: string | null = null;
  const line = (type: string, fields: object, chained: 'chained' | 'beside' = 'chained'): void => {
    const own = uuid();
    lines.push({parentUuid, isSidechain: false, type, uuid: own, sessionId, cwd: '/w', version: '9.9.9', ...fields});
    if (chained === 'chained') parentUuid = own;
  };
  const user = (content: unknown, more: object = {}): void => line('user', {message: {role: 'user', content}, ...more});
  const say = (id: string, block: object): void =>
    line('assistant', {message: {id, role: 'assistant', model: 'claude-x', content: [block]}});
  user('start');
  for (const [at, step] of plan.entries()) {
    const id = `msg_${at}`;
    if (step === 'prompt') user(`prompt ${at}`);
    if (step === 'answer') say(id, {type: 'text', text: `answer ${at}`});
    if (step === 'unicode') user([{type: 'text', text: unicode}]);
    if (step === 'meta') user('a note of the agent', {isMeta: true});
    if (step === 'image')
      user([
        {type: 'image', source: {type: 'base64', media_type: 'image/png', data: pixel}},
        {type: 'text', text: 'look'},
      ]);
    if (step === 'large') user('x'.repeat(sizeOfLarge));
    if (step === 'thinking') say(id, {type: 'thinking', thinking: 'hm', signature: 'SECRETSIGNATURE'});
    if (step === 'side')
      line('assistant', {isSidechain: true, message: {id, content: [{type: 'text', text: 'sub'}]}}, 'beside');
    if (step === 'unknown') line('brand-new-record', {payload: 1}, 'beside');
    if (step === 'branch') line('user', {message: {role: 'user', content: 'abandoned'}}, 'beside');
    if (step === 'interrupted') say(id, toolUse(`toolu_${at}`));
    if (step === 'call' || step === 'failed') {
      say(id, {type: 'text', text: 'I look.'});
      say(id, toolUse(`toolu_${at}`));
      user([toolResult(`toolu_${at}`, step === 'failed' ? {is_error: true} : {})]);
    }
    if (step === 'parallel') {
      say(id, toolUse(`toolu_${at}a`));
      // Claude Code saves the result of the first call beside the path to the second call.
      line('user', {message: {role: 'user', content: [toolResult(`toolu_${at}a`)]}}, 'beside');
      say(id, toolUse(`toolu_${at}b`));
      user([
        toolResult(`toolu_${at}b`, {
          content: [
            {type: 'text', text: 'out'},
            {type: 'image', source: {type: 'base64', media_type: 'image/png', data: pixel}},
          ],
        }),
      ]);
    }
    if (step === 'compacted') {
      const logicalParentUuid: string | null = parentUuid;
      parentUuid = null;
      line('system', {subtype: 'compact_boundary', logicalParentUuid});
      user(`summary ${at}`, {isCompactSummary: true});
    }
  }
  return lines.map(each => `${JSON.stringify(each)}\n`).join('');
}

/** Builds a rollout in the form of Codex, from steps. The names of its fields are those of version 0.171. */
function codexFile(plan: readonly Step[], sizeOfLarge: number): string {
  const lines: object[] = [];
  const line = (type: string, payload: object): void =>
    void lines.push({timestamp: '2026-01-01T00:00:00Z', type, payload});
  const item = (payload: object): void => line('response_item', payload);
  const user = (...content: object[]): void => item({type: 'message', role: 'user', content});
  const use = (id: string): void =>
    item({type: 'function_call', name: 'exec_command', arguments: '{"cmd":"ls"}', call_id: id});
  const result = (id: string, output: unknown): void => item({type: 'function_call_output', call_id: id, output});
  line('session_meta', {id: sessionId, cwd: '/w', cli_version: '9.9.9'});
  line('turn_context', {cwd: '/w', model: 'gpt-x'});
  user(text('<environment_context>\n<cwd>/w</cwd>\n</environment_context>'));
  user(text('start'));
  for (const [at, step] of plan.entries()) {
    if (step === 'prompt') user(text(`prompt ${at}`));
    if (step === 'answer')
      item({type: 'message', role: 'assistant', content: [{type: 'output_text', text: `answer ${at}`}]});
    if (step === 'unicode') user(text(unicode));
    if (step === 'meta') item({type: 'message', role: 'developer', content: [text('a note of the agent')]});
    if (step === 'image') user({type: 'input_image', image_url: `data:image/png;base64,${pixel}`}, text('look'));
    if (step === 'large') user(text('x'.repeat(sizeOfLarge)));
    if (step === 'thinking') item({type: 'reasoning', summary: [], encrypted_content: 'SECRETSIGNATURE'});
    if (step === 'side') line('event_msg', {type: 'agent_message', message: 'shown twice'});
    if (step === 'unknown') line('brand-new-record', {});
    if (step === 'interrupted') use(`call_${at}`);
    if (step === 'call') {
      use(`call_${at}`);
      result(`call_${at}`, 'Process exited with code 0');
    }
    if (step === 'failed') {
      item({type: 'custom_tool_call', name: 'apply_patch', input: '*** Begin Patch', call_id: `call_${at}`});
      item({type: 'custom_tool_call_output', call_id: `call_${at}`, output: 'Exit code: 1\nno'});
    }
    if (step === 'parallel') {
      use(`call_${at}a`);
      use(`call_${at}b`);
      result(`call_${at}b`, [text('out'), {type: 'input_image', image_url: `data:image/png;base64,${pixel}`}]);
      result(`call_${at}a`, 'out');
    }
    if (step === 'branch') {
      user(text('abandoned'));
      line('event_msg', {type: 'thread_rolled_back', num_turns: 1});
    }
    if (step === 'compacted') {
      const summary = `summary ${at}`;
      line('compacted', {
        message: summary,
        replacement_history: [{type: 'message', role: 'user', content: [text('start')]}],
      });
    }
  }
  return lines.map(each => `${JSON.stringify(each)}\n`).join('');
}

const agents = {
  claude: {file: claudeFile, read: readClaudeSession, write: writeClaudeSession},
  codex: {file: codexFile, read: readCodexSession, write: writeCodexSession},
};

/** The conversation as the model reads it, without ids of messages. */
const conversationOf = ({records}: ForeignSession): readonly object[] =>
  historyFromJournal(records).messages.map(({role, blocks}) => ({role, blocks}));

/** Asserts what every provider requires: each call has one result right after it, and nothing is empty or foreign. */
function expectValid(messages: readonly Message[]): void {
  expect(JSON.stringify(messages)).not.toContain('SECRETSIGNATURE');
  expect(messages[0]?.role ?? 'user').toBe('user');
  for (const [at, message] of messages.entries()) {
    expect(message.blocks.length).toBeGreaterThan(0);
    const results = message.blocks.flatMap(block => (block.kind === 'tool-result' ? [block.id] : []));
    const before = messages[at - 1];
    expect(results).toEqual(before?.role === 'assistant' ? toolCalls(before).map(({id}) => id) : []);
    if (message.role === 'assistant') expect(before?.role).toBe('user');
  }
}

/** Sixty plans: each step alone, before and after a call, and mixtures. The last four are cut in their last line. */
const plans: readonly (readonly Step[])[] = [
  ...steps.map(step => [step, 'answer'] as const),
  ...steps.map(step => ['call', step, 'prompt', 'answer'] as const),
  ...steps.map(step => ['parallel', step, 'call', 'prompt', 'failed', 'answer'] as const),
  ...steps.map((step, at) => [step, ...steps.slice(at), 'compacted', 'prompt', 'call', step, 'answer'] as const),
];

describe.each(['claude', 'codex'] as const)('sessions of %s', agent => {
  const {file, read, write} = agents[agent];
  const back = (session: ForeignSession): ForeignSession =>
    read(write({...session, createdAt: 0}, counting()), counting());

  test('60 transcripts make a valid history, and come back the same', () => {
    expect(plans.length).toBe(60);
    for (const [at, plan] of plans.entries()) {
      const whole = file(plan, 1000);
      const session = read(at < 56 ? whole : whole.slice(0, -20), counting());
      expectValid(historyFromJournal(session.records).messages);
      expect(conversationOf(back(session)), plan.join(' ')).toEqual(conversationOf(session));
      expect(session).toMatchObject({id: sessionId, directory: '/w', title: 'start'});
      if (at < 56) expect(JSON.stringify(session.records)).not.toContain('abandoned');
      if (plan.includes('unknown')) expect(session.leftOut.get('record "brand-new-record"')).toBeGreaterThan(0);
    }
  });

  test('any order of steps, cut anywhere, makes a valid history and comes back the same', {tags: 'long'}, () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(...steps), {maxLength: 12}),
        fc.double({min: 0, max: 1, noNaN: true}),
        (plan, cut) => {
          const whole = file(plan, 10);
          const session = read(whole.slice(0, Math.floor(whole.length * cut)), counting());
          expectValid(historyFromJournal(session.records).messages);
          expect(conversationOf(back(session))).toEqual(conversationOf(session));
        },
      ),
    );
  });

  test('a file of 10 MB is read whole', {tags: 'long'}, () => {
    const session = read(file(['large', 'answer', 'large', 'call'], 5_000_000), counting());
    expect(JSON.stringify(conversationOf(session)).length).toBeGreaterThan(10_000_000);
  });
});
