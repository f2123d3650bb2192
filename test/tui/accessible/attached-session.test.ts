import {afterEach, expect, test} from 'vitest';
import type {AttachedTerminal, TerminalControl, BlockInfo} from '../../../src/actions/ports.ts';
import {ok} from '../../../src/base/outcome.ts';
import {actionId, blockId} from '../../../src/domain/ids.ts';
import {blankHost} from '../../support/blank-host.ts';
import {begin} from '../support/stage.ts';
import {leaveSpeakers, speak, type Speaker} from './speaker.ts';

afterEach(leaveSpeakers);

const block: BlockInfo = {
  id: blockId('b1'),
  command: 'ssh host',
  state: {kind: 'running'},
  ageMs: 1000,
  ports: [],
  lastLine: '',
  life: 'with-weft',
};

interface Desk extends TerminalControl {
  readonly done: readonly string[];
  terminal(): AttachedTerminal;
}

function desk(): Desk {
  const done: string[] = [];
  let terminal: AttachedTerminal | undefined;
  return {
    ...blankHost.terminals,
    done,
    list: () => [block],
    stop: async id => void done.push(`stop ${id}`),
    keep: id => void done.push(`keep ${id}`),
    attach(id, given) {
      terminal = given;
      done.push(`attach ${id}`);
      return ok({write: keys => done.push(`keys ${keys}`), resize: () => {}, detach: () => done.push('detach')});
    },
    terminal() {
      if (terminal === undefined) throw new Error('nothing is attached');
      return terminal;
    },
  };
}

async function talking(blocks: Desk): Promise<Speaker> {
  const speaker = await speak({host: {terminals: blocks}});
  await speaker.type('/ps\r');
  await speaker.heard(/1\. Command b1: ssh host\. Running/u);
  await speaker.type('1\r');
  await speaker.heard(/1\. take over its terminal\n2\. stop it\n3\. keep it/u);
  await speaker.type('1\r');
  await speaker.heard(/b1 is yours: what you type goes to it\.[^]*b1> $/u);
  return speaker;
}

test('lines go to a command, what it prints is said, and /back comes back', async () => {
  const blocks = desk();
  const speaker = await talking(blocks);
  blocks.terminal().show('\u001B[2J\u001B[Hwelcome\r\n\u001B[31mhost\u001B[0m$ ');
  await speaker.heard(/welcome\nhost\$/u);
  await speaker.type('ls\r');
  // The terminal of the command says the line again.
  blocks.terminal().show('ls\r\na.txt\r\n');
  await speaker.heard(/\na\.txt\n/u);
  await speaker.type('\u0003');
  await speaker.type('/back\r');
  await speaker.heard(/Back in weft; ssh keeps running\n> $/u);
  expect(blocks.done).toEqual(['attach b1', 'keys ls\r', 'keys \u0003', 'detach']);
  expect(speaker.screen.written().match(/\nls\n/gu)).toBeNull();
  expect(speaker.engine.ops).toEqual([]);
});

test('a password is not shown while it is typed', async () => {
  const blocks = desk();
  const speaker = await talking(blocks);
  blocks.terminal().show('Password: ');
  await speaker.heard(/Password:/u);
  await speaker.type('hunter2');
  await speaker.typeOn('\u007F3\r');
  expect(blocks.done).toEqual(['attach b1', 'keys hunter3\r']);
  expect(speaker.screen.written()).not.toContain('hunter');
});

test('the end of the command comes back by itself', async () => {
  const blocks = desk();
  const speaker = await talking(blocks);
  blocks.terminal().ended();
  await speaker.heard(/ssh has ended\n> $/u);
});

test.each([
  ['1\r', ['attach b1'], []],
  ['2\r', [], [{op: 'answer-hand-over', id: 'h1', end: 'declined'}]],
])('a terminal handed over: %j', async (line, done, ops) => {
  const blocks = desk();
  const speaker = await speak({host: {terminals: blocks}});
  speaker.engine.emit(...begin, {
    event: 'hand-over-asked',
    id: actionId('h1'),
    block: blockId('b1'),
    reason: 'log in',
  });
  await speaker.heard(/ssh is yours\. Command b1: ssh host\.[^]*Why: log in\.[^]*answer> $/u);
  await speaker.type(line);
  expect(blocks.done).toEqual(done);
  expect(speaker.engine.ops).toEqual(ops);
});

test('Ctrl+D and Ctrl+Z go to the command as they are', async () => {
  const blocks = desk();
  const speaker = await talking(blocks);
  await speaker.type('\u0004\u001A');
  expect(blocks.done.slice(-2)).toEqual(['keys \u0004', 'keys \u001A']);
});
