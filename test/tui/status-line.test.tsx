import {describe, expect, test} from 'vitest';
import type {RunningSession} from '../../src/domain/session-list.ts';
import type {BlockInfo} from '../../src/actions/ports.ts';
import {actionId, blockId, parseSessionId} from '../../src/domain/ids.ts';
import {nativeProof, nothingProven, type Proof} from '../../src/domain/sandbox.ts';
import {RunLine} from '../../src/tui/components/live-region.tsx';
import {type StatusHint, StatusLine} from '../../src/tui/components/status-line.tsx';
import type {AgentOutput} from '../../src/tui/state/agent-outputs.ts';
import {emptyView, type View} from '../../src/tui/state/view.ts';
import {exploringAgent} from '../support/exploring-agent.ts';
import {accepted} from './support/events.ts';
import {drawn} from './support/drawn.ts';
import {reduce} from '../../src/tui/state/reduce.ts';
import {begin, mild} from './support/stage.ts';
import {sessionInfo} from './support/scripted-engine.ts';

const usage = {inputTokens: 4000, outputTokens: 900, cacheReadTokens: 40_000, cacheWriteTokens: 1000};
const used: View = {
  ...emptyView,
  model: 'claude-sonnet-5-5-20261001',
  usage: {
    models: {'claude-sonnet-5-5-20261001': {usage, costUsd: 0.034, requests: 3, webSearches: 0}},
    contextTokens: 2500,
    contextWindow: 200_000,
  },
};
const server: BlockInfo = {
  id: blockId('b1'),
  command: 'npm run dev',
  state: {kind: 'running'},
  ageMs: 1000,
  ports: [5188],
  lastLine: '',
  life: 'with-weft',
};
const bwrap: Proof = {
  provider: 'bwrap',
  works: true,
  proven: {files: true, network: true, processes: true, overlay: true},
  hosts: 'closed',
  reason: '',
};
const plain = {vim: '', custom: '', padding: 0} as const;
const status = (view: View, width: number, blocks: readonly BlockInfo[] = [], hint: StatusHint | 'none' = 'none') =>
  drawn(<StatusLine {...plain} view={view} effort="default" blocks={blocks} sessions={[]} hint={hint} width={width} />);

describe('the status line', () => {
  test('begins with the mode and where to find the keys', () => {
    expect(status({...emptyView, model: 'test-model'}, 60)).toEqual([
      '  asks first ⇧Tab                          ? for shortcuts',
    ]);
  });

  test.each([
    [100, '  asks first ⇧Tab · 1 server :5188 · context 1 %                               sonnet-5-5 · $0.03'],
    [70, '  asks first · 1 server :5188 · context 1 %      sonnet-5-5 · $0.03'],
    [60, '  asks first · 1 server · context 1 %  sonnet-5-5 · $0.03'],
    [50, '  asks first · 1 server · context 1 %     $0.03'],
    [40, '  asks first · 1 server · context 1 %'],
    [30, '  asks first · 1 server'],
    [16, '  asks first'],
  ])('at %i columns', (width, line) => {
    expect(status(used, width, [server])).toEqual([line]);
  });

  test.each<[Proof, number, string]>([
    [bwrap, 100, '  asks first ⇧Tab · context 1 % · sandbox: on a copy, asks to keep changes     sonnet-5-5 · $0.03'],
    [
      {...bwrap, proven: {...bwrap.proven, overlay: false}},
      100,
      '  asks first ⇧Tab · context 1 % · sandbox: files, network and processes        sonnet-5-5 · $0.03',
    ],
    [
      {...bwrap, proven: {...bwrap.proven, processes: false, overlay: false}},
      90,
      '  asks first ⇧Tab · context 1 % · sandbox: files and network         sonnet-5-5 · $0.03',
    ],
    [
      {...bwrap, proven: {...bwrap.proven, overlay: false}, hosts: 'open'},
      120,
      '  asks first ⇧Tab · context 1 % · sandbox: files, network (but for allowed hosts) and processes    sonnet-5-5 · $0.03',
    ],
    [bwrap, 70, '  asks first ⇧Tab · context 1 %                  sonnet-5-5 · $0.03'],
    [
      {...bwrap, works: false, proven: nothingProven},
      70,
      '  asks first ⇧Tab · context 1 % · no sandbox     sonnet-5-5 · $0.03',
    ],
    [nativeProof, 70, '  asks first ⇧Tab · context 1 %                  sonnet-5-5 · $0.03'],
  ])('says what the sandbox was seen to stop', (proof, width, line) => {
    expect(status(reduce(used, {event: 'sandbox-proven', proof}), width)).toEqual([line]);
  });

  test('where edits do not ask, neither do the changes of commands', () => {
    const proven = reduce(used, {event: 'sandbox-proven', proof: bwrap});
    expect(status({...proven, mode: 'acceptEdits'}, 100)).toEqual([
      '  accepts edits ⇧Tab · context 1 % · sandbox: on a copy                        sonnet-5-5 · $0.03',
    ]);
  });

  test('an effort that was chosen stands behind the model', () => {
    expect(
      drawn(<StatusLine {...plain} view={used} effort="high" blocks={[]} sessions={[]} hint="none" width={70} />),
    ).toEqual(['  asks first ⇧Tab · context 1 %             sonnet-5-5 high · $0.03']);
  });

  test.each([
    [100, 0, '  Sonnet 5.5 | Ctx: 15.0k | main | 3 files                        asks first ⇧Tab · 1 server :5188'],
    [60, 4, '      Sonnet 5.5 | Ctx: 15.0…  asks first · 1 server :5188'],
    [40, 0, '  Sonnet 5.5 | Ctx: 15.0k…  asks first'],
  ])("the user's own line, at %i columns, leaves room for mode and background", (width, padding, line) => {
    const custom = '\u001B[31mSonnet 5.5\u001B[0m | Ctx: 15.0k | main | 3 files\n';
    const props = {...plain, custom, padding, width, view: used, blocks: [server], sessions: []};
    expect(drawn(<StatusLine {...props} effort="default" hint="none" />)).toEqual([line]);
  });

  test("a hint stands in the place of the user's own line, and bypassed permissions stay in sight", () => {
    const props = {...plain, custom: 'mine', width: 60, blocks: [], sessions: [], effort: 'default'} as const;
    const hint = {text: 'Ctrl+C again to exit', as: 'warning'} as const;
    expect(drawn(<StatusLine {...props} view={used} hint={hint} />)).toEqual([
      '  Ctrl+C again to exit                 sonnet-5-5 · $0.03',
    ]);
    expect(drawn(<StatusLine {...props} view={{...used, mode: 'bypassPermissions'}} hint="none" />)).toEqual([
      '  mine                           ! permissions bypassed !',
    ]);
  });

  test('agents in the background are counted until they end', () => {
    const agents = (['in_progress', 'succeeded', 'foreground'] as const).map((kind, at): AgentOutput => ({
      tail: '',
      row: {
        agent: {
          id: parseSessionId(`00000000-0000-4000-8000-00000000000${at}`) ?? expect.fail(),
          call: actionId(`call${at}`),
          name: 'look',
          ...exploringAgent,
        },
        status: kind === 'succeeded' ? {kind, answer: ''} : {kind: 'in_progress', doing: ''},
        progress: {turns: 0, calls: 0, usage, costUsd: 0, files: []},
        place: kind === 'foreground' ? 'foreground' : 'background',
      },
    }));
    expect(status({...used, agents}, 60, [server])).toEqual([
      '  asks first · 1 agent · 1 server · context 1 %     $0.03',
    ]);
  });

  test('what runs in the background is counted by what it is', () => {
    const job = {...server, ports: []};
    const waiting: BlockInfo = {...server, state: {kind: 'waiting', lastLine: '>>> '}};
    expect(
      [[server, server], [job], [job, server], [server, waiting]].map(
        blocks => status(used, 100, blocks)[0]?.split(' · ')[1],
      ),
    ).toEqual(['2 servers :5188 :5188', '1 in background', '2 in background :5188', '1 needs input :5188 :5188']);
  });

  test('sessions that go on while another one is shown are counted; those that ask are named first', () => {
    const summary = {
      id: sessionInfo.id,
      title: 'x',
      directory: '/',
      model: '',
      createdAt: 0,
      updatedAt: 0,
      messages: 1,
    };
    const line = (...states: readonly RunningSession['state'][]) =>
      drawn(
        <StatusLine
          view={used}
          effort="default"
          blocks={[]}
          sessions={states.map(state => ({summary, state, background: []}))}
          hint="none"
          {...plain}
          width={40}
        />,
      )[0]?.split(' · ')[1];
    expect([line('running'), line('commands', 'running'), line('running', 'needs-input')]).toEqual([
      '1 session running',
      '2 sessions running',
      '1 session needs input',
    ]);
  });

  test('its right part stays where it is while the cost grows', () => {
    const places = [0.001, 0.5, 9.99, 12.5].map(costUsd => {
      const models = {m: {usage, costUsd, requests: 1, webSearches: 0}};
      return status({...used, usage: {...used.usage, models}}, 80)[0]?.indexOf('sonnet');
    });
    expect(places).toEqual([59, 59, 59, 59]);
  });

  test('a hint takes the place of what is on the left', () => {
    expect(status(used, 60, [server], {text: 'Ctrl+C again to exit', as: 'warning'})).toEqual([
      '  Ctrl+C again to exit                 sonnet-5-5 · $0.03',
    ]);
  });

  test.each([
    [80, '   ! permissions bypassed !  · context 1 %                 sonnet-5-5 · $0.03'],
    [30, '   ! permissions bypassed !'],
    [29, '  permissions bypassed'],
  ])('at %i columns bypassed permissions stand first', (width, line) => {
    expect(status({...used, mode: 'bypassPermissions'}, width)).toEqual([line]);
  });
});

const working: View = {...emptyView, run: {state: 'working'}};
const run = (view: View, width: number, elapsedMs: number, outputTokens = 0, retryInMs = 0) =>
  drawn(<RunLine view={view} times={{elapsedMs, retryInMs, outputTokens}} motion="still" home="" width={width} />);

describe('the run line', () => {
  test.each([
    [0, 0, '● Working · 0 s · Esc to interrupt'],
    [1999, 999, '● Working · 1 s · ↓ 999 tokens · Esc to interrupt'],
    [125_000, 1000, '● Working · 2 m 05 s · ↓ 1.0k tokens · Esc to interrupt'],
  ])('after %i ms and %i tokens', (elapsedMs, tokens, line) => {
    expect(run(working, 79, elapsedMs, tokens)).toEqual([line]);
  });

  test('says what is being done, and shortens it before the way out', () => {
    const {action, preview} = mild('a1', 'npm test -- --reporter=dot');
    const id = actionId('a1');
    const running = [
      ...begin,
      {event: 'action-queued', id, action, label: ''},
      {event: 'action-started', id, action, preview},
    ] as const;
    const view = running.reduce<View>(reduce, emptyView);
    expect(run(view, 90, 41_000, 1000)).toEqual([
      '● Running npm test -- --reporter=dot · 41 s · ↓ 1.0k tokens · Esc to interrupt',
    ]);
    expect(run(view, 99, 41_000, 1000)).toEqual([
      '● Running npm test -- --reporter=dot · 41 s · ↓ 1.0k tokens · Esc to interrupt · Ctrl+B background',
    ]);
    expect(run(view, 60, 41_000, 1000)).toEqual(['● Running npm tes… · 41 s · ↓ 1.0k tokens · Esc to interrupt']);
    expect(run(view, 40, 41_000, 1000)).toEqual(['● Running npm… · 41 s · Esc to interrupt']);
  });

  test('turns while it works, and only then', () => {
    const times = {elapsedMs: 0, retryInMs: 0, outputTokens: 0};
    expect(drawn(<RunLine view={working} times={times} motion="turning" home="" width={60} />)).toEqual([
      '⠋ Working · 0 s · Esc to interrupt',
    ]);
    expect(run(emptyView, 60, 0)).toEqual(['']);
    expect(run({...emptyView, run: {state: 'stopping'}}, 60, 0)).toEqual(['● Stopping']);
  });

  test('a retry says when and why; one that is due no longer names a time', () => {
    const retry = {state: 'retrying', attempt: 3, maxAttempts: 10, reason: 'Connection lost.'} as const;
    expect(run({...emptyView, run: retry}, 79, 0, 0, 4000)).toEqual([
      '? Retrying in 4 s (3 of 10) · Esc to interrupt · Connection lost.',
    ]);
    expect(run({...emptyView, run: retry}, 40, 0, 0, -5)).toEqual(['? Retry (3 of 10) · Esc · Connection lo…']);
  });
});

test('a prompt that was just accepted is being worked on', () => {
  expect(run(reduce(emptyView, accepted('do it')), 60, 0)).toEqual(['● Working · 0 s · Esc to interrupt']);
});
