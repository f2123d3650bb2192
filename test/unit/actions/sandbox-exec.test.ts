import {expect, test} from 'vitest';
import type {PendingChanges} from '../../../src/actions/changes-port.ts';
import type {ActionPorts, ShellRequest} from '../../../src/actions/ports.ts';
import {hostsOf} from '../../../src/actions/request-command-output.ts';
import type {FileDiff} from '../../../src/actions/preview.ts';
import type {Json} from '../../../src/base/json.ts';
import {failed, ok} from '../../../src/base/outcome.ts';
import type {Change} from '../../../src/domain/change-set.ts';
import type {RunTerms} from '../../../src/domain/executor.ts';
import {rejected} from '../../../src/domain/fault.ts';
import {
  aborted,
  callBlock,
  callsTools,
  engineBench,
  finishedReport,
  promptOp,
  says,
  settled,
  toolNames,
} from '../../support/memory-ports.ts';

const calls = (input: Json) => [callsTools(callBlock('SandboxExec', input)), says('end')];

const changes: readonly Change[] = [
  {path: '.mcp.json', kind: 'created', class: 'protected', why: 'name'},
  {path: 'dist/a.js', kind: 'created', class: 'output'},
  {path: 'src/a.ts', kind: 'changed', class: 'file'},
];

const diffOf = (path: string): FileDiff => ({
  path,
  before: 'old',
  after: 'new',
  movedFrom: undefined,
  added: 1,
  removed: 0,
  hunks: [{oldStart: 1, newStart: 1, lines: [{kind: 'added', text: 'new', changed: []}]}],
  notes: [],
});

/** Changes of a command, and what was done with them. */
function heldChanges(made: readonly Change[], id: Awaited<ReturnType<PendingChanges['keep']>> = ok('c1')) {
  const done: string[] = [];
  const held: PendingChanges = {
    changes: made,
    diffs: async paths => paths.map(diffOf),
    apply: async () => {
      done.push('apply');
      return {applied: [], dropped: []};
    },
    keep: async () => {
      done.push('keep');
      return id;
    },
  };
  return {held, done};
}

/** A shell whose command has left these changes; `asked` gets each request. */
const shellWith =
  (held: PendingChanges, asked: ShellRequest[]) =>
  async (request: ShellRequest, _: unknown, signal: AbortSignal): Promise<ReturnType<typeof finishedReport>> => {
    asked.push(request);
    if (request.changes !== 'none' && held.changes.length > 0) await request.changes(held, signal, '');
    return finishedReport('printed\n', 3);
  };

test('a dry run is confined, applies nothing, and gives the diff with the ID to apply it by', async () => {
  const asked: ShellRequest[] = [];
  const {held, done} = heldChanges(changes);
  const bench = engineBench(calls({command: 'make', timeout: 5000}), {shell: shellWith(held, asked)});
  await bench.prompt('go');
  expect(asked).toMatchObject([{command: 'make', confinement: 'sandbox', timeoutMs: 5000, directory: '/work'}]);
  expect([done, await settled(bench)]).toEqual([
    ['keep'],
    {
      state: 'success',
      text: [
        'printed',
        '[exit code 3 after 0.0 s in /work]',
        '[dry run: it would change 3 files; the user can apply exactly these with weft sandbox apply c1]',
        'Changed src/a.ts (+1 -0)',
        '@@ -1 +1 @@',
        '+new',
        'created .mcp.json (never applied)',
        'created dist/a.js (ignored by git)',
      ].join('\n'),
    },
  ]);
});

test.for<[name: string, made: readonly Change[], id: Awaited<ReturnType<PendingChanges['keep']>>, words: string]>([
  ['what changes nothing is not kept', [], ok('c1'), '[dry run: it changed nothing]'],
  [
    'why changes could not be kept is said',
    changes.slice(1, 2),
    failed('the disk is full'),
    '[dry run: it would change 1 file; they could not be kept: the disk is full]',
  ],
])('%s', async ([, made, id, words]) => {
  const bench = engineBench(calls({command: 'make'}), {shell: shellWith(heldChanges(made, id).held, [])});
  await bench.prompt('go');
  expect((await settled(bench)).text).toContain(`\n${words}`);
});

test('with apply its changes are decided about as those of any command', async () => {
  const asked: ShellRequest[] = [];
  const {held, done} = heldChanges(changes.slice(1, 2));
  const bench = engineBench(calls({command: 'make', apply: true}), {shell: shellWith(held, asked)});
  await bench.prompt('go');
  expect(asked[0]?.confinement).toBe('sandbox');
  expect(done).toEqual(['apply']);
  expect((await settled(bench)).text).not.toContain('dry run');
});

test('a command that may only read has no view to change', async () => {
  const asked: ShellRequest[] = [];
  const bench = engineBench(calls({command: 'make', apply: true}), {
    shell: shellWith(heldChanges(changes).held, asked),
    obligations: () => [{kind: 'confined', to: 'read-only'}],
  });
  await bench.prompt('go');
  expect(asked).toMatchObject([{confinement: 'read-only', changes: 'none'}]);
});

test('without a sandbox it is not run, and the reason is told', async () => {
  const bench = engineBench(calls({command: 'make'}), {
    shell: async () => ({
      ...finishedReport(''),
      end: {kind: 'not-started', fault: rejected('There is no sandbox here.')},
    }),
  });
  await bench.prompt('go');
  expect(await settled(bench)).toEqual({state: 'error', text: 'There is no sandbox here.'});
});

test('ends as cancelled when it is interrupted, with what it had printed', async () => {
  const started = Promise.withResolvers<undefined>();
  const bench = engineBench(calls({command: 'make'}), {
    shell: async (_, __, signal) => {
      started.resolve(undefined);
      await aborted(signal);
      return {...finishedReport('so far'), end: {kind: 'aborted'}};
    },
  });
  bench.engine.submit(promptOp('go'));
  await started.promise;
  bench.engine.submit({op: 'interrupt'});
  expect(await settled(bench)).toEqual({
    state: 'cancelled',
    text: 'The user interrupted this.\nOutput before it was stopped:\nso far',
  });
});

test('is in a request once the model has looked for it', async () => {
  const bench = engineBench([callsTools(callBlock('ToolSearch', {query: 'dry run of a command'})), says('end')]);
  await bench.prompt('go');
  const offered = bench.model.requests.map(request => toolNames(request).includes('SandboxExec'));
  expect(offered).toEqual([false, true]);
});

test('a command that runs with what it found asks about hosts, by its own text; one that was found harmless does not', async () => {
  const wanted = {host: 'a.example', port: 443, rule: 'Network(a.example)', standing: 'no-rule'} as const;
  const asked: unknown[] = [];
  const ask: ActionPorts['hosts']['ask'] = async request => (asked.push(request), 'allowed');
  const {signal} = new AbortController();
  const hostsIn = (environment: RunTerms['environment']) =>
    hostsOf('curl a.example', {ports: {hosts: {ask}}, terms: {environment}, signal});
  expect(hostsIn('restricted')).toBe('none');
  const hosts = hostsIn('inherited');
  expect(hosts === 'none' ? hosts : await hosts(wanted, signal)).toBe('allowed');
  expect(asked).toEqual([{...wanted, command: 'curl a.example'}]);
});
