import {describe, expect, test} from 'vitest';
import type {Approval} from '../../../src/actions/agent-event.ts';
import type {PendingChanges} from '../../../src/actions/changes-port.ts';
import {accessOf, type Action} from '../../../src/actions/catalogue.ts';
import {failed, ok} from '../../../src/base/outcome.ts';
import type {CommandsPort} from '../../../src/actions/commands-port.ts';
import type {HookReply, HooksPort, PermissionAnswer} from '../../../src/actions/hooks-port.ts';
import type {ApprovalAnswer} from '../../../src/agent/client.ts';
import type {Change, DroppedChange} from '../../../src/domain/change-set.ts';
import {blockTexts} from '../../../src/domain/conversation.ts';
import {actionId} from '../../../src/domain/ids.ts';
import {treeId} from '../../../src/domain/checkpoint.ts';
import {noDetail, type PermissionMode, type Verdict} from '../../../src/domain/risk.ts';
import {commandBlock} from '../../../src/domain/slash-command.ts';
import {callBlock, callsTools, engineBench, finishedReport, promptOp, says} from '../../support/memory-ports.ts';

const file = (path: string, kind: Change['kind'] = 'changed'): Change => ({path, kind, class: 'file'});
const output = (path: string): Change => ({path, kind: 'created', class: 'output'});
const guarded: Change = {path: '.envrc', kind: 'created', class: 'protected', why: 'name'};

const verdictOf = (decision: Verdict['decision'], more: Partial<Verdict> = {}): Verdict => ({
  decision,
  risk: 'local-change',
  reasons: decision === 'allow' ? [] : [{kind: 'mode', mode: 'default'}],
  sessionApproval: 'kind',
  detail: noDetail,
  ...more,
});

interface Given {
  readonly changes: readonly Change[];
  /** The verdict on an edit of these paths; asks unless given. */
  readonly edit?: (paths: readonly string[]) => Verdict;
  readonly interaction?: 'interactive' | 'unattended';
  readonly mode?: PermissionMode;
  readonly conflicts?: readonly string[];
  readonly uncovered?: readonly string[];
  /** The command was stopped, or went to the background. */
  readonly isAlone?: boolean;
  readonly script?: readonly ReturnType<typeof callsTools>[];
  readonly hooks?: Partial<HooksPort>;
  /** What the sandbox kept the command from. */
  readonly blocked?: string;
  readonly unsandboxedRetry?: 'never';
  readonly commands?: CommandsPort;
  readonly clock?: {now(): number};
}

/** An engine whose shell runs `make` in a view, and what the workspace saw: checkpoints and applied paths, in order. */
function benchOf(given: Given) {
  const happened: string[] = [];
  const held = (): PendingChanges => ({
    changes: given.changes,
    diffs: async paths =>
      paths.map(path => ({
        path,
        before: 'x',
        after: 'y',
        movedFrom: undefined,
        added: 1,
        removed: 0,
        hunks: [],
        notes: [],
      })),
    keep: async () => failed('Nothing is kept here.'),
    async apply(paths) {
      happened.push(`apply ${paths.join(' ')}`);
      const wanted = given.changes.filter(({path}) => paths.includes(path));
      const isConflict = ({path}: Change): boolean => given.conflicts?.includes(path) === true;
      return {
        applied: wanted.filter(change => !isConflict(change)),
        dropped: wanted.filter(isConflict).map(change => ({change, why: 'conflict'})),
      };
    },
  });
  const assess = (action: Action): Verdict => {
    const access = accessOf(action);
    if (access.kind !== 'edit') return verdictOf('allow', {risk: 'unknown'});
    return (given.edit ?? (() => verdictOf('ask')))(access.edits.map(edit => ('path' in edit ? edit.path : '')));
  };
  const bench = engineBench(
    [...(given.script ?? [callsTools(callBlock('Bash', {command: 'make'}, 'b'))]), says('end')],
    {
      assess,
      obligations: action => (accessOf(action).kind === 'command' ? [{kind: 'confined', to: 'sandbox'}] : []),
      shell: async (request, _, signal) => {
        happened.push(`run ${request.confinement}`);
        if (request.changes === 'none') return finishedReport('made');
        const blocked = given.blocked ?? '';
        const decideSignal = given.isAlone === true ? AbortSignal.abort() : signal;
        return {...finishedReport('made'), blocked, changes: await request.changes(held(), decideSignal, blocked)};
      },
      hooks: given.hooks ?? {},
      unsandboxedRetry: given.unsandboxedRetry ?? 'offered',
      ...(given.commands === undefined ? {} : {commands: given.commands}),
      checkpoints: {
        prefetch: async () => {},
        uncoveredFiles: async ({paths}) => (given.uncovered ?? []).filter(path => paths.includes(path)),
        take: async () => {
          happened.push('checkpoint');
          return ok(treeId('same'));
        },
        preview: async () => ok({files: [], conflicts: [], excluded: [], coverage: 'all files' as const}),
        revert: async () => Promise.reject(new Error('never called')),
      },
      ...(given.clock === undefined ? {} : {clock: given.clock}),
      options: {
        interaction: given.interaction ?? 'interactive',
        ...(given.mode === undefined ? {} : {mode: given.mode}),
      },
    },
  );
  return {bench, happened};
}

/** Runs a prompt with one command, answers the question about its changes, and tells what came of them. */
async function decide(given: Given, answer?: ApprovalAnswer) {
  const {bench, happened} = benchOf(given);
  const done = bench.prompt('go');
  let approval: Approval | undefined;
  if (answer !== undefined) {
    ({approval} = await bench.next('approval-requested'));
    bench.engine.submit({op: 'answer-approval', id: approval.id, answer});
  }
  const summary = await done;
  const {toolResult, result} = await bench.next('action-settled');
  const ran =
    result.tag === 'action' && result.result.name === 'request-command-output' ? result.result.settled : undefined;
  const outcome = ran?.state === 'success' && ran.output.kind === 'completed' ? ran.output.report.changes : undefined;
  return {
    approval,
    happened,
    summary,
    applied: outcome?.applied.map(({path}) => path),
    dropped: outcome?.dropped.map(({change, why}: DroppedChange) => `${change.path} ${why}`),
    text: blockTexts(toolResult.content).join('\n'),
    journal: bench.session.kept.flatMap(record =>
      record.kind === 'approval' ? [`${record.decision} by ${record.by}: ${record.label}`] : [],
    ),
  };
}

const yes = {decision: 'allow', scope: 'once'} as const;

test('one question is about all changes that ask; output is applied before, the checkpoint is taken before files', async () => {
  const changes = [guarded, output('dist/a.js'), file('a.ts'), file('b.ts', 'deleted')];
  const end = await decide({changes}, yes);
  expect(end.approval).toMatchObject({
    id: actionId('b'),
    toolName: 'Bash',
    input: {command: 'make'},
    label: 'Keep changes of: make',
    sessionGrant: 'all edits inside the workspace',
    preview: {kind: 'changes', command: 'make', directory: '/work', asked: changes.slice(2)},
    verdict: {decision: 'ask', risk: 'local-change', reasons: [{kind: 'mode', mode: 'default'}]},
  });
  expect(end.happened).toEqual(['run sandbox', 'apply dist/a.js', 'checkpoint', 'apply a.ts b.ts', 'checkpoint']);
  expect([end.applied, end.dropped, end.summary.denials]).toEqual([
    ['a.ts', 'b.ts'],
    ['.envrc protected'],
    [
      {
        call: expect.objectContaining({id: actionId('b')}),
        by: 'rule',
        of: {kind: 'changes', changes: [guarded], total: 1},
      },
    ],
  ]);
  expect(end.journal).toEqual(['allowed by user: Keep changes of: make']);
});

test('picked files are kept, the others are dropped and are a denial', async () => {
  const changes = [file('a.ts'), file('b.ts'), file('c.ts')];
  const end = await decide({changes, conflicts: ['a.ts']}, {decision: 'allow-files', paths: ['a.ts', 'b.ts', 'other']});
  expect([end.applied, end.dropped]).toEqual([['b.ts'], ['a.ts conflict', 'c.ts refused']]);
  expect(end.summary.denials).toMatchObject([{by: 'user', of: {kind: 'changes', changes: [file('c.ts')]}}]);
});

test("the time that a person takes to answer is not the command's", async () => {
  let now = 0;
  const {bench} = benchOf({changes: [file('a.ts')], clock: {now: () => now}});
  const done = bench.prompt('go');
  const {approval} = await bench.next('approval-requested');
  now += 60_000;
  bench.engine.submit({op: 'answer-approval', id: approval.id, answer: yes});
  await done;
  expect((await bench.next('action-settled')).durationMs).toBe(0);
});

test('a refusal drops all of them, and the model reads why', async () => {
  const end = await decide({changes: [file('a.ts')]}, {decision: 'refuse', message: 'Not that one.', by: 'user'});
  expect(end.happened).toEqual(['run sandbox']);
  expect(end.text).toContain('[refused and not kept: a.ts; they said: Not that one.]');
  expect(end.journal).toEqual(['refused by user: Keep changes of: make']);
});

test.each<[string, Partial<Given>, readonly string[], readonly string[]]>([
  ['nobody can be asked', {interaction: 'unattended'}, [], ['a.ts nobody']],
  ['the mode asks nothing', {mode: 'dontAsk'}, [], ['a.ts unwanted']],
  ['the mode allows edits', {edit: () => verdictOf('allow')}, ['a.ts'], []],
  ['a rule denies it', {edit: paths => verdictOf(paths.includes('a.ts') ? 'deny' : 'allow')}, [], ['a.ts rule']],
])('where %s', async (_, given, applied, dropped) => {
  const end = await decide({changes: [file('a.ts'), output('dist/x')], ...given});
  expect([end.applied, end.dropped]).toEqual([applied, dropped]);
  expect(end.happened.filter(what => what.startsWith('apply'))).toEqual([['apply', ...applied, 'dist/x'].join(' ')]);
});

test('a command that was stopped keeps its output but for what a rule denies, and nobody is asked', async () => {
  const end = await decide({
    changes: [guarded, file('a.ts'), output('dist/a'), output('dist/b')],
    edit: paths => verdictOf(paths.includes('dist/b') ? 'deny' : 'ask'),
    isAlone: true,
  });
  expect([end.happened, end.dropped]).toEqual([
    ['run sandbox', 'apply dist/a'],
    ['.envrc protected', 'a.ts interrupted', 'dist/b rule'],
  ]);
});

test('a checkpoint is taken before an ignored file that was there is lost', async () => {
  const end = await decide({changes: [{...output('data.db'), kind: 'deleted'}]});
  expect(end.happened).toEqual(['run sandbox', 'checkpoint', 'apply data.db', 'checkpoint']);
});

test('a rule that denies some output drops those files alone', async () => {
  const changes = Array.from({length: 40}, (_, at) => output(`dist/${at}`));
  const denied = new Set(['dist/7', 'dist/30']);
  const end = await decide({
    changes,
    edit: paths => verdictOf(paths.some(path => denied.has(path)) ? 'deny' : 'ask'),
  });
  expect(end.dropped).toEqual(['dist/30 rule', 'dist/7 rule']);
  expect(end.happened[1]?.split(' ').length).toBe(39);
});

test('a yes for the session holds for the changes of the next command, and for edits', async () => {
  const script = ['b1', 'b2'].map(id => callsTools(callBlock('Bash', {command: 'make'}, id)));
  const {bench, happened} = benchOf({changes: [file('a.ts')], script});
  const done = bench.prompt('go');
  const {approval} = await bench.next('approval-requested');
  bench.engine.submit({op: 'answer-approval', id: approval.id, answer: {decision: 'allow', scope: 'session'}});
  await done;
  expect(happened.filter(what => what === 'apply a.ts').length).toBe(2);
});

describe('a deleted file that nothing brings back', () => {
  test('takes a typed word', async () => {
    const end = await decide({changes: [file('big.bin', 'deleted'), file('a.ts')], uncovered: ['big.bin']}, yes);
    expect(end.approval?.verdict).toMatchObject({
      risk: 'destructive',
      detail: {confirmWord: 'delete'},
      reasons: [
        {kind: 'mode', mode: 'default'},
        {kind: 'not-undoable', text: 'Undo does not cover big.bin'},
      ],
    });
  });

  test('takes one although all edits were allowed for the session; the other changes are kept unasked', async () => {
    const script = ['b1', 'b2'].map(id => callsTools(callBlock('Bash', {command: 'make'}, id)));
    const changes = [file('a.ts'), file('big.bin', 'deleted')];
    const {bench, happened} = benchOf({changes, uncovered: ['big.bin'], script});
    const done = bench.prompt('go');
    const first = await bench.next('approval-requested');
    const answer = {decision: 'allow', scope: 'session'} as const;
    bench.engine.submit({op: 'answer-approval', id: first.approval.id, answer});
    const {approval} = await bench.next('approval-requested');
    expect(approval).toMatchObject({
      preview: {asked: [{path: 'big.bin'}]},
      verdict: {detail: {confirmWord: 'delete'}},
    });
    bench.engine.submit({
      op: 'answer-approval',
      id: approval.id,
      answer: {decision: 'refuse', message: '', by: 'user'},
    });
    await done;
    expect(happened.filter(what => what.startsWith('apply'))).toEqual(['apply a.ts big.bin', 'apply a.ts']);
  });

  test('whose name is not UTF-8 takes one, too: no checkpoint holds it', async () => {
    const end = await decide({changes: [file('bad\\xff.txt', 'deleted')]}, yes);
    expect(end.approval?.verdict).toMatchObject({
      detail: {confirmWord: 'delete'},
      reasons: [{kind: 'mode'}, {kind: 'not-undoable', text: 'Undo does not cover bad\\xff.txt'}],
    });
  });

  test('one that is overwritten is told', async () => {
    const end = await decide({changes: [file('big.bin'), file('a.ts', 'deleted')], uncovered: ['big.bin']}, yes);
    expect(end.approval?.verdict).toMatchObject({risk: 'local-change', detail: {confirmWord: ''}});
    expect(end.approval?.verdict.reasons.at(-1)).toMatchObject({kind: 'not-undoable'});
  });
});

test('an interrupt while the question is open drops the changes, and the command has its result', async () => {
  const {bench, happened} = benchOf({changes: [file('a.ts')]});
  bench.engine.submit(promptOp('go'));
  const {approval} = await bench.next('approval-requested');
  bench.engine.submit({op: 'interrupt'});
  bench.engine.submit({op: 'answer-approval', id: approval.id, answer: yes});
  const {toolResult} = await bench.next('action-settled');
  const {summary} = await bench.next('prompt-finished');
  expect(blockTexts(toolResult.content).join('')).toContain('[not kept, because the command was interrupted: a.ts]');
  expect([happened, summary.end, summary.denials]).toEqual([['run sandbox'], {kind: 'interrupted'}, []]);
});

test('another input than that which ran drops the changes; the same one keeps them', async () => {
  const other = {decision: 'allow-updated', input: {command: 'other'}, rules: []} as const;
  const end = await decide({changes: [file('a.ts')]}, other);
  expect([end.dropped, end.text.includes('the command has already run')]).toEqual([['a.ts refused'], true]);
  const same = await decide({changes: [file('a.ts')]}, {...other, input: 'unchanged'});
  expect(same.applied).toEqual(['a.ts']);
});

const reply = <Answer>(answer: Answer): HookReply<Answer> => ({
  answer,
  failures: [],
  flow: {kind: 'go-on'},
  messages: [],
});
const allowsCall = async () => reply({verdict: {kind: 'allow'}, input: 'unchanged', context: ''} as const);

const asked = (verdict: PermissionAnswer['verdict'], seen: unknown[] = []): Partial<HooksPort> => ({
  async permissionRequest({call, changes}) {
    seen.push([call.name, call.input, changes]);
    return reply({verdict});
  },
});

describe('hooks', () => {
  test('for permissions see the changes, and keep or drop them where nobody could be asked', async () => {
    const seen: unknown[] = [];
    const given = {changes: [file('a.ts')], interaction: 'unattended'} as const;
    const kept = await decide({...given, hooks: asked({kind: 'allow', input: 'unchanged', rules: []}, seen)});
    expect([kept.applied, kept.journal, seen]).toEqual([
      ['a.ts'],
      ['allowed by hook: Keep changes of: make'],
      [['Bash', {command: 'make'}, [file('a.ts')]]],
    ]);
    const dropped = await decide({...given, hooks: asked({kind: 'deny', reason: 'No files.', next: 'go-on'})});
    expect([dropped.dropped, dropped.text.includes('they said: No files.')]).toEqual([['a.ts refused'], true]);
  });

  test('that allow the command before it runs have decided: it has no view of its own', async () => {
    const end = await decide({changes: [file('a.ts')], hooks: {preToolUse: allowsCall}});
    expect(end.happened.slice(0, 2)).toEqual(['checkpoint', 'run chosen']);
  });
});

test('a command that failed in the sandbox runs outside before anything is asked about its changes', async () => {
  const {bench, happened} = benchOf({
    changes: [output('dist/a'), file('a.ts')],
    blocked: 'it has no network there',
  });
  const done = bench.prompt('go');
  const {id} = await bench.next('question-asked');
  const answers = [{selected: ['Run it outside'], other: ''}];
  bench.engine.submit({op: 'answer-question', id, answer: {kind: 'answered', answers}});
  await done;
  expect(happened).toEqual(['run sandbox', 'checkpoint', 'run outside', 'checkpoint']);
});

test('where the settings say that nothing leaves the sandbox, nobody is asked to', async () => {
  const blocked = 'it has no network there';
  const {bench, happened} = benchOf({changes: [output('dist/a')], blocked, unsandboxedRetry: 'never'});
  await bench.prompt('go');
  expect(happened).toEqual(['run sandbox', 'apply dist/a']);
});

test('what a line of a slash command has changed is a denial, too, and the model reads of it', async () => {
  const commands: CommandsPort = {
    ready: async () => {},
    whyWithheld: () => '',
    list: () => [
      {
        name: 'gen',
        description: '',
        argumentHint: '',
        kind: 'command',
        source: {kind: 'file', scope: 'user', path: '/c'},
      },
    ],
    expand: async () =>
      ok({
        parts: [{kind: 'shell', command: 'make'}],
        mentions: 'none',
        model: undefined,
        allowedTools: [],
        block: text => commandBlock({name: 'gen', text}),
      }),
  };
  const {bench} = benchOf({changes: [file('a.ts')], interaction: 'unattended', commands, script: []});
  const {denials} = await bench.prompt('/gen');
  expect(denials).toMatchObject([{by: 'nobody', of: {kind: 'changes', changes: [file('a.ts')]}}]);
  expect(JSON.stringify(bench.model.requests[0]?.messages)).toContain('not kept, because there is no one to ask');
});

const pipe = (at: number): Change => ({path: `a/p${at}`, kind: 'created', class: 'protected', why: 'device'});

test('of thousands of dropped changes the first of each reason are named, and all are counted', async () => {
  const changes = [...Array.from({length: 1500}, (_, at) => pipe(at)), file('z.ts')];
  const {bench} = benchOf({changes, interaction: 'unattended'});
  const {denials} = await bench.prompt('x');
  expect(denials.map(({by, of}) => [by, of.kind === 'changes' ? [of.changes.length, of.total] : 'call'])).toEqual([
    ['nobody', [1, 1]],
    ['rule', [1000, 1500]],
  ]);
  const told = JSON.stringify(bench.model.requests[1]?.messages);
  expect(told).toMatch(/not kept, because there is no one to ask [^\]]*: z\.ts\]/u);
  expect(told).toMatch(/never kept, [^\]]* and 1490 more files\]/u);
});

test('in plan mode nothing is applied, output neither', async () => {
  const end = await decide({changes: [file('a.ts'), output('dist/x')], mode: 'plan', edit: () => verdictOf('allow')});
  expect([end.dropped, end.happened.some(what => what.startsWith('apply'))]).toEqual([
    ['a.ts plan', 'dist/x plan'],
    false,
  ]);
});
