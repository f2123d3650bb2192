import {afterAll, expect, test} from 'vitest';
import {makeServerProcesses, serverExitMs} from '../../../../src/workspace/exec/server-processes.ts';
import {never} from '../temporary-folder.ts';
import {commandPlace} from './command-place.ts';

const place = commandPlace({blockWaits: {startMs: 60_000, echoMs: 60_000}});
const servers = makeServerProcesses({environment: process.env, registryFolder: place.registry, exitMs: serverExitMs});
afterAll(async () => {
  await servers.close();
  await place[Symbol.asyncDispose]();
});

const list = 'for file in /proc/self/fd/*; do echo "$(readlink "$file")"; done';
const ptmx = (text: string): readonly string[] => text.split('\n').filter(line => line.includes('ptmx'));

test.runIf(process.platform === 'linux')('nothing that is started gets hold of the terminal of a block', async () => {
  const block = (command: string) =>
    place.blocks.start({command, directory: place.root, environment: 'inherited', confinement: 'chosen'}, never);
  const other = await block('read x');
  expect(other).toMatchObject({tag: 'ok', value: {state: {kind: 'waiting'}, terminal: 'pty'}});

  const inBlock = await block('ls /proc/self/fd; echo errors >&2; declare -F');
  expect(inBlock).toMatchObject({tag: 'ok', value: {output: {text: '0  1  2  3\nerrors'}}});

  const {output} = await place.run(list);
  expect(ptmx(output.text)).toEqual([]);

  const hook = await place.hooks.run(
    {type: 'command', command: list, args: 'shell', environment: {}, rights: 'unconfined'},
    '',
    never,
  );
  expect([hook.end, ptmx(hook.stdout)]).toEqual([{kind: 'exited', code: 0}, []]);

  const lines: string[] = [];
  const server = await servers.start(
    {command: 'sh', args: ['-c', list], directory: place.root, env: {}},
    {line: line => void lines.push(line), log: () => {}},
  );
  if (server.tag === 'failed') throw new Error(server.error);
  await server.value.ended;
  expect([lines.length > 3, ptmx(lines.join('\n'))]).toEqual([true, []]);
});
