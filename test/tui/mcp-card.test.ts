import {describe, expect, test} from 'vitest';
import type {Approval} from '../../src/actions/agent-event.ts';
import {actionOf} from '../../src/actions/catalogue.ts';
import {noDetail} from '../../src/domain/risk.ts';
import {themeOf} from '../../src/tui/theme/theme.ts';
import {wholeApproval} from '../../src/tui/views/approval-card.ts';
import {renderers} from '../../src/tui/views/renderers.ts';
import {approval as commandApproval} from './support/stage.ts';

const frame = {theme: themeOf('plain'), width: 60, verbosity: 'summary'} as const;

test('the card of a call shows what the server is given, to the letter', () => {
  const input = {server: 'calc', tool: 'add', toolName: 'mcp__calc__add', arguments: {a: 1}};
  const approval: Approval = {
    ...commandApproval('e', ''),
    toolName: 'mcp__calc__add',
    action: actionOf('call-mcp-tool', input),
    label: 'Call add of calc',
    preview: {kind: 'arguments', text: '{"a":1,"b":"\u001B[2J"}'},
    verdict: {
      decision: 'ask',
      risk: 'external',
      reasons: ['it calls a tool of the MCP server calc'],
      grantable: 'exact',
      detail: {...noDetail, rules: ['mcp__calc__add']},
    },
  };
  const text = wholeApproval(approval, frame).join('\n');
  expect(text).toContain('Call add of calc');
  expect(text).toContain('{"a":1,"b":"');
  expect(text).not.toContain('\u001B[2J');
  expect(text.replaceAll(/\s+/gu, ' ')).toContain('It calls a tool of the MCP server calc');
});

describe('renderers', () => {
  test('of an answer: its first lines, made visible', () => {
    const lines = renderers['call-mcp-tool'](
      {
        blocks: [
          {kind: 'text', text: 'one\n\u001B[31mtwo\nthree'},
          {kind: 'image', mediaType: 'image/png', data: 'AA=='},
        ],
      },
      frame,
    );
    expect(lines.length).toBeLessThan(6);
    expect(lines[0]).toBe('one');
    expect(lines.join('')).not.toContain('\u001B');
  });

  test('of resources and of a structured answer', () => {
    expect(renderers['read-mcp-resource']({kind: 'list', resources: []}, frame)).toEqual(['no resources']);
    expect(
      renderers['read-mcp-resource']({kind: 'read', result: {blocks: [{kind: 'text', text: 'inside'}]}}, frame),
    ).toEqual(['inside']);
    expect(renderers['give-structured-answer']({answer: {sum: 3}}, frame)).toEqual(['{"sum":3}']);
  });
});
