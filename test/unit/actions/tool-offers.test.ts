import {describe, expect, test} from 'vitest';
import {
  defaultToolSources,
  type EnabledTool,
  enabledTools,
  requestTools,
  searchableTools,
} from '../../../src/actions/decode-action.ts';
import {ownCall} from '../../../src/actions/peer-tools.ts';
import {toolOffer} from '../../../src/actions/tool-offers.ts';
import {isJsonList, isJsonObject, type Json} from '../../../src/base/json.ts';
import type {Profile} from '../../../src/domain/model-family.ts';

const moreTools = `Tools: BashHandOver, Read, ${searchableTools.map(({name}) => name).join(', ')}.`;
const sources = {...defaultToolSources, moreTools};
const own = enabledTools(sources);
const names = (tools: readonly EnabledTool[]): readonly string[] => tools.map(({name}) => name);

/** The most bytes of the tools of a request, in the form of the family's usual API. */
const profiles: readonly (readonly [Profile, number, readonly string[]])[] = [
  [
    'claude-5',
    6500,
    [
      'Bash',
      'BashInput',
      'BashOutput',
      'Read',
      'Edit',
      'Write',
      'Grep',
      'Glob',
      'ToolSearch',
      'WebFetch',
      'Agent',
      'AskUserQuestion',
      'TodoWrite',
      'ExitPlanMode',
    ],
  ],
  [
    'gpt',
    5000,
    [
      'exec_command',
      'write_stdin',
      'apply_patch',
      'view_image',
      'update_plan',
      'ToolSearch',
      'WebFetch',
      'Agent',
      'AskUserQuestion',
      'ExitPlanMode',
    ],
  ],
  [
    'gemini',
    6000,
    [
      'run_shell_command',
      'read_file',
      'replace',
      'write_file',
      'grep_search',
      'glob',
      'write_todos',
      'BashInput',
      'BashOutput',
      'ToolSearch',
      'WebFetch',
      'Agent',
      'AskUserQuestion',
      'ExitPlanMode',
    ],
  ],
  ['small', 3500, ['bash', 'read', 'edit', 'write', 'grep', 'ToolSearch']],
];

function wireForm(profile: Profile, {name, description, jsonSchema, grammar}: EnabledTool): object {
  if (profile.startsWith('claude')) return {name, description, input_schema: jsonSchema()};
  if (profile !== 'gpt') return {type: 'function', function: {name, description, parameters: jsonSchema()}};
  return grammar === undefined
    ? {type: 'function', name, description, parameters: jsonSchema(), strict: false}
    : {type: 'custom', name, description, format: {type: 'grammar', syntax: 'lark', definition: grammar}};
}

const schemasIn = (schema: Json | undefined): readonly object[] =>
  isJsonObject(schema)
    ? [
        schema,
        ...Object.values(isJsonObject(schema['properties']) ? schema['properties'] : {}),
        schema['items'],
      ].flatMap((inner, at) => (at === 0 ? [schema] : schemasIn(inner)))
    : [];

describe.each(profiles)('%s', (profile, most, expected) => {
  const {listed, deferred} = toolOffer(profile)(own);

  test('has the tools that its models know', () => {
    expect(names(listed)).toEqual(expected);
  });

  test(`takes at most ${most} bytes`, () => {
    const bytes = Buffer.byteLength(JSON.stringify(listed.map(tool => wireForm(profile, tool))));
    expect(bytes).toBeLessThanOrEqual(most);
  });

  test('has schemas that every provider takes, with required fields', () => {
    const plain = new Set(['type', 'properties', 'required', 'items', 'enum', 'description']);
    for (const {name, jsonSchema} of listed) {
      const {required} = jsonSchema();
      expect([name, isJsonList(required) && required.length > 0]).toEqual([name, true]);
      const odd = schemasIn(jsonSchema()).flatMap(each => Object.keys(each).filter(key => !plain.has(key)));
      expect([name, odd]).toEqual([name, []]);
    }
  });

  test('leaves no tool out of reach', () => {
    const replaced = listed.flatMap(({name}) => {
      const call = ownCall(name, {command: 'x', cmd: 'x', session_id: 'b1', input: 'x'});
      return call?.tag === 'ok' ? [call.value.name] : [name];
    });
    const typed = names(listed).includes('write_stdin')
      ? ['BashInput', 'BashOutput', 'Edit', 'Write', 'Grep', 'Glob']
      : [];
    const reachable = new Set([...names(listed), ...replaced, ...typed, ...names(deferred)]);
    expect(names(own).filter(name => !reachable.has(name))).toEqual([]);
  });
});

test('a deferred tool that was found comes last, under its own name', () => {
  const found = requestTools({...sources, offer: toolOffer('small'), foundTools: new Set(['Agent'])});
  expect(names(found).at(-1)).toBe('Agent');
});

test('an agent without a shell has the tools that a shell replaces', () => {
  const readers = enabledTools({
    ...sources,
    disabled: new Map([
      ['Bash', 'absent'],
      ['Edit', 'absent'],
      ['Write', 'absent'],
    ]),
  });
  expect(names(toolOffer('gpt')(readers).listed)).toEqual(expect.arrayContaining(['Read', 'Grep', 'Glob']));
});

test('tools of servers, skills and structured answers stay as they are', () => {
  const answerSchema = {type: 'object', properties: {}};
  const skills = {names: ['pdf'], lines: '- pdf: Reads PDFs'};
  const all = enabledTools({...sources, answerSchema, skills, resources: 'offered', webSearch: 'offered'});
  for (const [profile] of profiles) {
    expect(names(toolOffer(profile)(all).listed)).toEqual(
      expect.arrayContaining(['Skill', 'StructuredOutput', 'ReadMcpResourceTool', 'WebSearch']),
    );
  }
});

const fieldsOf = (selfReports: 'offered' | 'left-out'): readonly string[] =>
  enabledTools({...sources, selfReports}).flatMap(({jsonSchema}) => {
    const {properties} = jsonSchema();
    return isJsonObject(properties) ? Object.keys(properties) : [];
  });

test('self-reports are offered if they are asked for', () => {
  const reports = ['is_read_only', 'is_risky', 'uses_pager', 'wait_until_completion', 'rationale', 'citations'];
  expect(fieldsOf('left-out').filter(field => reports.includes(field))).toEqual([]);
  expect(fieldsOf('offered')).toEqual(expect.arrayContaining(reports));
});
