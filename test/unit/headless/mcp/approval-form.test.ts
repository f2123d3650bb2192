import * as fc from 'fast-check';
import {expect, test} from 'vitest';
import type {Approval} from '../../../../src/actions/agent-event.ts';
import {noDetail} from '../../../../src/domain/risk.ts';
import {approvalAnswer, approvalForm} from '../../../../src/headless/mcp/approval-form.ts';
import {fileOf, hunk, line} from '../../../tui/support/diffs.ts';
import {approval} from '../../../tui/support/stage.ts';

const destructive = approval('a', 'rm -rf cache', {detail: {...noDetail, confirmWord: 'cache'}});

test('a form for a command shows the command, its folder, the reasons and the word', () => {
  expect(approvalForm({...destructive, label: 'Run rm\u001B[2J'})).toEqual({
    message: [
      'Run rm^[[2J?',
      'rm -rf cache\n(in /home/user/project)',
      '- it deletes files.',
      'The model says: the cache is stale',
    ].join('\n\n'),
    fields: {
      decision: {
        title: 'Decision',
        need: 'required',
        choices: [
          {value: 'allow-once', title: 'Allow once'},
          {value: 'allow-session', title: 'Allow for this session: rm in this folder'},
          {value: 'deny', title: 'Deny'},
        ],
      },
      confirm: {title: 'To allow it, type cache', need: 'optional', choices: []},
    },
  });
});

/** Returns the lines of the changes in a form. */
const shown = (files: Extract<Approval['preview'], {kind: 'diff'}>['files']): readonly string[] =>
  approvalForm({...destructive, preview: {kind: 'diff', files}})
    .message.split('\n\n')[1]
    ?.split('\n') ?? [];

test('a form for edits shows the lines, and says what it leaves out', () => {
  const short = hunk(1, line('context', 'one'), line('removed', 'two'), line('added', 'zwei'));
  const long = hunk(1, ...Array.from({length: 500}, (_, at) => line('added', `row ${at}`)));
  expect(shown([fileOf('b.js', [short], {movedFrom: 'a.js'})])).toEqual([
    'a.js -> b.js (+1 -1)',
    ' one',
    '-two',
    '+zwei',
  ]);
  expect(shown([fileOf('new.txt', [long])]).slice(-2)).toEqual(['+row 398', '(101 more lines are not shown.)']);
});

test('only a clear yes allows', () => {
  const refused = {decision: 'refuse', message: '', by: 'user'};
  const plain = approval('a', 'touch a', {risk: 'unknown'});
  expect(approvalAnswer({decision: 'allow-once'}, plain)).toEqual({decision: 'allow', scope: 'once'});
  expect(approvalAnswer({decision: 'allow-session'}, plain)).toEqual({decision: 'allow', scope: 'session'});
  expect(approvalAnswer({decision: 'allow-session'}, approval('a', 'x', {sessionApproval: 'none'}))).toEqual(refused);
  expect(approvalAnswer('declined', plain)).toEqual(refused);
  expect(approvalAnswer({decision: 'allow-once', confirm: ' cache '}, destructive)).toEqual({
    decision: 'allow',
    scope: 'once',
  });
  const wordless = approval('a', 'rm -rf .');
  expect(approvalForm(wordless).fields['confirm']?.title).toBe('To allow it, type yes');
  expect(approvalAnswer({decision: 'allow-once'}, wordless).decision).toBe('refuse');
  expect(approvalAnswer({decision: 'allow-once', confirm: 'yes'}, wordless).decision).toBe('allow');
  fc.assert(
    fc.property(fc.dictionary(fc.constantFrom('decision', 'confirm', 'x'), fc.string()), reply => {
      expect(approvalAnswer(reply, destructive).decision).toBe('refuse');
    }),
  );
});
