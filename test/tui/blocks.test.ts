import {afterEach, describe, expect, test} from 'vitest';
import type {AttachedTerminal, BlockDesk, BlockInfo} from '../../src/actions/ports.ts';
import {ok} from '../../src/base/outcome.ts';
import {actionId, blockId} from '../../src/domain/ids.ts';
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
  const port: BlockDesk = {
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

describe('/ps', () => {
  test('names what runs, since when, on which port and its last line; the status line counts', async () => {
    const {screen} = await start([80, 24], {blocks: desk([server, python]).port});
    await screen.until(/2 running, waits for input \(\/ps\)/u);
    await screen.type('/ps\r');
    await screen.until(/Enter takes its terminal/u);
    expect((await screen.rows()).filter(row => row !== '').slice(1, 7)).toEqual([
      'Commands beside the conversation',
      '> b1  npm run dev',
      '    running, 1 min, port 5173, ready in 300 ms',
      '  b2  python3',
      '    waits for input, 4 s, >>>',
      'Enter takes its terminal | s stop | k keep running | Esc back',
    ]);
  });

  test('s stops the chosen one and k keeps it; what changes meanwhile is shown', async () => {
    const {port, done, set} = desk([server, python]);
    const {screen} = await start([80, 24], {blocks: port});
    await screen.type('/ps\r');
    await screen.until(/Enter takes/u);
    await screen.type('k');
    await screen.type('\u001B[B');
    await screen.type('s');
    expect(done).toEqual(['keep b1', 'stop b2']);
    set([
      {...server, life: 'kept'},
      {...python, state: {kind: 'signalled', signal: 'SIGTERM'}},
    ]);
    await screen.until(/stays when weft ends[^]*ended by SIGTERM/u);
    // Nothing is done to what has ended.
    await screen.type('s');
    await screen.type('\r');
    expect(done).toEqual(['keep b1', 'stop b2']);
    await screen.type('\u001B');
    await screen.until(/Ask for something/u);
  });
});

describe('a terminal of a block', () => {
  test('Ctrl+T takes the only one, Ctrl+] gives it back with the draft as it was', async () => {
    const {port, done} = desk([server]);
    const {screen} = await start([80, 24], {blocks: port});
    await screen.type('half a sent');
    await screen.type('\u0014');
    await screen.until(/screen of b1[^]*Ctrl\+\] gives it back to weft \| b1: npm run dev/u);
    await screen.type('q');
    await screen.type('\u001D');
    await screen.until(/The terminal is weft's again; b1 goes on\.[^]*> half a sent/u);
    await screen.type('ence');
    await screen.until(/> half a sentence/u);
    expect(done).toEqual(['attach b1', 'keys q', 'detach']);
  });

  test('with several Ctrl+T opens the list, with none it says so', async () => {
    const {port, set} = desk([server, python]);
    const {screen} = await start([80, 24], {blocks: port});
    await screen.type('\u0014');
    await screen.until(/Commands beside the conversation/u);
    await screen.type('\u001B');
    await screen.until(/Ask for something/u);
    set([]);
    await screen.type('\u0014');
    await screen.until(/No command runs beside the conversation\./u);
  });

  test('leaving while a block has the terminal gives the terminal back', async () => {
    const {port, done} = desk([server]);
    const {screen, exit, leave} = await start([80, 24], {blocks: port});
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

  test('says which command and why; t gives the user its terminal, and the agent learns how it ended', async () => {
    const {port, ended} = desk([python]);
    const {screen, engine} = await start([80, 24], {blocks: port});
    engine.emit(...begin, handOver);
    await screen.until(/A command is yours to talk to: type your password/u);
    await screen.type('\t');
    await screen.until(/Talk to this command\? b2: python3\nWhy: type your password\nNow: waits for input/u);
    await screen.type('t');
    await screen.until(/screen of b2/u);
    ended();
    await screen.until(/b2 has ended\./u);
    expect(engine.ops).toEqual([{op: 'answer-hand-over', id: actionId('h'), end: 'ended'}]);
  });

  test('n declines', async () => {
    const {screen, engine} = await start([80, 24], {blocks: desk([python]).port});
    engine.emit(...begin, handOver);
    await screen.until(/A command is yours/u);
    await screen.type('\t');
    await screen.until(/t take its terminal \| n no/u);
    await screen.type('n');
    expect(engine.ops).toEqual([{op: 'answer-hand-over', id: actionId('h'), end: 'declined'}]);
  });
});
