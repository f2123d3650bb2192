// @module-tag long
import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {describe, expect, test} from 'vitest';
import {breakOff, call, dropAfter, fail, say, sayPieces, type Answer, type Break} from '../support/model-script.ts';
import type {ReceivedRequest} from '../support/model-server.ts';
import {finish} from '../support/run-weft.ts';
import {openScene} from '../support/scene.ts';
import {jsonLines, kindsOf, resultOf} from './support/messages.ts';

const quickly = {headers: {'retry-after-ms': '10'}};

describe('trouble that passes is not seen by the reader', () => {
  const cases: readonly (readonly [title: string, troubles: readonly Answer[]])[] = [
    ['overloaded (529)', [fail(529, quickly)]],
    ['the rate is limited (429), come back at once', [fail(429, {headers: {'retry-after': '0'}})]],
    ['the server has trouble (500), twice', [fail(500, quickly), fail(503, quickly)]],
    ['the server took too long (408)', [fail(408, quickly)]],
  ];
  test.concurrent.each(cases)('%s', async (_title, troubles) => {
    await using scene = await openScene([...troubles, say('In the end.')]);
    const finished = await scene.run(['--prompt', 'x']);
    expect(finished).toEqual({code: 0, signal: null, stdout: 'In the end.\n', stderr: ''});
    expect(scene.server.requests).toHaveLength(troubles.length + 1);
    expect(scene.server.requests.at(-1)?.body).toEqual(scene.server.requests[0]?.body);
  });

  test('a program is told of it', {tags: 'smoke'}, async () => {
    await using scene = await openScene([fail(529, quickly), say('In the end.')]);
    const {stdout} = await scene.run(['--prompt', 'x', '--output-format', 'stream-json']);
    expect(kindsOf(stdout)).toEqual(['system/init', 'system/api_retry', 'assistant:text', 'result/success']);
    expect(jsonLines(stdout)[1]).toMatchObject({max_retries: 9, error_status: 529, error: 'overloaded'});
  });
});

describe('a connection that breaks in the middle: nothing is said twice', () => {
  const text = 'one two three four five six seven.';
  const breaks: readonly Break[] = ['reset', 'end', 'error', 'garbage'];
  for (const dialect of ['anthropic', 'openai'] as const) {
    test.concurrent.each(breaks)(`${dialect}: %s, and the same words again`, async how => {
      await using scene = await openScene([[say('one two three'), breakOff(how)], say(text)], dialect);
      const {code, stdout} = await scene.run([
        '--prompt',
        'x',
        '--output-format',
        'stream-json',
        '--include-partial-messages',
      ]);
      expect([code, deltasOf(stdout), jsonLines(stdout).at(-1)?.['result']]).toEqual([0, text, text]);
    });
  }

  test('it goes on from what was said when the model begins anew in other words', async () => {
    await using scene = await openScene([dropAfter(3, say('one two three four')), sayPieces('uno ', 'dos.')]);
    const {code, stdout} = await scene.run([
      '--prompt',
      'x',
      '--output-format',
      'stream-json',
      '--include-partial-messages',
    ]);
    expect([code, scene.server.requests.length]).toEqual([0, 2]);
    // What was shown is what the answer is made of, whichever way the two were joined.
    expect(deltasOf(stdout)).toBe(jsonLines(stdout).at(-1)?.['result']);
  });

  test('in a pipe, as text', async () => {
    await using scene = await openScene([dropAfter(3, say(text)), dropAfter(5, say(text)), say(text)]);
    const {code, stdout, stderr} = await scene.run(['--prompt', 'x']);
    expect({code, stdout}).toEqual({code: 0, stdout: `${text}\n`});
    expect(stderr).toMatch(/^weft: \S[^\n]+ weft asked again \(try 2 of 3\)\.\nweft: [^\n]+ \(try 3 of 3\)\.\n$/u);
  });

  test.each(['text', 'json', 'stream-json'])(
    'for ever: three requests, a line for each repeat, exit 1 (%s)',
    async form => {
      await using scene = await openScene(() => dropAfter(3, say(text)));
      const args = ['--prompt', 'x', '--output-format', form, '--include-partial-messages'];
      const {code, stdout, stderr} = await scene.run(args.slice(0, form === 'stream-json' ? 5 : 4));
      expect([code, scene.server.requests.length]).toEqual([1, 3]);
      expect(stderr.match(/asked again \(try/gu)).toHaveLength(2);
      if (form === 'stream-json') expect(deltasOf(stdout)).toBe('one two three');
      if (form === 'text') expect(stdout).toBe('');
    },
  );
});

test('a silent stream is lost after the time that the setting names', async () => {
  await using scene = await openScene([[say('In the'), breakOff('hang')], say('In the end.')]);
  const settings = JSON.stringify({streamIdleTimeoutMs: 1000});
  expect(await scene.run(['--prompt', 'x', '--settings', settings])).toMatchObject({code: 0, stdout: 'In the end.\n'});
  expect(scene.server.requests).toHaveLength(2);
});

const holds = ({body}: ReceivedRequest): boolean => /"type":"(?:image|document)"/u.test(JSON.stringify(body));

describe.each([
  ['an image', 'a.png', Buffer.from('89504e470d0a1a0a00', 'hex'), 'Could not process image'],
  ['an image, in unknown words', 'a.png', Buffer.from('89504e470d0a1a0a00', 'hex'), 'Flux capacitor missing'],
  ['a document', 'a.pdf', '%PDF-1.4\n2 0 obj << /Type /Page >> endobj\n', 'The PDF specified was not valid'],
] as const)('refused: %s', (_what, name, content, message) => {
  const read = call('Read', {file_path: name});

  test.each([
    ['from a tool', 'Look.', [read, say('Fine.')]],
    ['from the user', `Look at @${name}`, [say('Fine.')]],
  ] as const)('%s is sent once, and never again in the session', async (_from, prompt, script) => {
    let answers = 0;
    await using scene = await openScene(request =>
      holds(request) ? fail(400, {message}) : (script[answers++] ?? say('Still fine.')),
    );
    writeFileSync(join(scene.place.work, name), content);
    const run = await scene.run(['--prompt', prompt]);
    expect(run).toMatchObject({code: 0, stdout: 'Fine.\n', stderr: expect.stringMatching(/^weft: [^\n]+\n$/u)});
    for (const again of ['One.', 'Two.']) {
      const later = await scene.run(['--continue', '--prompt', again]);
      expect(later).toMatchObject({code: 0, stdout: 'Still fine.\n', stderr: ''});
    }
    expect(scene.server.requests.filter(holds)).toHaveLength(1);
  });
});

test('a signal ends the waiting between two tries at once', async () => {
  await using scene = await openScene([fail(529, {headers: {'retry-after': '60'}})]);
  const child = scene.start(['--prompt', 'x', '--output-format', 'stream-json']);
  const finished = finish(child);
  await new Promise<void>(resolve => {
    child.stdout.on('data', (chunk: Buffer) => void (chunk.includes('api_retry') && resolve()));
  });
  const before = performance.now();
  child.kill('SIGINT');
  expect((await finished).code).toBe(130);
  // The next try would be in a minute.
  expect(performance.now() - before).toBeLessThan(30_000);
});

const roles = ({body}: ReceivedRequest): readonly string[] => body.messages.map(({role}) => role);

const hasImage = ({body}: ReceivedRequest): boolean => JSON.stringify(body).includes('image_url');

describe('the lesson of a refusal', () => {
  const refused = fail(400, {message: 'System role not supported'});
  const onlyUsers = (request: ReceivedRequest): Answer => (roles(request).includes('system') ? refused : say('Done.'));

  test('is known when the session goes on, and to other sessions', {tags: 'smoke'}, async () => {
    await using scene = await openScene(onlyUsers, 'openai');
    const note = "weft: small-model doesn't support this role for instructions, so weft sent them in another role.\n";
    expect(await scene.run(['--prompt', 'x'])).toMatchObject({code: 0, stdout: 'Done.\n', stderr: note});
    expect(await scene.run(['--continue', '--prompt', 'y'])).toMatchObject({code: 0, stdout: 'Done.\n', stderr: ''});
    expect(await scene.run(['--prompt', 'z'])).toMatchObject({code: 0, stdout: 'Done.\n', stderr: ''});
    expect(scene.server.requests.map(request => roles(request).includes('system'))).toEqual([
      true,
      false,
      false,
      false,
    ]);
  });

  test('is said at each prompt that it takes an image from', async () => {
    const blind = fail(400, {message: 'This model does not support image input'});
    await using scene = await openScene(request => (hasImage(request) ? blind : say('Done.')), 'openai');
    writeFileSync(join(scene.place.work, 'a.png'), Buffer.from('89504e470d0a1a0a00', 'hex'));
    const note = "weft: small-model can't see images, so weft replaced them with text.\n";
    const run = (prompt: string, ...flags: readonly string[]) => scene.run([...flags, '--prompt', prompt]);
    expect(await run('See @a.png')).toMatchObject({code: 0, stderr: note});
    expect(await run('See @a.png')).toMatchObject({code: 0, stderr: note});
    expect(await run('And now?', '--continue')).toMatchObject({code: 0, stderr: ''});
    expect(scene.server.requests.map(hasImage)).toEqual([true, false, false, false]);
    const settings = JSON.stringify({models: {'small-model': {images: true}}});
    expect(await run('See @a.png', '--settings', settings)).toMatchObject({code: 0, stderr: note});
    expect(scene.server.requests.map(hasImage)).toEqual([true, false, false, false, true, false]);
  });

  test('is forgotten if the server refuses the repaired request later', async () => {
    let isTaken = true;
    await using scene = await openScene(
      request => (isTaken ? onlyUsers(request) : fail(400, {message: 'It is about something else.'})),
      'openai',
    );
    await scene.run(['--prompt', 'x']);
    isTaken = false;
    expect(await scene.run(['--prompt', 'y'])).toMatchObject({code: 1});
    await scene.run(['--prompt', 'z']);
    expect(scene.server.requests.map(request => roles(request).includes('system'))).toEqual([true, false, false, true]);
  });

  test('leaves no trace if the session leaves none, and is not taken with --bare', async () => {
    await using scene = await openScene(onlyUsers, 'openai');
    for (const flag of ['--no-session-persistence', '--bare', '--bare']) await scene.run(['--prompt', 'x', flag]);
    expect(scene.server.requests).toHaveLength(6);
  });

  const mayBeCut = expect.stringContaining("The server didn't mark the end of the answer; it may be cut.\n");
  test.each([
    [['It is 4', ' or 5'], {code: 1, stdout: '', stderr: expect.stringContaining('in the middle of a sentence')}, 4],
    [['src/a.ts'], {code: 1, stdout: '', stderr: expect.stringContaining('in the middle of a sentence')}, 4],
    [['It is 42.'], {code: 0, stdout: 'It is 42.\n', stderr: mayBeCut}, 2],
  ] as const)('is not that an answer without an end mark is whole: %s', async (contents, expected, requests) => {
    await using scene = await openScene((_, number) => unmarked(contents[(number - 1) % contents.length]), 'openai');
    for (const name of ['x', 'y']) expect(await scene.run(['--prompt', name])).toMatchObject(expected);
    expect(scene.server.requests).toHaveLength(requests);
  });
});

test('an answer whose text the server ends, but not its message, is repeated once and then fails', async () => {
  const events = [
    {type: 'message_start', message: {id: 'msg_1', model: 'm', usage: {input_tokens: 9, output_tokens: 1}}},
    {type: 'content_block_start', index: 0, content_block: {type: 'text', text: ''}},
    {type: 'content_block_delta', index: 0, delta: {type: 'text_delta', text: 'Half an ans'}},
    {type: 'content_block_stop', index: 0},
  ];
  const half = {stream: events.map(event => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('')};
  await using scene = await openScene(() => half);
  const {code, stdout} = await scene.run(['--prompt', 'x', '--output-format', 'json']);
  expect([code, scene.server.requests.length, resultOf(stdout)]).toMatchObject([
    1,
    2,
    {is_error: true, result: expect.stringContaining('The server cut the answer in the middle of a sentence.')},
  ]);
});

/** An answer of chat completions without an end mark. */
const unmarked = (content = ''): Answer => ({
  stream: `data: ${JSON.stringify({choices: [{index: 0, delta: {content}, finish_reason: null}]})}\n\n`,
  headers: {},
});

/** All text deltas of a stream, joined. */
const deltasOf = (stdout: string): string =>
  [...stdout.matchAll(/"text_delta","text":("(?:[^"\\]|\\.)*")/gu)]
    .map(([, json = '""']) => String(JSON.parse(json)))
    .join('');
