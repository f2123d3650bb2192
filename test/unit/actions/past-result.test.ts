import {describe, expect, test} from 'vitest';
import {type ActionName, actionOf} from '../../../src/actions/catalogue.ts';
import {changesTexts, emptyChangesOutcome} from '../../../src/actions/changes-port.ts';
import {pastResult, pastResultOf} from '../../../src/actions/past-result.ts';
import {actionId} from '../../../src/domain/ids.ts';
import {lostResultText} from '../../../src/domain/history.ts';
import {reminderBlock} from '../../../src/domain/reminder.ts';
import {sampleActions} from '../../support/sample-actions.ts';

const plain = {failed: false, notes: [], seconds: 0};
const sample = (name: ActionName) => actionOf(name, sampleActions[name].input);
const command = 'request-command-output';
const running = '[block b2: running, 0.5 s after its start, cursor at line 1, column 1, in /w]';
const waiting = running.replace('running', 'waiting for input: Name:');
const changed = {path: 'a.ts', kind: 'changed', class: 'file'} as const;
const moved = '[the user moved it to the background, where it continues: use BashOutput with block_id b1]';

describe('what people read of a result that was kept', () => {
  test.each([
    [
      command,
      'oops\n[the next command starts in /w/a]\n[exit code 2 after 1.5 s in /w]',
      {failed: true, notes: ['exit 2'], seconds: 1.5, output: 'oops'},
    ],
    [
      command,
      `ok\n${changesTexts({
        ...emptyChangesOutcome,
        applied: [changed],
        dropped: [{change: changed, why: 'refused'}],
        said: 'No.',
      })
        .map(text => `[${text}]\n`)
        .join('')}[exit code 0 after 0.1 s in /w]`,
      {...plain, seconds: 0.1, output: 'ok\nit changed a.ts\nrefused and not kept: a.ts; they said: No.'},
    ],
    [command, '[exit code 0 after 0.1 s in /w]', {...plain, seconds: 0.1, output: ''}],
    [
      command,
      `[The user changed the command; what ran is: make]\nx\n${moved}\n[moved to the background as b1 after 2.0 s in /w]`,
      {...plain, notes: ['in background as b1'], seconds: 2, output: 'x'},
    ],
    [
      command,
      `up\n${running}\n[still running: use BashOutput, BashInput and BashHandOver with block_id b2]`,
      {...plain, notes: ['b2: running'], output: 'up'},
    ],
    ['read-shell-command-output', waiting, {...plain, notes: ['b2: waiting for input: Name:'], output: ''}],
    [
      'start-agent',
      'It continues in the background. You will be notified when it ends. [agent x: look]',
      {...plain, output: ''},
    ],
    ['start-agent', 'Well.\n\nBoth.\n\n[agent x: look, 2 turns]', {...plain, output: 'Well.\n\nBoth.'}],
    ['request-file-edits', 'Changed a.ts (+1 -1)\n[a note]', {...plain, output: 'Changed a.ts (+1 -1)'}],
    ['file-glob-v2', 'a\nb\n[7 more; narrow the pattern]', {...plain, output: 'a\nb'}],
    ['grep', 'a.ts:1:x\n[7 more]', {...plain, output: 'a.ts:1:x'}],
    ['read-documents', 'end\n[done]', {...plain, output: 'end\n[done]'}],
    ['sandbox-exec', 'ok\n[exit code 0 after 0.1 s in /w]', {...plain, seconds: 0.1, output: 'ok'}],
    ['call-mcp-tool', 'end\n[done]', {...plain, output: 'end\n[done]'}],
    ['suggest-prompt', 'The suggestion is shown to the user. End your turn.', {...plain, output: ''}],
  ] as const)('of %s: %j', (name, text, expected) => {
    expect(pastResult(sample(name), 'success', text)).toEqual(expected);
  });

  test.each([
    ['The user said no to this.', ['you said no'], ''],
    ['The user said no to this: keep it\nplease', ['you said no'], 'keep it\nplease'],
    ['The user interrupted this.\nOutput before it was stopped:\n1', ['interrupted'], '1'],
    ['weft was stopped before this ended.\nIt was running.', ['stopped with weft'], 'It was running.'],
    [lostResultText, ['end unknown'], ''],
    ['Plan mode is on.', [], 'Plan mode is on.'],
    // The command ran, and its changes were denied.
    ['ok\n[refused and not kept: a.ts]\n[exit code 0 after 0.5 s in /w]', [], 'ok\nrefused and not kept: a.ts'],
  ])('of a call that was cancelled: %j', (text, notes, output) => {
    expect(pastResult(sample(command), 'cancelled', text)).toMatchObject({
      ...plain,
      notes,
      output,
      seconds: expect.any(Number),
    });
  });

  test('no reminder, and all that a tool said which is gone', () => {
    const id = actionId('1');
    const content = [{kind: 'text', text: 'x\n[y]'} as const, reminderBlock('Mind the list.')];
    expect(
      pastResultOf(
        {kind: 'tool-call', id, name: 'Gone', input: {}},
        {kind: 'tool-result', id, content, outcome: 'success'},
      ),
    ).toEqual({...plain, output: 'x\n[y]'});
  });
});
