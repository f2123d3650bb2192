// @module-tag long
import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {describe, expect, test} from 'vitest';
import type {DialectName, ReceivedRequest} from '../support/model-server.ts';
import {call, fail, say, type Answer} from '../support/model-script.ts';
import {openScene, type Scene} from '../support/scene.ts';
import {unsentPdf} from '../../src/models/unseen-media.ts';
import {rpcArgs} from './support/rpc-client.ts';

const pdf = '%PDF-1.4\n1 0 obj << /Type /Pages /Count 1 >>\n2 0 obj << /Type /Page >> endobj\n';
const data = Buffer.from(pdf).toString('base64');

/** All blocks of a conversation, those in results too. */
const blocksIn = (value: unknown): readonly object[] => {
  if (Array.isArray(value)) return value.flatMap(blocksIn);
  if (typeof value !== 'object' || value === null) return [];
  return 'type' in value && !('content' in value) && !('output' in value)
    ? [value]
    : Object.values(value).flatMap(blocksIn);
};
const blocks = ({body}: ReceivedRequest): readonly object[] => blocksIn(body.messages ?? body.input);

const sent = {
  anthropic: {type: 'document', title: 'a.pdf', source: {type: 'base64', media_type: 'application/pdf', data}},
  responses: {type: 'input_file', filename: 'a.pdf', file_data: `data:application/pdf;base64,${data}`},
} as const;

const notSent =
  'The PDF was not sent: the server of small-model takes none. The model can get its text with a command.';

/** What `--settings` needs for a protocol. */
const settings = (dialect: DialectName): readonly string[] =>
  dialect === 'responses' ? ['--settings', '{"wireApi": "responses"}'] : [];

async function openWithPdf(dialect: DialectName, ...script: readonly Answer[]): Promise<Scene> {
  const scene = await openScene(script, dialect);
  writeFileSync(join(scene.place.work, 'a.pdf'), pdf);
  return scene;
}

const found = (request: ReceivedRequest | undefined): readonly object[] =>
  request === undefined ? [] : blocks(request).filter(block => JSON.stringify(block).includes('a.pdf'));

describe.each(['anthropic', 'responses', 'openai'] as const)('a PDF over %s', dialect => {
  /** Servers of chat completions are not known to take PDFs, so the model reads a text instead. */
  const expectPdf = (request: ReceivedRequest | undefined): void => {
    if (dialect !== 'openai') return expect(found(request).at(-1)).toEqual(sent[dialect]);
    expect(JSON.stringify(request?.body.messages)).toContain(unsentPdf('a.pdf'));
  };

  test('that a prompt mentions', async () => {
    await using scene = await openWithPdf(dialect, say('Seen.'), say('Again.'));
    const run = await scene.run(['--prompt', 'Read @a.pdf.', ...settings(dialect)]);
    expect(run).toMatchObject({code: 0, stdout: 'Seen.\n', stderr: dialect === 'openai' ? `weft: ${notSent}\n` : ''});
    await scene.run(['--continue', '--prompt', 'Again.', ...settings(dialect)]);
    for (const request of scene.server.requests) expectPdf(request);
  });

  test('that the model reads', async () => {
    await using scene = await openWithPdf(dialect, call('Read', {file_path: 'a.pdf'}), say('Read.'));
    expect((await scene.run(['--prompt', 'go', ...settings(dialect)])).stdout).toBe('Read.\n');
    expectPdf(scene.server.requests[1]);
  });

  test('that a program sends', async () => {
    await using scene = await openWithPdf(dialect, say('Got it.'));
    const content = [sent.anthropic, {type: 'text', text: 'Read it.'}];
    const line = JSON.stringify({type: 'user', message: {role: 'user', content}});
    const {code, stderr} = await scene.run([...rpcArgs, ...settings(dialect)], {stdin: {text: `${line}\n`}});
    expect([code, stderr]).toEqual([0, dialect === 'openai' ? `weft: ${notSent}\n` : '']);
    expectPdf(scene.server.requests[0]);
  });

  test.skipIf(dialect === 'openai')('that the model refuses becomes a text, once', async () => {
    const refusal = fail(400, {message: 'The model does not support PDF input.'});
    await using scene = await openWithPdf(dialect, refusal, say('Without it.'), say('Later.'));
    const {code, stdout, stderr} = await scene.run(['--prompt', 'Read @a.pdf.', ...settings(dialect)]);
    expect([code, stdout]).toEqual([0, 'Without it.\n']);
    expect(stderr).toMatch(/^weft: \S+ could not read a document; it was left out\.\n$/u);
    await scene.run(['--continue', '--prompt', 'Again.', ...settings(dialect)]);
    for (const request of scene.server.requests.slice(1)) {
      expect(found(request).at(-1)).toEqual({
        type: dialect === 'anthropic' ? 'text' : 'input_text',
        text: '[document a.pdf left out: the provider could not read it]',
      });
    }
    expect(scene.server.requests).toHaveLength(3);
  });
});
