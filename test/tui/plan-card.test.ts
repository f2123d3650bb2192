import {afterEach, describe, expect, test} from 'vitest';
import type {Approval} from '../../src/actions/agent-event.ts';
import {actionOf} from '../../src/actions/catalogue.ts';
import type {Op} from '../../src/agent/client.ts';
import {failed, ok, type Outcome} from '../../src/base/outcome.ts';
import {parseSessionId, planId} from '../../src/domain/ids.ts';
import {draftIn, type Plan, type PlanDraft, planSteps} from '../../src/domain/plan.ts';
import {noDetail} from '../../src/domain/risk.ts';
import type {EditorRequest} from '../../src/tui/options.ts';
import {answer, approval, asked, leaveStages, once, press, type Stage} from './support/stage.ts';

afterEach(leaveStages);

const plan: PlanDraft = {goal: 'Prices are right', steps: ['Read it', 'Mend it'], notes: 'Careful'};

const request: Approval = {
  ...approval('a1', ''),
  toolName: 'ExitPlanMode',
  input: {...plan, steps: [...plan.steps]},
  action: actionOf('exit-plan', plan),
  label: 'Plan: Prices are right',
  preview: {kind: 'plan', plan},
  verdict: {decision: 'ask', risk: 'read-only', reasons: [{kind: 'plan'}], sessionApproval: 'none', detail: noDetail},
  rationale: '',
  sessionGrant: '',
};

const planned = (edit: (work: EditorRequest) => Outcome<string, string> = () => failed('no editor')): Promise<Stage> =>
  asked(request, [80, 30], {editor: {edit: async work => edit(work)}});

describe('the card of a plan', () => {
  test('shows all of it and its choices, and Enter alone takes none', async () => {
    const stage = await planned();
    await press(stage, '\r');
    await stage.screen.until(
      /╭ Go ahead with this plan\? [^]*│ +Prices are right +│\n│ +│\n│ +1\. Read it +│\n│ +2\. Mend it +│\n│ +│\n│ +Careful +│[^]*1 Yes, and ask before changes +y +│\n│ +2 Yes, and accept edits this session +s +│\n│ +3 No, keep planning and tell weft what to change +n +│\n╰ Ctrl\+E change it first · Esc stop /u,
    );
    expect(stage.engine.ops).toEqual([]);
  });

  test('is prose: no word is broken, and a step goes on below its own words', async () => {
    const steps = [
      '**Read** `it`',
      'Add a test for exactly three items, one for two, and one for a cart that is empty',
    ];
    const long = {...plan, steps};
    const preview = {
      ...request,
      input: long,
      action: actionOf('exit-plan', long),
      preview: {kind: 'plan', plan: long},
    } as const;
    const stage = await asked(preview, [60, 30]);
    await stage.screen.until(
      /│ 1\. Read it +│\n│ 2\. Add a test for exactly three items, one for two, +│\n│ {4}and one for a cart that is empty +│\n/u,
    );
  });

  test('keeps the levels of what is below a step', async () => {
    const draft = draftIn(
      'Prices\n1. Add tests\n   - for three items, and for two of another kind in a cart\n     * with a discount\n2. Mend it',
    );
    const nested = draft.tag === 'ok' ? draft.value : plan;
    const stage = await asked(
      {...request, input: nested, action: actionOf('exit-plan', nested), preview: {kind: 'plan', plan: nested}},
      [60, 30],
    );
    await stage.screen.until(
      /│ 1\. Add tests +│\n│ {4}- for three items, and for two of another kind in +│\n│ {6}a cart +│\n│ {6}\* with a discount +│\n│ 2\. Mend it +│\n/u,
    );
  });

  test.each<[string, readonly string[], readonly unknown[]]>([
    ['y', ['y'], [answer('a1', once)]],
    ['a number', ['2'], [{op: 'set-mode', mode: 'acceptEdits'}, answer('a1', {decision: 'allow', scope: 'session'})]],
    ['the arrows and Enter', ['\u001B[B', '\r'], [answer('a1', once)]],
    [
      'no, with what to plan instead',
      ['n', 'smaller', '\r'],
      [answer('a1', {decision: 'refuse', message: 'smaller', by: 'user'})],
    ],
    ['Esc, which stops', ['\u001B'], [{op: 'interrupt'}]],
  ])('is answered by %s', async (_name, keys, ops) => {
    const stage = await planned();
    await press(stage, ...keys);
    await expect.poll((): readonly Op[] => stage.engine.ops).toEqual(ops);
  });

  test('the steps are edited as text, shown again, and approved as they are then', async () => {
    const stage = await planned(({text}) => ok(text.replace('Mend it', 'Mend it well').replace('\n\nCareful', '')));
    await press(stage, '\u0005');
    await stage.screen.until(/Tab: answer/u);
    await press(stage, '\t');
    await stage.screen.until(/Go ahead with the plan, as you changed it\?[^]*2\. Mend it well/u);
    await press(stage, 'y');
    const input = {goal: 'Prices are right', steps: ['Read it', 'Mend it well'], notes: ''};
    await expect.poll(() => stage.engine.ops).toEqual([answer('a1', {decision: 'allow-updated', input, rules: []})]);
  });

  test.each([
    ['without steps', 'Only words', /There is no step/u],
    ['unchanged', undefined, /did not change/u],
  ])('edited %s it is asked about as before', async (_name, left, said) => {
    const stage = await planned(({text}) => ok(left ?? text));
    await press(stage, '\u0005');
    await stage.screen.until(/Tab: answer/u);
    await press(stage, '\t');
    await stage.screen.until(said);
    await stage.screen.until(/╭ Go ahead with this plan\?/u);
    expect(stage.engine.ops).toEqual([]);
  });
});

test('a plan that ends with open steps says which', async () => {
  const stage = await planned();
  const failedPlan: Plan = {
    goal: plan.goal,
    notes: plan.notes,
    id: planId('plan_1'),
    steps: planSteps(plan.steps),
    state: 'failed',
    session: parseSessionId('00000000-0000-4000-8000-000000000001') ?? expect.fail(),
    directory: '/w',
    createdAt: 0,
    reason: '',
  };
  stage.engine.emit({event: 'plan-changed', plan: failedPlan});
  await stage.screen.until(/! the plan plan_1 ended with steps that are not done: 1, 2\./u);
});
