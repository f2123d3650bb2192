import {sampleActions} from '../../../support/sample-actions.ts';
import {emptyUserChanges} from '../../../../src/domain/file-edit.ts';
import type {AgentEvent} from '../../../../src/actions/agent-event.ts';
import type {RpcExtras} from '../../../../src/protocol/rpc/encode-events.ts';
import type {AssistantBlock} from '../../../../src/domain/conversation.ts';
import {noUsage} from '../../../../src/domain/usage.ts';
import {
  opened,
  accepted,
  turn,
  call,
  started,
  begun,
  textDelta,
  finished,
  message,
  commandSettled,
  commandReport,
  promptFinished,
} from './event-builders.ts';

const text = (words: string): AssistantBlock => ({kind: 'text', text: words});
const test = call('toolu_1', 'Bash', {command: 'npm test'});
const look = call('toolu_2', 'Read', {file_path: 'shot.png'});
const write = call('toolu_3', 'Write', {file_path: '/etc/hosts', content: ''});
const wrong = call('toolu_4', 'Bush', {});

interface TranscriptScript {
  readonly partials: 'with' | 'without';
  /** What the client asked for besides; nothing where it is left out. */
  readonly extras?: RpcExtras;
  readonly events: readonly AgentEvent[];
}

/** Whole prompts, by the name of the transcript that they give. */
export const scripts: Readonly<Record<string, TranscriptScript>> = {
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
          {kind: 'other', type: 'poem', data: {lines: ['One', 'Two']}},
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
        result: {
          tag: 'action',
          result: {
            name: 'read-files',
            input: {requests: []},
            settled: {state: 'success', output: {files: []}},
          },
        },
        toolResult: {
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
            input: {edits: [], userChanges: emptyUserChanges},
            settled: {
              state: 'cancelled',
              why: {reason: 'denied', message: 'Not permitted: outside the workspace.'},
              partial: {paths: ['/etc/hosts']},
            },
          },
        },
        toolResult: {
          kind: 'tool-result',
          id: write.id,
          content: [{kind: 'text', text: 'Not permitted: outside the workspace.'}],
          outcome: 'cancelled',
          reason: 'denied',
        },
        durationMs: 0,
      },
      {
        event: 'action-settled',
        call: wrong,
        result: {tag: 'undecodable', fault: {kind: 'rejected', message: 'No tool named "Bush".'}},
        toolResult: {
          kind: 'tool-result',
          id: wrong.id,
          content: [{kind: 'text', text: 'No tool named "Bush".'}],
          outcome: 'error',
        },
        durationMs: 0,
      },
      {event: 'mode-changed', mode: 'acceptEdits'},
      {event: 'model-changed', model: 'claude-test-2', provider: 'anthropic', effort: 'default'},
      turn(2),
      ...message('msg_2', [text('Some of it.')], 'max-tokens'),
      promptFinished({
        answer: 'Some of it.',
        stop: 'max-tokens',
        turns: 2,
        results: 4,
        denials: [
          {call: write, by: 'rule', of: {kind: 'call', reasons: []}},
          {
            call: write,
            by: 'nobody',
            of: {kind: 'changes', changes: [{path: 'a.ts', kind: 'created', class: 'file'}], total: 2000},
          },
        ],
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
          partial: {command: 'npm test', reached: 'running', output: 'running\n'},
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
      {event: 'repaired', repair: 'media-left-out', text: 'm-1 could not read an image; it was left out.', leftOut: []},
      promptFinished({
        end: {
          kind: 'failed',
          fault: {
            kind: 'provider',
            message: 'The provider refused the key.',
            fix: 'Check it.',
            status: 401,
            refusal: {kind: 'other'},
          },
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
  'all-extras': {
    partials: 'without',
    extras: {
      hooks: 'without',
      agentTexts: 'without',
      progress: {now: () => 1500},
      isOwnTurn: () => false,
      echoOf: prompt => [{type: 'text', text: `the content of ${prompt}`}],
      servers: () => [{name: 'calc', status: 'connected', source: 'sdk'}],
      serverTools: () => ['mcp__calc__add'],
      extensions: () => ({
        slash_commands: ['git:pr', 'pdf'],
        agents: ['reviewer'],
        skills: ['pdf'],
        plugins: [{name: 'tools', path: '/plugins/tools', version: '1.0.0'}],
      }),
    },
    events: [
      opened,
      ...accepted('Work.'),
      turn(1),
      ...message('msg_1', [test], 'tool-use'),
      {
        event: 'action-started',
        id: test.id,
        action: {name: 'request-command-output', input: sampleActions['request-command-output'].input},
        preview: {kind: 'none'},
      },
      {event: 'action-output', id: test.id, chunk: '1 passed\n'},
      {event: 'notice', level: 'warning', text: 'The disk is nearly full.'},
      ...accepted('Hurry.'),
      ...commandSettled(test, commandReport('1 passed\n', 0), '1 passed\n[exit code 0 after 0.4 s in /work/project]'),
      promptFinished({answer: '', results: 1}),
    ],
  },
  structured: {
    partials: 'without',
    events: [
      opened,
      ...accepted('As JSON.'),
      {event: 'sent-on', text: 'You have not given your answer yet.'},
      promptFinished({answer: '{"sum":4}', structured: {kind: 'value', value: {sum: 4}}}),
      ...accepted('Again.'),
      promptFinished({answer: '4', end: {kind: 'invalid-output', errors: ['the answer must be an object']}}),
    ],
  },
  'stopped-by-hook': {
    partials: 'without',
    events: [
      opened,
      ...accepted('Go on.'),
      promptFinished({answer: 'Half.', end: {kind: 'stopped-by-hook', reason: 'Enough for today.'}}),
      ...accepted('Go on.'),
      promptFinished({answer: 'Half.', end: {kind: 'stopped-by-hook', reason: ''}}),
    ],
  },
  'not-sent': {
    partials: 'without',
    events: [
      opened,
      ...accepted('/reveiw'),
      promptFinished({
        answer: '',
        end: {
          kind: 'not-sent',
          why: 'unknown-command',
          fault: {kind: 'rejected', message: 'Unknown command /reveiw. Did you mean /review?'},
        },
      }),
    ],
  },
  'max-cost': {
    partials: 'without',
    events: [opened, ...accepted('Go on.'), promptFinished({end: {kind: 'max-cost', usd: 0.01}, stop: 'tool-use'})],
  },
};
