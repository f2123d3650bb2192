import {expect, test} from 'vitest';
import type {AgentEvent} from '../../../src/actions/agent-event.ts';
import {changedEffort, factsInMessages} from '../../../src/agent/context/environment.ts';
import type {Effort, ModelFacts} from '../../../src/domain/model-stream.ts';
import {effortChangeBlock} from '../../../src/domain/reminder.ts';
import {scriptedModel} from '../../support/memory-ports.ts';
import {userSays} from '../../support/model-events.ts';

function open(effortChange: ModelFacts['effortChange'], messages = [userSays('hi')]) {
  const conversation = {knownFacts: factsInMessages(messages), messages};
  const notices: AgentEvent[] = [];
  return {
    notices,
    next: (effort: Effort | 'default', model = 'm') => {
      const port = scriptedModel([]);
      return changedEffort({
        conversation,
        model,
        promptModel: undefined,
        publish: events => notices.push(...events),
        ports: {model: {...port, facts: () => ({...port.facts(model), effort, effortChange})}},
      });
    },
  };
}

test('a change is appended once, and is that since the last request', () => {
  const {next, notices} = open('appended');
  expect([next('default'), next('default'), next('high'), next('high'), next('low')]).toEqual([
    [],
    [],
    [effortChangeBlock({from: 'default', to: 'high'})],
    [],
    [effortChangeBlock({from: 'high', to: 'low'})],
  ]);
  expect(notices).toEqual([]);
});

test('another model begins anew', () => {
  const {next} = open('appended');
  expect([next('high'), next('low', 'other'), next('high')]).toEqual([[], [], []]);
});

test('a resumed conversation knows its last effort', () => {
  const kept = {...userSays('hi'), blocks: [effortChangeBlock({from: 'low', to: 'high'})]};
  expect(open('appended', [kept]).next('max')).toEqual([effortChangeBlock({from: 'high', to: 'max'})]);
  expect(open('appended', [kept]).next('high')).toEqual([]);
});

test('where the cache is lost, the user learns it, and the model does not', () => {
  const {next, notices} = open('cache-lost');
  expect([next('low'), next('high')]).toEqual([[], []]);
  expect(notices).toEqual([
    {
      event: 'notice',
      level: 'info',
      text: 'The effort is now high. The next request costs more, because m reads the whole conversation again.',
    },
  ]);
});
