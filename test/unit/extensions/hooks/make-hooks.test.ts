import {createServer} from 'node:http';
import {expect, test} from 'vitest';
import type {Hook, HookRun} from '../../../../src/actions/hooks-port.ts';
import type {RuleReach} from '../../../../src/domain/access.ts';
import type {JsonObject} from '../../../../src/base/json.ts';
import {rejected} from '../../../../src/domain/fault.ts';
import {actionId} from '../../../../src/domain/ids.ts';
import {readHooks} from '../../../../src/config/hook-settings.ts';
import {makeHooks} from '../../../../src/extensions/hooks/make-hooks.ts';
import {matchesName} from '../../../../src/extensions/hooks/matcher.ts';
import {postHook} from '../../../../src/workspace/exec/post-hook.ts';
import {loopbackPort} from '../../../support/loopback-port.ts';

const call = {kind: 'tool-call', id: actionId('1'), name: 'Bash', input: {command: 'make'}} as const;
const ended = (outcome: HookRun['outcome']): HookRun => ({outcome, exitCode: 0, stdout: '', stderr: ''});
const decides = (output: JsonObject): HookRun =>
  ended({kind: 'json', value: {hookSpecificOutput: {hookEventName: 'PreToolUse', ...output}}});

const hook = (run: HookRun | Hook['run'], more: Partial<Hook> = {}): Hook => ({
  event: 'PreToolUse',
  matcher: '',
  text: 'check',
  source: 'settings',
  key: String(Math.random()),
  timeoutMs: 10_000,
  wait: 'for-answer',
  onFailure: 'block',
  condition: '',
  changes: 'any',
  run: typeof run === 'function' ? run : async () => run,
  ...more,
});

const deps = {
  promptSource: 'user',
  transcript: async () => '',
  redact: (text: string) => text,
  /** Here a condition is how far it reaches. */
  reach: async (condition: string): Promise<RuleReach> =>
    condition === 'whole' || condition === 'part' ? condition : 'none',
} as const;

const ask = async (...hooks: readonly Hook[]) => {
  const port = makeHooks({
    ...deps,
    hooks,
    redact: text => text.replaceAll('s3cret', '<secret>'),
  });
  return port.preToolUse(call, new AbortController().signal);
};

test.for([
  ['Bash', 'SandboxExec', 'deny'],
  ['SandboxExec', 'SandboxExec', 'deny'],
  ['SandboxExec', 'Bash', 'none'],
  ['Edit', 'SandboxExec', 'none'],
] as const)('a hook on %s that denies has for %s the verdict %s', async ([matcher, name, verdict]) => {
  const port = makeHooks({...deps, hooks: [hook(decides({permissionDecision: 'deny'}), {matcher})]});
  const {answer} = await port.preToolUse({...call, name}, new AbortController().signal);
  expect(answer.verdict.kind).toBe(verdict);
});

const changed = {updatedInput: {command: 'ls'}};
test.each([
  ['deny before ask before allow', ['allow', 'ask', 'deny'], 'deny'],
  ['ask before allow', ['ask', 'allow'], 'ask'],
  ['allow alone', ['allow', 'defer'], 'allow'],
])('%s', async (_name, decisions, expected) => {
  const hooks = decisions.map(permissionDecision => hook(decides({permissionDecision})));
  expect((await ask(...hooks)).answer.verdict.kind).toBe(expected);
});

test('another hook’s yes does not cover an input that was changed', async () => {
  const allow = {permissionDecision: 'allow'};
  const apart = await ask(hook(decides(allow)), hook(decides(changed)));
  expect(apart.answer).toMatchObject({verdict: {kind: 'none'}, input: {command: 'ls'}});
  const together = await ask(hook(decides({...allow, ...changed})));
  expect(together.answer).toMatchObject({verdict: {kind: 'allow'}, input: {command: 'ls'}});
});

test.each([
  ['whole', 'allow', 'allow'],
  ['part', 'allow', 'none'],
  ['part', 'deny', 'deny'],
  ['none', 'deny', 'none'],
])('a hook whose condition speaks of %s of a call and says %s comes to %s', async (condition, says, expected) => {
  const answered = await ask(hook(decides({permissionDecision: says}), {condition}));
  expect(answered.answer.verdict.kind).toBe(expected);
});

test('a condition is about the call of a tool: elsewhere its hook never runs', async () => {
  const port = makeHooks({
    ...deps,
    hooks: [hook(ended({kind: 'blocked', reason: 'no'}), {event: 'Stop', condition: 'whole'})],
  });
  const {signal} = new AbortController();
  expect((await port.stop({answer: '', round: 'first'}, signal)).answer).toEqual({verdict: {kind: 'none'}});
  const {hooks, warnings} = readHooks(
    {
      PreToolUse: [{hooks: [{type: 'command', command: 'a', if: 'Bash(git *)'}]}],
      Stop: [{hooks: [{type: 'command', command: 'b', if: 'Bash(git *)'}]}],
    },
    'user',
  );
  expect(hooks.map(({condition}) => condition)).toEqual(['Bash(git *)', 'Bash(git *)']);
  expect(warnings).toEqual(['A Stop hook with "if" never runs: "if" is about the call of a tool.']);
});

test('a hook of permissions may add rules to its yes', async () => {
  const rules = [{toolName: 'Bash', ruleContent: 'make'}];
  const updatedPermissions = [{type: 'addRules', behavior: 'allow', destination: 'session', rules}];
  const decision = {behavior: 'allow', updatedPermissions};
  const value = {hookSpecificOutput: {hookEventName: 'PermissionRequest', decision}};
  const ofPermissions = (condition: string) =>
    makeHooks({
      ...deps,
      hooks: [hook(ended({kind: 'json', value}), {event: 'PermissionRequest', condition})],
    }).permissionRequest({call, rules: [], changes: []}, new AbortController().signal);
  expect((await ofPermissions('whole')).answer.verdict).toMatchObject({
    kind: 'allow',
    rules: [{list: 'allow', rule: 'Bash(make)'}],
  });
  expect((await ofPermissions('part')).answer.verdict).toEqual({kind: 'none'});
});

test('hooks of a compaction and of notifications read what it is about; a compaction can be prevented', async () => {
  const read: JsonObject[] = [];
  const keep = (event: string, matcher: string, run: HookRun): Hook =>
    hook(
      async input => {
        read.push(input);
        return run;
      },
      {event, matcher},
    );
  const silent = ended({kind: 'text', text: ''});
  const port = makeHooks({
    ...deps,
    hooks: [
      keep('PreCompact', 'manual', ended({kind: 'blocked', reason: 'not now'})),
      keep('PostCompact', '', silent),
      keep('Notification', 'permission_prompt', silent),
      keep('Notification', 'elicitation_dialog', silent),
    ],
  });
  const {signal} = new AbortController();
  expect((await port.preCompact({trigger: 'manual', instructions: 'keep the plan'}, signal)).answer).toEqual({
    verdict: {kind: 'block', reason: 'not now'},
  });
  await port.notify({event: 'PostCompact', trigger: 'auto', summary: 'All was well.'}, signal);
  await port.notify({event: 'Notification', type: 'permission_prompt', message: 'May it?'}, signal);
  expect(read).toMatchObject([
    {hook_event_name: 'PreCompact', trigger: 'manual', custom_instructions: 'keep the plan'},
    {hook_event_name: 'PostCompact', trigger: 'auto', compact_summary: 'All was well.'},
    {hook_event_name: 'Notification', message: 'May it?', notification_type: 'permission_prompt'},
  ]);
  expect(port.list().map(({runs}) => runs)).toEqual([1, 1, 1, 0]);
});

test('equal hooks run once, others side by side; one that is not waited for answers nothing', async () => {
  let running = 0;
  let most = 0;
  const both = Promise.withResolvers<void>();
  const run: Hook['run'] = async () => {
    running += 1;
    most = Math.max(most, running);
    if (running === 2) both.resolve();
    await both.promise;
    return ended({kind: 'text', text: ''});
  };
  const never = hook(() => new Promise<never>(() => {}), {wait: 'async'});
  const reply = await ask(hook(run, {key: 'a'}), hook(run, {key: 'a'}), hook(run, {key: 'b'}), never);
  expect([most, running, reply.answer.verdict]).toEqual([2, 2, {kind: 'none'}]);
});

test('what hooks say is without secrets', async () => {
  const reply = await ask(
    hook(decides({additionalContext: 'the s3cret', updatedInput: {command: 'echo s3cret'}})),
    hook(ended({kind: 'blocked', reason: 's3cret'})),
  );
  expect(JSON.stringify(reply)).not.toContain('s3cret');
});

test('a hook that throws is a failure that blocks', async () => {
  const reply = await ask(
    hook(() => {
      throw new Error('oops');
    }),
  );
  expect(reply.failures).toMatchObject([{onFailure: 'block', fault: {message: expect.stringContaining('oops')}}]);
});

test.each([
  ['', 'Bash', true],
  ['*', 'Bash', true],
  ['Bash', 'BashOutput', false],
  ['Edit|Write', 'Write', true],
  ['mcp__memory__.*', 'mcp__memory__add', true],
  ['mcp__memory', 'mcp__memory__add', false],
  ['^Ba', 'Bash', true],
  // Too slow to say no.
  ['(a+)+$', `${'a'.repeat(60)}!`, true],
])('the matcher %j and %j', (matcher, name, fits) => {
  expect(matchesName(matcher, name)).toBe(fits);
});

test('an address gets JSON, follows no redirect, and is bounded', async () => {
  const seen: unknown[] = [];
  const server = createServer((request, response) => {
    request.resume();
    request.once('end', () => {
      seen.push([request.method, request.headers['authorization'], request.headers['content-type']]);
      if (request.url === '/elsewhere') response.writeHead(302, {location: 'http://127.0.0.1:1/'}).end();
      else response.end(request.url === '/long' ? 'x'.repeat(2 * 1024 * 1024) : '{"continue":true}');
    });
  });
  const port = await loopbackPort(server);
  const post = (path: string, signal = new AbortController().signal) =>
    postHook(
      {
        type: 'http',
        url: `http://127.0.0.1:${port}${path}`,
        headers: {authorization: 'Bearer $TOKEN ${OTHER}'},
        variables: ['TOKEN'],
      },
      {body: '{}', environment: {TOKEN: 't', OTHER: 'o'}},
      signal,
    );
  const ends = [await post('/'), await post('/elsewhere'), await post('/long'), await post('/', AbortSignal.abort())];
  expect(ends.map(({end}) => end)).toEqual([
    {kind: 'responded', status: 200},
    {kind: 'responded', status: 302},
    {kind: 'too-long'},
    {kind: 'aborted'},
  ]);
  expect(ends[0]?.stdout).toBe('{"continue":true}');
  expect(seen[0]).toEqual(['POST', 'Bearer t', 'application/json']);
  server.closeAllConnections();
  await new Promise(resolve => server.close(resolve));
});

test('hooks hear of a call that was cancelled as of an interrupt; what they object to is context for the model', async () => {
  const heard: JsonObject[] = [];
  const objecting = hook(
    async input => {
      heard.push(input);
      return ended({kind: 'json', value: {decision: 'block', reason: 'Say why.'}});
    },
    {event: 'PostToolUseFailure'},
  );
  const port = makeHooks({...deps, hooks: [objecting]});
  const {answer} = await port.postToolUseFailure(
    {
      call,
      result: {tag: 'undecodable', fault: rejected('Stopped.')},
      content: {
        kind: 'tool-result',
        id: call.id,
        content: [{kind: 'text', text: 'Stopped.'}],
        outcome: 'cancelled',
        reason: 'interrupted',
      },
      durationMs: 5,
    },
    new AbortController().signal,
  );
  expect(heard).toMatchObject([{tool_name: 'Bash', duration_ms: 5, error: 'Stopped.', is_interrupt: true}]);
  expect(answer).toEqual({context: 'Say why.'});
});
