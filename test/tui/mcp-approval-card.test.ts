import {reasonOf} from '../support/reason.ts';
import {describe, expect, test} from 'vitest';
import type {Approval} from '../../src/actions/agent-event.ts';
import {actionOf} from '../../src/actions/catalogue.ts';
import {noDetail} from '../../src/domain/risk.ts';
import {themeOf} from '../../src/tui/theme/theme.ts';
import {approvalInFull} from '../../src/tui/scrollback/approval-text.ts';
import {renderers, type ResultBody} from '../../src/tui/scrollback/action-results.ts';
import {approval as commandApproval} from './support/stage.ts';

const frame = {theme: themeOf('plain'), width: 60, verbosity: 'summary', home: ''} as const;

test('the card of a call shows what the server is given, to the letter', () => {
  const input = {
    server: 'calc',
    tool: 'add',
    toolName: 'mcp__calc__add',
    standing: 'as-known' as const,
    arguments: {a: 1},
  };
  const approval: Approval = {
    ...commandApproval('e', ''),
    toolName: 'mcp__calc__add',
    action: actionOf('call-mcp-tool', input),
    label: 'Call add of calc',
    preview: {kind: 'arguments', text: '{"a":1,"b":"\u001B[2J"}'},
    verdict: {
      decision: 'ask',
      risk: 'external',
      reasons: [reasonOf('it calls a tool of the MCP server calc')],
      sessionApproval: 'exact',
      detail: {...noDetail, rules: ['mcp__calc__add']},
    },
  };
  const text = approvalInFull(approval, frame).join('\n');
  expect(text).toContain('Call add of calc');
  expect(text).toContain('{"a":1,"b":"');
  expect(text).not.toContain('\u001B[2J');
  expect(text.replaceAll(/\s+/gu, ' ')).toContain('it calls a tool of the MCP server calc');
});

const rowsOf = ({rows}: ResultBody): readonly string[] => rows.map(row => (typeof row === 'string' ? row : row.text));

describe('renderers', () => {
  test('of an answer: its first lines, made visible', () => {
    const answer = renderers['call-mcp-tool'](
      {
        blocks: [
          {kind: 'text', text: 'one\n\u001B[31mtwo\nthree'},
          {kind: 'image', mediaType: 'image/png', data: 'AA=='},
        ],
      },
      frame,
      'agent',
    );
    expect([rowsOf(answer), answer.foot]).toEqual([['one', 'two', 'three', 'PNG · 1 byte'], []]);
  });

  test('of resources and of a structured answer', () => {
    expect(renderers['read-mcp-resource']({kind: 'list', resources: []}, frame, 'agent')).toEqual({
      rows: [],
      foot: ['no resources'],
    });
    const read = {kind: 'read', result: {blocks: [{kind: 'text', text: 'inside'}]}} as const;
    expect(rowsOf(renderers['read-mcp-resource'](read, frame, 'agent'))).toEqual(['inside']);
    expect(rowsOf(renderers['give-structured-answer']({answer: {sum: 3}}, frame, 'agent'))).toEqual(['{"sum":3}']);
  });
});
