import {afterEach, describe, expect, test} from 'vitest';
import type {AgentEvent} from '../../src/actions/agent-event.ts';
import {actionId} from '../../src/domain/ids.ts';
import type {PermissionMode} from '../../src/domain/risk.ts';
import type {AgentRow} from '../../src/domain/sub-agent.ts';
import {noUsage} from '../../src/domain/usage.ts';
import {nextMode, parseMode} from '../../src/tui/commands/mode.ts';
import {exploringAgent} from '../support/exploring-agent.ts';
import {sessionInfo} from './support/scripted-engine.ts';
import {leaveStages, start} from './support/stage.ts';

afterEach(leaveStages);

describe('modes', () => {
  test.each<[PermissionMode, PermissionMode]>([
    ['default', 'acceptEdits'],
    ['acceptEdits', 'plan'],
    ['plan', 'default'],
    ['dontAsk', 'default'],
    ['bypassPermissions', 'default'],
  ])('Shift+Tab leads from %s to %s', (from, to) => {
    expect(nextMode(from)).toBe(to);
  });

  test.each([
    ['plan', {kind: 'mode', mode: 'plan'}],
    ['ACCEPTEDITS', {kind: 'mode', mode: 'acceptEdits'}],
    ['plann', {kind: 'unknown', text: 'Unknown mode plann. Did you mean plan?'}],
    [
      'bypasspermissions',
      {
        kind: 'unknown',
        text: "Can't switch to bypassPermissions in a session. Start with weft --permission-mode bypassPermissions",
      },
    ],
  ])('/mode %s', (word, choice) => {
    expect(parseMode(word, 'default')).toEqual(choice);
  });

  test('the key and the command reach the engine, the status line follows', async () => {
    const {screen, engine} = await start();
    await screen.type('\u001B[Z');
    await screen.type('/mode plan\r');
    expect(engine.ops).toEqual([
      {op: 'set-mode', mode: 'acceptEdits'},
      {op: 'set-mode', mode: 'plan'},
    ]);
    engine.emit({event: 'mode-changed', mode: 'bypassPermissions'});
    await screen.until(/ {3}! permissions bypassed !/u);
  });
});

describe('/hooks', () => {
  test('says when each is called, what it came to, and which are never called', async () => {
    const row = {event: 'Stop', matcher: '', text: 'lint', source: 'settings.json', standing: 'in-use'} as const;
    const {engine, screen} = await start([80, 24]);
    engine.answers.hooks = {
      tag: 'ok',
      value: [
        {...row, event: 'PreToolUse', matcher: 'Bash', text: 'a\u001B[2J', runs: 2, last: 'deny: not\u202E today'},
        {...row, runs: 0, last: ''},
        {...row, text: './theirs', standing: 'not-trusted', runs: 0, last: ''},
      ],
    };
    await screen.type('/hooks\r');
    await screen.until(/❯ 1 {2}PreToolUse\(Bash\) {2}a\S+\[2J +deny: not\S+ today/u);
    await screen.until(/2 {2}Stop {2}lint +not run yet/u);
    await screen.until(/3 {2}Stop {2}\.\/theirs +not trusted/u);
    await screen.type('\r');
    await screen.until(/From settings\.json\n +Ran 2 times\. Last result: deny/u);
  });
});

describe('/agents', () => {
  const id = sessionInfo.id;
  const progress = {turns: 2, calls: 1, usage: noUsage, costUsd: 0, files: []} as const;
  const value: readonly AgentRow[] = [
    {
      agent: {id, call: actionId('a'), name: 'find\u001B[2J it', ...exploringAgent},
      status: {kind: 'in_progress', doing: 'Read a.ts'},
      progress,
      place: 'foreground',
    },
    {
      agent: {id, call: actionId('b'), name: 'review', ...exploringAgent, kind: 'review'},
      status: {kind: 'succeeded', answer: 'All is well.'},
      progress,
      place: 'background',
    },
  ];

  test('shows what one says as it comes, and what it does', async () => {
    const {engine, screen} = await start([90, 24]);
    engine.answers.agents = {tag: 'ok', value};
    const [row = expect.unreachable()] = value;
    engine.emit({event: 'agent-started', row});
    await screen.type('/agents\r');
    await screen.until(/❯ 1 {2}find/u);
    await screen.type('\r');
    await screen.until(/find\S+ it: Read a\.ts ─[^]*Send a message +m[^]*Stop +s[^]*No output yet/u);
    const said = (event: AgentEvent) =>
      engine.emit({
        event: 'agent-event',
        agent: id,
        name: row.agent.name,
        call: row.agent.call,
        happened: {by: 'weft', event},
      });
    said({event: 'action-output', id: actionId('x'), chunk: 'one\ntw\u001B[2J'});
    said({event: 'action-output', id: actionId('x'), chunk: 'o\nthree'});
    await screen.until(/one\s[^]*tw\S+o\s[^]*three/u);
    engine.emit({event: 'agent-changed', row: {...row, status: {kind: 'in_progress', doing: 'Read b.ts'}}});
    await screen.until(/find\S+ it: Read b\.ts/u);
  });

  test('the keys of the panel stop one and begin a message to it', async () => {
    const {engine, screen} = await start([90, 24]);
    engine.answers.agents = {tag: 'ok', value};
    const open = async () => {
      await screen.type('/agents\r');
      await screen.until(/❯ 1 {2}find/u);
      await screen.type('\r');
      await screen.until(/Send a message +m/u);
    };
    await open();
    await screen.type('s');
    await screen.until(/Stopping find/u);
    await open();
    await screen.type('m');
    await screen.until(/\/agents tell 1/u);
    await screen.type('faster\r');
    await screen.until(/Message sent to find/u);
    expect(engine.ops.filter(({op}) => op.endsWith('-agent'))).toEqual([
      {op: 'stop-agent', id},
      {op: 'message-agent', id, text: 'faster'},
    ]);
  });

  test('lists the sub-agents, and prints what one was to do and has answered', async () => {
    const {engine, screen} = await start([90, 24]);
    engine.answers.agents = {tag: 'ok', value};
    await screen.type('/agents\r');
    await screen.until(/❯ 1 {2}find\S+ it +Read a\.ts +explore, 2 turns, 1 call/u);
    await screen.until(/2 {2}review +done +review, 2 turns, 1 call/u);
    await screen.type('\u001B[B\r');
    await screen.until(/review: done ─/u);
    await screen.type('p');
    await screen.until(/review: done[^]*Task: Where is it\?[^]*All is well\./u);
  });

  test('prints the last lines of one at work, where nothing is redrawn, too', async () => {
    const {engine, screen} = await start([90, 24]);
    engine.answers.agents = {tag: 'ok', value};
    const [row = expect.unreachable()] = value;
    const said = (from: number, to: number): AgentEvent => {
      const chunk = Array.from({length: to - from}, (_, at) => `line ${String(from + at)}\n`).join('');
      const event: AgentEvent = {event: 'action-output', id: actionId('x'), chunk};
      return {event: 'agent-event', agent: id, name: 'find', call: row.agent.call, happened: {by: 'weft', event}};
    };
    engine.emit({event: 'agent-started', row}, said(0, 9));
    await screen.type('/agents\r');
    await screen.until(/❯ 1 {2}find/u);
    await screen.type('\r');
    await screen.until(/Stop +s[^]*line 8/u);
    engine.emit(said(9, 12));
    await screen.until(/line 11/u);
    await screen.type('p');
    await screen.until(/Task: Where is it\?\n +Last output:\n +line 2\n[^]*line 11\n/u);
  });

  test('stops one, tells one something and prints one, by its number', async () => {
    const {engine, screen} = await start([90, 24]);
    engine.answers.agents = {tag: 'ok', value};
    await screen.type('/agents stop 1\r');
    await screen.until(/Stopping find/u);
    await screen.type('/agents tell 2 look again\r');
    await screen.until(/Message sent to review/u);
    expect(engine.ops.filter(({op}) => op.endsWith('-agent'))).toEqual([
      {op: 'stop-agent', id},
      {op: 'message-agent', id, text: 'look again'},
    ]);
    await screen.type('/agents show 2\r');
    await screen.until(/review: done[^]*Task: Where is it\?[^]*All is well\./u);
    await screen.type('/agents stop 3\r');
    await screen.until(/No agent 3/u);
    await screen.type('/agents tell 2\r');
    await screen.until(/Give the number from the list/u);
  });

  test('says so where there are none', async () => {
    const {screen} = await start([80, 24]);
    await screen.type('/agents\r');
    await screen.until(/Agents ─+╮\n│ +No agents yet\. Ask weft to start one\./u);
  });
});

test('/hooks says where hooks would stand', async () => {
  const {screen} = await start([80, 24]);
  await screen.type('/hooks\r');
  await screen.until(/Hooks ─+╮\n│ +No hooks\./u);
});

describe('/permissions and /trust', () => {
  test('the mode and the rules are listed', async () => {
    const {screen} = await start([80, 24], {
      host: {permissionRules: async () => [{list: 'deny', rule: 'Read(.env)', source: 'user', reason: ''}]},
    });
    await screen.type('/permissions\r');
    await screen.until(/Permission rules ─+╮\n│ ❯ 1 {2}Read\(\.env\) +deny +user/u);
  });

  test('what the folder asks for is shown, and granted with a yes alone', async () => {
    const accepted: string[] = [];
    const {screen} = await start([80, 24], {
      host: {
        trust: {
          show: async () => ({state: 'never', text: 'The settings of ~/project want to:\n  allow Bash(make)'}),
          untrustedFiles: async () => [],
          async accept() {
            accepted.push('yes');
            return 'It is trusted.';
          },
        },
      },
    });
    await screen.type('/trust\r');
    await screen.until(/want to:\n +allow Bash\(make\)\n[^]*Trust this project\? ─[^]*y trust · Esc cancel/u);
    expect(accepted).toEqual([]);
    await screen.type('y');
    await screen.until(/It is trusted\./u);
    expect(accepted).toEqual(['yes']);
  });
});
