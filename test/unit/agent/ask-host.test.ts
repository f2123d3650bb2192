import {describe, expect, test} from 'vitest';
import type {QuestionResponse} from '../../../src/agent/client.ts';
import {ok} from '../../../src/base/outcome.ts';
import type {PermissionMode, RuleChange} from '../../../src/domain/risk.ts';
import {callBlock, callsTools, engineBench, finishedReport, promptOp, says} from '../../support/memory-ports.ts';

const rule = 'Network(domain:new.test)';

interface Given {
  readonly standing?: 'no-rule' | 'ask-rule';
  readonly options?: {readonly mode?: PermissionMode; readonly interaction?: 'interactive' | 'unattended'};
}

/** An engine whose command wants a host when it runs, and what it was told. */
function commandThatWantsHost({standing = 'no-rule', options = {}}: Given) {
  const changes: RuleChange[] = [];
  const told: string[] = [];
  const bench = engineBench([callsTools(callBlock('Bash', {command: 'npm install'}, 'c')), says('ok')], {
    options,
    changeRules: async change => {
      changes.push(change);
      return ok(undefined);
    },
    shell: async ({hosts}, _observe, signal) => {
      told.push(hosts === 'none' ? 'none' : await hosts({host: 'new.test', port: 443, rule, standing}, signal));
      return finishedReport('ran');
    },
  });
  return {bench, changes: (): readonly RuleChange[] => changes.filter(({change}) => change === 'add'), told};
}

const choosing = (label: string): QuestionResponse => ({kind: 'answered', answers: [{selected: [label], other: ''}]});

describe('a host that a command in the sandbox wants', () => {
  test.each([
    ['No', 'refused', []],
    ['Allow once', 'allowed', []],
    ['Allow for this session', 'allowed', [{change: 'add', list: 'allow', rule, scope: 'session'}]],
    ['Always allow', 'allowed', [{change: 'add', list: 'allow', rule, scope: 'local'}]],
    ['anything else', 'refused', []],
  ])('is asked about with its command; %s: %s', async (label, answer, rules) => {
    const {bench, changes, told} = commandThatWantsHost({});
    bench.engine.submit(promptOp('go'));
    const {id, questions} = await bench.next('question-asked');
    expect(questions.map(({header, question, options}) => [header, question, options.map(each => each.label)])).toEqual(
      [
        [
          'Network',
          'A sandboxed command wants to reach new.test, port 443. Allow it? npm install',
          ['No', 'Allow once', 'Allow for this session', 'Always allow'],
        ],
      ],
    );
    bench.engine.submit({op: 'answer-question', id, answer: choosing(label)});
    await bench.next('prompt-finished');
    expect([told, changes()]).toEqual([[answer], rules]);
  });

  test('is allowed once at most where a rule says to ask; a question that is put aside is a no', async () => {
    const {bench, changes, told} = commandThatWantsHost({standing: 'ask-rule'});
    bench.engine.submit(promptOp('go'));
    const {id, questions} = await bench.next('question-asked');
    expect(questions[0]?.options.map(({label}) => label)).toEqual(['No', 'Allow once']);
    bench.engine.submit({op: 'answer-question', id, answer: {kind: 'dismissed'}});
    await bench.next('prompt-finished');
    expect([told, changes()]).toEqual([['refused'], []]);
  });

  test.each([
    ['nobody is there', {interaction: 'unattended'}],
    ['the user wants no questions', {mode: 'dontAsk'}],
  ] as const)('is asked about by nobody where %s', async (_name, options) => {
    const {bench, told} = commandThatWantsHost({options});
    await bench.prompt('go');
    expect(told).toEqual(['nobody']);
    expect(bench.events.filter(({event}) => event === 'question-asked')).toEqual([]);
  });
});
