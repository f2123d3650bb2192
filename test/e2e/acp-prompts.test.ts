// @module-tag long
import {mkdirSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {methods} from '@agentclientprotocol/sdk';
import {expect, test} from 'vitest';
import {say} from '../support/model-script.ts';
import {openScene, toldPrompt} from '../support/scene.ts';
import {asEditor, newSession} from './support/editor.ts';

const text = (written: string) => ({type: 'text', text: written}) as const;
const blob = (bytes: string, mimeType: string) =>
  ({
    type: 'resource',
    resource: {uri: 'file:///b', blob: Buffer.from(bytes, 'latin1').toString('base64'), mimeType},
  }) as const;

test('blocks of a prompt stay apart, none but a text is a command, and no attachment is lost', async () => {
  const link = {type: 'resource_link', uri: 'file:///a.txt', name: 'a.txt'} as const;
  const embedded = {type: 'resource', resource: {uri: 'file:///a.txt', text: 'inside'}} as const;
  const prompts = [
    [[link, text('/compact')], 'File /a.txt /compact'],
    [[text('See'), link, text(', then'), text('go on')], 'See /a.txt, then\ngo on'],
    [[embedded, text('What is it?')], 'File /a.txt:\ninside\nWhat is it?'],
    [[text('Read'), blob('some text', 'text/plain')], 'Read\n/b:\nsome text\n'],
    [[text('Look at'), blob('pixels', 'image/png')], 'Look at /b'],
    [[text('Look at'), blob('pages', 'application/pdf')], 'Look at /b'],
    [
      [text('Read'), blob('\u00ff\u00fe', 'application/zip')],
      "Read /b (application/zip, 2 bytes; the editor attached it, but weft can't read it)",
    ],
  ] as const;
  await using scene = await openScene(prompts.map(() => say('Done.')));
  await asEditor(scene, async weft => {
    const sessionId = await newSession(weft, scene);
    for (const [blocks] of prompts) await weft.request(methods.agent.session.prompt, {sessionId, prompt: [...blocks]});
  });
  expect(scene.server.requests.map(toldPrompt)).toEqual(prompts.map(([, told]) => told));
  const sent = JSON.stringify(scene.server.requests.at(-1)?.body);
  for (const bytes of ['pixels', 'pages']) expect(sent).toContain(Buffer.from(bytes).toString('base64'));
});

test('an embedded text is no argument of a command', async () => {
  await using scene = await openScene([say('Done.')]);
  const folder = join(scene.place.home, '.claude', 'commands');
  mkdirSync(folder, {recursive: true});
  writeFileSync(join(folder, 'twice.md'), 'First $ARGUMENTS, then $ARGUMENTS');
  const embedded = {type: 'resource', resource: {uri: 'file:///a.txt', text: '# Notes\ntouch it-ran'}} as const;
  await asEditor(scene, async weft => {
    const sessionId = await newSession(weft, scene);
    await weft.request(methods.agent.session.prompt, {sessionId, prompt: [text('/twice x'), embedded]});
  });
  const sent = JSON.stringify(scene.server.requests[0]?.body.messages);
  expect([sent.match(/# Notes/gu)?.length, sent.includes('First x /a.txt, then x /a.txt')]).toEqual([1, true]);
});
