import {describe, expect, test} from 'vitest';
import {parseHookAnswer} from '../../../../src/extensions/hooks/hook-answer.ts';
import {permissionReply} from '../../../../src/headless/rpc/permission-request.ts';
import {questionResponse} from '../../../../src/headless/rpc/permission-request.ts';
import type {JsonObject} from '../../../../src/base/json.ts';
import type {Question} from '../../../../src/actions/ports.ts';

/** What clients answer, whatever it is, becomes something the engine understands; what is no clear yes is a no. */

const readHook = (payload: JsonObject) => parseHookAnswer(payload, {event: 'PreToolUse', redact: text => text});

const asked = {command: 'make', list: [1, {a: 2}]};
const rules = (destination: string, ruleContent?: string) => ({
  type: 'addRules',
  behavior: 'allow',
  rules: [{toolName: 'Bash', ...(ruleContent === undefined ? {} : {ruleContent})}],
  destination,
});

describe('permission', () => {
  const wishes = {mode: undefined, unserved: []};
  test.each([
    ['as it was', {behavior: 'allow'}, {decision: 'allow', scope: 'once'}, wishes],
    [
      'the same input',
      {behavior: 'allow', updatedInput: {list: [1, {a: 2}], command: 'make'}},
      {decision: 'allow', scope: 'once'},
      wishes,
    ],
    [
      'another input',
      {behavior: 'allow', updatedInput: {command: 'ls'}},
      {decision: 'allow-updated', input: {command: 'ls'}, rules: []},
      wishes,
    ],
    [
      'rules',
      {
        behavior: 'allow',
        updatedPermissions: ['session', 'userSettings', 'projectSettings', 'localSettings', 'elsewhere'].map(place =>
          rules(place),
        ),
      },
      {
        decision: 'allow-updated',
        input: 'unchanged',
        rules: [
          {change: 'add', list: 'allow', rule: 'Bash', scope: 'session'},
          {change: 'add', list: 'allow', rule: 'Bash', scope: 'user'},
          {change: 'add', list: 'allow', rule: 'Bash', scope: 'project'},
          {change: 'add', list: 'allow', rule: 'Bash', scope: 'local'},
          {change: 'add', list: 'allow', rule: 'Bash', scope: 'session'},
        ],
      },
      wishes,
    ],
    [
      'a mode',
      {behavior: 'allow', updatedPermissions: [{type: 'setMode', mode: 'acceptEdits', destination: 'session'}]},
      {decision: 'allow', scope: 'once'},
      {mode: 'acceptEdits', unserved: []},
    ],
    [
      'rules that forbid, rules to take out, and others in the place of all',
      {
        behavior: 'allow',
        updatedPermissions: [
          {...rules('session', 'rm:*'), behavior: 'deny'},
          {...rules('cliArg', 'make'), type: 'removeRules'},
          {...rules('session', 'ls'), type: 'replaceRules', behavior: 'ask'},
        ],
      },
      {
        decision: 'allow-updated',
        input: 'unchanged',
        rules: [
          {change: 'add', list: 'deny', rule: 'Bash(rm:*)', scope: 'session'},
          {change: 'remove', list: 'allow', rule: 'Bash(make)'},
          {change: 'replace', list: 'ask', rules: ['Bash(ls)']},
        ],
      },
      wishes,
    ],
    [
      'rules to take out of a settings file',
      {behavior: 'allow', updatedPermissions: [{...rules('localSettings'), type: 'removeRules'}]},
      {decision: 'allow', scope: 'once'},
      {mode: undefined, unserved: ['The permission update "removeRules" is not supported yet.']},
    ],
    [
      'what is not possible',
      {behavior: 'allow', updatedPermissions: [{type: 'nonsense', directories: ['/']}]},
      {decision: 'allow', scope: 'once'},
      {mode: undefined, unserved: ['The permission update "nonsense" is not supported yet.']},
    ],
  ])('allow, %s', (_name, payload, answer, wanted) => {
    expect(permissionReply(payload, asked)).toMatchObject({kind: 'allow', answer, wishes: wanted});
  });

  test.each([
    [
      {behavior: 'deny', message: 'no'},
      {message: 'no', next: 'go-on'},
    ],
    [{behavior: 'deny'}, {message: '', next: 'go-on'}],
    [
      {behavior: 'deny', message: 'no', interrupt: true},
      {message: 'no', next: 'interrupt'},
    ],
    [{}, {next: 'go-on'}],
    [{behavior: 'ALLOW'}, {next: 'go-on'}],
    [{behavior: 'allow', updatedInput: 'make'}, {next: 'go-on'}],
    [{behavior: 'allow', updatedPermissions: 'all'}, {next: 'go-on'}],
  ])('%j is a no', (payload, reply) => {
    expect(permissionReply(payload, asked)).toMatchObject({kind: 'deny', ...reply});
  });
});

const question = (text: string, choice: Question['choice']): Question => ({
  question: text,
  header: '',
  choice,
  options: ['Red', 'Blue, light'].map(label => ({label, description: '', recommended: 'plain'})),
});

const answer = (given: string | readonly string[], choice: Question['choice']) =>
  questionResponse({behavior: 'allow', updatedInput: {answers: {'Which?': given}}}, [question('Which?', choice)]);

describe('questions', () => {
  test.each([
    ['Red', 'one', {selected: ['Red'], other: ''}],
    ['Blue, light', 'many', {selected: ['Blue, light'], other: ''}],
    ['Green, perhaps', 'one', {selected: [], other: 'Green, perhaps'}],
    ['Red, Green', 'many', {selected: ['Red'], other: 'Green'}],
    ['none, really', 'many', {selected: [], other: 'none, really'}],
    [['Red', 'Blue, light'], 'many', {selected: ['Red', 'Blue, light'], other: ''}],
  ] as const)('%j of %s', (given, choice, expected) => {
    expect(answer(given, choice)).toEqual({kind: 'answered', answers: [expected]});
  });

  test.each([
    [{behavior: 'deny', message: 'later'}, 'later'],
    [{behavior: 'deny'}],
    [{behavior: 'allow'}],
    [{behavior: 'allow', updatedInput: {answers: {}}}],
    [{behavior: 'allow', updatedInput: {answers: {'Other?': 'Red'}}}],
    [{}],
  ])('%j: nobody answered', (payload, reason?: string) => {
    expect(questionResponse(payload, [question('Which?', 'one')])).toEqual({kind: 'dismissed', reason});
  });
});

const specific = (more: object) => ({hookSpecificOutput: {hookEventName: 'PreToolUse', ...more}});

describe('hooks', () => {
  test.each([
    [{}, {permission: 'none', flow: {kind: 'go-on'}}],
    [{async: true, decision: 'block'}, {permission: 'none'}],
    [
      {decision: 'block', reason: 'no'},
      {permission: 'deny', reason: 'no'},
    ],
    [{decision: 'approve'}, {permission: 'allow'}],
    [specific({permissionDecision: 'ask', permissionDecisionReason: 'why'}), {permission: 'ask', reason: 'why'}],
    [specific({permissionDecision: 'defer'}), {permission: 'none'}],
    [specific({updatedInput: {a: 1}}), {permission: 'none', updatedInput: {a: 1}}],
    [specific({additionalContext: 'more'}), {context: 'more'}],
    [{continue: false, stopReason: 'enough'}, {flow: {kind: 'stop', reason: 'enough'}}],
    [{systemMessage: 'hear'}, {message: 'hear'}],
  ])('%j', (payload, expected) => {
    expect(readHook(payload)).toMatchObject({tag: 'ok', value: expected});
  });

  test.each([[{decision: 'perhaps'}], [specific({permissionDecision: 7})], [{hookSpecificOutput: 'x'}]])(
    '%j cannot be understood',
    payload => {
      expect(readHook(payload).tag).toBe('failed');
    },
  );
});
