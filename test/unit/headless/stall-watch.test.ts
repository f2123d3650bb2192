import {expect, test} from 'vitest';
import type {AgentEvent} from '../../../src/actions/agent-event.ts';
import {messageId} from '../../../src/domain/ids.ts';
import {StallWatch, type HeadlessClock} from '../../../src/headless/stall-watch.ts';

/** A clock that goes on when it is told to. */
class TestClock implements HeadlessClock {
  #now = 0;
  #due: {readonly at: number; readonly call: () => void} | undefined;

  now(): number {
    return this.#now;
  }

  date(): number {
    return 0;
  }

  after(ms: number, call: () => void): () => void {
    this.#due = {at: this.#now + ms, call};
    return () => (this.#due = undefined);
  }

  pass(seconds: number): void {
    const end = this.#now + seconds * 1000;
    while (this.#due !== undefined && this.#due.at <= end) {
      const {at, call} = this.#due;
      this.#due = undefined;
      this.#now = at;
      call();
    }
    this.#now = end;
  }
}

const asked: AgentEvent = {event: 'turn-started', turn: 1};
const delta: AgentEvent = {event: 'block-delta', message: messageId('m'), index: 0, delta: {kind: 'text', text: 'x'}};
const answered: AgentEvent = {
  event: 'message-finished',
  message: {
    role: 'assistant',
    id: messageId('m'),
    model: 'm',
    blocks: [],
    stop: 'tool-use',
    usage: {inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0},
  },
};
const again: AgentEvent = {event: 'retrying', attempt: 2, maxAttempts: 10, delayMs: 20_000, status: 0, message: ''};
const said = 'no data from the model for 30 s, still waiting';

test.each<[string, readonly (AgentEvent | number)[], readonly string[]]>([
  ['no answer', [asked, 31], [said]],
  ['said once', [asked, 200], [said]],
  ['a slow stream', [asked, 29, delta, 29, delta, 29], []],
  ['a stream that stalls', [asked, 10, delta, 31], [said]],
  ['twice', [asked, 31, delta, 31], [said, said]],
  ['while calls run', [asked, 10, delta, answered, 500], []],
  ['the next turn', [asked, 10, answered, 500, asked, 31], [said]],
  ['a wait that was told', [asked, again, 45], []],
  ['and no answer after it', [asked, again, 51], [said]],
])('%s', (_, steps, notes) => {
  const clock = new TestClock();
  const heard: string[] = [];
  const watch = new StallWatch({clock, note: line => heard.push(line)});
  for (const step of steps) {
    if (typeof step === 'number') clock.pass(step);
    else watch.take(step);
  }
  expect(heard).toEqual(notes);
});
