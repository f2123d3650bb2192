// @module-tag long
import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {lookUntil} from '../support/look-until.ts';
import {call, say} from '../support/model-script.ts';
import {openScene, pointedAt, type Scene} from '../support/scene.ts';
import {openTerminal} from '../support/shell-terminal.ts';
import {asEditor, newSession, prompt, textIn} from './support/editor.ts';

/** A model that starts a command in the background, which ends when the file `go` is there. */
const starting = (): Promise<Scene> =>
  openScene([
    call('Bash', {command: 'until test -e go; do sleep 0.05; done', run_in_background: true}),
    say('Started it.'),
    say('Heard of it.'),
  ]);

const end = ({place}: Scene): void => writeFileSync(join(place.work, 'go'), '');

const lastPrompt = ({server}: Scene): string => JSON.stringify(server.requests.at(-1)?.body.messages.at(-1));

test.each(['', '--accessible'])(
  'the end of a background command is told to an agent that waits for a prompt: weft %s',
  async flags => {
    await using scene = await starting();
    await using terminal = await openTerminal(scene.place, pointedAt(scene.server));
    await terminal.type(`weft ${flags} --permission-mode bypassPermissions Go.`);
    await terminal.press('Enter');
    await terminal.until(/Started it\./u);
    end(scene);
    await terminal.until(/Heard of it\./u);
    expect(lastPrompt(scene)).toContain('has ended (exit code 0): until test -e go');
  },
);

test('an editor shows what the agent says about the end of a background command', async () => {
  await using scene = await starting();
  await asEditor(scene, async (weft, editor) => {
    const said = (): string => textIn(editor.updates, 'agent_message_chunk');
    await prompt(weft, await newSession(weft, scene), 'Go.');
    expect(said()).toBe('Started it.');
    end(scene);
    await lookUntil(() => said().includes('Heard of it.'), said);
  });
  expect(lastPrompt(scene)).toContain('has ended (exit code 0): until test -e go');
});
