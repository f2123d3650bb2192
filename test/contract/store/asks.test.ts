import {expect, test} from 'vitest';
import {parseSessionId} from '../../../src/domain/ids.ts';
import {type AskStore, openAskStore} from '../../../src/store/ask-store.ts';
import {placeOf} from './place-of.ts';
import {onEachDatabase, uuid} from './temporary-store.ts';

function opened(name: string): AskStore {
  const store = openAskStore({database: placeOf(name), now: () => 0, process});
  if (store.tag === 'failed') throw new Error(store.error.message);
  return store.value;
}

const session = parseSessionId(uuid(1)) ?? expect.unreachable();
const other = parseSessionId(uuid(2)) ?? expect.unreachable();

onEachDatabase(database => {
  test('what a run asks is seen and answered once by whoever shares the store', () => {
    const [run, someone] = [opened(database.name), opened(database.name)];
    const allow = {kind: 'approval', decision: 'allow', message: ''} as const;
    const words = {kind: 'question', answers: {'Which?': ['A', 'B\0']}} as const;
    run.open(session, 'stop', '');
    run.open(session, 'a', 'Run npm test');
    run.open(session, 'b', 'Which\0?');
    expect([someone.waiting(session), someone.waiting(other)]).toEqual([['Run npm test', 'Which?'], []]);
    expect([...someone.running()]).toEqual([session]);
    expect([someone.answer(session, 'a', allow), someone.answer(session, 'a', allow)]).toEqual([
      'taken',
      'already-answered',
    ]);
    expect(someone.answer(session, 'b', words)).toBe('taken');
    expect([someone.answer(session, 'c', allow), someone.answer(other, 'a', allow)]).toEqual(['unknown', 'unknown']);
    expect(run.answers(session)).toEqual([
      {id: 'a', answer: allow},
      {id: 'b', answer: words},
    ]);
    run.open(session, 'd', 'Again');
    run.settle(session, 'd');
    expect([someone.answer(session, 'd', allow), someone.waiting(session)]).toEqual(['already-answered', []]);
    run.clear(session);
    expect([someone.answer(session, 'stop', {kind: 'stop'}), [...someone.running()]]).toEqual(['unknown', []]);
    run.close();
    someone.close();
  });
});
