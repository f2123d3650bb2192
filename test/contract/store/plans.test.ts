import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {DatabaseSync} from 'node:sqlite';
import {fileURLToPath} from 'node:url';
import {expect, test} from 'vitest';
import {ok} from '../../../src/base/outcome.ts';
import {parseSessionId, planId} from '../../../src/domain/ids.ts';
import {approvePlan, beginPlan, endPlan, type Plan, planSteps, rejectPlan} from '../../../src/domain/plan.ts';
import {PlanStore} from '../../../src/store/plan-store.ts';
import {lookUntil} from '../../support/look-until.ts';
import {openDatabase} from './open-database.ts';
import {countingStore, onEachDatabase, temporaryFile} from './temporary-store.ts';

const source = (path: string): string => JSON.stringify(fileURLToPath(new URL(path, import.meta.url)));

const plan = (id: string, createdAt = 0): Plan => ({
  id: planId(id),
  goal: 'g',
  steps: planSteps(['one', 'two']),
  notes: 'n',
  state: 'pending',
  session: parseSessionId('00000000-0000-4000-8000-000000000001') ?? expect.fail(),
  directory: '/w',
  createdAt,
  reason: '',
});

const open = (file: string): PlanStore => new PlanStore(openDatabase(file), Date.now);

const claim = (each: Plan) => {
  const approved = approvePlan(each);
  return approved.tag === 'ok' ? beginPlan(approved.value) : approved;
};

onEachDatabase(database => {
  test('plans are kept whole, newest first, and claimed once by whoever is first', () => {
    const [one, other] = [open(database.name), open(database.name)];
    one.add(plan('plan_a', 1));
    one.add(plan('plan_b', 2));
    expect(other.list()).toEqual([plan('plan_b', 2), plan('plan_a', 1)]);
    expect(other.find(planId('plan_c'))).toBe('unknown');
    expect(other.change(planId('plan_c'), each => ok(each))).toEqual({tag: 'failed', error: 'unknown'});
    expect(one.change(planId('plan_a'), claim)).toMatchObject({tag: 'ok', value: {state: 'executing'}});
    expect(other.change(planId('plan_a'), claim)).toEqual({tag: 'failed', error: {state: 'executing'}});
    expect(other.change(planId('plan_a'), each => endPlan(each, 'finished'))).toMatchObject({value: {state: 'failed'}});
    one.close();
    other.close();
  });

  test('a session is not pruned while its plan waits for an approval or its execution', () => {
    const [store, plans] = [countingStore(database.name), open(database.name)];
    const session = store.create({directory: '/w', model: 'm'});
    session.append({kind: 'request-prefix', tools: '', system: ''});
    session.close();
    const [size = expect.fail()] = store.sizes();
    plans.add({...plan('plan_a'), session: session.id});
    expect(store.prune(size)).toBe(false);
    expect(plans.change(planId('plan_a'), each => approvePlan(each)).tag).toBe('ok');
    expect(store.prune(size)).toBe(false);
    expect(plans.change(planId('plan_a'), each => rejectPlan(each, '')).tag).toBe('ok');
    expect(store.prune(size)).toBe(true);
    store.close();
    plans.close();
  });

  test('a plan whose process was killed reads as stopped, and stays so', {tags: 'long'}, async () => {
    const store = open(database.name);
    store.add(plan('plan_a'));
    const program = `
    const {PlanStore} = await import(${source('../../../src/store/plan-store.ts')});
    const {openDatabase} = await import(${source('./open-database.ts')});
    const store = new PlanStore(openDatabase(${JSON.stringify(database.name)}), Date.now);
    store.change('plan_a', plan => ({tag: 'ok', value: {...plan, state: 'executing'}}));
    console.log('claimed');
    process.stdin.resume();
  `;
    const child = spawn(process.execPath, ['--no-warnings', '--input-type=module', '-e', program], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    await once(child.stdout, 'data');
    expect(store.find(planId('plan_a'))).toMatchObject({state: 'executing'});
    const ended = store.change(planId('plan_a'), each => endPlan(each, 'finished'));
    expect(ended).toEqual({tag: 'failed', error: {state: 'executing'}});
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
    const found = () => store.find(planId('plan_a'));
    // A server of a database hears of the end a moment later.
    await lookUntil(
      () => JSON.stringify(found()).includes('stopped'),
      () => JSON.stringify(found()),
    );
    expect(found()).toMatchObject({state: 'stopped'});
    expect(store.list()).toMatchObject([{state: 'stopped'}]);
    expect(store.change(planId('plan_a'), claim)).toEqual({tag: 'failed', error: {state: 'stopped'}});
    store.close();
  });
});

test('a damaged row is no plan, and hides no other', () => {
  using temporary = temporaryFile();
  const store = open(temporary.file);
  store.add(plan('plan_a', 1));
  const raw = new DatabaseSync(temporary.file);
  for (const body of ['', '[]', '{"state":"pending"}', '{"state":"odd","session":"x","steps":[]}'])
    raw.prepare("INSERT INTO documents VALUES ('plan', ?, ?, 2, 0)").run(`plan_${body}`, body);
  raw.close();
  expect(store.list()).toEqual([plan('plan_a', 1)]);
  store.close();
});

test('a step whose state is none that is known waits', () => {
  using temporary = temporaryFile();
  const store = open(temporary.file);
  store.add(plan('plan_a', 1));
  const raw = new DatabaseSync(temporary.file);
  raw.exec(`UPDATE documents SET body = replace(body, '"status":"pending"', '"status":"odd"')`);
  raw.close();
  expect(store.list()).toEqual([plan('plan_a', 1)]);
  store.close();
});
