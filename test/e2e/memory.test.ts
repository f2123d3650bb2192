import {readdirSync} from 'node:fs';
import {expect, test} from 'vitest';
import {say} from '../support/model-script.ts';
import {openScene, pointedAt} from '../support/scene.ts';
import {openTerminal} from '../support/shell-terminal.ts';

test(
  "the user's notes for a project lie outside of it, without secrets, and every later session reads them",
  {tags: 'long'},
  async () => {
    await using scene = await openScene([say('First.'), say('Second.')]);
    const before = readdirSync(scene.place.work);
    const secret = `ghp_${'aB3dE5gH7j'.repeat(4).slice(0, 36)}`;
    await using terminal = await openTerminal(scene.place, pointedAt(scene.server, 'anthropic'));
    await terminal.type('weft "x"');
    await terminal.press('Enter');
    await terminal.until(/First\./u);
    await terminal.type(`/memory add the tests need Docker and ${secret}`);
    await terminal.press('Enter');
    await terminal.until(/Added to your project notes/u);
    const {stdout} = await scene.run(['--prompt', 'y']);
    expect(stdout).toBe('Second.\n');
    const system = JSON.stringify(scene.server.requests.at(-1)?.body.system);
    expect(system).toMatch(/MEMORY\.md[^]*- the tests need Docker and \[\[secret:/u);
    expect(JSON.stringify(scene.server.requests)).not.toContain(secret);
    expect(readdirSync(scene.place.work)).toEqual(before);
  },
);
