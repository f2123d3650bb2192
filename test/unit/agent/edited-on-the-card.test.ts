import {reasonOf} from '../../support/reason.ts';
import {expect, test} from 'vitest';
import type {Approval} from '../../../src/actions/agent-event.ts';
import type {Action} from '../../../src/actions/catalogue.ts';
import type {ApprovalAnswer} from '../../../src/agent/client.ts';
import {noDetail, type Verdict} from '../../../src/domain/risk.ts';
import {asks, callBlock, callsTools, engineBench, finishedReport, says} from '../../support/memory-ports.ts';
import {workspace} from '../workspace/files/file-space.ts';

const verdictOn = (action: Action): Verdict => {
  const command = action.name === 'request-command-output' ? action.input.command : '';
  if (command.startsWith('rm')) {
    return {...asks, risk: 'destructive', reasons: [reasonOf('it deletes')], detail: {...noDetail, confirmWord: 'src'}};
  }
  if (command.startsWith('sudo'))
    return {...asks, decision: 'deny', reasons: [reasonOf('the rule Bash(sudo:*) forbids it')]};
  return command.startsWith('ls') ? {...asks, decision: 'allow', risk: 'read-only', reasons: []} : asks;
};

const edited = (command: string): ApprovalAnswer => ({decision: 'allow-edited', command});
const once: ApprovalAnswer = {decision: 'allow', scope: 'once'};

interface Card {
  readonly command: string;
  readonly wording: Approval['wording'];
  readonly risk: Verdict['risk'];
  readonly word: string;
}

/** Answers one card after the other; what each showed, and what ran in the end. */
async function answered(command: string, answers: readonly ApprovalAnswer[]) {
  const ran: string[] = [];
  const cards: Card[] = [];
  const input = {command, is_read_only: true, rationale: 'to look around'};
  const bench = engineBench([callsTools(callBlock('Bash', input)), says('end')], {
    assess: verdictOn,
    shell: async request => {
      ran.push(request.command);
      return finishedReport('out');
    },
  });
  const done = bench.prompt('go');
  for (const answer of answers) {
    const {approval} = await bench.next('approval-requested');
    const {preview, verdict, wording} = approval;
    cards.push({
      command: preview.kind === 'command' ? preview.command : preview.kind,
      wording,
      risk: verdict.risk,
      word: verdict.detail.confirmWord,
    });
    bench.engine.submit({op: 'answer-approval', id: approval.id, answer});
  }
  const {toolResult: told} = await bench.next('action-settled');
  const {denials} = await done;
  return {
    ran,
    cards,
    told: told.content.map(block => (block.kind === 'text' ? block.text : block.kind)),
    deniedBy: denials.map(({by}) => by),
    settled: bench.events.flatMap(event => (event.event === 'approval-settled' ? [event.decision] : [])),
    kept: bench.session.kept.flatMap(record => (record.kind === 'approval' ? [record.decision] : [])),
    claims: bench.events.flatMap(event =>
      event.event === 'approval-requested' && event.approval.action.name === 'request-command-output'
        ? [[event.approval.action.input.claims.readOnly, event.approval.rationale]]
        : [],
    ),
  };
}

test('what is edited is judged as what it is now, and asked about before it runs', async () => {
  expect(await answered('make', [edited('rm -rf src'), once])).toEqual({
    ran: ['rm -rf src'],
    cards: [
      {command: 'make', wording: 'model', risk: 'unknown', word: ''},
      {command: 'rm -rf src', wording: 'user', risk: 'destructive', word: 'src'},
    ],
    told: ['[The user changed the command; what ran is: rm -rf src]', expect.stringContaining('out')],
    deniedBy: [],
    settled: ['edited', 'allowed'],
    kept: ['allowed'],
    // What the model said of its own command is not said of the user's.
    claims: [
      ['yes', 'to look around'],
      ['unsaid', ''],
    ],
  });
});

test.each([
  ['what needs no question either', ['ls -l'], ['ls -l']],
  ['again and again', ['rm -rf src', 'rm -rf dist', 'make all'], ['make all']],
  ['back to what it was', ['rm -rf src', 'make'], ['make']],
] as const)('%s', async (_name, edits, ran) => {
  const done = await answered('make', [...edits.map(edited), once]);
  expect(done).toMatchObject({ran, kept: ['allowed']});
  expect(done.cards.map(({command}) => command)).toEqual(['make', ...edits]);
});

test.each([[['rm -rf src', 'make']], [['make']]] as const)(
  'edited %j, it is what the model asked for: nobody tells it of a change',
  async edits => {
    const done = await answered('make', [...edits.map(edited), once]);
    expect(done.told).toEqual([expect.stringContaining('out')]);
    expect(done.cards.at(-1)).toEqual({command: 'make', wording: 'model', risk: 'unknown', word: ''});
    expect(done.claims.at(-1)).toEqual(['yes', 'to look around']);
  },
);

test('what a rule denies stays denied, and nothing is asked again', async () => {
  expect(await answered('make', [edited('sudo make')])).toMatchObject({
    ran: [],
    deniedBy: ['rule'],
    settled: ['edited'],
  });
});

test('a no to what was edited is a no', async () => {
  const done = await answered('make', [edited('rm -rf src'), {decision: 'refuse', message: '', by: 'user'}]);
  expect(done).toMatchObject({ran: [], told: ['The user said no to this.'], deniedBy: ['user'], kept: ['refused']});
});

const isAmended = (action: Action): boolean =>
  action.name === 'request-file-edits' && action.input.userChanges.kind !== 'none';

test('an edit that the changes of the user make another question is asked about as it is now', async () => {
  using space = workspace({'a.txt': 'old\n'});
  await space.read('a.txt');
  const ordinary: Verdict = {...asks, risk: 'local-change', reasons: []};
  const bench = engineBench([callsTools(callBlock('Write', {file_path: 'a.txt', content: 'new\n'})), says('end')], {
    files: space.port,
    assess: action => (isAmended(action) ? {...ordinary, reasons: [reasonOf('it gives a secret away')]} : ordinary),
  });
  const done = bench.prompt('go');
  const first = await bench.next('approval-requested');
  const userChanges = {kind: 'texts', texts: [{path: 'a.txt', text: 'mine\n'}], dropped: []} as const;
  const answer: ApprovalAnswer = {decision: 'allow-with-changes', userChanges};
  bench.engine.submit({op: 'answer-approval', id: first.approval.id, answer});
  const second = await bench.next('approval-requested');
  expect(space.text('a.txt')).toBe('old\n');
  expect(second.approval).toMatchObject({
    wording: 'user',
    verdict: {reasons: [reasonOf('it gives a secret away')]},
    preview: {files: [{hunks: [{lines: [{text: 'old'}, {text: 'mine'}]}]}]},
  });
  bench.engine.submit({op: 'answer-approval', id: second.approval.id, answer: once});
  await done;
  expect(space.text('a.txt')).toBe('mine\n');
});

test.each([
  ['what is denied as it is now', 'a.txt', 'Not permitted: no more of this.'],
  ['a file that was not part of it', 'b.txt', 'b.txt is not part of the edit; nothing was written.'],
])('an amended edit does not write %s', async (_name, path, text) => {
  using space = workspace({'a.txt': 'old\n', 'b.txt': 'other\n'});
  await space.read('a.txt');
  const ordinary: Verdict = {...asks, risk: 'local-change', reasons: []};
  const bench = engineBench([callsTools(callBlock('Write', {file_path: 'a.txt', content: 'new\n'})), says('end')], {
    files: space.port,
    assess: action =>
      isAmended(action) ? {...ordinary, decision: 'deny', reasons: [reasonOf('no more of this')]} : ordinary,
  });
  const done = bench.prompt('go');
  const {approval} = await bench.next('approval-requested');
  const userChanges = {kind: 'texts', texts: [{path, text: 'mine\n'}], dropped: []} as const;
  bench.engine.submit({
    op: 'answer-approval',
    id: approval.id,
    answer: {decision: 'allow-with-changes', userChanges},
  });
  const {toolResult: told} = await bench.next('action-settled');
  await done;
  expect(told.content[0]).toMatchObject({text: expect.stringContaining(text)});
  expect([space.text('a.txt'), space.text('b.txt')]).toEqual(['old\n', 'other\n']);
});
