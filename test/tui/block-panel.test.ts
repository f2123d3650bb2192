import {afterEach, describe, expect, test} from 'vitest';
import type {AgentEvent} from '../../src/actions/agent-event.ts';
import {userCommandAction} from '../../src/actions/catalogue.ts';
import type {AttachedTerminal, TerminalControl, BlockInfo} from '../../src/actions/ports.ts';
import {ok} from '../../src/base/outcome.ts';
import {actionId, blockId, messageId} from '../../src/domain/ids.ts';
import {begin, leaveStages, start} from './support/stage.ts';

afterEach(leaveStages);

const server: BlockInfo = {
  id: blockId('b1'),
  command: 'npm run dev',
  state: {kind: 'running'},
  ageMs: 65_000,
  ports: [5173],
  lastLine: 'ready in 300 ms',
  life: 'with-weft',
};
const python: BlockInfo = {
  ...server,
  id: blockId('b2'),
  command: 'python3',
  state: {kind: 'waiting', lastLine: '>>>'},
  ageMs: 4000,
  ports: [],
  lastLine: '>>>',
};

/** Blocks as a test sets them; what is done with them is written down. */
function desk(blocks: readonly BlockInfo[]) {
  const done: string[] = [];
  const listeners = new Set<() => void>();
  let shown = blocks;
  let terminal: AttachedTerminal | undefined;
  const port: TerminalControl = {
    list: () => shown,
    watch: listener => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    stop: async id => void done.push(`stop ${id}`),
    keep: id => void done.push(`keep ${id}`),
    attach(id, given) {
      terminal = given;
      done.push(`attach ${id}`);
      given.show(`screen of ${id}\r\n`);
      return ok({write: keys => done.push(`keys ${keys}`), resize: () => {}, detach: () => done.push('detach')});
    },
  };
  const set = (next: readonly BlockInfo[]): void => {
    shown = next;
    for (const listener of listeners) listener();
  };
  return {port, done, set, ended: () => terminal?.ended()};
}

/** The events of a command of the user's that runs in the foreground. */
function commandRuns(command: string): readonly AgentEvent[] {
  const id = actionId('c1');
  const action = userCommandAction(command, 1000);
  return [
    {event: 'command-started', id: messageId('c1')},
    {event: 'action-queued', id, action, label: `! ${command}`},
    {event: 'action-started', id, action, preview: {kind: 'command', command, directory: '/work'}},
  ];
}

describe('/ps', () => {
  test('names what runs, since when, on which port and its last line; the status line counts', async () => {
    const {screen} = await start([80, 24], {host: {terminals: desk([server, python]).port}});
    await screen.until(/1 needs input/u);
    await screen.type('/ps\r');
    await screen.until(/Enter attach/u);
    expect((await screen.rows()).filter(row => /^[╭│╰]/u.test(row))).toEqual([
      '╭ Background commands ────────────────────────────────────────────────────────╮',
      '│ ❯ 1  npm run dev  running · 1 min · :5173  ready in 300 ms                  │',
      '│   2  python3      needs input · 4 s        >>>                              │',
      '╰ Enter attach · Esc close · s stop · k keep after exit ──────────────────────╯',
    ]);
  });

  test('one line with a name says that a command has ended, unless the user watched its end', async () => {
    const {port, set, ended} = desk([server, python]);
    const {screen} = await start([80, 24], {host: {terminals: port}});
    await screen.until(/1 needs input/u);
    set([python, {...server, state: {kind: 'exited', code: 1}}]);
    await screen.until(/! Command npm run dev: exit 1/u);
    await screen.type('\u0014');
    await screen.until(/screen of b2/u);
    set([
      {...python, state: {kind: 'exited', code: 0}},
      {...server, state: {kind: 'exited', code: 1}},
    ]);
    ended();
    await screen.until(/python3[^]*Ask weft to do something/u);
    expect((await screen.rows()).filter(row => row.includes('Command python3'))).toEqual([]);
  });

  test('s stops the chosen one and k keeps it; what changes meanwhile is shown', async () => {
    const {port, done, set} = desk([server, python]);
    const {screen} = await start([80, 24], {host: {terminals: port}});
    await screen.type('/ps\r');
    await screen.until(/Enter attach/u);
    await screen.type('k');
    await screen.type('\u001B[B');
    await screen.type('s');
    expect(done).toEqual(['keep b1', 'stop b2']);
    set([
      {...server, life: 'kept'},
      {...python, state: {kind: 'signalled', signal: 'SIGTERM'}},
    ]);
    await screen.until(/kept[^]*killed by SIGTERM/u);
    // Nothing is done to what has ended.
    await screen.type('s');
    await screen.type('\r');
    expect(done).toEqual(['keep b1', 'stop b2']);
    await screen.type('\u001B');
    await screen.until(/Ask weft to do something/u);
  });
});

describe('a terminal of a block', () => {
  test('Ctrl+T takes the only one, Ctrl+] gives it back with the draft as it was', async () => {
    const {port, done} = desk([server]);
    const {screen} = await start([80, 24], {host: {terminals: port}});
    await screen.type('half a sent');
    await screen.type('\u0014');
    await screen.until(/screen of b1[^]*Ctrl\+\] back to weft · npm run dev/u);
    await screen.type('q');
    await screen.type('\u001D');
    await screen.until(/Back in weft; npm keeps running[^]*› half a sent/u);
    await screen.type('ence');
    await screen.until(/› half a sentence/u);
    expect(done).toEqual(['attach b1', 'keys q', 'detach']);
  });

  test('a command of the user that needs it gets the terminal; Ctrl+] leaves it to run in the background', async () => {
    const {port, done} = desk([]);
    const {screen, engine} = await start([80, 24], {host: {terminals: port}});
    engine.emit(...commandRuns('vim README.md'), {event: 'terminal-needed', id: actionId('c1'), block: blockId('b1')});
    await screen.until(/screen of b1[^]*Ctrl\+\] back to weft · vim README\.md/u);
    await screen.type(':q');
    await screen.type('\u001D');
    await screen.until(/Back in weft; vim keeps running/u);
    expect(done).toEqual(['attach b1', 'keys :q', 'detach']);
    expect(engine.ops).toEqual([{op: 'move-to-background', id: actionId('c1')}]);
  });

  test('Ctrl+B moves the running command to the background, and is the left arrow while none runs', async () => {
    const {screen, engine} = await start([80, 24], {host: {terminals: desk([]).port}});
    await screen.type('ac');
    await screen.type('\u0002');
    await screen.type('b');
    await screen.until(/› abc/u);
    engine.emit(...commandRuns('npm run dev'));
    await screen.type('\u0002');
    expect(engine.ops).toEqual([{op: 'move-to-background', id: actionId('c1')}]);
  });

  test('with several Ctrl+T opens the list, with none it says so', async () => {
    const {port, set} = desk([server, python]);
    const {screen} = await start([80, 24], {host: {terminals: port}});
    await screen.type('\u0014');
    await screen.until(/Background commands/u);
    await screen.type('\u001B');
    await screen.until(/Ask weft to do something/u);
    set([]);
    await screen.type('\u0014');
    await screen.until(/No background commands/u);
  });

  test('leaving while a block has the terminal gives the terminal back', async () => {
    const {port, done} = desk([server]);
    const {screen, exit, leave} = await start([80, 24], {host: {terminals: port}});
    await screen.type('\u0014');
    await screen.until(/screen of b1/u);
    leave.abort();
    expect(await exit).toEqual({kind: 'left'});
    expect(done).toEqual(['attach b1', 'detach']);
    expect(screen.rawMode()).toBe('cooked');
    expect((await screen.rows()).join('\n')).not.toContain('screen of b1');
  });
});

describe('a hand-over', () => {
  const handOver = {
    event: 'hand-over-asked',
    id: actionId('h'),
    block: blockId('b2'),
    reason: 'type your password',
  } as const;

  test('says which command and why; Enter gives the user its terminal, and the agent learns how it ended', async () => {
    const {port, ended} = desk([python]);
    const {screen, engine} = await start([80, 24], {host: {terminals: port}});
    engine.emit(...begin, handOver);
    await screen.until(/A command needs you: type your password/u);
    await screen.type('\t');
    await screen.until(/python3 is yours\. Enter to take over [^]*type your password[^]*1 Take over its terminal/u);
    await screen.type('\r');
    await screen.until(/screen of b2/u);
    ended();
    await screen.until(/python3 has ended/u);
    expect(engine.ops).toEqual([{op: 'answer-hand-over', id: actionId('h'), end: 'ended'}]);
  });

  test('n declines', async () => {
    const {screen, engine} = await start([80, 24], {host: {terminals: desk([python]).port}});
    engine.emit(...begin, handOver);
    await screen.until(/A command needs you/u);
    await screen.type('\t');
    await screen.until(/2 No +n/u);
    await screen.type('n');
    expect(engine.ops).toEqual([{op: 'answer-hand-over', id: actionId('h'), end: 'declined'}]);
  });
});
