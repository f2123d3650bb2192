import {expect, test} from 'vitest';
import {actionId} from '../../../src/domain/ids.ts';
import {AgentBranch, type AgentTree} from '../../../src/agent/sub-agents/agent-branch.ts';
import {failed} from '../../../src/base/outcome.ts';
import {rejected} from '../../../src/domain/fault.ts';

const unused = (): never => {
  throw new Error('not used here');
};

test('who is closed while sub-agents are loaded waits for that, and closes them', async () => {
  const told: string[] = [];
  const tree: AgentTree = {
    rows: () => [],
    start: async () => (told.push('start'), failed(rejected('none here'))),
    send: unused,
    stop: unused,
    message: unused,
    setMode: unused,
    close: async parent => void told.push(`close ${parent}`),
  };
  const loading = Promise.withResolvers<AgentTree>();
  const branch = new AgentBranch(() => loading.promise, {session: unused, parent: 'main', depth: 0});
  expect(branch.rows()).toEqual([]);
  branch.preload();
  const closed = branch.close().then(() => told.push('closed'));
  await Promise.resolve();
  expect(told).toEqual([]);
  loading.resolve(tree);
  await closed;
  expect(told).toEqual(['close main', 'closed']);
});

test('who has started none has nothing to load', async () => {
  const branch = new AgentBranch(unused, {session: unused, parent: 'main', depth: 0});
  branch.setMode('plan');
  await branch.close();
  expect([branch.takeNotes(), branch.takeDenials(), branch.rows()]).toEqual([[], [], []]);
});

test('a call loads what runs sub-agents once', async () => {
  let loads = 0;
  const tree: AgentTree = {
    rows: () => [],
    start: async () => failed(rejected('none here')),
    send: async () => failed(rejected('none here')),
    stop: unused,
    message: unused,
    setMode: unused,
    close: unused,
  };
  const branch = new AgentBranch(async () => ((loads += 1), tree), {session: unused, parent: 'main', depth: 0});
  const {signal} = new AbortController();
  const port = branch.portFor(actionId('a'));
  await Promise.all([
    port.send({to: 'x', message: 'y'}, {signal, background: signal}),
    port.send({to: 'x', message: 'y'}, {signal, background: signal}),
  ]);
  expect(loads).toBe(1);
});
