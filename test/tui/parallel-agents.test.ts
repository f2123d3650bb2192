import {afterEach, expect, test} from 'vitest';
import type {AgentEvent} from '../../src/actions/agent-event.ts';
import {actionOf} from '../../src/actions/catalogue.ts';
import {actionId, parseSessionId} from '../../src/domain/ids.ts';
import {noUsage} from '../../src/domain/usage.ts';
import {type AgentRow, backgroundEndPrompt} from '../../src/domain/sub-agent.ts';
import {exploringAgent} from '../support/exploring-agent.ts';
import {sampleActions} from '../support/sample-actions.ts';
import {accepted, finished} from './support/events.ts';
import {begin, leaveStages, start} from './support/stage.ts';

afterEach(leaveStages);

const numbers = [1, 2, 3, 4, 5, 6, 7, 8];

const row = (number: number, doing: string, tokens: number): AgentRow => ({
  agent: {
    id: parseSessionId(`00000000-0000-4000-8000-00000000000${number}`) ?? expect.fail(),
    call: actionId(`call${number}`),
    name: `look ${number}`,
    ...exploringAgent,
  },
  status: {kind: 'in_progress', doing},
  progress: {turns: 1, calls: 1, usage: {...noUsage, outputTokens: tokens}, costUsd: 0, files: []},
  place: 'foreground',
});

/** Eight calls of one answer, each at work. */
const startAll = (): readonly AgentEvent[] => [
  ...begin,
  ...numbers.flatMap((number): readonly AgentEvent[] => {
    const action = actionOf('start-agent', {...sampleActions['start-agent'].input, name: `look ${number}`});
    const id = actionId(`call${number}`);
    return [
      {event: 'action-queued', id, action, label: `Agent: look ${number}`},
      {event: 'action-started', id, action, preview: {kind: 'none'}},
      {event: 'agent-started', row: row(number, '', 0)},
    ];
  }),
];

const does = (number: number, what: string, tokens: number): readonly AgentEvent[] => [
  {event: 'agent-changed', row: row(number, what, tokens)},
  {event: 'action-output', id: actionId(`call${number}`), chunk: `${what}\n`},
];

/** One has ended; it stands where it stood until those before it have ended, too. */
function settled(number: number): AgentEvent {
  const id = actionId(`call${number}`);
  const ended: AgentRow = {...row(number, '', 1234), status: {kind: 'succeeded', answer: 'Here.\n\nAnd there.'}};
  const output = {row: ended, message: 'began', notes: [], worktree: ''} as const;
  return {
    event: 'action-settled',
    call: {kind: 'tool-call', id, name: 'Agent', input: {}},
    result: {
      tag: 'action',
      result: {name: 'start-agent', input: sampleActions['start-agent'].input, settled: {state: 'success', output}},
    },
    toolResult: {kind: 'tool-result', id, content: [], outcome: 'success'},
    durationMs: 5,
  };
}

/** What all of them say, which is not seen in their rows. */
const say = (): readonly AgentEvent[] =>
  numbers.map(number => ({
    event: 'agent-event',
    agent: row(number, '', 0).agent.id,
    name: `look ${number}`,
    call: actionId(`call${number}`),
    happened: {by: 'harness', event: {event: 'text', message: 1, delta: 'More and more.\n'}},
  }));

/** The rows in which the sub-agents stand, with the number of the first. */
async function agentRows({screen}: Awaited<ReturnType<typeof start>>): Promise<readonly string[]> {
  const rows = await screen.rows();
  return rows.flatMap((text, at) => (/ look \d/u.test(text) ? [`${String(at)}${text.replace(/ +/gu, ' ')}`] : []));
}

test('eight at work take a row each, and none moves whatever another one does', async () => {
  const stage = await start([100, 30]);
  const {engine, screen} = stage;
  engine.emit(...startAll());
  await screen.until(/look 8 · thinking[^]*8 agents running/u);
  const first = await agentRows(stage);
  const top = Number.parseInt(first[0] ?? '', 10);
  expect(first).toEqual(
    numbers.map(number => `${String(top + number - 1)} ● Agent: look ${String(number)} · thinking`),
  );
  const height = (await screen.rows()).findLastIndex(text => text !== '');
  engine.emit(...does(2, 'Read b.ts', 1234), ...does(7, `Run ${'long '.repeat(60)}`, 70));
  await screen.until(/b\.ts[^]*long/u);
  const [, second, third, , , , seventh] = await agentRows(stage);
  expect([second, third]).toEqual([
    `${String(top + 1)} ● Agent: look 2 · Read b.ts · 1.2k tokens`,
    `${String(top + 2)} ● Agent: look 3 · thinking`,
  ]);
  expect(seventh).toMatch(/look 7 · Run long long [^]*… · 70 tokens$/u);
  engine.emit(settled(2));
  await screen.until(/✓ Agent: look 2/u);
  const after = await agentRows(stage);
  expect(after.map(text => Number.parseInt(text, 10))).toEqual(numbers.map(number => top + number - 1));
  expect((await screen.rows()).findLastIndex(text => text !== '')).toBe(height);
});

test('a key costs no more than twice the bytes while eight are at work', async () => {
  const quiet = await start([100, 30]);
  const busy = await start([100, 30]);
  busy.engine.emit(...startAll());
  await busy.screen.until(/look 8/u);
  quiet.engine.emit(...begin);
  await quiet.screen.until(/Working|Writing/u);
  const [without, withAgents] = [await bytesPerKey(quiet, []), await bytesPerKey(busy, say())];
  expect(withAgents).toBeLessThan(2 * without);
});

async function bytesPerKey(
  {screen, engine}: Awaited<ReturnType<typeof start>>,
  heard: readonly AgentEvent[],
): Promise<number> {
  // The first key takes the place of the hint.
  await screen.type('a');
  await screen.until(/› a\b/u);
  const before = screen.written().length;
  const keys = 'bcdefghijklmnopqrst';
  for (const key of keys) {
    await screen.type(key);
    engine.emit(...heard);
  }
  await screen.until(/abcdefghijklmnopqrst/u);
  return (screen.written().length - before) / keys.length;
}

test('the end of one in the background is a line with its name, and not a prompt of the user', async () => {
  const {engine, screen} = await start([80, 30]);
  const ended: AgentRow = {...row(1, '', 0), status: {kind: 'succeeded', answer: 'Here.'}, place: 'background'};
  engine.emit(...begin, finished({kind: 'done'}));
  engine.emit(
    {event: 'agent-started', row: {...ended, status: {kind: 'started'}}},
    {event: 'agent-changed', row: ended},
  );
  await screen.until(/ {2}Agent look 1: done/u);
  await expect.poll(() => engine.ops).toMatchObject([{op: 'hear-agents'}]);
  engine.emit(accepted(backgroundEndPrompt), finished({kind: 'done'}));
  await screen.until(/Agent look 1: done[^]*Ask weft to do something/u);
  expect((await screen.everything()).join('\n')).not.toContain(backgroundEndPrompt);
});
