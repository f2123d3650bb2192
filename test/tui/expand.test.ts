import {afterEach, describe, expect, test} from 'vitest';
import {defaultPreferences} from '../../src/config/settings-schema.ts';
import type {AgentEvent} from '../../src/actions/agent-event.ts';
import {actionOf} from '../../src/actions/catalogue.ts';
import {actionId} from '../../src/domain/ids.ts';
import {processorClock} from '../support/processor-clock.ts';
import {accepted, finished, grepQueued, grepSettled, message} from './support/events.ts';
import {opening} from './support/scripted-engine.ts';
import {begin, leaveStages, start} from './support/stage.ts';

afterEach(leaveStages);

const lines = (name: string): readonly string[] => Array.from({length: 12}, (_, at) => `${name}.ts:${at}: found`);
const searched = (name: string): readonly AgentEvent[] => [grepQueued(name), grepSettled(name, lines(name))];
const rowsWith = (rows: readonly string[], words: string): number => rows.filter(row => row.includes(words)).length;

describe('Ctrl+O', () => {
  test('shows the last folded block whole, once; then the one before; then says that there is none', async () => {
    const {screen, engine} = await start([80, 40]);
    engine.emit(
      ...begin,
      ...searched('one'),
      {event: 'notice', level: 'info', text: 'Between.'},
      ...searched('two'),
      finished({kind: 'done'}),
    );
    await screen.until(/Explored {2}searched "x": 12 files[^]*Explored {2}searched "x": 12 files/u);
    expect(rowsWith(await screen.everything(), 'two.ts')).toBe(0);
    const spentMs = processorClock();
    await screen.type('\u000F');
    await screen.until(/two\.ts:11: found/u);
    expect(spentMs()).toBeLessThan(1000);
    expect(rowsWith(await screen.everything(), 'one.ts')).toBe(0);
    await screen.type('\u000F');
    await screen.until(/one\.ts:11: found/u);
    await screen.type('\u000F');
    await screen.until(/Nothing left to expand\. See everything with \/transcript\./u);
    const rows = await screen.everything();
    expect(['one.ts', 'two.ts'].map(name => rowsWith(rows, name))).toEqual([12, 12]);
  });

  test.each([
    ['summary', '12 files', 0],
    ['full', '12 lines', 12],
  ] as const)('at verbosity %s a block shows so much by itself', async (verbosity, count, found) => {
    const {screen, engine} = await start([80, 40], {preferences: {...defaultPreferences, verbosity}});
    engine.emit(...begin, ...searched('one'), finished({kind: 'done'}));
    await screen.until(new RegExp(`${count}[^]*Ask weft to do something`, 'u'));
    expect(rowsWith(await screen.everything(), 'one.ts')).toBe(found);
  });

  test('a prompt of many lines is folded to how it begins and ends', async () => {
    const {screen, engine} = await start([80, 30]);
    const pasted = Array.from({length: 2000}, (_, row) => `${'x'.repeat(80)} row${row}.`);
    engine.emit(opening, accepted(`look:\n${pasted.join('\n')}\nwhat is it?`), finished({kind: 'done'}));
    await screen.until(/what is it\?\n\n─+\n › Ask/u);
    const rows = await screen.everything();
    const at = rows.indexOf('▌ look:');
    expect(rows.slice(at, at + 17)).toEqual([
      '▌ look:',
      ...[0, 1, 2, 3, 4].flatMap(row => [`▌ ${'x'.repeat(77)}`, `▌ xxx row${row}.`]),
      `▌ ${'x'.repeat(77)}`,
      '▌ … 2002 lines in all · Ctrl+O',
      '▌ xxx row1998.',
      `▌ ${'x'.repeat(77)}`,
      '▌ xxx row1999.',
      '▌ what is it?',
    ]);
    await screen.type('\u000F');
    await screen.until(/row1990\./u);
  });

  test('thinking is one line until it is unfolded', async () => {
    const {screen, engine} = await start([60, 30]);
    const text = Array.from({length: 40}, (_, at) => `thought${at}`).join(' ');
    engine.emit(
      ...begin.slice(0, 2),
      {event: 'block-started', message, index: 0, block: {kind: 'thinking'}},
      {event: 'block-delta', message, index: 0, delta: {kind: 'thinking', text}},
      {event: 'block-finished', message, index: 0, block: {kind: 'thinking', text, signature: ''}},
      finished({kind: 'done'}),
    );
    await screen.until(/Thought \(40 words\)/u);
    expect((await screen.everything()).join('\n')).not.toContain('thought39');
    await screen.type('\u000F');
    await screen.until(/thought39/u);
  });
});

test('a running command shows how long, how much and its last lines', async () => {
  const {screen, engine, time} = await start([80, 30]);
  const id = actionId('c');
  const action = actionOf('request-command-output', {
    command: 'make',
    timeoutMs: 1000,
    place: 'foreground',
    claims: {readOnly: 'no', risky: 'no', usesPager: 'no'},
    description: '',
    rationale: '',
  });
  engine.emit(
    ...begin,
    {event: 'action-queued', id, action, label: 'Run make'},
    {event: 'action-started', id, action, preview: {kind: 'none'}},
  );
  await screen.until(/● make/u);
  time.now += 12_400;
  const chunk = Array.from({length: 20}, (_, at) => `step ${at}\n`).join('');
  engine.emit({event: 'action-output', id, chunk});
  await screen.until(/● make +12 s · 20 lines\n[^]*step 19/u);
  expect((await screen.rows()).join('\n')).not.toContain('step 14\n');
});
