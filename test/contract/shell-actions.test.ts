import {readdirSync} from 'node:fs';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import type {AgentEvent} from '../../src/actions/agent-event.ts';
import {isJsonObject, type Json} from '../../src/base/json.ts';
import {noDetail, type Verdict} from '../../src/domain/risk.ts';
import {callBlock, callsTools, engineBench, says} from '../support/memory-ports.ts';
import {running} from '../support/processes.ts';
import {needs} from '../support/programs.ts';
import {commandPlace} from '../unit/workspace/exec/command-place.ts';
import {never} from '../unit/workspace/temporary-folder.ts';

/**
 * Every action that runs commands, interrupted at five moments: exactly one result, no process that the action started, no open
 * file that was not there before.
 */
const place = commandPlace();
let block = '';
let silent = '';

beforeAll(async () => {
  // Everything that is opened once is open.
  await place.run('true');
  await place.blocks.start(
    {command: 'true', directory: place.shell.directory, environment: 'inherited', confinement: 'chosen'},
    never,
  );
  const started = await place.blocks.start(
    {command: 'cat; sleep 7299', directory: place.shell.directory, environment: 'inherited', confinement: 'chosen'},
    never,
  );
  block = started.tag === 'ok' ? started.value.id : '';
  const sleeping = await place.blocks.start(
    {command: 'sleep 7298', directory: place.shell.directory, environment: 'inherited', confinement: 'chosen'},
    never,
  );
  silent = sleeping.tag === 'ok' ? sleeping.value.id : '';
});

afterAll(async () => {
  await place[Symbol.asyncDispose]();
  expect(running('sleep 72')).toEqual([]);
});

const actions: readonly (readonly [name: string, tool: string, input: (block: string) => Json])[] = [
  ['a command', 'Bash', () => ({command: 'echo up; sleep 7201'})],
  ['a command that leaves others', 'Bash', () => ({command: 'setsid -f sleep 7202; echo up; sleep 7203 & sleep 7204'})],
  ['a block', 'Bash', () => ({command: 'echo up; trap "" TERM; sleep 7205; sleep 7205', wait_until_completion: false})],
  ['reading a block', 'BashOutput', () => ({block_id: silent, delay: 30})],
  ['writing to a block', 'BashInput', id => ({block_id: id, input: 'x'})],
  ['handing a block over', 'BashHandOver', id => ({block_id: id, reason: 'a password'})],
];

const moments = ['before approval', 'asking', 'started', 'mid-output', 'after the end'] as const;
type Moment = (typeof moments)[number];

const cases = actions.flatMap(([name, tool, input]) => moments.map(moment => [name, moment, tool, input] as const));

describe.each(cases)('%s, interrupted: %s', (name, moment, tool, input) => {
  test('one result, nothing left', async context => {
    if (name === 'a command that leaves others') needs('setsid')(context);
    const before = openFiles();
    const events = await interruptedAt(moment, {tool, input: input(block)});
    const settled = events.filter(event => event.event === 'action-settled');
    expect(settled).toHaveLength(1);
    const state = settled[0]?.result.tag === 'action' ? settled[0].result.result.settled.state : 'undecodable';
    expect(statesAt(moment, tool)).toContain(state);
    expect(running('sleep 720')).toEqual([]);
    await expect.poll(openFiles).toBeLessThanOrEqual(before);
  });
});

/** What is written or read at once may be done before the interruption; a late success stays one. */
function statesAt(moment: Moment, tool: string): readonly string[] {
  if (moment === 'after the end') return ['success'];
  return moment === 'mid-output' && tool === 'BashInput' ? ['cancelled', 'success'] : ['cancelled'];
}

async function interruptedAt(
  moment: Moment,
  call: {readonly tool: string; readonly input: Json},
): Promise<readonly AgentEvent[]> {
  const decision = moment === 'asking' ? 'ask' : 'allow';
  const verdict: Verdict = {decision, risk: 'unknown', reasons: [], sessionApproval: 'exact', detail: noDetail};
  const quick = moment === 'after the end' ? soonOver(call) : call.input;
  const bench = engineBench([callsTools(callBlock(call.tool, quick)), says('done')], {
    // The shell of the bench has a folder that there is not.
    shell: async (request, observe, signal) => place.shell.run({...request, directory: place.root}, observe, signal),
    blocks: {
      ...place.blocks,
      start: async (request, signal) => place.blocks.start({...request, directory: place.root}, signal),
    },
    assess: () => {
      if (moment === 'before approval') interrupt();
      return verdict;
    },
  });
  const interrupt = (): void => bench.engine.submit({op: 'interrupt'});
  const trigger = {
    'before approval': '',
    asking: 'approval-requested',
    started: 'action-started',
    'mid-output': '',
    'after the end': 'action-settled',
  }[moment];
  bench.engine.subscribe(batch => {
    for (const event of batch) {
      if (event.event === trigger) interrupt();
      if (moment === 'mid-output' && event.event === 'action-started') void inTheMiddle(call).then(interrupt);
      if (event.event === 'hand-over-asked' && moment === 'after the end') {
        bench.engine.submit({op: 'answer-hand-over', id: event.id, end: 'detached'});
      }
    }
  });
  await bench.prompt('go');
  await bench.engine.close('finished');
  return bench.events;
}

/** Resolves when what the action starts runs, or, where it starts nothing, when it has had its turn. */
async function inTheMiddle({input}: {readonly input: Json}): Promise<void> {
  const command = isJsonObject(input) ? input['command'] : undefined;
  const last = typeof command === 'string' ? /sleep \d+$/u.exec(command)?.[0] : undefined;
  if (last === undefined) await new Promise(resolve => setImmediate(resolve));
  else await expect.poll(() => running(last)).not.toEqual([]);
}

/** The same action in a form that ends by itself. */
function soonOver({tool, input}: {readonly tool: string; readonly input: Json}): Json {
  switch (tool) {
    case 'Bash':
      return {command: 'echo up'};
    case 'BashOutput':
      return {block_id: block, delay: 0};
    default:
      return input;
  }
}

const openFiles = (): number => readdirSync('/proc/self/fd').length;
