import {type ChangesOutcome, emptyChangesOutcome} from '../../../src/actions/changes-port.ts';
import {describe, expect, test} from 'vitest';
import {type ActionResult, labelOf, modelContent} from '../../../src/actions/catalogue.ts';
import {decodeAction} from '../../../src/actions/decode-action.ts';
import type {ShellReport} from '../../../src/actions/ports.ts';
import type {Json} from '../../../src/base/json.ts';
import {rejected} from '../../../src/domain/fault.ts';

const told = (result: ActionResult): string =>
  modelContent(result)
    .map(block => (block.kind === 'text' ? block.text : '[image]'))
    .join('\n');

const report = (end: ShellReport['end'], text = '', file?: string): ShellReport => ({
  end,
  output: {text, totalBytes: text.length, leftOutLines: 0, file: file ?? undefined},
  durationMs: 1234,
  directory: '/w',
  nextDirectory: '/w',
  leftRunning: [],
  blocked: '',
  changes: emptyChangesOutcome,
  notes: [],
});

const claims = {readOnly: 'unsaid', risky: 'unsaid', usesPager: 'unsaid'} as const;
const input = {
  command: 'make',
  place: 'foreground',
  timeoutMs: 1,
  claims,
  description: '',
  rationale: '',
} as const;

const made = (path: string) => ({path, kind: 'created', class: 'file'}) as const;

describe('what the model reads', () => {
  test.each([
    [report({kind: 'exited', code: 2}, 'no rule\n'), 'no rule\n[exit code 2 after 1.2 s in /w]'],
    [report({kind: 'exited', code: 0}), '[exit code 0 after 1.2 s in /w]'],
    [report({kind: 'signalled', signal: 'SIGKILL'}, 'x'), 'x\n[ended by SIGKILL after 1.2 s in /w]'],
    [report({kind: 'timed-out', afterMs: 1}, 'x'), 'x\n[timed out and was ended after 1.2 s in /w]'],
    [
      report({kind: 'exited', code: 0}, 'head … tail', '/t/out'),
      'head … tail\n[11 bytes in total; the whole output is in /t/out]\n[exit code 0 after 1.2 s in /w]',
    ],
  ])('of a command %#', (commandReport, expected) => {
    expect(
      told({
        name: 'request-command-output',
        input,
        settled: {
          state: 'success',
          output: {kind: 'completed', command: 'make', report: commandReport},
        },
      }),
    ).toBe(expected);
  });

  test('of a command that nobody was asked about: what of its changes was kept, and why others were not', () => {
    const changes: ChangesOutcome = {
      applied: [made('made'), made('b/c.ts'), ...Array.from({length: 10}, (_, at) => made(`f${at}`))],
      diffs: [changed('made', {added: 2, removed: 0}), changed('b/c.ts', {added: 1, removed: 3})],
      dropped: [
        {change: {path: '.envrc', kind: 'created', class: 'protected', why: 'name'}, why: 'protected'},
        {change: {path: 'up', kind: 'link', class: 'protected', why: 'leads-out'}, why: 'protected'},
        ...['v/.git/HEAD', 'v/.git/hooks/pre-commit', 'w/.git'].map(
          path => ({change: {path, kind: 'created', class: 'protected', why: 'repository'}, why: 'protected'}) as const,
        ),
        {change: made('no\n[it'), why: 'refused'},
        {change: made('late'), why: 'conflict'},
      ],
      more: {applied: 2, dropped: {refused: 5}},
      said: 'Use the\ngenerator.',
    };
    const output = {
      kind: 'completed',
      command: 'make',
      report: {...report({kind: 'exited', code: 0}, 'ok'), changes},
    } as const;
    expect(told({name: 'request-command-output', input, settled: {state: 'success', output}})).toBe(
      [
        'ok',
        '[it changed made (+2 -0), b/c.ts (+1 -3), f0, f1, f2, f3, f4, f5, f6, f7 and 4 more files]',
        '[never kept, as no command in the sandbox may change them: .envrc, up (leads out of the workspace), ' +
          'v/.git (the data of a git repository), w/.git (the data of a git repository)]',
        '[refused and not kept: no ⏎ [it and 5 more files; they said: Use the generator.]',
        '[not kept, because something else changed them in the meantime (read them again): late]',
        '[exit code 0 after 1.2 s in /w]',
      ].join('\n'),
    );
  });

  test('of files: numbered lines and notes; several are headed by their path', () => {
    const file = {
      kind: 'text',
      path: 'a',
      lines: ['x', 'y'],
      firstLine: 9,
      totalLines: 10,
      notes: ['end of file'],
    } as const;
    const settled = {state: 'success', output: {files: [{state: 'read', file}]}} as const;
    expect(told({name: 'read-files', input: {requests: []}, settled})).toBe(' 9\tx\n10\ty\n[end of file]');
    const failed = {state: 'failed', path: 'b', fault: rejected('b is not there.')} as const;
    const two = {state: 'success', output: {files: [{state: 'read', file}, failed]}} as const;
    expect(told({name: 'read-files', input: {requests: []}, settled: two})).toBe(
      'a\n 9\tx\n10\ty\n[end of file]\nb: b is not there.',
    );
    const named = {...failed, fault: rejected('b: there is no such file.')} as const;
    const one = {state: 'success', output: {files: [{state: 'read', file}, named]}} as const;
    expect(told({name: 'read-files', input: {requests: []}, settled: one})).toContain('\nb: there is no such file.');
  });

  test('of a refusal: the reason and what had been done', () => {
    const settled = {
      state: 'cancelled',
      why: {reason: 'interrupted', message: ''},
      partial: {command: 'make', reached: 'running', output: 'half'},
    } as const;
    expect(told({name: 'request-command-output', input, settled})).toBe(
      'The user interrupted this.\nOutput before it was stopped:\nhalf',
    );
  });
});

const timeout = (raw: Json): unknown => {
  const decoded = decodeAction('Bash', raw);
  return decoded.tag === 'ok' && decoded.value.name === 'request-command-output'
    ? decoded.value.input.timeoutMs
    : decoded;
};

const changed = (path: string, counts: {readonly added: number; readonly removed: number}) =>
  ({path, before: 'x', after: 'y', movedFrom: undefined, ...counts, hunks: [], notes: []}) as const;

describe('tool forms', () => {
  const labels: readonly [string, Json, string][] = [
    ['Bash', {command: 'npm test\n# all'}, 'Run npm test …'],
    ['Read', {file_path: 'a.ts'}, 'Read a.ts'],
    ['Read', {files: [{file_path: 'a'}, {file_path: 'b', offset: 2}]}, 'Read a, b'],
    ['Edit', {file_path: 'a', old_string: '', new_string: 'x'}, 'Edit a'],
    ['MultiEdit', {file_path: 'a', edits: [{old_string: 'x', new_string: 'y', replace_all: true}]}, 'Edit a'],
    ['Write', {file_path: 'a', content: ''}, 'Edit a'],
    ['Grep', {queries: ['a', 'b'], path: 'src'}, 'Search "a", "b" in src'],
    ['Glob', {patterns: ['*.ts']}, 'Find *.ts in .'],
  ];
  test.each(labels)('%s names its target', (tool, raw, label) => {
    const decoded = decodeAction(tool, raw);
    expect(decoded.tag === 'ok' ? labelOf(decoded.value) : decoded.error).toBe(label);
  });

  test('the time limit is bounded and has a default', () => {
    expect([
      timeout({command: 'x'}),
      timeout({command: 'x', timeout: 5}),
      timeout({command: 'x', timeout: 1e9}),
    ]).toEqual([120_000, 5, 600_000]);
  });

  test.each([
    [{}, 'foreground'],
    [{wait_until_completion: true, run_in_background: false}, 'foreground'],
    [{wait_until_completion: false}, 'block'],
    [{run_in_background: true}, 'block'],
    [{wait_until_completion: true, run_in_background: true}, 'block'],
  ] as const)('%j is a command in the %s', (flags, place) => {
    expect(decodeAction('Bash', {command: 'x', ...flags})).toMatchObject({tag: 'ok', value: {input: {place}}});
  });
});
