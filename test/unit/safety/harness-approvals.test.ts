import {judgedAction} from '../../../src/actions/catalogue.ts';
import {mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {afterAll, expect, test} from 'vitest';
import {actionsOf} from '../../../src/actions/harness-actions.ts';
import type {HarnessAccess} from '../../../src/actions/harness-port.ts';
import {strictest} from '../../../src/domain/executor.ts';
import type {PermissionMode} from '../../../src/domain/risk.ts';
import {reasonText} from '../../../src/domain/reason.ts';
import {makeJudge} from '../../../src/safety/judge.ts';
import {diskOptions, parsedRules} from './support/judging.ts';

/** A workspace and a folder beside it, each with notes. */
const base = realpathSync(mkdtempSync(join(tmpdir(), 'weft-harness-')));
const root = join(base, 'work');
for (const folder of ['work/conf', 'other']) {
  mkdirSync(join(base, folder), {recursive: true});
  writeFileSync(join(base, folder, 'notes.txt'), 'a\n');
}
writeFileSync(join(root, 'plain.txt'), 'a\n');
symlinkSync('plain.txt', join(root, 'link.txt'));
afterAll(() => rmSync(base, {recursive: true, force: true}));

interface Given {
  readonly allow?: readonly string[];
  readonly deny?: readonly string[];
  readonly mode?: PermissionMode;
}

/** The verdict on what a harness, which was started in the workspace, asks for. */
async function verdictOn(access: HarnessAccess, {allow = [], deny = [], mode = 'default'}: Given = {}) {
  const rules = {allow: parsedRules(...allow), ask: [], deny: parsedRules(...deny)};
  const judge = makeJudge({...diskOptions(root, join(base, 'home')), rules});
  const approval = {id: '1', toolName: 'x', access, input: {}, reason: ''};
  const {judged, executor} = actionsOf(approval, {harness: 'other', directory: root});
  const by = {executor, mode};
  const {verdict} = await strictest(judged, action =>
    judge.assess(judgedAction(action), by, new AbortController().signal),
  );
  return [verdict.decision, verdict.reasons.map(reasonText).join('; ')];
}

const command = (text: string, directory = root, paths: readonly string[] = []) =>
  ({kind: 'command', command: text, directory, paths}) as const;
const read = (...paths: readonly string[]) => ({kind: 'read', paths}) as const;
const edit = (...paths: readonly string[]) =>
  ({
    kind: 'edit',
    paths,
    edits: paths.slice(0, 1).map(path => ({kind: 'write', path, content: 'b'}) as const),
  }) as const;
const ownCall = (obligations: Extract<HarnessAccess, {kind: 'own-call'}>['obligations'], at = '/far') =>
  ({
    kind: 'own-call',
    name: 'Bash',
    input: {command: 'cat notes.txt'},
    directory: '/far',
    preview: {kind: 'command', command: 'cat notes.txt', directory: at},
    obligations,
  }) as const;

const ownPrograms = "other runs it with the workspace's own programs and git hooks";
const denied = ['deny', 'Denied by the rule Read(conf/**)'];

test.each<readonly [what: string, access: HarnessAccess, given: Given, verdict: readonly string[]]>([
  ['what only weft runs harmlessly asks', command('git status'), {}, ['ask', ownPrograms]],
  ['a rule of the user is a yes to the harness', command('git status'), {allow: ['Bash(git status)']}, ['allow', '']],
  ['so is a mode', command('git status'), {mode: 'bypassPermissions'}, ['allow', '']],
  [
    'a command is judged in its own folder',
    command('cat notes.txt', join(base, 'other')),
    {},
    ['ask', `Reads outside the workspace: ${base}/other/notes.txt (cat notes.txt)`],
  ],
  ['a folder may be relative', command('cat notes.txt', '../other'), {mode: 'plan'}, ['ask', expect.any(String)]],
  ['deny rules hold there', command('cat notes.txt', join(root, 'conf')), {deny: ['Read(conf/**)']}, denied],
  ['and in a relative one', command('cat notes.txt', 'conf'), {deny: ['Read(conf/**)']}, denied],
  [
    'and whatever else allows it',
    command('cat notes.txt', join(root, 'conf')),
    {deny: ['Read(conf/**)'], allow: ['Bash'], mode: 'bypassPermissions'},
    denied,
  ],
  [
    'the paths that a harness names besides are judged, too',
    command('true', root, ['conf/notes.txt']),
    {deny: ['Read(conf/**)'], allow: ['Bash(true)']},
    denied,
  ],
  ['a file by its own name may be read', read('plain.txt', 'conf/notes.txt'), {}, ['allow', '']],
  [
    'a link may lead elsewhere by then',
    read('plain.txt', 'link.txt'),
    {allow: ['Read']},
    ['ask', `other follows links that may change in the meantime: ${root}/link.txt`],
  ],
  ['an edit of a plain file in acceptEdits', edit('plain.txt'), {mode: 'acceptEdits'}, ['allow', '']],
  [
    'a file beside the shown edits',
    edit('plain.txt', 'conf/notes.txt'),
    {mode: 'acceptEdits', deny: ['Edit(conf/**)']},
    ['deny', 'Denied by the rule Edit(conf/**)'],
  ],
  [
    'weft elsewhere runs it on the same conditions',
    ownCall(['restricted-environment', 'directory']),
    {},
    ['allow', ''],
  ],
  ['an older weft elsewhere does not', ownCall([]), {}, ['ask', ownPrograms]],
  ['its folder counts', ownCall(['restricted-environment'], '/far/conf'), {deny: ['Read(conf/**)']}, denied],
])('%s', async (_what, access, given, verdict) => {
  expect(await verdictOn(access, given)).toEqual(verdict);
});
