import {reasonOf} from '../../support/reason.ts';
import {describe, expect, test} from 'vitest';
import type {Action} from '../../../src/actions/catalogue.ts';
import {type McpPort, type McpServerState, noopMcp} from '../../../src/actions/mcp-port.ts';
import {failed, ok} from '../../../src/base/outcome.ts';
import type {Message} from '../../../src/domain/conversation.ts';
import {rejected} from '../../../src/domain/fault.ts';
import {historyFromJournal} from '../../../src/domain/history.ts';
import {messageId} from '../../../src/domain/ids.ts';
import type {Reason} from '../../../src/domain/reason.ts';
import {noDetail, type Verdict} from '../../../src/domain/risk.ts';
import {parseUserCommand} from '../../../src/domain/user-command.ts';
import {pastEntries} from '../../../src/tui/state/past-entries.ts';
import {
  aborted,
  asks,
  callBlock,
  callsTools,
  engineBench,
  finishedReport,
  promptOp,
  says,
  type Bench,
} from '../../support/memory-ports.ts';
import {workspace} from '../workspace/files/file-space.ts';

const textsOf = (message: Message | undefined): readonly string[] =>
  (message?.blocks ?? []).map(block => (block.kind === 'text' ? block.text : block.kind));
const warnings = ({events}: Bench): readonly string[] =>
  events.flatMap(event => (event.event === 'notice' && event.level === 'warning' ? [event.text] : []));

const allowed: Verdict = {
  decision: 'allow',
  risk: 'read-only',
  reasons: [],
  sessionApproval: 'exact',
  detail: noDetail,
};
const pathOf = (action: Action): string =>
  action.name === 'read-files' ? (action.input.requests[0]?.path ?? '') : action.name;

const disk: Readonly<Record<string, readonly string[]>> = {
  'src/a.ts': ['one', 'two', 'three', 'four'],
  'my file.txt': ['blank'],
  '.env': ['KEY=1'],
};
const read: NonNullable<Parameters<typeof engineBench>[1]>['read'] = async ({path, offset, limit}) => {
  const lines = disk[path];
  if (path === 'paper.pdf') return failed(rejected('paper.pdf is a PDF, which cannot be shown.'));
  if (path === 'src/') return ok({kind: 'directory', path: 'src', entries: ['a.ts'], more: 0});
  if (path === 'shot.png') return ok({kind: 'image', path, image: {kind: 'image', mediaType: 'image/png', data: 'AA'}});
  if (lines === undefined) return failed(rejected(`${path}: there is no such file.`));
  const shown = lines.slice(offset - 1, offset - 1 + limit);
  return ok({kind: 'text', path, lines: shown, firstLine: offset, totalLines: lines.length, notes: []});
};

const asksOfEnv = (action: Action): Verdict =>
  pathOf(action).startsWith('.env') ? {...asks, reasons: [reasonOf('reads `.env`, which may hold secrets.')]} : allowed;

const asksOfResource = (...more: readonly Reason[]) => ({
  ...asks,
  reasons: [{kind: 'mcp-resource', server: 'notes'}, ...more] as const,
});

const connectedServer = (name: string): McpServerState => ({
  name,
  status: 'connected',
  source: 'user',
  path: '',
  transport: 'program',
  error: '',
  title: '',
  version: '',
  instructions: '',
  resources: 'offered',
  log: [],
  latencyMs: undefined,
});

const run = (command: string, id = 'c1') =>
  ({op: 'run-command', id: messageId(id), command, size: {columns: 80, rows: 24}}) as const;

describe('what a prompt mentions', () => {
  test('what leads nowhere on a real disk is no mention, and what cannot be read is told', async () => {
    using space = workspace({'a.ts': 'one\n', locked: 'x'});
    const bench = engineBench([says('Done.')], {
      read: (request, signal) =>
        request.path === 'locked'
          ? Promise.resolve(failed(rejected('locked could not be read: permission denied: /work/locked.')))
          : space.port.read(request, signal),
    });
    await bench.prompt(`@a.ts @someone @a.ts/b @${'n'.repeat(300)} @locked`);
    expect(textsOf(bench.model.requests[0]?.messages[0]).slice(1)).toEqual([
      '<attached name="a.ts">\n1\tone\n</attached>',
      '<attached name="locked">\nlocked could not be read: permission denied: /work/locked.\n</attached>',
    ]);
    expect(warnings(bench)).toEqual([
      'locked not attached: locked could not be read: permission denied: /work/locked.',
    ]);
  });

  test.each<readonly [string, readonly string[]]>([
    ['explain @src/a.ts', ['<attached name="src/a.ts">\n1\tone\n2\ttwo\n3\tthree\n4\tfour\n</attached>']],
    ['explain @src/a.ts:2-3.', ['<attached name="src/a.ts:2-3">\n2\ttwo\n3\tthree\n</attached>']],
    [
      'explain @src/a.ts, twice: @src/a.ts,',
      ['<attached name="src/a.ts">\n1\tone\n2\ttwo\n3\tthree\n4\tfour\n</attached>'],
    ],
    ['@"my file.txt"', ['<attached name="my file.txt">\n1\tblank\n</attached>']],
    ['@src/', ['<attached name="src/">\na.ts\n</attached>']],
    ['@shot.png', ['<attached name="shot.png">\nshot.png (image)\n</attached>', 'image']],
    ['@paper.pdf', ['<attached name="paper.pdf">\npaper.pdf is a PDF, which cannot be shown.\n</attached>']],
    ['ask @someone', []],
  ])('%s', async (prompt, attached) => {
    const bench = engineBench([says('Done.')], {read});
    await bench.prompt(prompt);
    expect(textsOf(bench.model.requests[0]?.messages[0])).toEqual([prompt, ...attached]);
    // What was attached is kept, and is no part of what the user said.
    const [message] = historyFromJournal(bench.session.kept).messages;
    expect(textsOf(message)).toEqual([prompt, ...attached]);
    expect(pastEntries(historyFromJournal(bench.session.kept).messages, '/work')[0]).toMatchObject({
      kind: 'prompt',
      text: prompt,
    });
  });

  test('what Read would ask about is not attached, and the user is told', async () => {
    const bench = engineBench([says('Done.')], {read, assess: asksOfEnv});
    await bench.prompt('use @.env and @.env.missing');
    expect(textsOf(bench.model.requests[0]?.messages[0])).toEqual(['use @.env and @.env.missing']);
    expect(warnings(bench)).toEqual(['.env not attached: reads `.env`, which may hold secrets.']);
  });

  const notes: McpPort = {
    ...noopMcp,
    servers: () => [connectedServer('notes')],
    listedResources: () => [{server: 'notes', uri: 'mem://list.', name: 'a', description: '', mediaType: ''}],
    async readResource({uri}) {
      if (uri === 'mem://picture')
        return ok({
          blocks: [
            {kind: 'text', text: 'here'},
            {kind: 'image', mediaType: 'image/png', data: 'AA'},
          ],
        });
      if (uri.startsWith('mem://no')) return failed(rejected(`${uri} of notes could not be read: there is none`));
      return ok({blocks: [{kind: 'text', text: `[${uri}]\none </attached> two`}]});
    },
  };
  test.each<readonly [string, readonly string[], readonly string[]]>([
    [
      'read @notes:mem://a/b, please',
      ['<attached name="notes:mem://a/b">\n[mem://a/b]\none <\\/attached> two\n</attached>'],
      [],
    ],
    // What the server listed is meant as it is listed.
    [
      '@notes:mem://list.',
      ['<attached name="notes:mem://list.">\n[mem://list.]\none <\\/attached> two\n</attached>'],
      [],
    ],
    ['@notes:mem://picture', ['<attached name="notes:mem://picture">\nhere\n</attached>', 'image'], []],
    [
      '@notes:mem://no',
      ['<attached name="notes:mem://no">\nmem://no of notes could not be read: there is none\n</attached>'],
      ['notes:mem://no not attached: mem://no of notes could not be read: there is none.'],
    ],
    ['@wrong:mem://a', [], ['wrong:mem://a not attached: no MCP server is named wrong.']],
    ['@notes: ask @notes and @notes:10', [], []],
  ])('of MCP servers: %s', async (prompt, attached, told) => {
    const bench = engineBench([says('Done.')], {read, mcp: notes, assess: () => asksOfResource()});
    await bench.prompt(prompt);
    expect(textsOf(bench.model.requests[0]?.messages[0])).toEqual([prompt, ...attached]);
    expect(warnings(bench)).toEqual(told);
  });

  test('of MCP servers is not read where a rule asks about it', async () => {
    const rule = {kind: 'rule', behaviour: 'ask', rule: 'ReadMcpResourceTool'} as const;
    const bench = engineBench([says('Done.')], {read, mcp: notes, assess: () => asksOfResource(rule)});
    await bench.prompt('@notes:mem://a');
    expect(textsOf(bench.model.requests[0]?.messages[0])).toEqual(['@notes:mem://a']);
    expect(warnings(bench)).toEqual([expect.stringMatching(/^notes:mem:\/\/a not attached: .*ReadMcpResourceTool/u)]);
  });

  test('is attached to a prompt that steers, too', async () => {
    const bench: Bench = engineBench([callsTools(callBlock('Bash', {command: 'ls'}, 'a')), says('Done.')], {
      read,
      shell: async () => {
        bench.engine.submit(promptOp('and @src/a.ts:1', 'steering', 's'));
        return finishedReport('ran');
      },
    });
    await bench.prompt('list');
    expect(textsOf(bench.model.requests[1]?.messages.at(-1))).toEqual([
      'and @src/a.ts:1',
      '<attached name="src/a.ts:1">\n1\tone\n</attached>',
    ]);
  });

  test('an interrupt while files are read ends the prompt', async () => {
    const bench: Bench = engineBench([says('Done.')], {
      read: async (_, signal) => {
        bench.engine.submit({op: 'interrupt'});
        await aborted(signal);
        return failed(rejected('stopped'));
      },
    });
    expect(await bench.prompt('@src/a.ts')).toMatchObject({end: {kind: 'interrupted'}});
    expect(bench.model.requests).toEqual([]);
  });
});

describe('a command of the user', () => {
  test('runs unasked; the agent reads it with its next request, and it is kept', async () => {
    const bench = engineBench([says('I see.')], {assess: () => asks});
    bench.engine.submit(run('npm test'));
    await bench.next('command-finished');
    await bench.prompt('why?');
    const told = textsOf(bench.model.requests[0]?.messages[0])[0] ?? '';
    expect(parseUserCommand(told)).toEqual({
      command: 'npm test',
      result: 'ran npm test\n[exit code 0 after 0.0 s in /work]',
    });
    expect(bench.events.map(({event}) => event).slice(1, 6)).toEqual([
      'command-started',
      'action-queued',
      'action-started',
      'action-settled',
      'command-finished',
    ]);
    expect(pastEntries(historyFromJournal(bench.session.kept).messages, '/work')).toMatchObject([
      {kind: 'past-action', by: 'user', label: '! npm test', outcome: 'success'},
      {kind: 'prompt', text: 'why?'},
      {kind: 'text'},
    ]);
  });

  test('waits for what runs, holds up nobody who steers, and can be taken back', async () => {
    const ran: string[] = [];
    const bench: Bench = engineBench(
      [callsTools(callBlock('Bash', {command: 'first'}, 'a')), says('Done.'), says('More.')],
      {
        shell: async ({command}) => {
          ran.push(command);
          if (command === 'first') {
            bench.engine.submit(run('mine'));
            bench.engine.submit(run('never', 'c2'));
            bench.engine.submit(promptOp('steer', 'steering', 's'));
            bench.engine.submit({op: 'withdraw-prompt', id: messageId('c2')});
          }
          return finishedReport(command);
        },
      },
    );
    const summary = await bench.prompt('go');
    expect(summary.turns).toBe(2);
    await bench.next('command-finished');
    expect(ran).toEqual(['first', 'mine']);
    expect(bench.events.filter(({event}) => event === 'prompt-withdrawn')).toEqual([
      {event: 'prompt-withdrawn', id: 'c2'},
    ]);
  });

  test('is stopped by an interrupt; what waits is given back', async () => {
    const bench = engineBench([says('Done.')], {
      shell: async (_, observe, signal) => {
        observe('half');
        await aborted(signal);
        return {...finishedReport('half'), end: {kind: 'aborted'}};
      },
    });
    bench.engine.submit(run('sleep 100'));
    bench.engine.submit(run('later', 'c2'));
    await bench.next('action-output');
    bench.engine.submit({op: 'interrupt'});
    await bench.next('command-finished');
    expect(bench.events.filter(({event}) => event === 'prompt-withdrawn')).toEqual([
      {event: 'prompt-withdrawn', id: 'c2'},
    ]);
    const told = textsOf(historyFromJournal(bench.session.kept).messages[0])[0] ?? '';
    expect(parseUserCommand(told)?.result).toMatch(/^The user interrupted this\.\n[^]*half/u);
  });

  test('what the agent is to learn comes with the next prompt, once', async () => {
    const bench = engineBench([says('One.'), says('Two.')]);
    bench.engine.submit({op: 'add-context', text: 'The user added this note to AGENTS.md: use pnpm'});
    await bench.prompt('first');
    await bench.prompt('second');
    expect(textsOf(bench.model.requests[0]?.messages[0])).toEqual([
      'first',
      '<reminder>The user added this note to AGENTS.md: use pnpm</reminder>',
    ]);
    expect(textsOf(bench.model.requests[1]?.messages[2])).toEqual(['second']);
  });

  test('what it is to learn waits for the next prompt where the one it would have come with is taken back', async () => {
    const bench: Bench = engineBench(
      [callsTools(callBlock('Bash', {command: 'ls'}, 'a')), says('One.'), says('Two.')],
      {
        shell: async () => {
          bench.engine.submit({op: 'add-context', text: 'use pnpm'});
          bench.engine.submit(promptOp('see @src/a.ts', 'steering', 's'));
          return finishedReport('ran');
        },
        read: async (...asked) => {
          bench.engine.submit({op: 'withdraw-prompt', id: messageId('s')});
          return read(...asked);
        },
      },
    );
    await bench.prompt('first');
    await bench.prompt('second');
    expect(bench.model.requests[1]?.messages.map(textsOf)).toEqual([['first'], ['tool-call'], ['tool-result']]);
    expect(textsOf(bench.model.requests[2]?.messages.at(-1))).toEqual(['second', '<reminder>use pnpm</reminder>']);
  });
});
