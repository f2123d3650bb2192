import {expect, test} from 'vitest';
import {defaultToolSources} from '../../../src/actions/decode-action.ts';
import {decodeWritten} from '../../../src/agent/peer-calls.ts';
import type {Json, JsonObject} from '../../../src/base/json.ts';
import {faultText} from '../../../src/domain/fault.ts';
import {seedText} from '../../support/seeds.ts';

/** What the seed's types stand for. It does not define those that end in Request. */
const values: Readonly<Record<string, Json>> = {
  String: 'x',
  bool: true,
  PathBuf: '/repo',
  Uuid: 'docs',
  BlockId: 'b1',
  'bytes::Bytes': 'y',
  'serde_json::Value': {query: 'x'},
  AIAgentPtyWriteMode: 'Block',
  ShellCommandDelay: {Duration: 5},
  AIAgentCitation: {type: 'file', path: 'README.md'},
  FileEdit: {file_path: 'a.txt', search: 'b', replace: 'c'},
  AskUserQuestionItem: {question: 'Which?', options: [{label: 'a'}, {label: 'b'}]},
  InsertReviewComment: {path: 'a.txt', line: 3, text: 'x'},
  LifecycleEventType: 'idle',
  StartAgentVersion: 'V2',
  StartAgentExecutionMode: {Local: {harness_type: null}},
  SkillReference: {name: 'pdf'},
  ReadFilesRequest: {files: [{file_path: 'a.txt', line_ranges: [{start: 1, end: 2}]}]},
  UploadArtifactRequest: {file_path: 'a.txt', description: 'x'},
  SearchCodebaseRequest: {query: 'x', codebase_path: '.', path_filters: ['src']},
  ReadDocumentsRequest: {documents: [{document_id: 'd1', line_ranges: [{start: 1, end: 2}]}]},
  EditDocumentsRequest: {diffs: [{document_id: 'd1', search: 'a', replace: 'b'}]},
  CreateDocumentsRequest: {documents: [{title: 'x', content: 'y'}]},
  SuggestPromptRequest: {prompt: 'x', label: 'y'},
  UseComputerRequest: {action_summary: 'x', actions: [{action: 'click', x: 1, y: 2}]},
  RequestComputerUseRequest: {task_summary: 'x'},
  ReadSkillRequest: {name: 'pdf'},
};

function valueOf(type: string): Json {
  const [, outer, inner = ''] = /^(Option|Vec)<(.*)>$/u.exec(type) ?? [];
  if (outer !== undefined) return outer === 'Vec' ? [valueOf(inner)] : valueOf(inner);
  return values[type] ?? expect.fail(`no value for ${type}`);
}

/** An object with a value for each field of a struct of the seed. */
const structOf = (fields: string): JsonObject =>
  Object.fromEntries(
    [...fields.matchAll(/(\w+): ([\w:<>]+)/gu)].map(([, name = '', type = '']) => [name, valueOf(type)]),
  );

/** The variants of an enum of the seed, each with an input. */
function variantsOf(name: string): readonly (readonly [variant: string, input: Json])[] {
  const [, body = ''] =
    new RegExp(`pub enum ${name} \\{\\n(.*?)\\n\\}`, 'su').exec(seedText('typed-tool-protocol')) ?? [];
  return [...body.replaceAll(/ *\/\/.*$/gmu, '').matchAll(/^ {4}(\w+)(?: \{(.*?)\}|\((\w+)\))?,$/gmsu)].map(
    ([, variant = '', fields = '', tuple]) => [variant, tuple === undefined ? structOf(fields) : valueOf(tuple)],
  );
}

const decoded = (name: string, input: Json): string => {
  const action = decodeWritten({name, input}, defaultToolSources);
  return action.tag === 'ok' ? action.value.name : faultText(action.error);
};

const variants = variantsOf('AIAgentActionType');

/** Calls that lack what weft needs, or a server that is not there. */
const refused: Readonly<Record<string, unknown>> = {
  SuggestNewConversation:
    'The input of SuggestNewConversation is invalid: there is no field message_id. The fields here are summary, reason.',
  CallMCPTool: expect.stringMatching(/^mcp__docs__x can't be called: its MCP server is gone/u),
  TransferShellCommandControlToUser:
    'The input of TransferShellCommandControlToUser is invalid: block_id is missing. Give a string.',
};

test('the seed has its actions', () => {
  expect(variants).toHaveLength(28);
});

test.each(variants)('%s is taken in the form of the seed', (variant, input) => {
  const kebab = variant.replaceAll(/(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/gu, '-').toLowerCase();
  expect(decoded(variant, input)).toEqual(refused[variant] ?? (kebab === 'file-glob' ? 'file-glob-v2' : kebab));
});

test.each(variantsOf('StartAgentExecutionMode'))('StartAgent is taken with %s', (mode, fields) => {
  // Here, another program's agent can't run in an environment, and a sub-agent can't use the computer.
  const given = mode === 'Remote' ? {...Object(fields), harness_type: 'oz'} : {harness_type: 'claude'};
  expect(decoded('StartAgent', {name: 'x', prompt: 'y', execution_mode: {[mode]: given}})).toBe('start-agent');
});

test('the tool of the JSON schema is taken', () => {
  expect(decoded('read_file', {path: 'a.txt'})).toBe('read-files');
});
