import {expect, test} from 'vitest';
import {ok} from '../../../src/base/outcome.ts';
import {parseSessionId, type SessionId} from '../../../src/domain/ids.ts';
import {callBlock, callsTools, engineBench, memorySession, says} from '../../support/memory-ports.ts';

test('a message reaches a sub-agent after many others have ended', async () => {
  const names = ['one', 'two', 'three', 'four', 'five', 'six'];
  const kept = new Map<SessionId, ReturnType<typeof memorySession>>();
  const open = new Set<SessionId>();
  const opened = (id: SessionId, session: ReturnType<typeof memorySession>) => {
    kept.set(id, session);
    open.add(id);
    return {...session, id, close: () => void open.delete(id)};
  };
  const sessions: NonNullable<Parameters<typeof engineBench>[1]>['sessions'] = {
    createSubSession: () =>
      opened(parseSessionId(`10000000-0000-4000-8000-00000000000${kept.size + 1}`) ?? expect.fail(), memorySession()),
    resume: id => ok(opened(id, memorySession([...(kept.get(id)?.kept ?? [])]))),
  };
  const rounds = names.flatMap(name => [
    callsTools(callBlock('Agent', {description: name, prompt: `do ${name}`})),
    says(`${name} is done`),
  ]);
  const message = callsTools(callBlock('SendMessage', {to: 'one', message: 'more'}));
  const run = engineBench([...rounds, message, says('more is done'), says('all done')], {sessions});
  await run.prompt('go');
  expect(open.size).toBe(4);
  expect(JSON.stringify(run.model.requests.at(-1)?.messages.at(-1))).toContain('more is done');
  expect(JSON.stringify(run.model.requests.at(-2)?.messages)).toMatch(/do one.*one is done.*more/u);
});
