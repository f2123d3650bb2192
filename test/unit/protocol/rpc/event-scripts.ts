import type {AgentEvent, PromptSummary, SessionUsage} from '../../../../src/actions/agent-event.ts';
import {actionOf, type SettledOf} from '../../../../src/actions/catalogue.ts';
import type {AssistantBlock, StopReason, ToolCallBlock} from '../../../../src/domain/conversation.ts';
import {actionId, messageId, parseSessionId} from '../../../../src/domain/ids.ts';
import type {BlockStart} from '../../../../src/domain/model-stream.ts';
import {noUsage, type Usage} from '../../../../src/domain/usage.ts';

/** Hand-made events of the engine, with fixed ids and times. */

const sessionId = parseSessionId('11111111-2222-4333-8444-555555555555');
if (sessionId === undefined) throw new Error('the fixed id is a UUID');

const atStart: Usage = {inputTokens: 12, outputTokens: 1, cacheReadTokens: 300, cacheWriteTokens: 40};
const atEnd: Usage = {...atStart, outputTokens: 25};
const model = 'claude-test-1';

export const sessionUsage: SessionUsage = {
  models: {
    [model]: {usage: atEnd, costUsd: 0.0125, requests: 1},
    'local-llama': {usage: {...noUsage, inputTokens: 7}, costUsd: 'unknown', requests: 1},
  },
  contextTokens: 377,
  contextWindow: 200_000,
};

export const opened: AgentEvent = {
  event: 'session-opened',
  session: {
    id: sessionId,
    origin: 'new',
    directory: '/work/project',
    provider: 'anthropic',
    model,
    mode: 'default',
    tools: ['Bash', 'Read', 'Write'],
  },
  history: [],
  todoFrames: [],
  usage: sessionUsage,
};

export const accepted = (text: string): readonly AgentEvent[] => [
  {event: 'prompt-accepted', id: messageId('p1'), text},
];

export const turn = (number: number): AgentEvent => ({event: 'turn-started', turn: number});

export const call = (id: string, name: string, input: ToolCallBlock['input']): ToolCallBlock => ({
  kind: 'tool-call',
  id: actionId(id),
  name,
  input,
});

export const started = (id: string): AgentEvent => ({
  event: 'message-started',
  message: messageId(id),
  model,
  usage: atStart,
});

export const begun = (id: string, index: number, block: BlockStart): AgentEvent => ({
  event: 'block-started',
  message: messageId(id),
  index,
  block,
});

export const textDelta = (id: string, index: number, text: string): AgentEvent => ({
  event: 'block-delta',
  message: messageId(id),
  index,
  delta: {kind: 'text', text},
});

export const ended = (id: string, index: number, block: AssistantBlock): AgentEvent => ({
  event: 'block-finished',
  message: messageId(id),
  index,
  block,
});

/** A block from its start to its end, in two deltas. */
export function block(id: string, index: number, whole: AssistantBlock): readonly AgentEvent[] {
  const message = messageId(id);
  const middle = (text: string): number => Math.ceil(text.length / 2);
  const halves = (text: string): readonly string[] => [text.slice(0, middle(text)), text.slice(middle(text))];
  switch (whole.kind) {
    case 'text':
      return [
        begun(id, index, {kind: 'text'}),
        ...halves(whole.text).map(text => textDelta(id, index, text)),
        ended(id, index, whole),
      ];
    case 'thinking':
      return [
        begun(id, index, {kind: 'thinking'}),
        ...halves(whole.text).map((text): AgentEvent => ({
          event: 'block-delta',
          message,
          index,
          delta: {kind: 'thinking', text},
        })),
        {event: 'block-delta', message, index, delta: {kind: 'signature', signature: whole.signature}},
        ended(id, index, whole),
      ];
    case 'sealed-thinking':
      return [begun(id, index, {kind: 'sealed-thinking', data: whole.data}), ended(id, index, whole)];
    case 'tool-call':
      return [
        begun(id, index, {kind: 'tool-call', id: whole.id, name: whole.name}),
        ...halves(JSON.stringify(whole.input)).map((json): AgentEvent => ({
          event: 'block-delta',
          message,
          index,
          delta: {kind: 'tool-input', json},
        })),
        ended(id, index, whole),
      ];
  }
}

export const finished = (id: string, blocks: readonly AssistantBlock[], stop: StopReason): AgentEvent => ({
  event: 'message-finished',
  message: {role: 'assistant', id: messageId(id), model, blocks, stop, usage: atEnd},
});

/** A whole message of the model. */
export const message = (id: string, blocks: readonly AssistantBlock[], stop: StopReason): readonly AgentEvent[] => [
  started(id),
  ...blocks.flatMap((whole, index) => block(id, index, whole)),
  finished(id, blocks, stop),
];

/** A Bash call that has settled. */
export function commandSettled(
  made: ToolCallBlock,
  settled: SettledOf<'request-command-output'>,
  told: string,
): readonly AgentEvent[] {
  const input = {
    command: 'npm test',
    timeoutMs: 120_000,
    claims: {readOnly: 'unsaid', risky: 'unsaid', usesPager: 'unsaid'},
    description: '',
    rationale: '',
    citations: [],
  } as const;
  return [
    {
      event: 'action-queued',
      id: made.id,
      action: actionOf('request-command-output', input),
      label: 'Run command: npm test',
    },
    {
      event: 'action-settled',
      call: made,
      result: {tag: 'action', result: {name: 'request-command-output', input, settled}},
      told: {kind: 'tool-result', id: made.id, content: [{kind: 'text', text: told}], outcome: settled.state},
      durationMs: 412,
    },
  ];
}

export const commandReport = (text: string, code: number): SettledOf<'request-command-output'> => ({
  state: 'success',
  output: {
    command: 'npm test',
    report: {
      end: {kind: 'exited', code},
      output: {text, totalBytes: text.length, file: undefined},
      durationMs: 400,
      directory: '/work/project',
    },
  },
});

export const summary = (given: Partial<PromptSummary>): PromptSummary => ({
  end: {kind: 'done'},
  answer: '',
  stop: 'end-turn',
  turns: 1,
  results: 0,
  durationMs: 1500,
  modelMs: 1100,
  usage: atEnd,
  sessionUsage,
  denials: [],
  ...given,
});

export const promptFinished = (given: Partial<PromptSummary>): AgentEvent => ({
  event: 'prompt-finished',
  summary: summary(given),
});

const text = (words: string): AssistantBlock => ({kind: 'text', text: words});
const test = call('toolu_1', 'Bash', {command: 'npm test'});
const look = call('toolu_2', 'Read', {file_path: 'shot.png'});
const write = call('toolu_3', 'Write', {file_path: '/etc/hosts', content: ''});
const wrong = call('toolu_4', 'Bush', {});

/** Whole prompts, by the name of the transcript that they give. */
export const scripts: Readonly<Record<string, {partials: 'with' | 'without'; events: readonly AgentEvent[]}>> = {
  answer: {
    partials: 'without',
    events: [
      opened,
      ...accepted('Hello?'),
      turn(1),
      ...message('msg_1', [text('Hello.')], 'end-turn'),
      promptFinished({answer: 'Hello.'}),
    ],
  },
  'partial-messages': {
    partials: 'with',
    events: [
      opened,
      ...accepted('Think.'),
      turn(1),
      ...message(
        'msg_1',
        [
          {kind: 'thinking', text: 'Let me see.', signature: 'c2ln'},
          {kind: 'sealed-thinking', data: 'c2VhbGVk'},
          text('One\u2028two 🌍.'),
          test,
        ],
        'tool-use',
      ),
      ...commandSettled(test, commandReport('ok\n', 0), 'ok\n[exit code 0 after 0.4 s in /work/project]'),
      turn(2),
      ...message('msg_2', [text('Done.')], 'end-turn'),
      promptFinished({answer: 'Done.', turns: 2, results: 1}),
    ],
  },
  tools: {
    partials: 'without',
    events: [
      opened,
      ...accepted('Work.'),
      turn(1),
      ...message('msg_1', [text('Looking.'), test, look, write, wrong], 'tool-use'),
      ...commandSettled(test, commandReport('1 failed\n', 1), '1 failed\n[exit code 1 after 0.4 s in /work/project]'),
      {
        event: 'action-settled',
        call: look,
        result: {tag: 'undecodable', fault: {kind: 'rejected', message: 'unused'}},
        told: {
          kind: 'tool-result',
          id: look.id,
          content: [
            {kind: 'text', text: 'shot.png (image)'},
            {kind: 'image', mediaType: 'image/png', data: 'iVBORw0='},
          ],
          outcome: 'success',
        },
        durationMs: 3,
      },
      {
        event: 'action-settled',
        call: write,
        result: {
          tag: 'action',
          result: {
            name: 'request-file-edits',
            input: {edits: []},
            settled: {
              state: 'cancelled',
              why: {reason: 'denied', message: 'Not permitted: outside the workspace.'},
              cut: {paths: ['/etc/hosts']},
            },
          },
        },
        told: {
          kind: 'tool-result',
          id: write.id,
          content: [{kind: 'text', text: 'Not permitted: outside the workspace.'}],
          outcome: 'cancelled',
        },
        durationMs: 0,
      },
      {
        event: 'action-settled',
        call: wrong,
        result: {tag: 'undecodable', fault: {kind: 'rejected', message: 'There is no tool named "Bush".'}},
        told: {
          kind: 'tool-result',
          id: wrong.id,
          content: [{kind: 'text', text: 'There is no tool named "Bush".'}],
          outcome: 'error',
        },
        durationMs: 0,
      },
      {event: 'mode-changed', mode: 'acceptEdits'},
      {event: 'model-changed', model: 'claude-test-2'},
      turn(2),
      ...message('msg_2', [text('Some of it.')], 'max-tokens'),
      promptFinished({
        answer: 'Some of it.',
        stop: 'max-tokens',
        turns: 2,
        results: 4,
        denials: [{call: write, by: 'rule'}],
      }),
      ...accepted('And now?'),
      promptFinished({answer: 'Some of it.', turns: 0}),
    ],
  },
  'interrupted-while-streaming': {
    partials: 'with',
    events: [
      opened,
      ...accepted('Count.'),
      turn(1),
      started('msg_1'),
      begun('msg_1', 0, {kind: 'text'}),
      textDelta('msg_1', 0, 'One, two'),
      finished('msg_1', [text('One, two')], 'interrupted'),
      promptFinished({end: {kind: 'interrupted'}, answer: 'One, two', stop: 'interrupted'}),
    ],
  },
  'interrupted-in-a-tool': {
    partials: 'without',
    events: [
      opened,
      ...accepted('Test.'),
      turn(1),
      ...message('msg_1', [test], 'tool-use'),
      ...commandSettled(
        test,
        {
          state: 'cancelled',
          why: {reason: 'interrupted', message: ''},
          cut: {command: 'npm test', output: 'running\n'},
        },
        'The user interrupted this.',
      ),
      promptFinished({end: {kind: 'interrupted'}, stop: 'tool-use', results: 1}),
    ],
  },
  'nothing-worth-keeping': {
    partials: 'with',
    events: [
      opened,
      ...accepted('Think.'),
      turn(1),
      started('msg_1'),
      begun('msg_1', 0, {kind: 'thinking'}),
      promptFinished({end: {kind: 'interrupted'}, stop: 'interrupted'}),
    ],
  },
  'api-error': {
    partials: 'without',
    events: [
      opened,
      ...accepted('Hello?'),
      turn(1),
      {event: 'retrying', attempt: 1, maxAttempts: 10, delayMs: 500, status: 429, message: 'slow down'},
      {event: 'retrying', attempt: 2, maxAttempts: 10, delayMs: 1000, status: 0, message: 'connection lost'},
      promptFinished({
        end: {
          kind: 'failed',
          fault: {kind: 'provider', message: 'The provider refused the key.', fix: 'Check it.', status: 401},
        },
        stop: 'interrupted',
        usage: noUsage,
      }),
    ],
  },
  'own-fault': {
    partials: 'without',
    events: [
      opened,
      ...accepted('Hello?'),
      promptFinished({
        end: {kind: 'failed', fault: {kind: 'needs-user', message: 'The disk is full.', fix: 'Free some.'}},
      }),
    ],
  },
  'max-turns': {
    partials: 'without',
    events: [opened, ...accepted('Go on.'), promptFinished({end: {kind: 'max-turns', turns: 2}, stop: 'tool-use'})],
  },
  'max-cost': {
    partials: 'without',
    events: [opened, ...accepted('Go on.'), promptFinished({end: {kind: 'max-cost', usd: 0.01}, stop: 'tool-use'})],
  },
};
