import {stripVTControlCharacters as withoutStyles} from 'node:util';
import {afterEach, expect, test} from 'vitest';
import {ok} from '../../src/base/outcome.ts';
import type {ContextUsage} from '../../src/domain/context-usage.ts';
import {contextLines, contextSentences} from '../../src/tui/commands/context.ts';
import {plainFrame} from '../../src/tui/accessible/plain-entry.ts';
import {themeOf} from '../../src/tui/theme/theme.ts';
import {leaveStages, start} from './support/stage.ts';

afterEach(leaveStages);

const usage: ContextUsage = {
  model: 'm',
  window: 200_000,
  tokens: 12_000,
  total: 'counted',
  parts: [
    {kind: 'system-prompt', tokens: 500, items: []},
    {kind: 'instructions', tokens: 1500, items: [{name: '/w/AGENTS.md', tokens: 1500}]},
    {
      kind: 'mcp-tools',
      tokens: 4000,
      items: [
        {name: 'mcp__files__read', tokens: 2500},
        {name: 'mcp__memory__add', tokens: 900},
        {name: 'mcp__files__list', tokens: 600},
      ],
    },
    {kind: 'prompts', tokens: 6000, items: []},
  ],
  deferred: {tools: 12, tokens: 9000},
  nextUsd: {cached: 0.0036, uncached: 0.036},
};

test('/context shows what fills the context', async () => {
  const {screen, engine} = await start([80, 24], {look: 'plain'});
  engine.answers['context-usage'] = ok(usage);
  await screen.type('/context\r');
  await screen.until(/Context: 12,000 of 200,000 tokens \(6 %\)[^]*\/compact frees up space/u);
});

test('one bar, with a row for each kind and what is largest in it', () => {
  const frame = {...plainFrame, theme: themeOf('color'), width: 80};
  expect(contextLines(usage, frame).map(withoutStyles)).toEqual([
    'Context: 12,000 of 200,000 tokens (6 %)',
    `████${'░'.repeat(56)}`,
    '█ System              500   <1 %',
    '█ Instructions      1,500    1 %  /w/AGENTS.md 1,500',
    '█ Tools             4,000    2 %  files 3,100 · memory 900',
    '█ Conversation      6,000    3 %  Your messages 6,000',
    '░ Free            188,000   94 %',
    '12 MCP tools (9,000 tokens) load on demand and use no context until then',
    'Next request: $0.0036 if cached, $0.0360 if not',
    'The breakdown is an estimate',
    '/compact frees up space',
  ]);
});

test('without colors, numbers in place of the bar; on a narrow screen, items below their row', () => {
  const lines = contextLines(usage, {...plainFrame, width: 40});
  expect(lines.filter(line => line.length > 40)).toEqual([]);
  expect(lines.slice(1, 6)).toEqual([
    'System              500   <1 %',
    'Instructions      1,500    1 %',
    '  /w/AGENTS.md 1,500',
    'Tools             4,000    2 %',
    '  files 3,100 · memory 900',
  ]);
});

test('in screen-reader mode they are sentences', () => {
  expect(
    contextSentences({...usage, window: 0, total: 'estimated', nextUsd: 'unknown', parts: usage.parts.slice(0, 2)}),
  ).toEqual([
    'Context: about 12,000 tokens (context window unknown).',
    'System: 500 tokens (25 %).',
    'Instructions: 1,500 tokens (75 %), including /w/AGENTS.md 1,500.',
    '12 MCP tools (9,000 tokens) load on demand and use no context until then.',
    'Model price unknown.',
    'The breakdown is an estimate.',
  ]);
});
