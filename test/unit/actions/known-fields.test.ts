import {describe, expect, test} from 'vitest';
import {decodeAction, decodePastAction, namedInput} from '../../../src/actions/decode-action.ts';
import type {Json} from '../../../src/base/json.ts';
import {faultText} from '../../../src/domain/fault.ts';

function decoded(tool: string, input: Json): unknown {
  const action = decodeAction(tool, input);
  return action.tag === 'ok' ? action.value.input : faultText(action.error);
}

const search = (path: string) => ({patterns: ['*'], path, limit: 200, maxDepth: 0});

describe('a field that a tool does not have', () => {
  test.each<readonly [what: string, tool: string, input: Json, told: string]>([
    [
      'is named, with those there are',
      'Glob',
      {pattern: '*', root: '/etc'},
      'The input of Glob does not fit: there is no field root. The fields here are pattern, patterns, path, max_matches, max_depth.',
    ],
    [
      'that is misspelled is told what it may be',
      'Glob',
      {pattern: '*', max_match: 3},
      'The input of Glob does not fit: there is no field max_match (did you mean max_matches?). The fields here are pattern, patterns, path, max_matches, max_depth.',
    ],
    [
      'that asks for another place is not left out',
      'Agent',
      {description: 'a', prompt: 'b', execution_mode: {remote: {environment_id: 'e'}}},
      'The input of Agent does not fit: there is no field execution_mode. The fields here are description, prompt, subagent_type, harness, model, run_in_background, isolation.',
    ],
    [
      'is found inside lists',
      'TodoWrite',
      {
        todos: [
          {content: 'a', status: 'pending'},
          {content: 'b', status: 'pending', priority: 'high', due: 1},
        ],
      },
      'The input of TodoWrite does not fit: there is no field todos.1.priority or todos.1.due. The fields here are content, status, activeForm, id.',
    ],
    [
      'of a tool without fields',
      'InitProject',
      {force: true},
      'The input of InitProject does not fit: there is no field force. It takes no fields.',
    ],
    [
      'that would switch the sandbox off',
      'Bash',
      {command: 'ls', dangerouslyDisableSandbox: true},
      'The input of Bash does not fit: there is no field dangerouslyDisableSandbox. The fields here are command, description, timeout, is_read_only, is_risky, uses_pager, wait_until_completion, run_in_background, rationale, citations.',
    ],
    [
      'under two names with two values',
      'Glob',
      {pattern: '*', path: 'src', search_dir: '/etc'},
      'The input of Glob does not fit: path and search_dir are the same field and differ. Give one of them.',
    ],
  ])('%s', (_what, tool, input, told) => {
    expect(decoded(tool, input)).toBe(told);
  });

  test('was dropped by a call of an earlier session, which is shown as it ran', () => {
    const past = decodePastAction('Glob', {pattern: '*', root: '/etc'});
    expect(past).toEqual({tag: 'ok', value: {name: 'file-glob-v2', input: search('.')}});
  });
});

describe('a field under another name', () => {
  test.each<readonly [tool: string, input: Json, same: Json]>([
    ['Glob', {pattern: '*', search_dir: '/etc'}, {pattern: '*', path: '/etc'}],
    ['Glob', {pattern: '*', search_dir: '/etc', path: '/etc'}, {pattern: '*', path: '/etc'}],
    ['Glob', {pattern: '*', maxMatches: 7}, {pattern: '*', max_matches: 7}],
    ['Grep', {query: 'a', include: '*.ts', '-C': 2, '-n': true}, {pattern: 'a', glob: '*.ts', context: 2}],
    ['Bash', {cmd: 'ls', timeout_ms: 5, dangerouslyDisableSandbox: false}, {command: 'ls', timeout: 5}],
    ['Read', {path: 'a', pages: ''}, {file_path: 'a'}],
    ['Read', {files: [{name: 'a'}, {filePath: 'b'}]}, {files: [{file_path: 'a'}, {file_path: 'b'}]}],
    ['Edit', {filePath: 'a', oldString: 'b', newString: 'c'}, {file_path: 'a', old_string: 'b', new_string: 'c'}],
    ['Skill', {skill: 'pdf', args: 'a'}, {name: 'pdf', arguments: 'a'}],
    ['SearchCodebase', {query: 'a', codebase_path: 'src'}, {query: 'a', path: 'src'}],
  ])('%s %j', (tool, input, same) => {
    expect([decoded(tool, input), namedInput(tool, input)]).toEqual([decoded(tool, same), same]);
  });

  test('keeps the case of options of one letter', () => {
    expect(decoded('Grep', {pattern: 'a', '-I': true})).toMatch(
      /^The input of Grep does not fit: there is no field -I\. The/u,
    );
  });
});

const long = 'a'.repeat(256);
const deep = 'a/'.repeat(2100);

test.each<readonly [tool: string, input: Json]>([
  ['Read', {file_path: `src/${long}`}],
  ['Read', {files: [{file_path: 'a'}, {file_path: deep}]}],
  ['Edit', {file_path: long, old_string: 'a', new_string: 'b'}],
  ['MultiEdit', {file_path: deep, edits: [{old_string: 'a', new_string: 'b'}]}],
  ['Write', {file_path: `/${'é'.repeat(128)}`, content: ''}],
  ['ApplyPatch', {patch: `*** Begin Patch\n*** Delete File: ${long}\n*** End Patch`}],
  ['Grep', {pattern: 'a', path: long}],
  ['Glob', {pattern: '*', path: deep}],
  ['SearchCodebase', {query: 'a', path: long}],
  ['UploadArtifact', {file_path: deep}],
])('%s: a path that is too long is called that, and lies nowhere', (tool, input) => {
  expect(decoded(tool, input)).toMatch(
    /^The path \S+… is too long: (?:it is 4200 characters long; at most 4096 are possible|a name in it has 256 bytes of at most 255)\.$/u,
  );
});

test('a path of the greatest length is taken', () => {
  const path = `${'a'.repeat(255)}/`.repeat(15) + 'b'.repeat(255);
  expect(decoded('Read', {file_path: path})).toEqual({requests: [{path, offset: 1, limit: 2000}]});
});

describe('null', () => {
  test('is a field that is left out', () => {
    const input = {pattern: '*', path: null, max_depth: null, search_dir: null, root: null};
    expect(decoded('Glob', input)).toEqual(search('.'));
    expect(decoded('AskUserQuestion', {questions: [{question: 'a', header: null, options: [{label: 'b'}]}]})).toEqual(
      decoded('AskUserQuestion', {questions: [{question: 'a', options: [{label: 'b'}]}]}),
    );
  });

  test('is no value of a field that must be there', () => {
    expect(decoded('Bash', {command: null})).toMatch(/^The input of Bash does not fit: command: /u);
  });
});
