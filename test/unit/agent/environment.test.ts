import {expect, test} from 'vitest';
import {blockTexts} from '../../../src/domain/conversation.ts';
import {nativeProof, nothingProven, type Proof} from '../../../src/domain/sandbox.ts';
import {
  type Bench,
  callBlock,
  callsTools,
  engineBench,
  finishedReport,
  memorySession,
  says,
} from '../../support/memory-ports.ts';

const textsOf = ({model}: Bench): readonly (readonly string[])[] =>
  (model.requests.at(-1)?.messages ?? []).map(({blocks}) => blockTexts(blocks));

const whole = (lines: Readonly<Record<string, string>> = {}): string => {
  const facts = {
    Directory: '/work',
    'Git branch': 'main',
    Platform: 'linux, bash',
    Date: '2026-11-29, UTC+00:00',
    Model: 'scripted',
    'Front end': 'terminal',
    'Approval mode': 'default (edits and risky commands need approval)',
    Sandbox: 'none',
    ...lines,
  };
  return `<reminder>Environment:\n${Object.entries(facts)
    .map(fact => fact.join(': '))
    .join('\n')}</reminder>`;
};

const changed = (...lines: readonly string[]): string =>
  `<reminder>Environment changed:\n${lines.join('\n')}</reminder>`;

const told = {environment: 'included'} as const;

test('the first prompt tells the environment, and later ones what has changed', async () => {
  let date = '2026-11-29, UTC+00:00';
  let branch = 'main';
  const bench = engineBench([says('1'), says('2'), says('3'), says('4')], {
    environment: {
      date: () => date,
      branch: () => branch,
      repository: async () => ({changed: 1, subjects: ['Say "hello"', 'Begin']}),
    },
    options: told,
  });
  await bench.prompt('one');
  const first = whole({'Git at this time': '1 changed file; last commits "Say \\"hello\\"", "Begin"'});
  expect(textsOf(bench)).toEqual([['one', first]]);
  await bench.prompt('two');
  date = '2026-11-30, UTC+00:00';
  branch = '';
  bench.engine.submit({op: 'set-model', model: 'other'});
  bench.engine.submit({op: 'set-mode', mode: 'acceptEdits'});
  await bench.prompt('three');
  const later = changed(
    'Git branch: none, not a repository',
    'Date: 2026-11-30, UTC+00:00',
    'Model: other',
    'Approval mode: acceptEdits (edits need no approval, risky commands do)',
  );
  const messages = [['one', first], ['1'], ['two'], ['2'], ['three', later]];
  expect(textsOf(bench)).toEqual(messages);
  await bench.prompt('four');
  expect(textsOf(bench)).toEqual([...messages, ['3'], ['four']]);
  expect(new Set(bench.model.requests.map(({system}) => system)).size).toBe(1);
});

test('what people change while the model works is told with the results', async () => {
  let date = '2026-11-29, UTC+00:00';
  let branch = 'main';
  const bench = engineBench([callsTools(callBlock('Bash', {command: 'true'})), says('done')], {
    environment: {date: () => date, branch: () => branch},
    shell: async () => {
      date = '2026-11-30, UTC+00:00';
      branch = 'of-the-model';
      return finishedReport('');
    },
    options: told,
  });
  await bench.prompt('go');
  expect(textsOf(bench).at(-1)).toEqual([changed('Date: 2026-11-30, UTC+00:00')]);
});

test('facts are known again after a resume, and told again after a rewind and a compaction', async () => {
  const session = memorySession();
  await engineBench([says('1')], {session, options: told}).prompt('one');
  const bench = engineBench([says('2'), says('3 '.repeat(2000)), says('SUMMARY'), says('4')], {
    session: memorySession(session.kept),
    options: {...told, interaction: 'unattended'},
  });
  await bench.prompt('two');
  const headless = changed('Front end: headless, nobody answers questions');
  expect(textsOf(bench)).toEqual([['one', whole()], ['1'], ['two', headless]]);
  await bench.query({query: 'rewind', target: {kind: 'last'}});
  await bench.prompt('three');
  expect(textsOf(bench)).toEqual([['one', whole()], ['1'], ['three', headless]]);
  await bench.prompt('/compact');
  await bench.prompt('four');
  expect(textsOf(bench).at(-1)).toEqual(['four', whole({'Front end': 'headless, nobody answers questions'})]);
});

test("a prompt of the user's own learns about plan mode alone", async () => {
  const bench = engineBench([says('1'), says('2'), says('3')]);
  await bench.prompt('one');
  bench.engine.submit({op: 'set-mode', mode: 'plan'});
  await bench.prompt('two');
  bench.engine.submit({op: 'set-mode', mode: 'default'});
  await bench.prompt('three');
  expect(textsOf(bench).flat()).toEqual([
    'one',
    '1',
    'two',
    '<reminder>Environment:\nApproval mode: plan (explore, change nothing, and call ExitPlanMode when the plan is ready)</reminder>',
    '2',
    'three',
    changed('Approval mode: default (edits and risky commands need approval)'),
  ]);
});

const proof: Proof = {...nativeProof, provider: 'bwrap', proven: {...nothingProven, files: true, network: true}};
const sandboxes = [
  ['native', 'unknown', 'none'],
  ['auto', 'unknown', 'auto, commands may run in one, network only to allowed hosts'],
  ['auto', nativeProof, 'none'],
  ['auto', proof, 'bwrap, for unapproved commands, network only to allowed hosts'],
  ['codex', 'unknown', 'codex, for all commands, network only to allowed hosts'],
] as const;
test.each(sandboxes)('the sandbox %s is told as it was proven', async (sandbox, proven, text) => {
  const bench = engineBench([says('1')], {environment: {sandbox}, sandbox: () => proven, options: told});
  await bench.prompt('one');
  expect(textsOf(bench)).toEqual([['one', whole({Sandbox: text})]]);
});

test('the text has at most 600 bytes: subjects of commits give way', async () => {
  const subjects = ['ü'.repeat(80), 'b'.repeat(59), 'c'.repeat(59)];
  const bench = engineBench([says('1')], {
    environment: {repository: async () => ({changed: 12_345, subjects}), sandbox: 'auto'},
    options: {...told, directory: `/home/somebody/${'long/'.repeat(10)}`},
  });
  await bench.prompt('one');
  const text = textsOf(bench)[0]?.[1] ?? '';
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(600);
  expect(text).toContain('12345 changed files');
  expect(text).not.toContain('ccc');
});
