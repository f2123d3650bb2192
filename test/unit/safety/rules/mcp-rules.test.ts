import {describe, expect, test} from 'vitest';
import {actionOf} from '../../../../src/actions/catalogue.ts';
import {harnessToolName, mcpServerName, mcpToolName} from '../../../../src/domain/mcp-tool-name.ts';
import {judge, type Given} from '../support/judging.ts';

const call = (server: string, toolName: string) =>
  actionOf('call-mcp-tool', {server, tool: 'x', toolName, standing: 'as-known' as const, arguments: {a: 1}});
const add = call('calc', 'mcp__calc__add');

describe('a tool of an MCP server', () => {
  test('is asked about, and a rule for it is offered', async () => {
    expect(await judge(add)).toMatchObject({
      decision: 'ask',
      risk: 'external',
      reasons: ['Calls a tool of the MCP server calc'],
      detail: {rules: ['mcp__calc__add', 'mcp__calc']},
    });
  });

  test.each<[string, Given, string]>([
    ['its own name', {allow: ['mcp__calc__add']}, 'allow'],
    ['its server', {allow: ['mcp__calc']}, 'allow'],
    ['all of its server', {allow: ['mcp__calc__*']}, 'allow'],
    ['names that begin so', {allow: ['mcp__calc__a*']}, 'allow'],
    ['another tool', {allow: ['mcp__calc__sub']}, 'ask'],
    ['a name that only begins so', {allow: ['mcp__calc__ad']}, 'ask'],
    ['another server', {allow: ['mcp__cal', 'mcp__cal*', 'mcp__*', 'mcp__calculator__*']}, 'ask'],
    ['a pattern, which is not read', {allow: ['mcp__calc__add(x)']}, 'ask'],
    ['a denied tool', {allow: ['mcp__calc'], deny: ['mcp__calc__add']}, 'deny'],
    ['a denied server', {allow: ['mcp__calc__add'], deny: ['mcp__calc']}, 'deny'],
    ['a denied server by star', {allow: ['mcp__calc__add'], deny: ['mcp__calc__*']}, 'deny'],
    ['all servers denied', {allow: ['mcp__calc__add'], deny: ['mcp__*']}, 'deny'],
    ['a tool to ask about', {allow: ['mcp__calc'], ask: ['mcp__calc__add']}, 'ask'],
    ['bypassing', {mode: 'bypassPermissions'}, 'allow'],
    ['bypassing, denied', {mode: 'bypassPermissions', deny: ['mcp__calc']}, 'deny'],
    ['plan mode', {mode: 'plan', allow: ['mcp__calc']}, 'deny'],
    ['acceptEdits', {mode: 'acceptEdits'}, 'ask'],
  ])('%s', async (_what, given, decision) => {
    expect((await judge(add, given)).decision).toBe(decision);
  });

  test('gains nothing by a name like that of another server', async () => {
    const sly = call('a__b', mcpToolName('a__b', 'c'));
    const own = mcpServerName('a__b');
    for (const allow of ['mcp__a', 'mcp__a__*', 'mcp__a__b', 'mcp__a__b__c', 'mcp__a__b__*', 'mcp__a*'])
      expect([allow, (await judge(sly, {allow: [allow]})).decision]).toEqual([allow, 'ask']);
    for (const allow of [own, `${own}__*`, `${own}__c`])
      expect([allow, (await judge(sly, {allow: [allow]})).decision]).toEqual([allow, 'allow']);
    for (const deny of ['mcp__a', 'mcp__a__b', 'mcp__a__b__c', 'mcp__a__b__*', own])
      expect([deny, (await judge(sly, {allow: [own], deny: [deny]})).decision]).toEqual([deny, 'deny']);
    // A name that no server of this session can have.
    expect((await judge(call('a__b', 'mcp__a__b__c'), {allow: ['mcp__a']})).decision).toBe('ask');
    expect((await judge(call('my server', 'mcp__my_server__x'), {allow: ['mcp__my_server']})).decision).toBe('allow');
  });
});

test('a resource is asked about; which there are is not', async () => {
  const read = actionOf('read-mcp-resource', {kind: 'read', server: 'docs', uri: 'mem://a'});
  expect((await judge(read)).decision).toBe('ask');
  expect((await judge(read, {allow: ['ReadMcpResourceTool']})).decision).toBe('allow');
  expect((await judge(actionOf('read-mcp-resource', {kind: 'list', server: undefined}))).decision).toBe('allow');
});

describe('what a harness asks for', () => {
  const asked = call('gh', harnessToolName('gh', 'create_issue'));
  const toServer = call('gh', mcpToolName('gh', 'create_issue'));

  test.each<[string, Given, string, string]>([
    ['a rule for the harness', {allow: ['harness__gh']}, 'allow', 'ask'],
    ['a rule for what it asks for', {allow: ['harness__gh__create_issue']}, 'allow', 'ask'],
    ['a rule for the server', {allow: ['mcp__gh', 'mcp__gh__create_issue', 'mcp__gh__*']}, 'ask', 'allow'],
    ['a harness denied', {deny: ['harness__gh']}, 'deny', 'ask'],
    ['a denial by the name of before', {deny: ['mcp__gh__create_issue']}, 'deny', 'deny'],
  ])('%s', async (_what, given, ofHarness, ofServer) => {
    expect([(await judge(asked, given)).decision, (await judge(toServer, given)).decision]).toEqual([
      ofHarness,
      ofServer,
    ]);
  });

  test('two texts that differ only in their characters have two names', () => {
    expect(harnessToolName('gh', 'rm a')).not.toBe(harnessToolName('gh', 'rm|a'));
    expect(harnessToolName('gh', 'rm_a')).toBe('harness__gh__rm_a');
  });
});
