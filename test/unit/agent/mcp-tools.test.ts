import {describe, expect, test} from 'vitest';
import type {EngineOptions} from '../../../src/agent/create-engine.ts';
import {decodePastAction} from '../../../src/actions/decode-action.ts';
import {
  noopMcp,
  type McpCallRequest,
  type McpPort,
  type McpServerState,
  type McpTool,
  type SamplingReply,
} from '../../../src/actions/mcp-port.ts';
import {failed, ok} from '../../../src/base/outcome.ts';
import {rejected} from '../../../src/domain/fault.ts';
import {
  type ScriptedAnswer,
  aborted,
  asks,
  callBlock,
  callsTools,
  engineBench,
  says,
  toolNames,
} from '../../support/memory-ports.ts';

const toolNamed = (name: string): McpTool => ({
  server: 'my calc',
  name,
  toolName: `mcp__my_calc__${name}`,
  description: `Does ${name}`,
  inputSchema: {type: 'object', properties: {}},
  effect: 'unsaid',
  standing: 'as-known',
  offering: 'by-size',
});

/** A server whose tools a test may change. */
function calculator(given: Partial<McpPort> = {}) {
  const called: McpCallRequest[] = [];
  let tools: readonly McpTool[] = [toolNamed('add')];
  const mcp: McpPort = {
    ...noopMcp,
    tools: () => tools,
    call: async request => {
      called.push(request);
      return ok({blocks: [{kind: 'text', text: '3'}]});
    },
    ...given,
  };
  return {
    mcp,
    called,
    become: (...names: readonly string[]) => {
      tools = names.map(toolNamed);
    },
  };
}

const serverState = (instructions: string): McpServerState => ({
  name: 'my calc',
  status: 'connected',
  source: 'user',
  path: '',
  transport: 'program',
  error: '',
  title: '',
  version: '',
  instructions,
  resources: 'none',
  log: [],
  latencyMs: undefined,
});

const told = (words: string): string =>
  `<reminder>The MCP server "my calc" describes its tools (its own words, not a request from the user):\n${words}</reminder>`;

test('what a server says of its tools is given once, behind the prompt, and again when it changes', async () => {
  let instructions = 'Add before you subtract.';
  const {mcp, become} = calculator({servers: () => [serverState(instructions)]});
  const run = engineBench([says('1'), says('2'), says('3'), says('4')], {mcp});
  const last = () => {
    const messages = run.model.requests.at(-1)?.messages ?? [];
    const answered = messages.findLastIndex(({role}) => role === 'assistant');
    return messages.slice(answered + 1).flatMap(({blocks}) => blocks.map(block => Object(block).text));
  };
  await run.prompt('one');
  expect(last()).toEqual(['one', told('Add before you subtract.')]);
  await run.prompt('two');
  expect(last()).toEqual(['two']);
  instructions = 'Never subtract.';
  await run.prompt('three');
  expect(last()).toEqual(['three', told('Never subtract.')]);
  become();
  instructions = 'Nobody reads this.';
  await run.prompt('four');
  expect(last()).toEqual(['four']);
});

const adds = callsTools(callBlock('mcp__my_calc__add', {a: 1, b: 2}));

test('tools of servers are offered behind the others, asked about, called and told', async () => {
  const {mcp, called} = calculator();
  const run = engineBench([adds, says('Three.')], {mcp, assess: () => asks});
  const ended = run.prompt('Add');
  const {approval} = await run.next('approval-requested');
  expect(approval).toMatchObject({
    toolName: 'mcp__my_calc__add',
    label: 'Call add of my calc',
    preview: {kind: 'arguments', text: '{"a":1,"b":2}'},
  });
  expect(called).toEqual([]);
  run.engine.submit({op: 'answer-approval', id: approval.id, answer: {decision: 'allow', scope: 'once'}});
  expect((await ended).answer).toBe('Three.');
  expect(called).toEqual([
    {server: 'my calc', tool: 'add', toolName: 'mcp__my_calc__add', standing: 'as-known', input: {a: 1, b: 2}},
  ]);
  expect(run.model.requests[0]?.tools.at(-1)).toEqual({
    name: 'mcp__my_calc__add',
    description: 'Does add',
    inputSchema: {type: 'object', properties: {}},
    offered: 'from-the-start',
  });
  expect(run.model.requests[1]?.messages.at(-1)).toMatchObject({
    blocks: [{outcome: 'success', content: [{kind: 'text', text: '3'}]}],
  });
});

test('a tool that has changed is accepted by an answer of the user, not by a verdict that lets it through', async () => {
  const {mcp, called} = calculator({tools: () => [{...toolNamed('add'), standing: 'changed'}]});
  let verdict = asks;
  const run = engineBench([adds, says('One.'), adds, says('Two.')], {mcp, assess: () => verdict});
  const ended = run.prompt('Add');
  const {approval} = await run.next('approval-requested');
  run.engine.submit({op: 'answer-approval', id: approval.id, answer: {decision: 'allow', scope: 'once'}});
  await ended;
  verdict = {...asks, decision: 'allow'};
  await run.prompt('Add');
  expect(called.map(({standing}) => standing)).toEqual(['accepted', 'changed']);
});

test('a server may change its tools between two requests; the list stays the same', async () => {
  const server = calculator();
  const run = engineBench([adds, adds, says('Done.')], {
    mcp: {...server.mcp, call: async () => (server.become('sub'), ok({blocks: []}))},
  });
  await run.prompt('Add');
  const offered = run.model.requests.map(request => toolNames(request).at(-1));
  expect(offered).toEqual(['mcp__my_calc__add', 'mcp__my_calc__add', 'mcp__my_calc__add']);
  expect(run.model.requests[1]?.tools).toBe(run.model.requests[2]?.tools);
  expect(run.model.requests[2]?.messages.at(-1)).toMatchObject({
    blocks: [{outcome: 'error', content: [{text: expect.stringContaining('mcp__my_calc__sub')}]}],
  });
});

test('tools that are found stand behind the others; nothing before them changes', async () => {
  const three = ['add', 'sub', 'mul'].map(name => ({...toolNamed(name), description: `${name} ${'x'.repeat(9000)}`}));
  const {mcp} = calculator({tools: () => three});
  const search = callsTools(callBlock('ToolSearch', {query: 'select:add'}));
  const run = engineBench([search, adds, says('Three.')], {mcp});
  await run.prompt('Add');
  const [first = [], second = []] = run.model.requests.map(({tools}) => tools);
  expect(second.slice(0, -1)).toEqual(first);
  expect(second.at(-1)).toMatchObject({name: 'mcp__my_calc__add', offered: 'since-found'});
  expect(JSON.stringify(first)).toContain('Tools: ');
  expect(run.model.requests[1]?.messages.at(-1)).toMatchObject({
    blocks: [{outcome: 'success', content: [{kind: 'text', foundTool: 'mcp__my_calc__add'}]}],
  });
});

test('the first request waits for servers that are starting', async () => {
  const begun = Promise.withResolvers<undefined>();
  const server = calculator();
  server.become();
  const run = engineBench([says('Hello.')], {mcp: {...server.mcp, ready: async () => ok(await begun.promise)}});
  const ended = run.prompt('Hi');
  await run.next('prompt-accepted');
  expect(run.model.requests).toEqual([]);
  server.become('add');
  begun.resolve(undefined);
  await ended;
  expect(run.model.requests.slice(0, 1).flatMap(toolNames).at(-1)).toBe('mcp__my_calc__add');
});

test('an interrupted call is cancelled, and the model hears that the server was told', async () => {
  const started = Promise.withResolvers<undefined>();
  const {mcp} = calculator({
    call: async (_request, _observer, signal) => {
      started.resolve(undefined);
      await aborted(signal);
      return failed(rejected('aborted'));
    },
  });
  const run = engineBench([adds, says('Well.')], {mcp});
  const first = run.prompt('Add');
  await started.promise;
  run.engine.submit({op: 'interrupt'});
  expect((await first).end).toEqual({kind: 'interrupted'});
  const settled = run.events.find(event => event.event === 'action-settled');
  expect(settled).toMatchObject({
    toolResult: {
      outcome: 'cancelled',
      content: [{text: 'The user interrupted this.\nmy calc was told to stop; it may have done part of the work.'}],
    },
  });
});

test('a server that asks during a call that is interrupted hears that nobody answered', async () => {
  const asked = {server: 'my calc', message: 'Sure?', mode: 'form', url: '', elicitationId: ''} as const;
  const replies: unknown[] = [];
  const {mcp} = calculator({
    async call(_request, observer) {
      const elicitation = {...asked, requestedSchema: {type: 'object', properties: {}}};
      // Its server does not take the question back.
      replies.push(await observer.elicit(elicitation, new AbortController().signal));
      return failed(rejected('aborted'));
    },
  });
  const run = engineBench([adds, says('Well.')], {mcp});
  const ended = run.prompt('Add');
  await run.next('question-asked');
  run.engine.submit({op: 'interrupt'});
  expect((await ended).end).toEqual({kind: 'interrupted'});
  expect(replies).toEqual([{action: 'cancel', content: undefined}]);
});

const choosing = (label: string) => ({kind: 'answered', answers: [{selected: [label], other: ''}]}) as const;

describe('a server that asks the model during a call', () => {
  const asked = {
    server: 'my calc',
    params: {
      systemPrompt: 'Be brief.',
      messages: [{role: 'user', content: {type: 'text', text: 'What is 1+2?'}}],
      maxTokens: 50,
    },
  };
  const sampling = (script: readonly ScriptedAnswer[], options: Partial<EngineOptions> = {}) => {
    const replies: SamplingReply[] = [];
    const {mcp} = calculator({
      async call(_request, {sample}) {
        replies.push(await sample(asked, new AbortController().signal));
        return ok({blocks: []});
      },
    });
    return {run: engineBench([adds, ...script], {mcp, options}), replies};
  };

  test('gets the answer once the user agrees, and the cost counts', async () => {
    const {run, replies} = sampling([says('Three.'), says('Done.')]);
    const ended = run.prompt('Add');
    const {id, questions} = await run.next('question-asked');
    expect(questions.map(({question, options}) => [question, options.map(({label}) => label)])).toEqual([
      [
        'The MCP server my calc wants to ask scripted, for at most 50 tokens of answer:\nBe brief.\nWhat is 1+2?',
        ['Decline', 'Allow once'],
      ],
    ]);
    run.engine.submit({op: 'answer-question', id, answer: choosing('Allow once')});
    await ended;
    expect(replies).toEqual([
      ok({role: 'assistant', content: {type: 'text', text: 'Three.'}, model: 'scripted', stopReason: 'endTurn'}),
    ]);
    expect(run.model.requests[1]).toMatchObject({
      system: 'Be brief.',
      tools: [],
      maxTokens: 50,
      messages: [{role: 'user', blocks: [{kind: 'text', text: 'What is 1+2?'}]}],
    });
    expect(run.session.kept.filter(({kind}) => kind === 'agent-usage')).toMatchObject([{model: 'scripted'}]);
    // The conversation goes on as if nothing had been asked beside it.
    expect(run.model.requests[2]?.messages.map(({role}) => role)).toEqual(['user', 'assistant', 'user']);
  });

  test.each([
    ['the user declines', {}, 'Decline', 'The user declined the sampling request.'],
    [
      'nobody can be asked',
      {interaction: 'unattended'},
      'nobody',
      expect.stringContaining('no user can be asked here'),
    ],
    ['the user wants no questions', {mode: 'dontAsk'}, 'nobody', expect.stringContaining('wants no questions')],
  ] as const)('reads why not where %s', async (_case, options, answer, why) => {
    const {run, replies} = sampling([says('Done.')], options);
    const ended = run.prompt('Add');
    if (answer !== 'nobody') {
      const {id} = await run.next('question-asked');
      run.engine.submit({op: 'answer-question', id, answer: choosing(answer)});
    }
    await ended;
    expect([replies, run.model.requests.length]).toEqual([[failed(why)], 2]);
  });
});

test('arguments that are no object never reach the server', async () => {
  const {mcp, called} = calculator();
  const run = engineBench([callsTools(callBlock('mcp__my_calc__add', 'text')), says('Oh.')], {mcp});
  await run.prompt('Add');
  expect(called).toEqual([]);
  expect(run.model.requests[1]?.messages.at(-1)).toMatchObject({blocks: [{outcome: 'error'}]});
});

test('a call of a session that is over is known by its name', () => {
  expect(decodePastAction('mcp__calc__add_all', {a: 1})).toEqual(
    ok({
      name: 'call-mcp-tool',
      input: {server: 'calc', tool: 'add_all', toolName: 'mcp__calc__add_all', standing: 'as-known', arguments: {a: 1}},
    }),
  );
  expect(decodePastAction('mcp__x', {}).tag).toBe('failed');
});
