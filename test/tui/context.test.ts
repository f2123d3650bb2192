import {afterEach, expect, test} from 'vitest';
import {ok} from '../../src/base/outcome.ts';
import type {ContextUsage} from '../../src/domain/context-usage.ts';
import {contextLines, contextSentences} from '../../src/tui/commands/context.ts';
import {plainFrame} from '../../src/tui/accessible/plain-entry.ts';
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

test('parts as bars, with what is largest in each', () => {
  expect(contextLines(usage, {...plainFrame, width: 80})).toEqual([
    'Context: 12,000 of 200,000 tokens (6 %)',
    'System prompt           500  ██',
    'Instructions          1,500  █████',
    '  /w/AGENTS.md 1,500',
    'MCP tools             4,000  █████████████',
    '  files 3,100 · memory 900',
    'Your messages         6,000  ████████████████████',
    '12 MCP tools (9,000 tokens) load on demand and use no context until then',
    'Next request: $0.0036 if cached, $0.0360 if not',
    'The breakdown is an estimate',
    '/compact frees up space',
  ]);
});

test('a narrow screen has no room for bars', () => {
  const lines = contextLines(usage, {...plainFrame, width: 40});
  expect(lines.filter(line => line.length > 40)).toEqual([]);
  expect(lines[1]).toBe('System prompt           500');
});

test('in screen-reader mode they are sentences', () => {
  expect(
    contextSentences({...usage, window: 0, total: 'estimated', nextUsd: 'unknown', parts: usage.parts.slice(0, 2)}),
  ).toEqual([
    'Context: about 12,000 tokens (context window unknown).',
    'System prompt: 500 tokens.',
    'Instructions: 1,500 tokens, including /w/AGENTS.md 1,500.',
    '12 MCP tools (9,000 tokens) load on demand and use no context until then.',
    'Model price unknown.',
    'The breakdown is an estimate.',
  ]);
});
