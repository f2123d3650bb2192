import {expect, test} from 'vitest';
import type {AgentEvent} from '../../../src/actions/agent-event.ts';
import {actionId, blockId, messageId} from '../../../src/domain/ids.ts';
import {LiveEvents} from '../../../src/jobs/live-events.ts';
import {accepted, delta, finished} from '../../tui/support/events.ts';
import {scriptedEngine} from '../../tui/support/scripted-engine.ts';

/** What a front end hears that joins after these events, behind the opening of the session. */
function heardAfter(...events: readonly AgentEvent[]): readonly AgentEvent[] {
  const engine = scriptedEngine();
  const history = [{role: 'user', id: messageId('p1'), blocks: []}] as const;
  const live = new LiveEvents({
    ...engine,
    subscribe: listener =>
      engine.subscribe(told =>
        listener(told.map(event => (event.event === 'session-opened' ? {...event, history} : event))),
      ),
  });
  engine.emit(...events);
  const heard: AgentEvent[] = [];
  live.subscribe(told => void heard.push(...told));
  const [first, ...rest] = heard;
  expect(first?.event).toBe('session-opened');
  return rest;
}

const id = actionId('q');
const asked: AgentEvent = {event: 'hand-over-asked', id, block: blockId('b1'), reason: 'a password'};
const chunk = (text: string): AgentEvent => ({event: 'action-output', id, chunk: text});
const started: AgentEvent = {event: 'command-started', id: messageId('c1')};

test.each<readonly [string, readonly AgentEvent[], readonly AgentEvent[]]>([
  ['nothing of a prompt that is over', [accepted('go'), delta('a'), finished({kind: 'done'})], []],
  [
    'the parts of one text as one event, and the end of an output',
    [accepted('go'), delta('a'), delta('b'), delta('c', 1), chunk('x'.repeat(20_000)), chunk('end')],
    [accepted('go'), delta('ab'), delta('c', 1), chunk(`${'x'.repeat(19_997)}end`)],
  ],
  ['a command of the user', [started, chunk('a')], [started, chunk('a')]],
  ['a question', [accepted('go'), asked], [accepted('go'), asked]],
  [
    'an open question, also of a prompt with too many events to keep',
    [accepted('go'), asked, ...Array.from({length: 50_000}, (_, at) => delta('a', at))],
    [asked],
  ],
  [
    'no question that is over',
    [
      accepted('go'),
      asked,
      {event: 'hand-over-settled', id},
      ...Array.from({length: 50_000}, (_, at) => delta('a', at)),
    ],
    [],
  ],
])('a front end that joins hears %s', (_title, events, expected) => {
  expect(heardAfter(...events)).toEqual(expected);
});
