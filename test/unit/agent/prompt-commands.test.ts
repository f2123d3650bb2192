import {emptyAbilities} from '../../../src/actions/front-end.ts';
import {describe, expect, test} from 'vitest';
import type {CommandsPort, ExpandedPrompt, PromptPart} from '../../../src/actions/commands-port.ts';
import {failed, ok} from '../../../src/base/outcome.ts';
import {treeId} from '../../../src/domain/checkpoint.ts';
import {rejected} from '../../../src/domain/fault.ts';
import {noDetail, type RuleChange, type Verdict} from '../../../src/domain/risk.ts';
import {commandBlock, commandsOfPrograms} from '../../../src/domain/slash-command.ts';
import {engineBench, finishedReport, noCheckpoints, says, valueOf} from '../../support/memory-ports.ts';

const noFile = async () => failed(rejected('there is no such file'));

/** Commands whose expansions are written down here. */
function commandsOf(expansions: Readonly<Record<string, Partial<ExpandedPrompt>>>): CommandsPort {
  const list = Object.keys(expansions).map(name => ({
    name,
    description: `About ${name}`,
    argumentHint: '',
    kind: 'command' as const,
    source: {kind: 'file' as const, scope: 'user' as const, path: `/home/user/${name}.md`},
  }));
  return {
    ready: async () => {},
    list: () => list,
    whyWithheld: () => '',
    expand: async ({name, argument}) =>
      ok({
        parts: [{kind: 'text', text: `Do ${name} with ${argument}`}],
        mentions: 'attach',
        model: undefined,
        allowedTools: [],
        block: text => commandBlock({name, text}),
        ...expansions[name],
      }),
  };
}

const ask: Verdict = {decision: 'ask', risk: 'local-change', reasons: [], sessionApproval: 'exact', detail: noDetail};

describe('a prompt that is a slash command', () => {
  test('is sent as typed, followed by what the command comes to', async () => {
    const bench = engineBench([says('Done.')], {commands: commandsOf({'git:pr': {}})});
    const summary = await bench.prompt('/git:pr 12 now');
    expect(summary.end).toEqual({kind: 'done'});
    expect(bench.model.requests[0]?.messages[0]?.blocks).toEqual([
      {kind: 'text', text: '/git:pr 12 now'},
      {kind: 'text', text: '<command name="/git:pr">\nDo git:pr with 12 now\n</command>'},
    ]);
  });

  test.each([
    ['/reveiw 12', 'Unknown command /reveiw. Did you mean /review?'],
    ['/model gpt', '/model works only in the terminal UI. Nothing was sent to the model.'],
    ['/zzzzzzzz', 'Unknown command /zzzzzzzz. Type /help for the list.'],
    ['/', 'Unknown command /. Type /help for the list.'],
  ])('%s is not sent when nobody has it', async (text, message) => {
    const bench = engineBench([says('Never.')], {commands: commandsOf({review: {}}), read: noFile});
    const {end} = await bench.prompt(text);
    expect(end).toEqual({kind: 'not-sent', why: 'unknown-command', fault: rejected(message)});
    expect(bench.model.requests).toEqual([]);
    expect(valueOf(await bench.query({query: 'look-up-command', text}))).toEqual({kind: 'unknown', text: message});
  });

  test('outside the terminal, the commands that work there are named', async () => {
    const options = {frontEnd: emptyAbilities};
    const bench = engineBench([says('Never.')], {commands: commandsOf({review: {}}), read: noFile, options});
    const available = `Available: ${commandsOfPrograms.map(({name}) => `/${name}`).join(', ')}, /review.`;
    const known = `Unknown command /zzzzzzzz. ${available}`;
    expect((await bench.prompt('/zzzzzzzz')).end).toMatchObject({fault: rejected(known)});
    expect((await bench.prompt('/transcripts')).end).toMatchObject({
      fault: rejected(`Unknown command /transcripts. ${available}`),
    });
  });

  test.each(['/usr/bin is full', '/tmp is full', 'see /review', '/review, please'])('%s is text', async text => {
    const bench = engineBench([says('Yes.')], {commands: commandsOf({review: {}})});
    expect((await bench.prompt(text)).end).toEqual({kind: 'done'});
    expect(bench.model.requests[0]?.messages[0]?.blocks[0]).toEqual({kind: 'text', text});
  });

  test('runs its command lines as Bash is run and puts what they print in their places', async () => {
    const parts: readonly PromptPart[] = [
      {kind: 'text', text: 'Status: '},
      {kind: 'shell', command: 'git status'},
      {kind: 'text', text: '.'},
    ];
    const bench = engineBench([says('Done.')], {
      commands: commandsOf({pr: {parts}}),
      shell: async ({command}) => finishedReport(`printed by ${command} @secret.txt\n`),
    });
    await bench.prompt('/pr');
    expect(bench.model.requests[0]?.messages[0]?.blocks).toEqual([
      {kind: 'text', text: '/pr'},
      {kind: 'text', text: '<command name="/pr">\nStatus: printed by git status @secret.txt.\n</command>'},
    ]);
  });

  test('takes the checkpoint of the prompt before a line that changes something', async () => {
    const done: string[] = [];
    const bench = engineBench([says('Done.')], {
      commands: commandsOf({pr: {parts: [{kind: 'shell', command: 'touch x'}]}}),
      assess: () => ({...ask, decision: 'allow'}),
      checkpoints: {
        ...noCheckpoints,
        async take() {
          done.push('checkpoint');
          return ok(treeId('tree'));
        },
      },
      async shell() {
        done.push('line');
        return finishedReport('');
      },
    });
    await bench.prompt('/pr');
    expect(done).toEqual(['checkpoint', 'line', 'checkpoint']);
  });

  test('is not sent when one of its lines may not run', async () => {
    const parts: readonly PromptPart[] = [{kind: 'shell', command: 'rm -rf x'}];
    const bench = engineBench([says('Never.')], {
      commands: commandsOf({pr: {parts}}),
      assess: () => ask,
      options: {interaction: 'unattended'},
    });
    const {end, denials} = await bench.prompt('/pr');
    expect(end).toMatchObject({kind: 'not-sent', why: 'not-permitted'});
    expect(denials).toMatchObject([{by: 'nobody', call: {name: 'Bash', input: {command: 'rm -rf x'}}}]);
    expect(bench.model.requests).toEqual([]);
  });

  test('has its own model and rules only while it runs', async () => {
    const changes: RuleChange[] = [];
    const bench = engineBench([says('One.'), says('Two.')], {
      commands: commandsOf({quick: {model: 'small', allowedTools: ['Bash(git add:*)']}}),
      changeRules: async change => {
        changes.push(change);
        return ok(undefined);
      },
    });
    await bench.prompt('/quick');
    await bench.prompt('and now');
    expect(bench.model.requests.map(({model}) => model)).toEqual(['small', 'scripted']);
    expect(changes).toEqual([
      {change: 'prompt', rules: ['Bash(git add:*)']},
      {change: 'prompt', rules: []},
    ]);
  });
});
