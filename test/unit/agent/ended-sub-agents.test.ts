import {expect, test} from 'vitest';
import {ok} from '../../../src/base/outcome.ts';
import {parseSessionId, type SessionId} from '../../../src/domain/ids.ts';
import {callBlock, callsTools, engineBench, memorySession, says} from '../../support/memory-ports.ts';

const idOf = (at: number): SessionId => parseSessionId(`10000000-0000-4000-8000-00000000000${at}`) ?? expect.fail();

function sixAgents() {
  const names = ['one', 'two', 'three', 'four', 'five', 'six'];
  const kept = new Map<SessionId, ReturnType<typeof memorySession>>();
  const open = new Set<SessionId>();
  const resumed: SessionId[] = [];
  const opened = (id: SessionId, session: ReturnType<typeof memorySession>) => {
    kept.set(id, session);
    open.add(id);
    return {...session, id, close: () => void open.delete(id)};
  };
  const sessions: NonNullable<Parameters<typeof engineBench>[1]>['sessions'] = {
    createSubSession: () => opened(idOf(kept.size + 1), memorySession()),
    resume: id => {
      resumed.push(id);
      return ok(opened(id, memorySession([...(kept.get(id)?.kept ?? [])])));
    },
  };
  const rounds = names.flatMap(name => [
    callsTools(callBlock('Agent', {description: name, prompt: `do ${name}`})),
    says(`${name} is done`),
  ]);
  return {rounds, sessions, open, resumed};
}

const message = (text: string) => callBlock('SendMessage', {to: 'one', message: text});

test('a message reaches a sub-agent after many others have ended', async () => {
  const {rounds, sessions, open} = sixAgents();
  const run = engineBench([...rounds, callsTools(message('more')), says('more is done'), says('all done')], {
    sessions,
  });
  await run.prompt('go');
  expect(open.size).toBe(4);
  expect(JSON.stringify(run.model.requests.at(-1)?.messages.at(-1))).toContain('more is done');
  expect(JSON.stringify(run.model.requests.at(-2)?.messages)).toMatch(/do one.*one is done.*more/u);
});

test('two messages at once open an ended sub-agent once', async () => {
  const {rounds, sessions, resumed} = sixAgents();
  const run = engineBench([...rounds, says('all done'), says('more is done'), says('again is done')], {sessions});
  await run.prompt('go');
  const id = idOf(1);
  run.engine.submit({op: 'message-agent', id, text: 'more'});
  run.engine.submit({op: 'message-agent', id, text: 'again'});
  await run.engine.close('finished');
  expect(resumed).toEqual([id]);
});
