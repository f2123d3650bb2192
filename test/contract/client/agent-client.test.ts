import {connect, createServer, type Socket} from 'node:net';
import {afterEach, describe, expect, test} from 'vitest';
import {type McpPort, noopMcp} from '../../../src/actions/mcp-port.ts';
import type {AgentEvent} from '../../../src/actions/agent-event.ts';
import type {TerminalControl} from '../../../src/actions/ports.ts';
import type {AgentClient, Op, Query, QueryName, Watch, WatchName} from '../../../src/agent/client.ts';
import {ok} from '../../../src/base/outcome.ts';
import {actionId, blockId, messageId, parseSessionId, planId} from '../../../src/domain/ids.ts';
import type {FileFinder} from '../../../src/actions/files-port.ts';
import {emptyUserChanges} from '../../../src/domain/file-edit.ts';
import {connectClient, decodeValue, encodeValue, serveClientOver} from '../../../src/server/client-stream.ts';
import {lookUntil} from '../../support/look-until.ts';
import {loopbackPort} from '../../support/loopback-port.ts';
import {
  aborted,
  asks,
  callBlock,
  callsTools,
  finishedReport,
  engineBench,
  promptOp,
  says,
  valueOf,
  type ScriptedAnswer,
} from '../../support/memory-ports.ts';

type Given = Parameters<typeof engineBench>[1];

interface Client {
  readonly client: AgentClient;
  /** Breaks the connection off, where there is one. */
  readonly breakOff: () => void;
}

const inProcess = async (script: readonly ScriptedAnswer[], given?: Given): Promise<Client> => ({
  client: engineBench(script, given).engine,
  breakOff: () => {},
});

async function acrossSocket(script: readonly ScriptedAnswer[], given?: Given): Promise<Client> {
  const {near, far} = await socketPair();
  serveClientOver(engineBench(script, given).engine, far);
  return {client: connectClient(near), breakOff: () => near.destroy()};
}

const sockets: Socket[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});

/** Two sockets that are connected to each other, on loopback. */
async function socketPair(): Promise<{readonly near: Socket; readonly far: Socket}> {
  const server = createServer();
  const accepted = new Promise<Socket>(resolve => server.once('connection', resolve));
  const near = connect(await loopbackPort(server), '127.0.0.1');
  const far = await accepted;
  server.close();
  sockets.push(near, far);
  return {near, far};
}

const never = new AbortController().signal;
const makesList = callBlock('TodoWrite', {todos: [{content: 'one', status: 'pending', activeForm: 'x'}]});

/** All events from now on, and a wait for one of them. */
function follow(client: AgentClient) {
  const events: AgentEvent[] = [];
  const end = client.subscribe(batch => void events.push(...batch));
  const until = async (kind: AgentEvent['event']): Promise<void> =>
    lookUntil(
      () => events.some(({event}) => event === kind),
      () => `no ${kind} in ${events.map(({event}) => event).join(' ')}`,
    );
  return {events, until, end};
}

const reached = (look: () => boolean): Promise<void> => lookUntil(look, () => `not reached: ${String(look)}`);

/** A terminal session whose program a test plays. */
function playedTerminal() {
  const done: string[] = [];
  const attached: {show: (text: string) => void; ended: () => void}[] = [];
  const listeners = new Set<() => void>();
  const terminals: TerminalControl = {
    list: () => [],
    watch: listener => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    stop: async id => void done.push(`stop ${id}`),
    keep: id => void done.push(`keep ${id}`),
    attach(id, terminal) {
      attached.push({show: text => terminal.show(text), ended: () => terminal.ended()});
      done.push(`attach ${id} ${terminal.size.columns}x${terminal.size.rows}`);
      return ok({
        write: keys => done.push(`keys ${keys}`),
        resize: ({columns, rows}) => done.push(`size ${columns}x${rows}`),
        detach: () => done.push('detach'),
      });
    },
  };
  return {terminals, done, attached, listeners};
}

describe.each([
  ['in process', inProcess],
  ['across a socket pair', acrossSocket],
])('a client %s', (_, open) => {
  test('hears the opening first, then everything in order, bytes as bytes', async () => {
    const script = [callsTools(makesList), says('done')];
    const {client} = await open(script);
    const {events, until, end} = follow(client);
    await until('session-opened');
    client.submit(promptOp('go', 'queued', 'p'));
    await until('prompt-finished');
    const direct = engineBench(script);
    direct.engine.submit(promptOp('go', 'queued', 'p'));
    await direct.next('prompt-finished');
    expect(events).toEqual(direct.events);
    expect(events.find(({event}) => event === 'todos-framed')).toMatchObject({frames: [expect.any(Uint8Array)]});
    end();
    const before = events.length;
    client.submit(promptOp('again'));
    valueOf(await client.query({query: 'branch'}, never));
    expect(events).toHaveLength(before);
  });

  test('answers an approval', async () => {
    const {client} = await open([callsTools(callBlock('Bash', {command: 'make'}, 'a')), says('made')], {
      assess: () => asks,
    });
    const {events, until} = follow(client);
    client.submit(promptOp('go'));
    await until('approval-requested');
    client.submit({op: 'answer-approval', id: actionId('a'), answer: {decision: 'allow', scope: 'once'}});
    await until('prompt-finished');
    expect(events.at(-1)).toMatchObject({event: 'prompt-finished', summary: {answer: 'made', denials: []}});
  });

  test('answers each query with its own answer, in whatever order they come', async () => {
    const held = Promise.withResolvers<string>();
    const {client} = await open([], {host: {diagnostics: () => held.promise, branch: () => 'main'}});
    const slow = client.query({query: 'diagnostics'}, never);
    expect(await client.query({query: 'branch'}, never)).toEqual({tag: 'ok', value: 'main'});
    held.resolve('all works');
    expect(await slow).toEqual({tag: 'ok', value: 'all works'});
  });

  test('shows what a rewind would do before it does it, and gives the records', async () => {
    const {client} = await open([says('1'), says('2')]);
    const {until, events} = follow(client);
    client.submit(promptOp('one', 'queued', 'p1'));
    await until('prompt-finished');
    expect(valueOf(await client.query({query: 'rewind-points'}, never))).toEqual([
      {to: 'p1', number: 1, prompt: 'one', files: 'untouched'},
    ]);
    const target = {kind: 'last'} as const;
    expect(valueOf(await client.query({query: 'preview-rewind', target}, never))).toMatchObject({prompts: 1});
    expect(events.some(({event}) => event === 'rewound')).toBe(false);
    expect(valueOf(await client.query({query: 'rewind', target}, never))).toMatchObject({prompts: 1, prompt: 'one'});
    await until('rewound');
    const records = valueOf(await client.query({query: 'records', from: 0}, never));
    expect(records.at(-1)).toMatchObject({kind: 'rewind', to: 'p1'});
    expect(valueOf(await client.query({query: 'records', from: records.length - 1}, never))).toEqual(records.slice(-1));
  });

  test('tells an expected failure, and one that is ours, as a value', async () => {
    const {client} = await open([], {
      host: {
        branch() {
          throw new Error('disk full');
        },
      },
    });
    expect(await client.query({query: 'rewind', target: {kind: 'last'}}, never)).toMatchObject({
      tag: 'failed',
      error: {kind: 'needs-user', message: 'Nothing to undo.'},
    });
    expect(await client.query({query: 'branch'}, never)).toMatchObject({
      tag: 'failed',
      error: {kind: 'bug', message: 'Looking at the repository failed: disk full'},
    });
  });

  test('takes a query back, and what worked for it stops', async () => {
    const state: string[] = [];
    const read = async (path: string, signal: AbortSignal) => {
      state.push(`reads ${path}`);
      await aborted(signal);
      state.push('stops');
      return ok({name: path, width: 0, height: 0, image: {kind: 'image', mediaType: 'image/png', data: ''}} as const);
    };
    const {client} = await open([], {host: {images: {read}}});
    const abort = new AbortController();
    const answer = client.query({query: 'read-image', path: 'a.png'}, abort.signal);
    await reached(() => state.length === 1);
    abort.abort();
    await answer;
    expect(state).toEqual(['reads a.png', 'stops']);
  });

  test('cancels what waits for its turn', async () => {
    const held = Promise.withResolvers<void>();
    const {client} = await open([says('1')], {
      shell: async () => {
        await held.promise;
        return Promise.reject(new Error('never read'));
      },
    });
    const {until} = follow(client);
    client.submit({op: 'run-command', id: messageId('c'), command: 'sleep', size: {columns: 80, rows: 24}});
    await until('command-started');
    const abort = new AbortController();
    const answer = client.query({query: 'preview-rewind', target: {kind: 'last'}}, abort.signal);
    abort.abort();
    expect(await answer).toEqual({tag: 'cancelled'});
    expect(await client.query({query: 'rewind', target: {kind: 'last'}}, AbortSignal.abort())).toEqual({
      tag: 'cancelled',
    });
    held.resolve();
  });

  test('moves a running command to the background: its action settles once, with what was printed so far', async () => {
    const {client} = await open([callsTools(callBlock('Bash', {command: 'npm run dev'}, 'a')), says('It runs.')], {
      shell: async (request, observe) => {
        observe('up\n');
        await aborted(request.background);
        return {...finishedReport('up'), end: {kind: 'moved', block: blockId('b3')}};
      },
    });
    const {until, events} = follow(client);
    client.submit(promptOp('go'));
    await until('action-output');
    client.submit({op: 'move-to-background', id: actionId('nobody')});
    client.submit({op: 'move-to-background', id: actionId('a')});
    client.submit({op: 'move-to-background', id: actionId('a')});
    await until('prompt-finished');
    client.submit({op: 'move-to-background', id: actionId('a')});
    expect(events.filter(({event}) => event === 'action-settled')).toMatchObject([
      {
        toolResult: {
          outcome: 'success',
          content: [
            {
              kind: 'text',
              text:
                'up\n[the user moved it to the background, where it continues: use BashOutput with block_id b3]\n' +
                '[moved to the background as b3 after 0.0 s in /work]',
            },
          ],
        },
      },
    ]);
  });

  test('finds files in pieces, the best last', async () => {
    const finder: FileFinder = {
      async find(letters, tell) {
        tell({paths: [`${letters}/a`], state: 'looking'});
        await Promise.resolve();
        tell({paths: [`${letters}/a`, `${letters}/b`], state: 'complete'});
      },
    };
    const {client} = await open([], {host: {finder}});
    const pieces: unknown[] = [];
    const end = await client.watch({watch: 'find-files', letters: 'src'}, piece => pieces.push(piece), never);
    expect(end).toEqual({tag: 'ended'});
    expect(pieces).toEqual([
      {paths: ['src/a'], state: 'looking'},
      {paths: ['src/a', 'src/b'], state: 'complete'},
    ]);
  });

  test('finds resources of MCP servers behind the files', async () => {
    const resource = {server: 'notes', uri: 'mem://Plan', name: 'what to do', description: '', mediaType: ''};
    const mcp: McpPort = {...noopMcp, listedResources: () => [resource, {...resource, uri: 'mem://b', name: 'other'}]};
    const finder: FileFinder = {find: async (_letters, tell) => tell({paths: ['a'], state: 'complete'})};
    const {client} = await open([], {host: {finder, mcp}});
    const found = async (letters: string) => {
      const pieces: unknown[] = [];
      await client.watch({watch: 'find-files', letters}, piece => pieces.push(piece), never);
      return pieces;
    };
    expect(await found('')).toEqual([{paths: ['a'], state: 'complete'}]);
    expect(await found('plan')).toEqual([{paths: ['a', 'notes:mem://Plan'], state: 'complete'}]);
    expect(await found('to do')).toEqual([{paths: ['a', 'notes:mem://Plan'], state: 'complete'}]);
    expect(await found('notes:mem://b')).toEqual([{paths: ['a', 'notes:mem://b'], state: 'complete'}]);
  });

  test('attaches a terminal: text comes, keys and sizes go, and the end of the command ends it', async () => {
    const {terminals, done, attached} = playedTerminal();
    const {client} = await open([], {host: {terminals}});
    const shown: string[] = [];
    const id = blockId('b1');
    const ended = client.watch(
      {watch: 'attach-terminal', id, size: {columns: 80, rows: 24}},
      text => shown.push(text),
      never,
    );
    await reached(() => attached.length === 1);
    attached[0]?.show('$ ');
    client.submit({op: 'write-terminal', id, keys: 'ls\r'});
    client.submit({op: 'resize-terminal', id, size: {columns: 40, rows: 12}});
    await reached(() => done.length === 3);
    attached[0]?.show('a.txt\r\n');
    attached[0]?.ended();
    expect(await ended).toEqual({tag: 'ended'});
    expect(shown).toEqual(['$ ', 'a.txt\r\n']);
    expect(done).toEqual(['attach b1 80x24', 'keys ls\r', 'size 40x12', 'detach']);
  });

  test('detaches when the watch is taken back, and follows the terminal sessions until then', async () => {
    const {terminals, done, attached, listeners} = playedTerminal();
    const {client} = await open([], {host: {terminals}});
    const abort = new AbortController();
    let pieces = 0;
    const followed = client.watch({watch: 'terminals'}, () => void (pieces += 1), abort.signal);
    const size = {columns: 80, rows: 24};
    const ended = client.watch({watch: 'attach-terminal', id: blockId('b1'), size}, () => {}, abort.signal);
    await reached(() => attached.length === 1 && pieces === 1);
    for (const listener of listeners) listener();
    await reached(() => pieces === 2);
    abort.abort();
    expect([await ended, await followed]).toEqual([{tag: 'cancelled'}, {tag: 'cancelled'}]);
    expect([done, listeners.size]).toEqual([['attach b1 80x24', 'detach'], 0]);
  });

  test('is closed: watches end, and queries fail', async () => {
    const {client} = await open([]);
    const followed = client.watch({watch: 'terminals'}, () => {}, never);
    await client.close('finished');
    expect(await followed).toEqual({tag: 'cancelled'});
    expect(await client.query({query: 'branch'}, never)).toMatchObject({tag: 'failed'});
    expect(await client.watch({watch: 'terminals'}, () => {}, never)).toMatchObject({tag: 'failed'});
  });
});

test('a connection that is lost settles every open query and watch once, and takes them back at the other end', async () => {
  const {terminals, listeners} = playedTerminal();
  const state: string[] = [];
  const diagnostics = new Promise<string>(() => {});
  const read = async (path: string, signal: AbortSignal) => {
    await aborted(signal);
    state.push(`${path} taken back`);
    return ok({name: path, width: 0, height: 0, image: {kind: 'image', mediaType: 'image/png', data: ''}} as const);
  };
  const host = {terminals, diagnostics: () => diagnostics, images: {read}};
  const {client, breakOff} = await acrossSocket([], {host});
  let settled = 0;
  const open = [
    client.query({query: 'diagnostics'}, never),
    client.query({query: 'read-image', path: 'a.png'}, never),
    client.watch({watch: 'terminals'}, () => {}, never),
  ].map(async answer => {
    const value = await answer;
    settled += 1;
    return value;
  });
  await reached(() => listeners.size === 1);
  breakOff();
  const lost = {tag: 'failed', error: {kind: 'rejected', message: 'Lost the connection to weft.'}};
  expect(await Promise.all(open)).toEqual([lost, lost, lost]);
  expect(settled).toBe(3);
  await reached(() => state.length === 1 && listeners.size === 0);
  expect(await client.query({query: 'branch'}, never)).toEqual(lost);
  client.submit({op: 'interrupt'});
});

const session = parseSessionId('00000000-0000-4000-8000-000000000001') ?? expect.fail();
const id = messageId('m');
const action = actionId('a');
const block = blockId('b1');
const edits = {edits: [{kind: 'delete', path: 'a'}], userChanges: emptyUserChanges} as const;

/** One of each: a new one does not compile without its row. */
const ops: {readonly [Name in Op['op']]: Extract<Op, {readonly op: Name}>} = {
  prompt: {op: 'prompt', id, text: 'x', images: [{kind: 'image', mediaType: 'image/png', data: 'AA'}], when: 'queued'},
  'run-command': {op: 'run-command', id, command: 'ls', size: {columns: 80, rows: 24}},
  'add-context': {op: 'add-context', text: 'x'},
  'add-messages': {op: 'add-messages', messages: [{role: 'user', text: 'x'}]},
  'move-to-background': {op: 'move-to-background', id: action},
  'stop-agent': {op: 'stop-agent', id: session},
  'message-agent': {op: 'message-agent', id: session, text: 'x'},
  'hear-agents': {op: 'hear-agents', id},
  'hear-command': {op: 'hear-command', id, end: 'x'},
  'withdraw-prompt': {op: 'withdraw-prompt', id},
  'answer-approval': {
    op: 'answer-approval',
    id: action,
    answer: {decision: 'allow-updated', input: {$bytes: 'no bytes', nested: {$: 1}}, rules: []},
  },
  'answer-question': {op: 'answer-question', id: action, answer: {kind: 'dismissed'}},
  'answer-compaction': {op: 'answer-compaction', id: action, answer: {kind: 'stop'}},
  'answer-hand-over': {op: 'answer-hand-over', id: action, end: 'detached'},
  'ask-about-everything': {op: 'ask-about-everything'},
  interrupt: {op: 'interrupt'},
  'end-computer-use': {op: 'end-computer-use'},
  'remember-prompt': {op: 'remember-prompt', text: 'x'},
  'stop-terminal': {op: 'stop-terminal', id: block},
  'keep-terminal': {op: 'keep-terminal', id: block},
  'write-terminal': {op: 'write-terminal', id: block, keys: '\u001B[A\u0000'},
  'resize-terminal': {op: 'resize-terminal', id: block, size: {columns: 1, rows: 1}},
  'set-model': {op: 'set-model', model: 'm'},
  'set-mode': {op: 'set-mode', mode: 'plan'},
  'start-plan': {
    op: 'start-plan',
    plan: {
      id: planId('plan_1'),
      goal: 'g',
      steps: [{id: '1', description: 'one', status: 'pending'}],
      notes: '',
      state: 'executing',
      session,
      directory: '/w',
      createdAt: 0,
      reason: '',
    },
  },
  'set-thinking': {op: 'set-thinking', thinking: {kind: 'default'}},
  'open-session': {op: 'open-session', session: {kind: 'resume', id: session}},
};

const queries: {readonly [Name in QueryName]: Query<Name>} = {
  records: {query: 'records', from: 0},
  agents: {query: 'agents'},
  commands: {query: 'commands'},
  'look-up-command': {query: 'look-up-command', text: '/review'},
  documents: {query: 'documents'},
  'export-text': {query: 'export-text', name: 'x.md', text: '', present: 'kept'},
  memory: {query: 'memory'},
  'add-to-memory': {query: 'add-to-memory', note: 'n'},
  'write-memory': {query: 'write-memory', before: '', text: 't'},
  'rename-session': {query: 'rename-session', title: 'Mend the tests'},
  goal: {query: 'goal', text: 'npm test'},
  'ask-aside': {query: 'ask-aside', question: 'Which file?'},
  'session-changes': {query: 'session-changes', since: 'start'},
  blame: {query: 'blame', target: 'a.ts:1'},
  checks: {query: 'checks'},
  pins: {query: 'pins'},
  'change-pin': {query: 'change-pin', message: id, state: 'pinned'},
  review: {query: 'review', range: 'main'},
  'change-review': {query: 'change-review', change: {change: 'resolve', id: 'c1'}},
  'write-document': {query: 'write-document', document: {title: 'Plan'}, text: ''},
  'context-usage': {query: 'context-usage'},
  'rewind-points': {query: 'rewind-points'},
  'preview-rewind': {query: 'preview-rewind', target: {kind: 'prompt', to: id, what: 'both'}},
  rewind: {query: 'rewind', target: {kind: 'redo'}},
  'preview-compaction': {query: 'preview-compaction', instructions: ''},
  compact: {query: 'compact', preview: id, summary: ''},
  sessions: {query: 'sessions'},
  'first-prompts': {query: 'first-prompts'},
  'session-costs': {query: 'session-costs'},
  'cache-report': {query: 'cache-report', session},
  'last-messages': {query: 'last-messages', session},
  'prompt-history': {query: 'prompt-history'},
  'preview-edits': {query: 'preview-edits', edits},
  'draft-edits': {query: 'draft-edits', edits},
  'read-image': {query: 'read-image', path: 'a.png'},
  'readable-path': {query: 'readable-path', path: 'a.txt'},
  'add-note': {query: 'add-note', note: 'x'},
  hooks: {query: 'hooks'},
  'mcp-servers': {query: 'mcp-servers'},
  'change-mcp-server': {query: 'change-mcp-server', server: 'calc', change: 'turn-off'},
  'permission-rules': {query: 'permission-rules'},
  'change-rule': {query: 'change-rule', rule: {change: 'add', list: 'allow', rule: 'Read', scope: 'session'}},
  'folder-trust': {query: 'folder-trust'},
  'trust-folder': {query: 'trust-folder'},
  settings: {query: 'settings', name: ''},
  'setting-rows': {query: 'setting-rows'},
  'change-setting': {query: 'change-setting', name: 'theme', value: 'dark'},
  plans: {query: 'plans'},
  'change-plan': {query: 'change-plan', plan: planId('p1'), change: {kind: 'approve'}},
  bisect: {query: 'bisect', session, command: 'false'},
  stack: {query: 'stack'},
  'change-stack': {query: 'change-stack', change: {kind: 'create', text: 'x'}},
  models: {query: 'models'},
  'local-servers': {query: 'local-servers'},
  'use-key': {query: 'use-key', provider: 'anthropic', key: 'sk-ant-0'},
  'use-server': {query: 'use-server', baseUrl: 'http://127.0.0.1:1/v1', model: 'm'},
  'use-way': {query: 'use-way', way: 'bedrock'},
  'finish-sign-in': {query: 'finish-sign-in', address: 'http://127.0.0.1:1455/auth/callback?code=1'},
  'use-effort': {query: 'use-effort', model: 'm', effort: 'high'},
  diagnostics: {query: 'diagnostics'},
  branch: {query: 'branch'},
  'export-session': {
    query: 'export-session',
    name: '',
    session: {
      id: session,
      origin: 'new',
      directory: '/work',
      provider: 'p',
      model: 'm',
      mode: 'default',
      tools: [],
    },
    present: 'kept',
  },
};

const watches: {readonly [Name in WatchName]: Watch<Name>} = {
  'find-files': {watch: 'find-files', letters: ''},
  terminals: {watch: 'terminals'},
  'attach-terminal': {watch: 'attach-terminal', id: block, size: {columns: 1, rows: 1}},
  'chatgpt-sign-in': {watch: 'chatgpt-sign-in'},
  'mcp-sign-in': {watch: 'mcp-sign-in', server: 'calc'},
};

test.each([...Object.entries(ops), ...Object.entries(queries), ...Object.entries(watches)])(
  '%s is plain data',
  (_, value) => {
    expect(decodeValue(JSON.parse(JSON.stringify(encodeValue(value))))).toEqual(value);
  },
);

test.each(Object.values(queries))('the answer to $query is plain data', async request => {
  const {engine} = engineBench([says('1')]);
  const answer = await engine.query(request, never);
  expect(decodeValue(JSON.parse(JSON.stringify(encodeValue(answer))))).toEqual(answer);
});

const noticeLine = (text: string): string =>
  `${JSON.stringify({type: 'events', id: 1, events: [{event: 'notice', level: 'info', text}]})}\n`;

describe('a server that sends without end', () => {
  test('is read no further than its front end takes', async () => {
    const {near, far} = await socketPair();
    const free = Promise.withResolvers<void>();
    const heard: string[] = [];
    connectClient(near).subscribe(async events => {
      heard.push(...events.map(event => (event.event === 'notice' ? event.text.slice(0, 3) : event.event)));
      if (heard.length > 1) await free.promise;
    });
    const names = Array.from({length: 500}, (_, at) => String(at + 100));
    const sent = names.map(name => far.write(noticeLine(name.padEnd(100_000, 'x'))));
    expect(sent).toContain(false);
    await reached(() => heard.length === 2);
    far.write('', () => heard.push('all was read'));
    // What is sent on another connection meanwhile comes through.
    const other = await socketPair();
    other.far.write('x');
    await new Promise(resolve => other.near.once('data', resolve));
    expect(heard).toEqual(['100', '101']);
    free.resolve();
    await reached(() => heard.length === 501);
    expect(heard.filter(name => name !== 'all was read')).toEqual(names);
  });

  test('is left when one message has no end', {tags: 'long'}, async () => {
    const {near, far} = await socketPair();
    const {events} = follow(connectClient(near));
    far.on('error', () => {});
    far.write(`{"type":"events","id":1,"x":"${'x'.repeat(65 * 1024 * 1024)}`);
    await reached(() => events.length > 0);
    const text = 'The server sent a message of more than 64 MB. weft closed the connection.';
    expect([events, near.destroyed]).toEqual([[{event: 'notice', level: 'warning', text}], true]);
  });
});
