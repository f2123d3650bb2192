import {beforeAll, describe, expect, test} from 'vitest';
import type {AgentEvent, PromptSummary} from '../../src/actions/agent-event.ts';
import {actionOf, type Action} from '../../src/actions/catalogue.ts';
import {emptyUserChanges} from '../../src/domain/file-edit.ts';
import type {Preview} from '../../src/actions/preview.ts';
import type {Json} from '../../src/base/json.ts';
import {otherRefusal} from '../../src/domain/fault.ts';
import {actionId, messageId, todoId} from '../../src/domain/ids.ts';
import {noUsage} from '../../src/domain/usage.ts';
import {framesFor} from '../../src/tasks/update-list.ts';
import {loadMarkdownLexer, type MarkdownLexer} from '../../src/tui/scrollback/render-markdown.ts';
import {takeFinished, withQueuedPrompt, reduce} from '../../src/tui/state/reduce.ts';
import {statusOf} from '../../src/tui/state/selectors.ts';
import {emptyView, type QueuedPrompt, type View} from '../../src/tui/state/view.ts';
import {themeOf} from '../../src/tui/theme/theme.ts';
import {todosOf} from '../../src/tasks/task-view.ts';
import {approvalTitle} from '../../src/tui/scrollback/approval-text.ts';
import {finishedLines, openLines} from '../../src/tui/scrollback/entries.ts';
import type {EntryFrame} from '../../src/tui/text/wrap.ts';
import {accepted, delta, finished, grepInput, grepQueued, grepSettled, message, textStarted} from './support/events.ts';
import {editEvents} from './support/work-events.ts';
import {opening, sessionInfo} from './support/scripted-engine.ts';
import {mild} from './support/stage.ts';

let lexer: MarkdownLexer;
beforeAll(async () => {
  lexer = await loadMarkdownLexer();
});
const frame: EntryFrame = {theme: themeOf('plain'), width: 60, verbosity: 'summary', home: ''};

/** What the scrollback and the live region hold after the events, drained after each. */
/** Wide enough for a line for each step of an exploration. */
const wide: EntryFrame = {...frame, width: 72};

const story = (...events: readonly AgentEvent[]) => storyAt(frame, ...events);

function storyAt(
  at: EntryFrame,
  ...events: readonly AgentEvent[]
): {readonly view: View; readonly out: string; readonly live: string} {
  let view = emptyView;
  const out: string[] = [];
  for (const event of events) {
    const drained = takeFinished(reduce(view, event));
    view = drained.view;
    out.push(...drained.finished.flatMap(one => finishedLines(one, lexer, at)));
  }
  const live = openLines(view, {lexer, actions: new Map()}, at);
  return {view, out: out.join('\n'), live: live.join('\n')};
}

const commandAction = (command: string): Action =>
  actionOf('request-command-output', {
    command,
    timeoutMs: 1,
    place: 'foreground',
    claims: {readOnly: 'unsaid', risky: 'unsaid', usesPager: 'unsaid'},
    description: '',
    rationale: '',
  });

const usageOf = (costUsd: number) => ({
  models: {m: {usage: noUsage, costUsd, requests: 1, webSearches: 0}},
  contextTokens: 0,
  contextWindow: 0,
});

const queuedCommand = (id: string): AgentEvent => ({
  event: 'action-queued',
  id: actionId(id),
  action: commandAction(id),
  label: `Run ${id}`,
});

const failedCall = (id: string): AgentEvent => ({
  event: 'action-settled',
  call: {kind: 'tool-call', id: actionId(id), name: 'Bash', input: {}},
  result: {tag: 'undecodable', fault: {kind: 'rejected', message: 'No.'}},
  toolResult: {kind: 'tool-result', id: actionId(id), content: [], outcome: 'error'},
  durationMs: 5,
});

const think = (text: string): AgentEvent => ({
  event: 'block-delta',
  message,
  index: 0,
  delta: {kind: 'thinking', text},
});

const todo = (at: number, status: 'pending' | 'in_progress' | 'completed') => ({
  id: todoId(`t${at}`),
  title: `step ${at}`,
  description: '',
  status,
});

/** Tool, input, outcome, what the model was told, what is shown. */
const pastCalls: readonly (readonly [string, Json, 'success' | 'error' | 'cancelled', string, readonly string[]])[] = [
  ['Read', {file_path: 'a.ts'}, 'success', '1\tone\n2\ttwo', ['  Explored 1 file, 1 search · Ctrl+O shows them']],
  ['Grep', {pattern: 'x', output_mode: 'content'}, 'success', 'a.ts:1:x\na.ts:3:x\nb.ts:9:x', []],
  ['TodoWrite', {todos: [{content: 'Look', status: 'in_progress', activeForm: 'Looking'}]}, 'success', 'Updated.', []],
  [
    'Bash',
    {command: 'npm test'},
    'success',
    '1\n2\n3\n4\n5\n6\n[exit code 1 after 0.1 s in /x]',
    [
      '  ✗ npm test                                          exit 1',
      '    │ 1',
      '    │ 2',
      '    │ 3',
      '    │ 4',
      '    │ 5',
      '    ╰ 6',
    ],
  ],
  [
    'Write',
    {file_path: 'n.txt', content: 'x'},
    'success',
    'Created n.txt (+1 -0)',
    ['  ✓ Created n.txt  +1 -0', '    + x'],
  ],
  [
    'Edit',
    {file_path: 'm.txt', old_string: 'a\nb\nc', new_string: 'a\nB\nc'},
    'success',
    'Changed m.txt (+1 -1)',
    ['  ✓ Edited m.txt  +1 -1', '    - b', '    + B'],
  ],
  ['Edit', {file_path: 'n.txt', old_string: 'x', new_string: 'y'}, 'error', 'No x.', ['  ✗ Edit n.txt', '    ╰ No x.']],
  [
    'Bash',
    {command: 'rm x'},
    'cancelled',
    'The user said no to this: keep it',
    ['  ⊘ rm x                                         you said no', '    ╰ keep it'],
  ],
  [
    'Bash',
    {command: 'sleep 9'},
    'cancelled',
    'The user interrupted this.\nOutput before it was stopped:\n1',
    ['  ⊘ sleep 9                                      interrupted', '    ╰ 1'],
  ],
  ['Nope', {}, 'error', 'No tool named "Nope".', ['  ✗ Nope', '    ╰ No tool named "Nope".']],
];

const wrongUrl = {
  kind: 'provider',
  message: 'No API here.',
  fix: 'Check the base URL.',
  status: 404,
  refusal: otherRefusal,
} as const;

describe('stories', () => {
  test('a message leaves block by block and its rest stays live', () => {
    const {out, live} = story(opening, accepted('go'), textStarted, delta('# Head\n\nfirst\n\nsec'), delta('ond'));
    expect({out, live}).toEqual({out: '\n▌ go\n\n● Head\n\n  first', live: '\n  second'});
  });

  test('code is set in and nothing else stands with it: the language of its fence is not code', () => {
    const {out, live} = story(opening, textStarted, delta('see\n\n```ts\nlet a;\n```\n\nend'));
    expect({out, live}).toEqual({out: '\n● see\n\n    let a;', live: '\n  end'});
  });

  test('an action that is done waits for those before it', () => {
    const {out, live} = story(opening, queuedCommand('a'), queuedCommand('b'), failedCall('b'));
    expect({out, live}).toEqual({out: '', live: '\n  ○ a\n\n  ✗ Run b\n    ╰ No.'});
    const after = story(opening, queuedCommand('a'), queuedCommand('b'), failedCall('b'), failedCall('a'));
    expect(after.out).toBe('\n  ✗ Run a\n    ╰ No.\n\n  ✗ Run b\n    ╰ No.');
    expect(after.view.entries).toEqual([]);
  });

  describe('what only looks is one entry', () => {
    const thought: readonly AgentEvent[] = [
      {event: 'block-started', message, index: 0, block: {kind: 'thinking'}},
      think('Aha.'),
      {event: 'block-finished', message, index: 0, block: {kind: 'thinking', text: '', signature: ''}},
    ];
    const looked = [
      opening,
      accepted('go'),
      grepQueued('a'),
      grepQueued('b'),
      grepSettled('b', []),
      grepSettled('a', ['f', 'g']),
    ];

    test('it grows while nothing else follows, over thoughts and empty text', () => {
      const {out, live} = storyAt(wide, ...looked, ...thought, textStarted, grepQueued('c'));
      expect({out, live}).toEqual({
        out: '\n▌ go',
        live: '\n  Exploring  searched "x": 2 files\n             searched "x": no matches\n             searched "x"',
      });
    });

    test.each<[string, AgentEvent]>([
      ['text', delta('Here.')],
      ['the end of the turn', finished({kind: 'done'})],
      ['a notice', {event: 'notice', level: 'info', text: 'By the way.'}],
    ])('%s ends it: it is written once', (_name, event) => {
      const {out} = storyAt(wide, ...looked, textStarted, event);
      expect(out).toBe(`\n▌ go\n\n  Explored  searched "x": 2 files\n            searched "x": no matches`);
    });

    test('on a narrow screen it is one line that counts, and while it grows its last step', () => {
      expect(story(...looked).live).toBe('\n  Exploring  searched "x": no matches');
      expect(story(...looked, textStarted, delta('Here.')).out).toBe(
        '\n▌ go\n\n  Explored 2 searches · Ctrl+O shows them',
      );
    });

    test('unfolded it is each search with all that was found, and the thoughts between', () => {
      const drained = takeFinished(
        [...looked, ...thought, grepQueued('c'), grepSettled('c', ['h']), finished({kind: 'done'})].reduce(
          reduce,
          emptyView,
        ),
      );
      const lines = drained.finished
        .filter(({kind}) => kind === 'exploration')
        .flatMap(one => finishedLines(one, lexer, {...frame, verbosity: 'full'}));
      expect(lines).toEqual([
        '',
        '  ✓ Search a',
        '    │ f',
        '    │ g',
        '    ╰ 2 lines',
        '',
        '  ✓ Search b',
        '    ╰ no lines',
        '',
        '  Aha.',
        '',
        '  ✓ Search c',
        '    │ h',
        '    ╰ 1 line',
      ]);
    });
  });

  test('a call that did not decode has a card of its own', () => {
    const {out} = story(opening, {
      event: 'action-settled',
      call: {kind: 'tool-call', id: actionId('x'), name: 'Nope', input: {}},
      result: {tag: 'undecodable', fault: {kind: 'rejected', message: 'There is no tool Nope.'}},
      toolResult: {kind: 'tool-result', id: actionId('x'), content: [], outcome: 'error'},
      durationMs: 0,
    });
    expect(out).toBe('\n  ✗ Nope\n    ╰ There is no tool Nope.');
  });

  test('a cancelled action says why', () => {
    const {out} = story(
      opening,
      accepted('go'),
      grepQueued('a'),
      {
        event: 'action-settled',
        call: {kind: 'tool-call', id: actionId('a'), name: 'Grep', input: {}},
        result: {
          tag: 'action',
          result: {
            name: 'grep',
            input: grepInput,
            settled: {state: 'cancelled', why: {reason: 'declined', message: 'use the index'}, partial: {queries: []}},
          },
        },
        toolResult: {kind: 'tool-result', id: actionId('a'), content: [], outcome: 'cancelled', reason: 'declined'},
        durationMs: 0,
      },
      finished({kind: 'done'}),
    );
    expect(out).toBe('\n▌ go\n\n  Explored  ✗ searched "x": you said no: use the index');
  });

  test('an interrupted message ends where it was and the view says so', () => {
    const {view, out} = story(opening, accepted('go'), textStarted, delta('half'), finished({kind: 'interrupted'}));
    expect(out).toBe('\n▌ go\n\n● half\n\n⊘ Interrupted · tell weft what to do instead');
    expect(view.run).toEqual({state: 'idle'});
  });

  test('a fault of the provider is told with what to do', () => {
    const fault = {...wrongUrl, message: 'The key was refused.', fix: 'Set the key.', status: 401};
    const {out} = story(opening, accepted('go'), finished({kind: 'failed', fault}));
    expect(out).toBe('\n▌ go\n\n✗ The key was refused. Set the key.\n  Type "continue" to try again.');
  });

  test('an address that is wrong cannot be changed while weft runs', () => {
    const {out} = story(opening, accepted('go'), finished({kind: 'failed', fault: wrongUrl}));
    expect(out).toBe(
      '\n▌ go\n\n✗ No API here. Check the base URL.\n  To change the URL: /exit, then run weft -c with the right\n  one.',
    );
  });

  test('a broken connection is marked where the answer was joined', () => {
    const retrying: AgentEvent = {
      event: 'retrying',
      attempt: 1,
      maxAttempts: 10,
      delayMs: 100,
      status: 0,
      message: 'The connection broke.',
    };
    const joined = story(opening, textStarted, delta('half an ans'), retrying, delta('wer\n\nand '), delta('more'));
    expect(joined.out).toBe('\n● half an ans\n\n  ⋯ connection lost and restored here ⋯\n\n  wer');
    expect(joined.live).toBe('\n  and more');
    const code = story(opening, textStarted, delta('```js\nlet a;\nlet'), retrying, delta(' b;\n```\n\nend'));
    expect(code.out).toBe('\n●   let a;\n    let\n\n  ⋯ connection lost and restored here ⋯\n     b;');
    expect(story(opening, textStarted, retrying, delta('all')).live).toBe('\n● all');
  });

  test('paths inside the workspace are relative to it', () => {
    const {directory} = sessionInfo;
    const read = actionOf('read-files', {requests: [{path: `${directory}/src/a.ts`, offset: 1, limit: 9}]});
    const edit = actionOf('request-file-edits', {edits: [], userChanges: emptyUserChanges});
    const {live} = story(
      opening,
      accepted('go'),
      {event: 'action-queued', id: actionId('r'), action: read, label: `Read ${directory}/src/a.ts`},
      {event: 'action-queued', id: actionId('e'), action: edit, label: `Edit ${directory}/src/a.ts`},
    );
    expect(live).toBe('\n  Exploring  read src/a.ts\n\n  ○ Edit src/a.ts');
  });

  test('on cards, too, but a command stays as it would run', () => {
    const {directory} = sessionInfo;
    const asked = (preview: Preview): AgentEvent => ({
      event: 'approval-requested',
      approval: {...mild('a', 'ls'), label: `Read ${directory}/src/a.ts`, preview},
    });
    const command = mild('a', 'ls').preview;
    const labels = [asked({kind: 'none'}), asked(command)].map(
      event => [opening, event].reduce<View>(reduce, emptyView).approvals[0]?.label,
    );
    expect(labels).toEqual(['Read src/a.ts', `Read ${directory}/src/a.ts`]);
  });

  test('cards of a sub-agent say whose they are', () => {
    const id = sessionInfo.id;
    const asker = {id, name: 'find the parser', kind: 'explore', harness: 'weft'};
    const question = {question: 'Which?', header: '', options: [], choice: 'one'} as const;
    const approval = {...mild('a', 'npm test'), asker};
    const view = [
      opening,
      {event: 'approval-requested', approval} as const,
      {event: 'question-asked', files: [], id: actionId('q'), asker, questions: [question]} as const,
    ].reduce<View>(reduce, emptyView);
    expect(view.questions[0]?.questions[0]?.question).toBe('find the parser: Which?');
    const title = (cells: number) => approvalTitle(approval, {cells, home: ''});
    expect([title(60), title(24)]).toEqual(['find the parser: Run this command?', 'find the …: Run this co…']);
  });

  test('what was attached to a prompt stands below it', () => {
    const prompt: AgentEvent = {...accepted('look at @a.ts'), attached: ['a.ts (12 lines)', 'image']};
    expect(story(opening, prompt).out).toBe('\n▌ look at @a.ts\n  ╰ a.ts (12 lines), image');
  });

  test('a turn ends with one line: what changed, how long, what it cost', () => {
    const end = finished({kind: 'done'});
    if (end.event !== 'prompt-finished') throw new Error('not an end');
    const events = [
      opening,
      {event: 'usage-changed', usage: usageOf(1)},
      accepted('go'),
      ...editEvents('a', 'a.ts', [{kind: 'added', text: 'x', changed: []}]),
      ...editEvents('b', 'b.ts', [{kind: 'removed', text: 'x', changed: []}]),
      ...editEvents('c', 'a.ts', [{kind: 'added', text: 'y', changed: []}]),
      {...end, summary: {...end.summary, durationMs: 72_400, waitedMs: 41_000, sessionUsage: usageOf(1.034)}},
    ] as const satisfies readonly AgentEvent[];
    const closing = (width: number): readonly string[] => {
      const {finished: all} = takeFinished(events.reduce<View>(reduce, emptyView));
      return all.filter(({kind}) => kind === 'end').flatMap(one => finishedLines(one, lexer, {...frame, width}));
    };
    expect(closing(80)).toEqual(['', '── 2 files changed +2 -1 · 1 m 12 s (41 s waiting for you) · $0.03 · /undo ──']);
    expect(closing(59)).toEqual(['', '── 2 files +2 -1 · 1 m 12 s · $0.03 · /undo ──']);
    expect(closing(39)).toEqual(['', '── 2 files +2 -1 · 1 m 12 s · $0.03 ·', '   /undo']);
    expect(story(opening, accepted('hi'), textStarted, delta('Hello.'), end).out).toBe('\n▌ hi\n\n● Hello.');
  });

  test('thinking is folded to a line', () => {
    const {out} = story(
      opening,
      {event: 'block-started', message, index: 0, block: {kind: 'thinking'}},
      think('word '.repeat(100)),
      {event: 'block-finished', message, index: 0, block: {kind: 'thinking', text: '', signature: ''}},
    );
    expect(out.split('\n')).toHaveLength(2);
    expect(out).toMatch(/^\n  Thought \(100 words\): word word .*…$/u);
  });

  test.each<[PromptSummary['stop'], string, string]>([
    ['end-turn', '', '! The model ended without an answer. Try again, or use another model.'],
    ['refusal', 'I had better not', '! The model declined to answer.'],
    ['max-tokens', 'half', "! The answer was cut off at the model's limit for one answer."],
    ['context-full', 'half', "! The answer was cut off: the model's context is full. Run /compact to free up space."],
  ])('an answer that ends in %s is remarked on', (stop, answer, line) => {
    const {out} = story(opening, accepted('go'), finished({kind: 'done'}, {stop, answer}));
    expect(out.replaceAll(/(?<=\S)\n {2}(?=\S)/gu, ' ')).toBe(`\n▌ go\n\n${line}`);
  });

  test('an edit is named once, with its counts, from the question to the result', () => {
    const edit = actionOf('request-file-edits', {
      edits: [{kind: 'write', path: 'new.txt', content: 'a\n'}],
      userChanges: emptyUserChanges,
    });
    const id = actionId('e');
    const preview: Preview = {
      kind: 'diff',
      files: [
        {
          path: 'new.txt',
          before: 'absent',
          after: 'x',
          added: 1,
          removed: 0,
          movedFrom: undefined,
          notes: [],
          hunks: [{oldStart: 1, newStart: 1, lines: [{kind: 'added', text: 'a', changed: []}]}],
        },
      ],
    };
    const queued: AgentEvent = {event: 'action-queued', id, action: edit, label: 'Edit new.txt'};
    const running: AgentEvent = {event: 'action-started', id, action: edit, preview};
    const done: AgentEvent = {
      event: 'action-settled',
      call: {kind: 'tool-call', id, name: 'Write', input: {}},
      result: {
        tag: 'action',
        result: {
          name: 'request-file-edits',
          input: edit.name === 'request-file-edits' ? edit.input : {edits: [], userChanges: emptyUserChanges},
          settled: {state: 'success', output: {files: preview.files, userChanged: []}},
        },
      },
      toolResult: {kind: 'tool-result', id, content: [], outcome: 'success'},
      durationMs: 5,
    };
    expect(story(opening, queued, running).live).toBe('\n  ● Create new.txt  +1 -0');
    expect(story(opening, queued, running, done).out).toBe('\n  ✓ Created new.txt  +1 -0\n    1 + a');
  });

  test('a question that was not answered says just that', () => {
    const {out} = story(opening, {
      event: 'action-settled',
      call: {kind: 'tool-call', id: actionId('a'), name: 'AskUserQuestion', input: {}},
      result: {
        tag: 'action',
        result: {
          name: 'ask-user-question',
          input: {questions: []},
          settled: {
            state: 'cancelled',
            why: {reason: 'declined', message: 'The user chose not to answer.'},
            partial: {questions: []},
          },
        },
      },
      toolResult: {kind: 'tool-result', id: actionId('a'), content: [], outcome: 'cancelled', reason: 'declined'},
      durationMs: 0,
    });
    expect(out).toBe('\n  ⊘ AskUserQuestion                             not answered');
  });

  test('of a progress line the last state is shown, wherever its chunks were cut', () => {
    const id = actionId('c');
    const output = (chunk: string): AgentEvent => ({event: 'action-output', id, chunk});
    const {live} = story(
      opening,
      {event: 'action-queued', id, action: commandAction('get'), label: 'Run get'},
      {event: 'action-started', id, action: commandAction('get'), preview: {kind: 'none'}},
      ...['start\n10%', '\r20%\r', '30', '%\r', '40%'].map(output),
    );
    expect(live).toBe('\n  ● get\n    │ start\n    ╰ 40%');
  });

  test('a command that the user changed is called by what runs', () => {
    const id = actionId('c');
    const {live} = story(
      opening,
      {event: 'action-queued', id, action: commandAction('touch wrong'), label: 'Run touch wrong'},
      {event: 'action-started', id, action: commandAction('touch right'), preview: {kind: 'none'}},
    );
    expect(live).toBe('\n  ● touch right');
    expect(live).not.toContain('wrong');
  });

  test('a resumed session shows what was said and done as it stood on screen', () => {
    const {out} = story({
      ...opening,
      session: {...sessionInfo, origin: 'resumed'},
      history: [
        {role: 'user', id: messageId('1'), blocks: [{kind: 'text', text: 'hi'}]},
        {
          role: 'assistant',
          id: messageId('2'),
          model: 'm',
          blocks: [
            {kind: 'text', text: 'hello *you*'},
            ...pastCalls.map(([name, input], at) => ({
              kind: 'tool-call' as const,
              id: actionId(`t${at}`),
              name,
              input,
            })),
          ],
          stop: 'tool-use',
          usage: noUsage,
        },
        {
          role: 'user',
          id: messageId('3'),
          blocks: pastCalls.map(([, , outcome, text], at) => ({
            kind: 'tool-result',
            id: actionId(`t${at}`),
            ...(outcome === 'cancelled' ? {outcome, reason: 'unknown'} : {outcome}),
            content: [{kind: 'text', text}],
          })),
        },
      ],
    });
    expect(out.split('\n')).toEqual([
      '',
      '  Session resumed.',
      '',
      '▌ hi',
      '',
      '● hello you',
      // The search joins the read before it, and todos are not shown.
      ...pastCalls.flatMap(([name, , , , lines]) => (name === 'Grep' || lines.length === 0 ? lines : ['', ...lines])),
    ]);
  });

  test('a new session keeps what was not yet written and forgets the rest', () => {
    const before = [opening, accepted('go'), textStarted, delta('half')].reduce(reduce, emptyView);
    const after = takeFinished(reduce(withQueuedPrompt(before, waiting('p2')), opening));
    expect(after.finished.flatMap(one => finishedLines(one, lexer, frame)).join('\n')).toBe(
      '\n▌ go\n\n● half\n\n  New session.',
    );
    expect(after.view).toEqual({...reduce(emptyView, opening), entries: []});
  });
});

const waiting = (id: string): QueuedPrompt => ({
  id: messageId(id),
  text: 'go',
  when: 'queued',
  typed: 'go',
  images: [],
});

describe('prompts that wait', () => {
  test('each leaves the queue when the engine takes it up; an interrupt drops them', () => {
    const two = ['p1', 'p2', 'p3'].map(waiting).reduce(withQueuedPrompt, reduce(emptyView, opening));
    const one = reduce(two, accepted('go'));
    expect(one.queued.map(({id}) => id)).toEqual(['p2', 'p3']);
    expect(reduce(one, {event: 'prompt-withdrawn', id: messageId('p2')}).queued.map(({id}) => id)).toEqual(['p3']);
  });
});

describe('what is derived', () => {
  test('the status line', () => {
    const view = reduce(reduce(emptyView, opening), {
      event: 'usage-changed',
      usage: {
        models: {
          a: {
            usage: {...noUsage, inputTokens: 900, cacheReadTokens: 45_000},
            costUsd: 0.5,
            requests: 2,
            webSearches: 0,
          },
          b: {usage: {...noUsage, outputTokens: 1234}, costUsd: 'unknown', requests: 1, webSearches: 0},
        },
        contextTokens: 50_000,
        contextWindow: 200_000,
      },
    });
    expect(statusOf(view)).toEqual({
      model: 'test-model',
      mode: 'asks first',
      tokens: '46k in, 1.2k out',
      cost: '$0.50+',
      context: '25% context',
    });
  });

  test('the todo list is decoded from frames', () => {
    const list = [todo(1, 'completed'), todo(2, 'in_progress'), ...[3, 4, 5, 6, 7].map(at => todo(at, 'pending'))];
    const view = reduce(emptyView, {event: 'todos-framed', frames: framesFor([], list)});
    expect(todosOf(view.tasks)).toEqual(list);
    const done = list.map(one => ({...one, status: 'completed'}) as const);
    const after = reduce(view, {event: 'todos-framed', frames: framesFor(list, done)});
    expect(todosOf(after.tasks)).toEqual(done);
  });
});
