import {describe, expect, test} from 'vitest';
import {decodeAction, decodePastAction, normalizeInput} from '../../../src/actions/decode-action.ts';
import type {Json, JsonObject} from '../../../src/base/json.ts';
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
      'The input of Glob is invalid: there is no field root. The fields here are pattern, path, max_matches.',
    ],
    [
      'that is misspelled is told what it may be',
      'Glob',
      {pattern: '*', max_match: 3},
      'The input of Glob is invalid: there is no field max_match (did you mean max_matches?). The fields here are pattern, path, max_matches.',
    ],
    [
      'that asks for another place is not left out',
      'Agent',
      {description: 'a', prompt: 'b', execution_mode: 'remote'},
      'The input of Agent is invalid: environment_id is missing. Give the name of a weft server in the setting harnesses.',
    ],
    [
      'that asks for another host is not left out',
      'Agent',
      {description: 'a', prompt: 'b', execution_mode: 'local', worker_host: 'h'},
      'The input of Agent is invalid: worker_host is for a remote agent. Give its environment_id, or leave worker_host out.',
    ],
    [
      'is found inside lists',
      'TodoWrite',
      {
        todos: [
          {content: 'a', status: 'pending'},
          {content: 'b', status: 'pending', priority: 'high', due: 1, owner: 'me'},
        ],
      },
      'The input of TodoWrite is invalid: there is no field todos.1.due or todos.1.owner. The fields here are content, status, activeForm, id.',
    ],
    [
      'of a tool without fields',
      'InitProject',
      {force: true},
      'The input of InitProject is invalid: there is no field force. It takes no fields.',
    ],
    [
      'that would switch the sandbox off',
      'Bash',
      {command: 'ls', dangerouslyDisableSandbox: true},
      'The input of Bash is invalid: there is no field dangerouslyDisableSandbox. The fields here are command, description, timeout, run_in_background.',
    ],
    [
      'under two names with two values',
      'Glob',
      {pattern: '*', path: 'src', search_dir: '/etc'},
      'The input of Glob is invalid: path and search_dir are the same field and differ. Give one of them.',
    ],
  ])('%s', (_what, tool, input, told) => {
    expect(decoded(tool, input)).toBe(told);
  });

  test('was dropped by a call of an earlier session, which is shown as it ran', () => {
    const past = decodePastAction('Glob', {pattern: '*', root: '/etc'});
    expect(past).toEqual({tag: 'ok', value: {name: 'file-glob-v2', input: search('.')}});
  });
});

test.each<readonly [tool: string, input: Json, told: string]>([
  [
    'Read',
    "{'file_path': 'a'}",
    "the input must be one JSON object, and is not JSON: Expected property name or '}' in JSON at position 1 (line 1 column 2).",
  ],
  ['Read', '"a"', 'the input must be an object and is a string.'],
  ['TodoWrite', {todos: '{"content": "a"}'}, 'todos must be an array and is a string.'],
])('an input of another type: %s %j', (tool, input, told) => {
  expect(decoded(tool, input)).toBe(`The input of ${tool} is invalid: ${told}`);
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
    ['Grep', {pattern: 'a', after: 1, limit: 3}, {pattern: 'a', '-A': 1, head_limit: 3}],
    ['Glob', {pattern: '*', target_directory: 'src', respect_git_ignore: true}, {pattern: '*', path: 'src'}],
    ['Bash', {command: 'ls', cwd: 'src', justification: 'why'}, {command: 'ls', workdir: 'src', rationale: 'why'}],
    ['Agent', {name: 'a', prompt: 'b'}, {description: 'a', prompt: 'b'}],
    ['Grep', {pattern: 'a', '-n': 'true'}, {pattern: 'a'}],
    ['Read', {files: '[{"name": "a"}]'}, {files: [{file_path: 'a'}]}],
    [
      'AskUserQuestion',
      {questions: [{question: 'a', options: '[{"label": "b"}]'}]},
      {questions: [{question: 'a', options: [{label: 'b'}]}]},
    ],
  ])('%s %j', (tool, input, same) => {
    expect([decoded(tool, input), normalizeInput(tool, input)]).toEqual([decoded(tool, same), same]);
  });

  test('keeps the case of options of one letter', () => {
    expect(decoded('Grep', {pattern: 'a', '-I': true})).toMatch(
      /^The input of Grep is invalid: there is no field -I\. The/u,
    );
  });
});

describe('a field that asks for nothing is left out', () => {
  test.each<readonly [tool: string, input: Json, same: Json]>([
    ['Read', {file_path: 'a', pages: '', explanation: 'why'}, {file_path: 'a'}],
    [
      'Edit',
      {file_path: 'a', old_string: 'b', new_string: 'c', instruction: 'why', expected_replacements: 1},
      {file_path: 'a', old_string: 'b', new_string: 'c'},
    ],
    [
      'TodoWrite',
      {merge: true, todos: [{content: 'a', status: 'pending', priority: 'high'}]},
      {todos: [{content: 'a', status: 'pending'}]},
    ],
    ['Agent', {description: 'a', name: 'scout', prompt: 'b', attachments: []}, {description: 'a', prompt: 'b'}],
    [
      'AskUserQuestion',
      {questions: [{id: '1', question: 'a', options: [{label: 'b', preview: 'c'}]}], answers: {}},
      {questions: [{question: 'a', options: [{label: 'b'}]}]},
    ],
  ])('%s %j', (tool, input, same) => {
    expect([decoded(tool, input), normalizeInput(tool, input)]).toEqual([decoded(tool, same), same]);
  });
});

describe('fields that models are not told of', () => {
  const request = {
    queries: ['a'],
    path: '.',
    globs: [],
    mode: 'files',
    letterCase: 'sensitive',
    before: 0,
    after: 0,
    fileType: '',
    span: 'line',
    offset: 0,
    limit: 250,
  };

  test.each<readonly [input: JsonObject, asked: JsonObject]>([
    [{'-A': 2}, {after: 2}],
    [
      {'-B': 2, '-C': 5},
      {before: 2, after: 5},
    ],
    [{type: 'ts'}, {fileType: 'ts'}],
    [{multiline: true}, {span: 'lines'}],
    [{offset: 20}, {offset: 20}],
    [{glob: ''}, {}],
    [{head_limit: 0}, {limit: 2000}],
  ])('Grep %j', (input, asked) => {
    expect(decoded('Grep', {pattern: 'a', ...input})).toEqual({...request, ...asked});
  });

  test('Read to a line', () => {
    expect(decoded('Read', {file_path: 'a', start_line: 3, end_line: 5})).toEqual({
      requests: [{path: 'a', offset: 3, limit: 3}],
    });
  });

  test('Bash in a folder, for this command alone', () => {
    const inFolder = (command: string) => decoded('Bash', {command, workdir: "it's"});
    expect(inFolder('a; b')).toMatchObject({command: "(cd 'it'\\''s' || exit; a; b)"});
    expect(inFolder('a # b')).toMatchObject({command: "(cd 'it'\\''s' || exit; a # b\n)"});
    expect(decoded('Bash', {command: 'a', workdir: '.'})).toMatchObject({command: 'a'});
  });
});

test('numbers and truth values may stand in quotes, texts are texts', () => {
  expect(normalizeInput('Grep', {pattern: '5', context: '2', '-i': 'true', '-A': '1'})).toEqual({
    pattern: '5',
    context: 2,
    '-i': true,
    '-A': 1,
  });
  expect(decoded('Bash', {command: 'ls', timeout: '5 s'})).toMatch(
    /^The input of Bash is invalid: timeout must be a number and is a string/u,
  );
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
    expect(decoded('Bash', {command: null})).toMatch(/^The input of Bash is invalid: command is missing/u);
  });
});
