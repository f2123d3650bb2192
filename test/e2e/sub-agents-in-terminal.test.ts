// @module-tag long
import {existsSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {lookUntil} from '../support/look-until.ts';
import {type Answer, call, fail, say, until} from '../support/model-script.ts';
import {fileComes, openScene, pointedAt, processGone, type Scene} from '../support/scene.ts';
import {openTerminal, type ShellTerminal} from '../support/shell-terminal.ts';

/** A model that has a sub-agent `maker` do `inner`. */
function scripted(inner: readonly Answer[], outer: readonly Answer[], more: object = {}): Promise<Scene> {
  const agent = call('Agent', {description: 'maker', prompt: 'MAKE-IT', ...more});
  return openScene(({body}) => {
    const script = JSON.stringify(body.messages[0]).includes('MAKE-IT') ? inner : [agent, ...outer];
    return script[body.messages.filter(({role}) => role === 'assistant').length] ?? fail(400);
  });
}

/** A terminal in which weft works on a prompt. */
async function begin({place, server}: Scene, flags = ''): Promise<ShellTerminal> {
  const terminal = await openTerminal(place, pointedAt(server));
  await terminal.type(`weft ${flags} Go.`);
  await terminal.press('Enter');
  return terminal;
}

const endless = call('Bash', {command: 'echo $$ > pid; exec sleep 600'});

test('a sub-agent asks on a card that says who asks; what it does stands below its call', async () => {
  const made = call('Write', {file_path: 'a', content: 'made\n'});
  await using scene = await scripted([made, say('Made.')], [say('So it is.')]);
  await using terminal = await begin(scene);
  await terminal.onScreen(/maker: Create a\?/u);
  await terminal.onScreen(/Agent: maker[^]*needs input: /u);
  await terminal.type('y');
  await terminal.until(/So it is\./u);
  expect(scene.read('a')).toBe('made\n');
});

test('Esc ends a sub-agent with what it runs', async () => {
  await using scene = await scripted([endless, say('never')], [say('never')]);
  await using terminal = await begin(scene);
  await terminal.onScreen(/maker: Run this command\?/u);
  await terminal.type('y');
  const pid = Number(await fileComes(join(scene.place.work, 'pid')));
  await terminal.press('Escape');
  await terminal.until(/Interrupted/u);
  await processGone(pid);
});

test('Ctrl+B lets the agent go on without a sub-agent, which /agents then stops', async () => {
  await using scene = await scripted([endless, say('never')], [say('I go on.')]);
  await using terminal = await begin(scene);
  await terminal.onScreen(/maker: Run this command\?/u);
  await terminal.type('y');
  const pid = Number(await fileComes(join(scene.place.work, 'pid')));
  await terminal.press('C-b');
  await terminal.until(/I go on\./u);
  await terminal.type('/agents stop 1');
  await terminal.press('Enter');
  await terminal.until(/Stopping maker/u);
  await processGone(pid);
});

test('the end of one in the background is told to an agent that waits for a prompt, at once', async () => {
  const gate = Promise.withResolvers<void>();
  await using scene = await scripted(
    [[until(gate.promise), say('The slow answer.')]],
    [say('I go on.'), say('It has answered.'), say('never')],
    {run_in_background: true},
  );
  await using terminal = await begin(scene);
  await terminal.until(/I go on\./u);
  gate.resolve();
  await terminal.until(/It has answered\./u);
  expect(JSON.stringify(scene.server.requests.at(-1)?.body.messages.slice(-2))).toContain('The slow answer.');
});

test('leaving says which commands and sub-agents in the background it has stopped', async () => {
  const never = Promise.withResolvers<void>();
  await using scene = await scripted([[until(never.promise)]], [say('I go on.'), say('never')], {
    run_in_background: true,
  });
  await using terminal = await begin(scene);
  await terminal.until(/I go on\./u);
  await terminal.type('/exit');
  await terminal.press('Enter');
  await terminal.until(/Stopped: the agent maker/u);
});

/** Eight sub-agents in one answer, of which each runs a command that never ends. */
const eight = (): Promise<Scene> =>
  openScene(({body}) => {
    const answered = body.messages.filter(({role}) => role === 'assistant').length;
    if (JSON.stringify(body.messages[0]).includes('MAKE-IT'))
      return answered === 0 ? call('Bash', {command: 'echo $$ >> pids; exec sleep 600'}) : say('never');
    const agents = Array.from({length: 8}, (_, at) =>
      call('Agent', {description: `maker ${String(at + 1)}`, prompt: 'MAKE-IT'}),
    );
    return answered === 0 ? agents : say('I go on.');
  });

async function eightPids(scene: Scene): Promise<readonly number[]> {
  const pids = (): readonly number[] =>
    existsSync(join(scene.place.work, 'pids')) ? scene.read('pids').trim().split('\n').map(Number) : [];
  await lookUntil(
    () => pids().length === 8,
    () => `${String(pids().length)} commands run`,
  );
  return pids();
}

test('Esc ends eight at once, with what each runs', async () => {
  await using scene = await eight();
  await using terminal = await begin(scene, '--permission-mode bypassPermissions');
  const pids = await eightPids(scene);
  await terminal.onScreen(/maker 1 · [^]*maker 8 · [^]*8 agents running/u);
  await terminal.press('Escape');
  await terminal.until(/Interrupted/u);
  await Promise.all(pids.map(pid => processGone(pid)));
});

test('of eight each asks on a card of its own, one after the other; Ctrl+B lets the agent go on without them', async () => {
  await using scene = await eight();
  await using terminal = await begin(scene);
  // Who asks first is a matter of chance.
  const left = new Set(['1', '2', '3', '4', '5', '6', '7', '8']);
  while (left.size > 0) {
    const card = new RegExp(`maker ([${[...left].join('')}]): Run this command\\?`, 'u');
    await terminal.onScreen(card);
    left.delete(card.exec(await terminal.text())?.[1] ?? '');
    await terminal.type('y');
  }
  const pids = await eightPids(scene);
  for (let at = 1; at <= 8; at++) {
    await terminal.press('C-b');
    // A press moves the first agent that the screen shows as running.
    await terminal.until(new RegExp(`(?:in the background · [^]*){${String(at)}}`, 'u'));
  }
  await terminal.until(/I go on\./u);
  await terminal.type('/exit');
  await terminal.press('Enter');
  await terminal.until(/Stopped: the agent maker 1, [^]*the agent maker\s+8/u);
  await Promise.all(pids.map(pid => processGone(pid)));
});
