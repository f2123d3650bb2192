import {afterEach, describe, expect, test} from 'vitest';
import {actionOf} from '../../src/actions/catalogue.ts';
import type {Approval} from '../../src/actions/agent-event.ts';
import {emptyUserChanges, type EditRequest} from '../../src/domain/file-edit.ts';
import {failed, ok, type Outcome} from '../../src/base/outcome.ts';
import {noDetail} from '../../src/domain/risk.ts';
import type {EditorRequest} from '../../src/tui/options.ts';
import {replace, workspace, write} from '../unit/workspace/files/file-space.ts';
import {never} from '../unit/workspace/temporary-folder.ts';
import {answer, approval, ask, attend, begin, leaveStages, once, press, start, type Stage} from './support/stage.ts';

afterEach(leaveStages);

type Space = ReturnType<typeof workspace>;
type Editing = (
  work: EditorRequest,
  screen: Stage['screen'],
) => Promise<Outcome<string, string>> | Outcome<string, string>;

const numbered = (count: number): string => Array.from({length: count}, (_, at) => `line ${at + 1}.\n`).join('');

/** A card with an edit of a real workspace, whose editor is `editing`. */
async function editCard(space: Space, edits: EditRequest['edits'], editing: Editing): Promise<Stage> {
  const request = {edits, userChanges: emptyUserChanges};
  const plan = await space.port.plan(request, never);
  if (plan.tag === 'failed') throw new Error('no plan');
  const asked: Approval = {
    ...approval('e', ''),
    toolName: 'ApplyPatch',
    action: actionOf('request-file-edits', request),
    label: 'Edit',
    preview: {kind: 'diff', files: plan.value},
    verdict: {decision: 'ask', risk: 'local-change', reasons: [], sessionApproval: 'kind', detail: noDetail},
    wording: 'model',
    sessionGrant: 'all edits inside the workspace',
  };
  let stage: Stage | undefined;
  stage = await start([80, 30], {
    host: {edits: space.port},
    editor: {edit: async work => (stage === undefined ? failed('too early') : editing(work, stage.screen))},
  });
  stage.engine.emit(...begin);
  ask(stage.engine, asked);
  await attend(stage);
  return stage;
}

const twice = [replace('a.txt', ['line 2.', 'two'], ['line 20.', 'twenty']), write('new.txt', 'made\n')];
const proposed = numbered(30).replace('line 2.', 'two').replace('line 20.', 'twenty');

/** The card has been left for the editor and is back, with the keys. */
async function back(stage: Stage): Promise<void> {
  await stage.screen.until(/Tab: answer/u);
  await press(stage, '\t');
  await stage.screen.until(/╭ /u);
}

describe('a proposed edit in the editor', () => {
  test('each file in turn; what is changed is shown, and written only with the key', async () => {
    using space = workspace({'a.txt': numbered(30)});
    const given: EditorRequest[] = [];
    const stage = await editCard(space, twice, work => {
      given.push(work);
      return ok(work.text.replace('twenty', 'zwanzig'));
    });
    await press(stage, '\u0005');
    await back(stage);
    expect(given).toEqual([
      {text: proposed, name: 'a.txt', form: 'file'},
      {text: 'made\n', name: 'new.txt', form: 'file'},
    ]);
    await stage.screen.until(
      /╭ Make these edits to a\.txt, new\.txt\? {2}\+3 -2[^]*20 \+ zwanzig[^]*\n│ +│\n│ Yes y {3}No n/u,
    );
    await press(stage, '\r', 's', 'h', '\u007F');
    expect(stage.engine.ops).toEqual([]);
    await stage.screen.until(/Tab: answer/u);
    await press(stage, '\t', 'y');
    const texts = [{path: 'a.txt', text: proposed.replace('twenty', 'zwanzig')}];
    await expect
      .poll(() => stage.engine.ops)
      .toEqual([answer('e', {decision: 'allow-with-changes', userChanges: {kind: 'texts', texts, dropped: []}})]);
    expect(space.text('a.txt')).toBe(numbered(30));
  });

  test('what was left out is not in the text, and stays out elsewhere', async () => {
    using space = workspace({'a.txt': numbered(30)});
    const given: string[] = [];
    const stage = await editCard(space, twice, work => {
      given.push(work.text);
      return ok(`${work.text}more\n`);
    });
    await press(stage, 'h', ' ', '\u001B[B', '\u001B[B', ' ', '\u001B[A');
    await stage.screen.until(/Write 1 of 3 hunks\?[^]*\[ \] a\.txt:2 [^]*❯ \[x\] a\.txt:20 [^]*\[ \] Create new\.txt/u);
    await press(stage, '\u0005');
    await back(stage);
    const without = numbered(30).replace('line 20.', 'twenty');
    expect(given).toEqual([without]);
    await stage.screen.until(/╭ Make this edit to a\.txt\? {2}\+2 -1/u);
    await press(stage, 'y');
    const userChanges = {
      kind: 'texts',
      texts: [{path: 'a.txt', text: `${without}more\n`}],
      dropped: [{path: 'new.txt', hunk: 0}],
    } as const;
    await expect.poll(() => stage.engine.ops).toEqual([answer('e', {decision: 'allow-with-changes', userChanges})]);
  });

  test('of a file that is left out whole it is the text as it is', async () => {
    using space = workspace({'a.txt': numbered(30)});
    const given: string[] = [];
    const stage = await editCard(space, [{kind: 'delete', path: 'a.txt'}, write('new.txt', 'made\n')], work => {
      given.push(work.text);
      return ok('short\n');
    });
    await press(stage, 'h', ' ', '\u0005');
    await back(stage);
    expect(given).toEqual([numbered(30)]);
    await stage.screen.until(/╭ Make these edits to a\.txt, new\.txt\? {2}\+2 -30/u);
  });

  test('left as it was the ticks are as they were, and nothing is allowed', async () => {
    using space = workspace({'a.txt': numbered(30)});
    // Most editors end a text with a line end.
    const stage = await editCard(space, [write('new.txt', 'made'), ...twice.slice(0, 1)], work => ok(`${work.text}\n`));
    await press(stage, 'h', '\u001B[B', ' ', '\u001B[A', '\u0007');
    await stage.screen.until(/Approval needed/u);
    await press(stage, '\t');
    await stage.screen.until(/Write 2 of 3 hunks\?[^]*The text did not change; nothing allowed yet/u);
    await press(stage, 'y');
    const userChanges = {kind: 'hunks', dropped: [{path: 'a.txt', hunk: 0}]} as const;
    await expect.poll(() => stage.engine.ops).toEqual([answer('e', {decision: 'allow-with-changes', userChanges})]);
  });

  test('all as it was: the whole card says so', async () => {
    using space = workspace({'a.txt': numbered(30)});
    const stage = await editCard(space, twice, work => ok(work.text));
    await press(stage, '\u0005');
    await back(stage);
    await stage.screen.until(/╭ Make these? edits? [^]*The text did not change; nothing allowed yet[^]*Pick hunks h/u);
    await press(stage, 'y');
    await expect.poll(() => stage.engine.ops).toEqual([answer('e', once)]);
  });

  test('an editor that fails is told of, and the card is as it was', async () => {
    using space = workspace({'a.txt': numbered(30)});
    const stage = await editCard(space, twice, () => failed('vim exited with code 1. The text is unchanged.'));
    await press(stage, 'h', ' ', '\u0005');
    await back(stage);
    await stage.screen.until(/vim exited with code 1[^]*Write 2 of 3 hunks\?/u);
    expect(stage.engine.ops).toEqual([]);
  });

  test('a text that leaves the file as it is is a no, whose reason is asked for', async () => {
    using space = workspace({'a.txt': numbered(30)});
    const stage = await editCard(space, twice.slice(0, 1), () => ok(numbered(30)));
    await press(stage, '\u0005');
    await stage.screen.until(/Tab: answer/u);
    await press(stage, '\t');
    await stage.screen.until(/What should weft do instead/u);
    await press(stage, 'y', '\r');
    await expect.poll(() => stage.engine.ops).toEqual([answer('e', {decision: 'refuse', message: 'y', by: 'user'})]);
  });

  test('what was typed ahead while it was away answers nothing', async () => {
    using space = workspace({'a.txt': numbered(30)});
    const stage = await editCard(space, twice, work => ok(`${work.text}more\n`));
    stage.time.now += 700;
    await stage.screen.type('\u0005');
    await stage.screen.until(/Tab: answer/u);
    await stage.screen.type('y');
    await stage.screen.type('\ry');
    await stage.screen.until(/› y/u);
    expect(stage.engine.ops.filter(({op}) => op === 'answer-approval')).toEqual([]);
  });
});
