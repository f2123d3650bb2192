import * as fc from 'fast-check';
import {afterEach, describe, expect, test} from 'vitest';
import type {AgentEvent, Approval} from '../../../src/actions/agent-event.ts';
import {actionOf} from '../../../src/actions/catalogue.ts';
import type {HostPorts} from '../../../src/app/host-services.ts';
import {emptyUserChanges} from '../../../src/domain/file-edit.ts';
import type {DiffHunk} from '../../../src/actions/preview.ts';
import {ok} from '../../../src/base/outcome.ts';
import {rejected} from '../../../src/domain/fault.ts';
import {actionId, messageId, parseSessionId, type SessionId} from '../../../src/domain/ids.ts';
import {noDetail} from '../../../src/domain/risk.ts';
import {answer, approval, ask, begin, finishedText, mild, once} from '../support/stage.ts';
import {accepted, delta, finished, grepQueued, grepSettled} from '../support/events.ts';
import {editPreview} from '../support/work-events.ts';
import {blankHost} from '../../support/blank-host.ts';
import {leaveSpeakers, speak, type Speaker} from './speaker.ts';
import {lookUntil} from '../../support/look-until.ts';
import {randomInputs} from '../../support/random-inputs.ts';

afterEach(leaveSpeakers);

/** The UI with an agent at work. */
async function working(): Promise<Speaker> {
  const speaker = await speak();
  speaker.engine.emit(...begin);
  await speaker.heard(/You: do it\n$/u);
  return speaker;
}

/** The UI with an approval asked. */
async function askedFor(request: ReturnType<typeof approval>): Promise<Speaker> {
  const speaker = await working();
  ask(speaker.engine, request);
  await speaker.heard(/Approval needed[^]*answer> $/u);
  return speaker;
}

const answersOf = ({engine}: Speaker) => engine.ops.filter(({op}) => op !== 'prompt');
const promptsOf = ({engine}: Speaker) =>
  engine.ops.flatMap(op => (op.op === 'prompt' ? [{text: op.text, when: op.when}] : []));

describe('an approval', () => {
  test.each([
    ['y', once],
    ['1', once],
    ['s', {decision: 'allow', scope: 'session'}],
    ['2', {decision: 'allow', scope: 'session'}],
    ['n\r', {decision: 'refuse', message: '', by: 'user'}],
    ['no', {decision: 'refuse', message: '', by: 'user'}],
    ['n\rnot today', {decision: 'refuse', message: 'not today', by: 'user'}],
    ['e\rls -l', {decision: 'allow-edited', command: 'ls -l'}],
    ['n\r0\ry', once],
    ['e\r0\ry', once],
  ] as const)('is answered by %j', async (lines, given) => {
    const speaker = await askedFor(mild('a1', 'npm run build'));
    for (const line of lines.split('\r')) await speaker.type(`${line}\r`);
    expect(answersOf(speaker)).toEqual([answer('a1', given)]);
  });

  test.each(['', 'yy', 'yes', '5', 'h', 'v w', '11', '1 2', 'allow', '１', ' '])(
    'is not answered by %j',
    async line => {
      const speaker = await askedFor(mild('a1', 'npm run build'));
      await speaker.type(`${line}\r`);
      await speaker.heard(/Not answered yet\. y Yes; s Yes/u);
      expect(speaker.engine.ops).toEqual([]);
    },
  );

  test('offers its other rules one after the other', async () => {
    const rules = ['Bash(npm test)', 'Bash(npm test:*)'];
    const speaker = await askedFor(approval('a1', 'npm test', {risk: 'external', detail: {...noDetail, rules}}));
    await speaker.heard(/a Always in this project: npm test; /u);
    await speaker.type('r\r');
    await speaker.heard(/a Always in this project: npm test \*; /u);
    await speaker.type('a\r');
    expect(answersOf(speaker)).toEqual([answer('a1', {decision: 'allow-rule', rule: rules[1] ?? '', scope: 'local'})]);
  });

  test.each(['destructive', 'external'] as const)('of what is %s is accepted by its word alone', async risk => {
    const request = approval('a1', 'rm -rf build', {
      risk,
      detail: {...noDetail, rules: ['Bash(rm *)'], confirmWord: 'build'},
    });
    const speaker = await askedFor(request);
    for (const line of ['2', 's', 'a', '', 'y', 'BUILD', 'builds']) await speaker.type(`${line}\r`);
    expect(speaker.engine.ops).toEqual([]);
    await speaker.type('build\r');
    expect(answersOf(speaker)).toEqual([answer('a1', once)]);
  });

  test('is not answered by a line begun before it was said', async () => {
    const speaker = await working();
    await speaker.type('1');
    ask(speaker.engine, mild('a1', 'npm run build'));
    speaker.pass();
    // What was typed stands below the question again.
    await speaker.heard(/Approval needed[^]*answer> 1$/u);
    await speaker.type('\r');
    await speaker.heard(/Not used as an answer, because you began it before the question/u);
    expect(speaker.engine.ops).toEqual([]);
    await speaker.type('1\r');
    expect(answersOf(speaker)).toEqual([answer('a1', once)]);
  });

  test('is not said into typing, and a prompt begun before it is sent as one', async () => {
    const speaker = await working();
    await speaker.type('look at ');
    ask(speaker.engine, mild('a1', 'npm run build'));
    for (const key of 'the tests') await speaker.typeOn(key);
    expect(speaker.screen.written()).not.toContain('Approval needed');
    await speaker.typeOn('\r');
    expect(promptsOf(speaker)).toEqual([{text: 'look at the tests', when: 'steering'}]);
    speaker.pass();
    await speaker.heard(/Approval needed/u);
  });

  test('lines that come in one piece answer nothing', async () => {
    const speaker = await askedFor(mild('a1', 'npm run build'));
    await speaker.type('\r1\r');
    await speaker.heard(/sent other lines with it/u);
    expect(speaker.engine.ops).toEqual([]);
  });

  test('asked anew under the same name is said anew', async () => {
    const speaker = await askedFor(mild('a1', 'npm run build'));
    await speaker.type('e\r');
    await speaker.type('npm test\r');
    speaker.engine.emit(
      {event: 'approval-settled', id: actionId('a1'), decision: 'edited'},
      {event: 'approval-requested', approval: {...mild('a1', 'npm test'), wording: 'user'}},
    );
    speaker.pass();
    await speaker.heard(/Approval needed: Run this, as you changed it\?\nnpm test\n/u);
    await speaker.type('1\r');
    expect(answersOf(speaker).at(-1)).toEqual(answer('a1', once));
  });

  test('that was settled elsewhere is asked no longer, and its answer is no prompt', async () => {
    const speaker = await askedFor(mild('a1', 'npm run build'));
    await speaker.type('1');
    speaker.engine.emit({event: 'approval-settled', id: actionId('a1'), decision: 'refused'});
    await speaker.type('\r');
    await speaker.heard(/The question is closed, so nothing was sent: 1/u);
    expect(speaker.engine.ops).toEqual([]);
  });
});

const hunk = (start: number, text: string): DiffHunk => ({
  oldStart: start,
  newStart: start,
  lines: [{kind: 'added', text, changed: []}],
});

const without = (...hunks: readonly number[]) => ({
  decision: 'allow-with-changes',
  userChanges: {kind: 'hunks', dropped: hunks.map(dropped => ({path: 'a.js', hunk: dropped}))},
});

describe('a change in parts', () => {
  const file = {path: 'a.js', before: 'x', after: 'y', added: 2, removed: 0, movedFrom: undefined, notes: []} as const;
  const edit: Approval = {
    ...mild('a1', ''),
    action: actionOf('request-file-edits', {edits: [], userChanges: emptyUserChanges}),
    label: 'Edit a.js',
    preview: {kind: 'diff', files: [{...file, hunks: [hunk(1, 'one();'), hunk(40, 'two();')]}]},
  };
  test.each([
    ['h\r2\ry', [without(1)]],
    ['h\r2\r1\ry', [without(0)]],
    ['h\r1 2', []],
    ['h\r3', []],
    ['h\r2\r\r2', []],
    ['h\r2\r0\ry', [once]],
    ['h\r0\rno', [{decision: 'refuse', message: '', by: 'user'}]],
  ])('%j', async (lines, given) => {
    const speaker = await askedFor(edit);
    for (const line of lines.split('\r')) await speaker.type(`${line}\r`);
    expect(answersOf(speaker)).toEqual(given.map(one => ({op: 'answer-approval', id: 'a1', answer: one})));
    await speaker.heard(/\n2\. In a\.js, line 40: 1 line added, 0 removed\. Begins: two\(\);\n/u);
  });
});

describe('a plan', () => {
  const plan = {goal: 'Prices are right', steps: ['Mend it'], notes: ''};
  const proposed: Approval = {
    ...mild('a1', ''),
    toolName: 'ExitPlanMode',
    action: actionOf('exit-plan', plan),
    label: 'Plan: Prices are right',
    preview: {kind: 'plan', plan},
    sessionGrant: '',
  };
  test.each([
    ['y', [{op: 'answer-approval', id: 'a1', answer: once}]],
    [
      '2',
      [
        {op: 'set-mode', mode: 'acceptEdits'},
        {op: 'answer-approval', id: 'a1', answer: {decision: 'allow', scope: 'session'}},
      ],
    ],
    ['n\rsmaller', [{op: 'answer-approval', id: 'a1', answer: {decision: 'refuse', message: 'smaller', by: 'user'}}]],
  ])('is said with its steps and answered with %j', async (lines, ops) => {
    const speaker = await askedFor(proposed);
    await speaker.heard(/Approval needed: Go ahead with this plan\?[^]*\n1\. Mend it\n/u);
    for (const line of lines.split('\r')) await speaker.type(`${line}\r`);
    expect(speaker.engine.ops).toEqual(ops);
  });
});

describe('questions', () => {
  const options = ['Red', 'Blue'].map(label => ({label, description: '', recommended: 'plain'}) as const);
  const asked = async (choice: 'one' | 'many'): Promise<Speaker> => {
    const speaker = await speak();
    speaker.engine.emit(...begin, {
      event: 'question-asked',
      files: [],
      id: actionId('q1'),
      asker: 'main',
      questions: [{question: 'Which?', header: '', choice, options}],
    });
    await speaker.heard(/Question: Which\?\n1\. Red[^]*answer> $/u);
    return speaker;
  };
  test.each([
    ['one', '2', {selected: ['Blue'], other: ''}],
    ['one', 'a green one', {selected: [], other: 'a green one'}],
    ['one', '/usr/share', {selected: [], other: '/usr/share'}],
    ['one', '/green', {selected: [], other: '/green'}],
    ['many', '2, 1', {selected: ['Red', 'Blue'], other: ''}],
  ] as const)('of %s: %j', async (choice, line, given) => {
    const speaker = await asked(choice);
    await speaker.type(`${line}\r`);
    expect(speaker.engine.ops).toEqual([
      {op: 'answer-question', id: 'q1', answer: {kind: 'answered', answers: [given]}},
    ]);
  });

  test('the changes that are asked about are said', async () => {
    const speaker = await speak();
    speaker.engine.emit(...begin, {
      event: 'question-asked',
      files: editPreview('a.txt', [{kind: 'added', text: 'new', changed: []}]).files,
      id: actionId('q1'),
      asker: 'main',
      questions: [{question: 'Which?', header: '', choice: 'one', options}],
    });
    await speaker.heard(/Question: Which\?\nChange in a\.txt: 1 line added, 0 removed\.\nLine 1 added: new\n1\. Red/u);
  });

  test.each([
    ['', /An empty line is not an answer/u],
    ['3', /No such number/u],
    ['1 2', /No such number/u],
  ])('%j answers nothing', async (line, said) => {
    const speaker = await asked('one');
    await speaker.type(`${line}\r`);
    await speaker.heard(said);
    expect(speaker.engine.ops).toEqual([]);
  });
});

describe('lines', () => {
  test('a prompt, one over two lines, one with a letter struck out, one again', async () => {
    const speaker = await speak();
    await speaker.type('go\r');
    await speaker.type('first\\\r');
    await speaker.type('second\r');
    await speaker.type('caf\u00E9s\u007F\u007F\u007Fke\r');
    await speaker.type('\u001B[A');
    await speaker.type('!\r');
    expect(promptsOf(speaker).map(({text}) => text)).toEqual(['go', 'first\nsecond', 'cake', 'cake!']);
    expect(speaker.remembered).toEqual(['go', 'first\nsecond', 'cake', 'cake!']);
  });

  test('while the agent works a line joins in, and /later waits', async () => {
    const speaker = await working();
    await speaker.type('and the tests\r');
    await speaker.type('/later then commit\r');
    expect(promptsOf(speaker)).toEqual([
      {text: 'and the tests', when: 'steering'},
      {text: 'then commit', when: 'queued'},
    ]);
  });

  test.each([['stop\r'], ['Stop\r'], ['/stop\r'], ['\u001B'], ['\u0003']])('%j stops what runs', async keys => {
    const speaker = await working();
    await speaker.type(keys);
    expect(speaker.engine.ops).toEqual([{op: 'interrupt'}]);
    await speaker.heard(/Stopping\.\n/u);
  });

  test('a prompt takes five images, and no more', async () => {
    const image = {kind: 'image', mediaType: 'image/png', data: 'AA=='} as const;
    const images = {read: async (path: string) => ok({name: path, width: 1, height: 1, image})};
    const speaker = await speak({host: {images}});
    for (const name of ['1', '2', '3', '4', '5']) {
      await speaker.type(`/image ${name}.png\r`);
      await speaker.heard(new RegExp(`Image ${name}\\.png is attached to the next prompt`, 'u'));
    }
    await speaker.type('/image 6.png\r');
    await speaker.heard(/Warning: You can attach at most 5 images to a prompt\./u);
    await speaker.type('look\r');
    await expect
      .poll(() => speaker.engine.ops.map(op => (op.op === 'prompt' ? op.images : [])))
      .toEqual([[image, image, image, image, image]]);
  });

  test.each([
    ['y', /Added to AGENTS\.md: use tabs\n/u, ['add-context']],
    ['n', /\n> # use tabs$/u, []],
    ['p', /answer> p\n$/u, ['prompt']],
  ])('a note asks first: %j', async (line, said, ops) => {
    const speaker = await speak();
    speaker.engine.answers['add-note'] = ok('AGENTS.md');
    await speaker.type('# use tabs\r');
    await speaker.heard(/Add a note to AGENTS\.md\?\nuse tabs\ny add, n cancel, p send as prompt\.[^]*answer> $/u);
    await speaker.type(`${line}\r`);
    await speaker.heard(said);
    expect(speaker.engine.ops.map(({op}) => op)).toEqual(ops);
  });

  test('/background moves the command that runs', async () => {
    const speaker = await working();
    await speaker.type('/background\r');
    await speaker.heard(/No command is running\./u);
    const {action, preview} = mild('a1', 'npm start');
    const id = actionId('a1');
    speaker.engine.emit(
      {event: 'action-queued', id, action, label: 'Run npm start'},
      {event: 'action-started', id, action, preview},
    );
    await speaker.heard(/Running npm start\.\n/u);
    await speaker.type('/background\r');
    expect(speaker.engine.ops).toEqual([{op: 'move-to-background', id}]);
  });

  test.each(['exit', 'quit'])('%s leaves', async word => {
    const speaker = await speak();
    await speaker.type(`${word}\r`);
    expect(await speaker.exit).toEqual({kind: 'left'});
  });

  test('the word stop is a prompt where nothing runs', async () => {
    const speaker = await speak();
    await speaker.type('stop\r');
    expect(promptsOf(speaker).map(({text}) => text)).toEqual(['stop']);
  });

  test('the marker of the input line comes after what a command answers', async () => {
    const speaker = await speak();
    await speaker.type('/resume\r');
    await speaker.heard(/No other sessions in this folder\s+> $/u);
    expect(speaker.screen.written()).toMatch(/\/resume\s+No other sessions in this folder/u);
    await speaker.type('/rewind\r');
    await speaker.heard(/\/rewind\s+Warning: Nobody answers this here\.\s+> $/u);
  });

  test('/model with an effort says which model and effort are used', async () => {
    const models: HostPorts['models'] = {
      ...blankHost.models,
      list: async () =>
        ok({
          models: [
            {
              model: 'small-model',
              defaultOf: '',
              contextWindow: 0,
              maxOutput: 0,
              price: 'unknown',
              efforts: ['low', 'high'],
              effort: 'default',
              images: 'unknown',
              pdfs: 'unknown',
              about: '',
              from: 'nobody',
            },
          ],
          from: {kind: 'provider'},
        }),
      useEffort: async ({model, effort}) => ok({model, text: `Model: ${model}, effort ${effort}`}),
    };
    const speaker = await speak({host: {models}});
    await speaker.type('/model small-model high\r');
    await speaker.heard(/\nModel: small-model, effort high\n> $/u);
  });

  test('an unknown command is told, a path is a prompt', async () => {
    const speaker = await speak();
    await speaker.type('/reusme\r');
    await speaker.heard(/Unknown command \/reusme\. Did you mean \/resume\?/u);
    await speaker.type('/etc/hosts is odd\r');
    expect(promptsOf(speaker).map(({text}) => text)).toEqual(['/etc/hosts is odd']);
  });

  test('Tab completes the name of a command, or names those there are', async () => {
    const speaker = await speak();
    await speaker.type('/re\t');
    await speaker.heard(/\/review, \/resume, \/rename, \/redo, \/rewind/u);
    await speaker.type('s\t\r');
    await speaker.heard(/No other sessions in this folder/u);
  });
});

test('Tab completes the commands of files, too', async () => {
  const command = {name: 'git:commit', description: 'Commits', argumentHint: '[message]', kind: 'command'} as const;
  const source = {kind: 'file', scope: 'user', path: '/home/u/.claude/commands/git/commit.md'} as const;
  const speaker = await speak({host: {promptCommands: [{...command, source}]}});
  await speaker.type('/git');
  await speaker.typeOn('\t fix\r');
  await lookUntil(
    async () => promptsOf(speaker).length > 0,
    async () => speaker.screen.written(),
  );
  expect(promptsOf(speaker).map(({text}) => text)).toEqual(['/git:commit fix']);
});

describe('what the agent does', () => {
  test('is said in its order, text by finished blocks, and what it looks at as one list', async () => {
    const speaker = await speak();
    speaker.engine.emit(...begin, delta('# Title\n\nOne **bold** word.\n\nNot yet'));
    await speaker.heard(/Heading: Title\n\nOne bold word\.\n$/u);
    speaker.engine.emit(delta(' done.'), finishedText, grepQueued('a'), grepQueued('b'));
    speaker.engine.emit(grepSettled('b', ['x']), grepSettled('a', []), finished({kind: 'done'}));
    await speaker.heard(/Not yet done\.\nExplored: searched "x": no matches\nsearched "x": 1 file\nDone\.\n> $/u);
  });

  test('waits while a line is typed, and is said once that pauses', async () => {
    const speaker = await working();
    await speaker.type('wa');
    speaker.engine.emit(delta('One.\n\nTwo.\n\n'));
    await speaker.typeOn('it');
    expect(speaker.screen.written()).not.toContain('One.');
    speaker.engine.emit(finishedText, finished({kind: 'done'}));
    speaker.pass();
    await speaker.heard(/wait\n\nOne\.\n\nTwo\.\nDone\.\n> wait$/u);
  });

  test('that it failed is said in a word, besides the reason', async () => {
    const speaker = await working();
    speaker.engine.emit(finished({kind: 'failed', fault: rejected('the key is wrong')}));
    await speaker.heard(/\nFailed: .*the key is wrong\. Type "continue" to try again\.\n> $/iu);
  });

  test('a prompt that was not typed here is said once', async () => {
    const speaker = await speak({firstPrompt: 'begin with this'});
    await speaker.heard(/Ctrl\+D exits\.\n\nYou: begin with this\n$/u);
    const {ops} = speaker.engine;
    speaker.engine.emit(...ops.flatMap(op => (op.op === 'prompt' ? [{...accepted(op.text), id: op.id}] : [])));
    speaker.engine.emit(finished({kind: 'done'}));
    await speaker.heard(/exits\.\n\nYou: begin with this\nDone\.\n> $/u);
  });
});

const opened = (at: number) => [{op: 'open-session', session: {kind: 'resume', id: sessionId(at)}}];

describe('a list', () => {
  const sessions = ['fix the discount', 'explain the cart', 'rename it'].map((title, at) => ({
    id: sessionId(at),
    title,
    directory: '/w',
    model: 'm',
    createdAt: 0,
    updatedAt: 0,
    messages: at + 1,
  }));

  test.each([
    ['2', opened(1)],
    ['cart\r1', opened(1)],
    ['basket\r1', opened(2)],
    ['0', []],
    ['\r3', opened(2)],
    ['4', []],
  ])('of sessions is answered by %j', async (lines, ops) => {
    const speaker = await speak();
    speaker.engine.answers['sessions'] = ok(sessions);
    speaker.engine.answers['first-prompts'] = ok([{session: sessionId(2), prompt: 'Not the BASKET'}]);
    await speaker.type('/resume\r');
    await speaker.heard(
      /Resume a session:\n1\. fix the discount, just now, 1 message\n2\. explain[^]*or 0 to go back\.\nanswer> $/u,
    );
    for (const line of lines.split('\r')) await speaker.type(`${line}\r`);
    expect(speaker.engine.ops).toEqual(ops);
  });

  test('of background commands without rows asks nothing', async () => {
    const speaker = await speak();
    await speaker.type('/ps\r');
    await speaker.heard(/No background commands\n> $/u);
  });

  test('of prompts leads to what to rewind, and to a question that only y answers', async () => {
    const speaker = await speak();
    const target = {kind: 'prompt', to: messageId('p1'), what: 'files'} as const;
    speaker.engine.answers['rewind-points'] = ok([
      {to: messageId('p1'), number: 1, prompt: 'make it', files: 'changed'},
      {to: messageId('p2'), number: 2, prompt: 'mend it', files: 'untouched'},
    ]);
    await speaker.type('/rewind\r');
    await speaker.heard(/Rewind to before:\n1\. mend it\n2\. make it, changed files\n[^]*answer> $/u);
    await speaker.type('2\r');
    await speaker.heard(/1\. Conversation and files \(b\)\n2\. Files only \(f\)[^]*answer> $/u);
    await speaker.type('f\r');
    expect(speaker.engine.queries.at(-1)).toEqual({query: 'preview-rewind', target});
  });
});

describe('compacting', () => {
  const preview = {
    id: messageId('c1'),
    way: 'summary',
    noSummaryReason: '',
    before: 'counted',
    tokens: {before: 8000, after: 900},
    kept: [{what: '2 user messages', tokens: 40}],
    summarised: [{what: '2 answers', tokens: 7000}],
    dropped: [],
    summary: 'We did *things*.',
    cost: {kind: 'none'},
  } as const;

  test.each([
    ['1', [{query: 'compact', preview: 'c1', summary: 'We did *things*.'}]],
    ['0', []],
    ['no', []],
  ])('is shown, and %j answers', async (line, queries) => {
    const speaker = await speak();
    speaker.engine.answers['preview-compaction'] = ok(preview);
    await speaker.type('/compact\r');
    await speaker.heard(/Kept: 2 user messages[^]*We did \*things\*\.[^]*answer> $/u);
    await speaker.type('\r');
    await speaker.heard(/Nothing was done/u);
    await speaker.type(`${line}\r`);
    expect(speaker.engine.queries.slice(1)).toEqual(queries);
  });
});

test('whatever is typed and told, nothing that stands there is changed', async () => {
  const keys = fc.oneof(
    fc.constantFrom(
      '1',
      'x',
      'é',
      '日',
      '👩‍👧',
      ' ',
      '\\',
      '/',
      '\t',
      '\r',
      '\u007F',
      '\u0017',
      '\u0015',
      '\u001B',
      '\u0003',
    ),
    fc.constantFrom('\u001B[A', '\u001B[B', '\u001B[200~a\rb\u001B[201~', '\u001B[5~', '\u0001'),
    fc.constantFrom('/ps\r', '/help\r', '!ls\r', '# note\r', '1\r', '/stop\r'),
  );
  const told = fc.constantFrom<readonly AgentEvent[]>(
    begin,
    [delta('a \u001B[2J\r red \u009B31m\n\n'), delta('```\ncode\n')],
    [finishedText],
    [grepQueued('a')],
    [grepSettled('a', ['\u001B[A'])],
    [{event: 'approval-requested', approval: mild('a1', 'printf "\u001B[2J\r"')}],
    [{event: 'approval-settled', id: actionId('a1'), decision: 'allowed'}],
    [{event: 'notice', level: 'warning', text: 'odd \u001B[3J text'}],
    [finished({kind: 'interrupted'})],
    [accepted('\u001B]0;title\u0007')],
  );
  const step = fc.oneof(
    keys.map(key => ({key, events: []})),
    told.map(events => ({key: '', events})),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, {maxLength: 25}), async steps => {
      const speaker = await speak();
      for (const {key, events} of steps) {
        if (key === '') speaker.engine.emit(...events);
        else await speaker.typeOn(key);
      }
      await leaveSpeakers();
      const written = speaker.screen.written();
      // oxlint-disable-next-line no-control-regex -- what a terminal is sent
      expect(written.replaceAll('\u0008 \u0008', '').match(/[^\n\u0020-\u007E\u00A0-\u{10FFFF}]/u)).toBeNull();
      expect(written.endsWith('\n')).toBe(true);
    }),
    {numRuns: randomInputs(40)},
  );
});

function sessionId(number: number): SessionId {
  const id = parseSessionId(`00000000-0000-4000-8000-${String(number).padStart(12, '0')}`);
  if (id === undefined) throw new Error('no id');
  return id;
}
