import {expect, test} from 'vitest';
import type {ApprovalAnswer} from '../../../src/agent/client.ts';
import {noDetail, type Verdict} from '../../../src/domain/risk.ts';
import {callBlock, callsTools, engineBench, says} from '../../support/memory-ports.ts';
import {workspace} from '../workspace/files/file-space.ts';

const asks: Verdict = {decision: 'ask', risk: 'local-change', reasons: [], sessionApproval: 'exact', detail: noDetail};

const lines = (change: (line: number) => string): string => Array.from({length: 20}, (_, at) => change(at)).join('\n');
const before = lines(at => `line ${at}`);
const proposed = lines(at => (at === 1 || at === 18 ? `new ${at}` : `line ${at}`));

/** Answers the approval of an edit that changes the lines 1 and 18, and says what came of it. */
async function answered(answer: ApprovalAnswer, meanwhile: (space: ReturnType<typeof workspace>) => void = () => {}) {
  using space = workspace({'a.txt': before});
  await space.read('a.txt');
  const call = callBlock('Write', {file_path: 'a.txt', content: proposed});
  const bench = engineBench([callsTools(call), says('end')], {files: space.port, assess: () => asks});
  const done = bench.prompt('go');
  const {approval} = await bench.next('approval-requested');
  meanwhile(space);
  bench.engine.submit({op: 'answer-approval', id: approval.id, answer});
  const {result, toolResult: told} = await bench.next('action-settled');
  const {denials} = await done;
  return {
    text: space.text('a.txt'),
    state: result.tag === 'action' ? result.result.settled.state : result.tag,
    told: told.content.map(block => (block.kind === 'text' ? block.text : block.kind)).join('\n'),
    deniedBy: denials.map(({by}) => by),
  };
}

const dropping = (...hunks: readonly number[]): ApprovalAnswer => ({
  decision: 'allow-with-changes',
  userChanges: {kind: 'hunks', dropped: hunks.map(hunk => ({path: 'a.txt', hunk}))},
});

test('a hunk the user leaves out is not written, and the model reads which', async () => {
  expect(await answered(dropping(1))).toEqual({
    text: lines(at => (at === 1 ? 'new 1' : `line ${at}`)),
    state: 'success',
    told: expect.stringMatching(
      /^Changed a\.txt \(\+1 -1\)\n\[edited by the user before it was written: a\.txt, this change was dropped:\n@@ -16 \+16 @@\n[^]*\n-line 18\n\+new 18\n line 19\n\]$/u,
    ),
    deniedBy: [],
  });
});

test('where nothing is left the user has said no', async () => {
  expect(await answered(dropping(0, 1))).toEqual({
    text: before,
    state: 'cancelled',
    told: 'The user said no to this: they dropped every change. Nothing was written.',
    deniedBy: ['user'],
  });
});

test('a text from an editor is written as it is', async () => {
  const answer: ApprovalAnswer = {
    decision: 'allow-with-changes',
    userChanges: {kind: 'texts', texts: [{path: 'a.txt', text: `${proposed}\nand more`}], dropped: []},
  };
  expect(await answered(answer)).toMatchObject({
    text: `${proposed}\nand more`,
    told: expect.stringContaining('from the proposed text to what is in the file now:'),
  });
});

test('it is of the file as it was shown: one that has changed is left alone', async () => {
  const edited = before.replace('line 10', 'somebody else');
  const outcome = await answered(dropping(1), space => space.put('a.txt', edited));
  expect(outcome).toMatchObject({text: edited, state: 'error', told: expect.stringContaining('changed since')});
});
