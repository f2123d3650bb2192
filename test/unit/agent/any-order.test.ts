import * as fc from 'fast-check';
import {expect, test} from 'vitest';
import type {AgentEvent} from '../../../src/actions/agent-event.ts';
import {toolCalls, type Message} from '../../../src/domain/conversation.ts';
import {historyFromJournal} from '../../../src/domain/history.ts';
import {messageId, type ActionId} from '../../../src/domain/ids.ts';
import type {Op} from '../../../src/agent/client.ts';
import {
  aborted,
  asks,
  callBlock,
  callsTools,
  engineBench,
  finishedReport,
  promptOp,
  says,
  type ScriptedAnswer,
} from '../../support/memory-ports.ts';
import {randomInputs} from '../../support/random-inputs.ts';

type Step =
  | {readonly step: 'prompt'; readonly when: 'queued' | 'steering'}
  | {readonly step: 'withdraw'; readonly which: number}
  | {readonly step: 'answer'; readonly allow: boolean}
  | {readonly step: 'interrupt' | 'undo' | 'redo' | 'new-session'}
  /** Lets the engine work on for so many rounds. */
  | {readonly step: 'wait'; readonly rounds: number};

const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.oneof(
    {
      weight: 5,
      arbitrary: fc.record({step: fc.constant('prompt'), when: fc.constantFrom('queued', 'steering')} as const),
    },
    {weight: 2, arbitrary: fc.record({step: fc.constant('withdraw'), which: fc.nat({max: 5})} as const)},
    {weight: 3, arbitrary: fc.record({step: fc.constant('answer'), allow: fc.boolean()} as const)},
    {weight: 1, arbitrary: fc.record({step: fc.constantFrom('interrupt', 'undo', 'redo', 'new-session')} as const)},
    {weight: 5, arbitrary: fc.record({step: fc.constant('wait'), rounds: fc.nat({max: 3})} as const)},
  ),
  {maxLength: 25, size: 'max'},
);

type Answer = 'text' | 'fails' | readonly ('free' | 'asked' | 'bad')[];
const answers: fc.Arbitrary<readonly Answer[]> = fc.array(
  fc.oneof(
    fc.constantFrom('text', 'fails'),
    fc.array(fc.constantFrom('free', 'asked', 'bad'), {minLength: 1, maxLength: 3}),
  ),
  {minLength: 1, maxLength: 12, size: 'max'},
);

function scripted(answer: Answer, at: number): ScriptedAnswer {
  if (answer === 'text') return says(`answer ${at}`);
  if (answer === 'fails') {
    return {
      events: [
        {event: 'failed', fault: {kind: 'provider', message: 'no', fix: '', status: 500, refusal: {kind: 'other'}}},
      ],
    };
  }
  return callsTools(
    ...answer.map((kind, index) =>
      callBlock('Bash', kind === 'bad' ? {command: 7} : {command: kind}, `c${at}.${index}`),
    ),
  );
}

test('whatever is asked for in whatever order: every prompt ends once, every call settles once, history stays valid', async () => {
  await fc.assert(
    fc.asyncProperty(steps, answers, async (todo, given) => {
      // Behind what is given the model only talks, so that all comes to an end.
      const script = [...given, ...Array.from({length: 60}, (): Answer => 'text')].map(scripted);
      const bench = engineBench(script, {
        assess: action =>
          action.name === 'request-command-output' && action.input.command === 'asked'
            ? asks
            : {...asks, decision: 'allow'},
        shell: async (_, __, signal) => {
          await Promise.race([nextRound(), aborted(signal)]);
          return finishedReport('');
        },
      });
      const submitted: {readonly id: string; readonly when: 'queued' | 'steering'}[] = [];
      const open = (): readonly ActionId[] => openApprovals(bench.events);
      const perform = (op: Op): void => bench.engine.submit(op);
      for (const step of todo) {
        switch (step.step) {
          case 'prompt': {
            const id = `p${submitted.length}`;
            submitted.push({id, when: step.when});
            perform(promptOp(`prompt ${id}`, step.when, id));
            break;
          }
          case 'withdraw':
            perform({op: 'withdraw-prompt', id: messageId(`p${submitted.length - step.which}`)});
            break;
          case 'answer': {
            const [id] = open();
            if (id !== undefined) perform({op: 'answer-approval', id, answer: step.allow ? allowed : refused});
            break;
          }
          case 'interrupt':
            perform({op: 'interrupt'});
            break;
          case 'undo':
            void bench.query({query: 'rewind', target: {kind: 'last'}});
            break;
          case 'redo':
            void bench.query({query: 'rewind', target: {kind: 'redo'}});
            break;
          case 'new-session':
            perform({op: 'open-session', session: {kind: 'new'}});
            break;
          case 'wait':
            for (let round = 0; round < step.rounds; round += 1) await nextRound();
        }
      }
      bench.engine.subscribe(events => {
        for (const event of events) {
          if (event.event === 'approval-requested')
            perform({op: 'answer-approval', id: event.approval.id, answer: refused});
        }
      });
      for (const id of open()) perform({op: 'answer-approval', id, answer: refused});
      // Closing refuses further operations, answers too: what runs comes to its end first.
      for (let round = 0; round < 400; round += 1) await nextRound();
      await bench.engine.close('finished');

      expect(endsOf(bench.events)).toEqual(new Map(submitted.map(({id}) => [id, 1])));
      expect(misplaced(bench.events, submitted)).toEqual([]);
      expect(settlesOf(bench.events)).toEqual(new Map(callsOf(bench.events).map(id => [id, 1])));
      for (const {messages} of bench.model.requests) expect(faultIn(messages)).toBe('none');
      const {messages, callsWithoutResult} = historyFromJournal(bench.session.kept);
      expect([faultIn(messages), callsWithoutResult]).toEqual(['none', []]);
    }),
    {numRuns: randomInputs(150)},
  );
}, 60_000);

const nextRound = (): Promise<void> => new Promise(resolve => setImmediate(resolve));
const allowed = {decision: 'allow', scope: 'once'} as const;
const refused = {decision: 'refuse', message: '', by: 'user'} as const;

function openApprovals(events: readonly AgentEvent[]): readonly ActionId[] {
  const settled = new Set(events.flatMap(event => (event.event === 'approval-settled' ? [event.id] : [])));
  return events.flatMap(event =>
    event.event === 'approval-requested' && !settled.has(event.approval.id) ? [event.approval.id] : [],
  );
}

const counted = (ids: readonly string[]): Map<string, number> =>
  new Map(ids.map(id => [id, ids.filter(one => one === id).length]));

const endsOf = (events: readonly AgentEvent[]): Map<string, number> =>
  counted(
    events
      .flatMap(event => (event.event === 'prompt-accepted' || event.event === 'prompt-withdrawn' ? [event.id] : []))
      .toSorted((a, b) => Number(a.slice(1)) - Number(b.slice(1))),
  );

const callsOf = (events: readonly AgentEvent[]): readonly string[] =>
  events.flatMap(event => (event.event === 'message-finished' ? toolCalls(event.message).map(({id}) => id) : []));

const settlesOf = (events: readonly AgentEvent[]): Map<string, number> =>
  counted(events.flatMap(event => (event.event === 'action-settled' ? [event.call.id] : [])));

/** Runs begin with a prompt, are joined only by prompts that steer, and end. */
function misplaced(
  events: readonly AgentEvent[],
  submitted: readonly {readonly id: string; readonly when: 'queued' | 'steering'}[],
): readonly string[] {
  const wrong: string[] = [];
  let state: 'idle' | 'running' = 'idle';
  for (const event of events) {
    if (event.event === 'prompt-accepted') {
      const when = submitted.find(({id}) => id === event.id)?.when;
      if (state === 'running' && when !== 'steering') wrong.push(`${event.id} joined`);
      state = 'running';
    }
    if (event.event === 'prompt-finished') {
      if (state === 'idle') wrong.push('an end without a beginning');
      state = 'idle';
    }
  }
  return state === 'idle' ? wrong : [...wrong, 'a run without an end'];
}

/** What a provider would refuse. */
function faultIn(messages: readonly Message[]): string {
  if (messages[0] !== undefined && messages[0].role !== 'user') return 'begins with the assistant';
  for (const [at, message] of messages.entries()) {
    if (message.role !== 'assistant') continue;
    const calls = toolCalls(message).map(({id}) => id);
    const results = messages[at + 1]?.blocks.flatMap(block => (block.kind === 'tool-result' ? [block.id] : [])) ?? [];
    if (calls.join() !== results.join()) return `${calls.join()} answered by ${results.join()}`;
  }
  return 'none';
}
