import {assert, constantFrom, property, stringMatching, tuple, uniqueArray} from 'fast-check';
import {expect, test} from 'vitest';
import {serverPartOf} from '../../../../src/domain/mcp-tool-name.ts';
import {ToolNames} from '../../../../src/extensions/mcp/tool-names.ts';
import {randomInputs} from '../../../support/random-inputs.ts';

const named = (servers: readonly string[], tools: readonly string[]) => {
  const names = new ToolNames(servers);
  return servers.flatMap(server => [...names.namesOf(server, tools)].map(([tool, {name}]) => ({server, tool, name})));
};

test('names are those of other products, and what they cannot have is replaced', () => {
  expect(named(['my server', 'calc'], ['add', 'a.b', 'a b'])).toEqual([
    {server: 'my server', tool: 'add', name: 'mcp__my_server__add'},
    {server: 'my server', tool: 'a.b', name: 'mcp__my_server__a_b'},
    {server: 'my server', tool: 'a b', name: expect.stringMatching(/^mcp__my_server__a_b_[0-9a-f]{8}$/u)},
    {server: 'calc', tool: 'add', name: 'mcp__calc__add'},
    {server: 'calc', tool: 'a.b', name: 'mcp__calc__a_b'},
    {server: 'calc', tool: 'a b', name: expect.stringMatching(/^mcp__calc__a_b_[0-9a-f]{8}$/u)},
  ]);
});

test('a server takes no other name than its own from one that is written like it', () => {
  expect(named(['my server', 'my_server'], ['x']).map(({name}) => name)).toEqual([
    expect.stringMatching(/^mcp__my_server_[0-9a-f]{8}__x$/u),
    'mcp__my_server__x',
  ]);
});

test('no two tools share a name, and the part of the server belongs to one server alone', () => {
  const name = stringMatching(/^[a_. -]{1,5}$/u);
  const bound = constantFrom('', 'x'.repeat(70));
  const servers = uniqueArray(
    tuple(name, bound).map(parts => parts.join('')),
    {minLength: 1, maxLength: 5},
  );
  assert(
    property(servers, uniqueArray(name, {maxLength: 5}), (of, tools) => {
      const all = named(of, tools);
      expect(new Set(all.map(each => each.name)).size).toBe(all.length);
      const owners = new Map(all.map(each => [serverPartOf(each.name), each.server]));
      for (const {name: toolName, server} of all) expect(owners.get(serverPartOf(toolName))).toBe(server);
      for (const each of all) expect(each.name).toMatch(/^[\w-]{1,128}$/u);
    }),
    {numRuns: randomInputs(1000)},
  );
});
