import * as fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import type {Outcome} from '../../../src/base/outcome.ts';
import {parseSessionId, planId, todoId} from '../../../src/domain/ids.ts';
import {
  approvePlan,
  beginPlan,
  draftIn,
  draftOf,
  endPlan,
  markPlan,
  type Plan,
  type PlanConflict,
  planBounds,
  type PlanState,
  planSteps,
  planText,
  rejectPlan,
} from '../../../src/domain/plan.ts';

const plan: Plan = {
  id: planId('plan_1'),
  goal: 'Prices are right',
  steps: planSteps(['Add a test', 'Mend it']),
  notes: '',
  state: 'pending',
  session: parseSessionId('00000000-0000-4000-8000-000000000001') ?? expect.fail(),
  directory: '/w',
  createdAt: 0,
  reason: '',
};

const todo = (id: string, status: 'pending' | 'in_progress' | 'completed' | 'cancelled') => ({
  id: todoId(id),
  title: '',
  description: '',
  status,
});

const changes = {
  approve: each => approvePlan(each),
  reject: each => rejectPlan(each, 'no'),
  begin: each => beginPlan(each),
  mark: each => markPlan(each, [todo('1', 'completed')]),
  markAll: each => markPlan(each, [todo('1', 'completed'), todo('2', 'completed'), todo('other', 'pending')]),
  finish: each => endPlan(each, 'finished'),
  stop: each => endPlan(each, 'stopped'),
} satisfies Record<string, (each: Plan) => Outcome<Plan, PlanConflict>>;

type Change = keyof typeof changes;

/** Written from the contract: what each change makes of each state. */
const allowed: Readonly<Record<Change, Partial<Record<PlanState, readonly PlanState[]>>>> = {
  approve: {pending: ['approved']},
  reject: {pending: ['rejected'], approved: ['rejected']},
  begin: {approved: ['executing']},
  mark: {executing: ['executing']},
  markAll: {executing: ['executing']},
  finish: {executing: ['completed', 'failed']},
  stop: {executing: ['stopped']},
};

/** The state in which a plan ends whose steps have these marks. */
const ended = (...statuses: ('pending' | 'in_progress' | 'completed' | 'cancelled')[]) => {
  const executing = {...plan, state: 'executing'} as const;
  const marked = markPlan(
    executing,
    statuses.map((status, at) => todo(String(at + 1), status)),
  );
  const end = marked.tag === 'ok' ? endPlan(marked.value, 'finished') : marked;
  return end.tag === 'ok' ? end.value.state : end.error;
};

describe('a plan', () => {
  test('goes from state to state only as the contract says, executes once, and completes by marks alone', () => {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the keys of the literal above
    const names = Object.keys(changes) as Change[];
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...names), {maxLength: 30}), steps => {
        let now = plan;
        let executions = 0;
        for (const name of steps) {
          const next = changes[name](now);
          const may = allowed[name][now.state];
          if (next.tag === 'failed') {
            expect([name, may, next.error]).toEqual([name, undefined, {state: now.state}]);
            continue;
          }
          expect(may).toContain(next.value.state);
          if (name === 'begin') executions += 1;
          if (name === 'finish')
            expect(next.value.state).toBe(
              now.steps.every(({status}) => status === 'completed') ? 'completed' : 'failed',
            );
          now = next.value;
        }
        expect(executions).toBeLessThan(2);
      }),
    );
  });

  test('is failed while a step is open; a dropped one is not, but all dropped is nothing done', () => {
    expect(ended('completed', 'completed')).toBe('completed');
    expect(ended('completed', 'cancelled')).toBe('completed');
    expect(ended('completed', 'in_progress')).toBe('failed');
    expect(ended('completed')).toBe('failed');
    expect(ended('cancelled', 'cancelled')).toBe('failed');
  });

  test('approved with steps of the user, it has those', () => {
    const approved = approvePlan(plan, planSteps(['Only this']));
    expect(approved).toMatchObject({value: {steps: [{id: '1', description: 'Only this', status: 'pending'}]}});
  });

  test('as text is read again as it is', () => {
    const line = fc
      .string({minLength: 1, maxLength: 60})
      .map(text => text.replaceAll(/\s+/gu, ' ').trim())
      .filter(text => text !== '' && !/^(?:\d+[.)]|[-*])(?: |$)/u.test(text));
    fc.assert(
      fc.property(
        line,
        fc.array(line, {minLength: 1, maxLength: 12}),
        fc.option(line, {nil: ''}),
        (goal, steps, notes) => {
          const draft = {goal, steps, notes};
          expect(draftIn(planText(draft))).toEqual({tag: 'ok', value: draft});
        },
      ),
    );
    expect(draftIn(planText(draftOf(plan)))).toEqual({tag: 'ok', value: draftOf(plan)});
  });

  test.each([
    ['Goal\r\n\r\n- one\r\n- two\r\n  goes on\r\n', {goal: 'Goal', steps: ['one', 'two goes on'], notes: ''}],
    [
      'Goal\n1. one\n- a\n     - b\n2. two\n\n- note',
      {goal: 'Goal', steps: ['one\n   - a\n     - b', 'two'], notes: '- note'},
    ],
    ['Goal\n1) one\n\n2) two\n\nNotes\nhere', {goal: 'Goal', steps: ['one', 'two'], notes: 'Notes\nhere'}],
  ])('people write it otherwise: %j', (text, draft) => {
    expect(draftIn(text)).toEqual({tag: 'ok', value: draft});
  });

  test.each([
    ['Goal', 'There is no step: write each one on a line that begins with its number, such as "1. Add a test".'],
    ['1. one', 'The goal is missing: write it above the steps.'],
    [`Goal\n${'1. x\n'.repeat(planBounds.steps + 1)}`, 'There are more than 50 steps.'],
    [`Goal\n1. ${'x'.repeat(planBounds.step + 1)}`, 'A step is too long.'],
  ])('what is none says why: %j', (text, error) => {
    expect(draftIn(text)).toEqual({tag: 'failed', error});
  });
});
