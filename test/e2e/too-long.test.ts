// @module-tag long
import {once} from 'node:events';
import {describe, expect, test} from 'vitest';
import {readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import type {ReceivedRequest} from '../support/model-server.ts';
import {type Answer, call, fail, hang, say, stop, usage} from '../support/model-script.ts';
import {openScene, pointedAt, type Scene} from '../support/scene.ts';
import {openTerminal, type ShellTerminal} from '../support/shell-terminal.ts';

const textsIn = (value: unknown): readonly string[] => {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(textsIn);
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
};
const told = (request: ReceivedRequest | undefined): string => textsIn(request?.body.messages).join('\n');
/** The numbers fit a conversation with one `longAnswer`. */
const tooLong = fail(400, {message: 'prompt is too long: 13462 tokens > 12000 maximum'});
const longAnswer = `First answer. ${'word '.repeat(7000)}`;
const put = (scene: Scene, name: string, text: string): void => writeFileSync(join(scene.place.work, name), text);
const longPrompt = (number: number): string => `Prompt ${number}. ${'lorem '.repeat(3000)}`;
const longText = (name: string): string => `${name} ${'word '.repeat(20).concat('\n').repeat(300)}`;

describe('a conversation that is too long, headless', () => {
  test('asks for a summary and repeats the request once; the session goes on', async () => {
    await using scene = await openScene([
      say(longAnswer),
      tooLong,
      say('THE SUMMARY'),
      say('Second answer.'),
      say('Third.'),
    ]);
    expect(await scene.run(['--prompt', 'First prompt.'])).toMatchObject({code: 0});
    const run = await scene.run(['--continue', '--prompt', 'Second prompt.']);
    expect(run).toMatchObject({code: 0, stdout: 'Second answer.\n'});
    expect(run.stderr).toMatch(
      /^weft: Too long for \S+ \(13,462 of 12,000 tokens\): compacted the conversation, 13,462 → about [\d,]+ tokens\.\n$/u,
    );
    expect(scene.server.requests).toHaveLength(4);
    const repeated = told(scene.server.requests.at(-1));
    expect(repeated).toContain('THE SUMMARY');
    expect(repeated).toMatch(
      /\nSecond prompt\.\nephemeral\nuser\ntext\n<reminder>Environment:\n[^]*<\/reminder>\nephemeral$/u,
    );
    expect(repeated).not.toContain('First answer.');
    expect(await scene.run(['--continue', '--prompt', 'Third prompt.'])).toMatchObject({code: 0, stdout: 'Third.\n'});
    expect(told(scene.server.requests.at(-1))).toMatch(/THE SUMMARY[^]*Second answer\.[^]*Third prompt\./u);
  });

  test('shortens old results if that is enough, in the middle of the work', async () => {
    const rounds = 8;
    await using scene = await openScene((request, number) => {
      if (number <= rounds) return call('Read', {file_path: `f${number}.txt`});
      return told(request).includes('Shortened by weft')
        ? say('Done.')
        : fail(400, {message: 'prompt is too long: 90000 tokens > 80000 maximum'});
    });
    for (let at = 1; at <= rounds; at += 1) put(scene, `f${at}.txt`, longText(`FILE ${at}`));
    const run = await scene.run(['--prompt', 'go']);
    expect(run).toMatchObject({code: 0, stdout: 'Done.\n'});
    expect(run.stderr).toMatch(/^weft: Too long for \S+ \(90,000 of 80,000 tokens\): shortened \d old results\.\n$/u);
    expect(scene.server.requests).toHaveLength(rounds + 2);
  });

  test('a model that refuses everything ends the prompt, without a loop; another one goes on', async () => {
    await using scene = await openScene((request, number) =>
      number === 1 ? say(longAnswer) : told(request).includes('Short.') ? say('Fine.') : tooLong,
    );
    await scene.run(['--prompt', 'First prompt.']);
    const run = await scene.run(['--continue', '--prompt', 'Second prompt.']);
    expect(run.code).toBe(1);
    expect(run.stdout).toBe('');
    expect(run.stderr).toMatch(
      /prompt is too long: 13462 tokens > 12000 maximum\. weft has already made room\. Make room with \/compact/u,
    );
    expect(scene.server.requests.length).toBeLessThanOrEqual(5);
    expect(await scene.run(['--continue', '--prompt', 'Short.'])).toMatchObject({code: 0, stdout: 'Fine.\n'});
  });
});

describe('a refusal that names no length', () => {
  const most = 50_000;
  const limited =
    (refusal: Answer) =>
    (request: ReceivedRequest, number: number): Answer =>
      JSON.stringify(request.body.messages).length > most ? refusal : say(`Answer ${number}.`);

  test.each([
    ['Input is too long for requested model.', 'anthropic'],
    ['prompt is too long: 213462 tokens > 200000 maximum', 'anthropic'],
    ['Conversation history too large, max 15k tokens', 'anthropic'],
    ['Your request has over 15000 pieces, which is over the limit', 'anthropic'],
    ['', 'openai'],
    ['Bad Request', 'openai'],
  ] as const)(
    'in the words "%s": the oldest prompts go into files, and the session goes on',
    async (message, dialect) => {
      await using scene = await openScene(limited(fail(400, message === '' ? {body: ''} : {message})), dialect);
      expect(await scene.run(['--prompt', longPrompt(1)])).toMatchObject({code: 0});
      expect(await scene.run(['--continue', '--prompt', longPrompt(2)])).toMatchObject({code: 0});
      const run = await scene.run(['--continue', '--prompt', longPrompt(3)]);
      expect(run).toMatchObject({code: 0, stdout: 'Answer 4.\n'});
      expect(run.stderr).toMatch(
        /^weft: Too long for \S+(?: \(about [\d,]+ tokens\))?: the long texts are in files that the model reads in parts \(\S+, \S+\)\.\n$/u,
      );
      expect(scene.server.requests).toHaveLength(4);
      expect(told(scene.server.requests.at(-1))).toMatch(/Prompt 1\.[^]*Answer 1[^]*Prompt 2\.[^]*Prompt 3\./u);
      expect(JSON.stringify(scene.server.requests.at(-1)?.body.messages).length).toBeLessThan(most * 0.7);
      expect(await scene.run(['--continue', '--prompt', 'Short.'])).toMatchObject({code: 0, stderr: ''});
    },
  );

  test.each([
    ['', /rejected the request \(400\) and gave no reason\. If the conversation may be too long, run \/compact/u],
    ['Die Anfrage ist fehlerhaft', /fehlerhaft\. Use another model/u],
    ["Invalid value for 'temperature': maximum is 1", /maximum is 1\. Use another model/u],
    ['tools: at most 128 tools are allowed, the limit is exceeded', /exceeded\. Check that/u],
  ])('is no reason to compact if it need not be the length: "%s"', async (message, told_) => {
    await using scene = await openScene(
      limited(fail(400, message === '' ? {body: ''} : {message})),
      message === '' ? 'anthropic' : 'openai',
    );
    await scene.run(['--prompt', longPrompt(1)]);
    await scene.run(['--continue', '--prompt', longPrompt(2)]);
    const {code, stderr} = await scene.run(['--continue', '--prompt', longPrompt(3)]);
    expect([code, scene.server.requests.length]).toEqual([1, 3]);
    expect(stderr).toMatch(told_);
  });
});

describe('a prompt that cannot fit in the window', () => {
  const settings = JSON.stringify({models: {own: {contextWindow: 20_000}}});
  const args = ['--model', 'own', '--settings', settings];

  test('is put into a file that the model reads in parts, before anything is sent', async () => {
    await using scene = await openScene((request, number) => {
      const [path = ''] = /\/\S+prompt-1\.txt/u.exec(told(request)) ?? [];
      return number === 1 ? call('Read', {file_path: path, offset: 200, limit: 1}) : say('Read it.');
    });
    const lines = Array.from({length: 6000}, (_, at) => `line ${at + 1} of a log`);
    const run = await scene.run([...args, '--prompt', 'What is wrong?'], {stdin: {text: lines.join('\n')}});
    expect(run).toMatchObject({code: 0, stdout: 'Read it.\n'});
    expect(run.stderr).toMatch(
      /^weft: Too long for own \(about [\d,]+ of 20,000 tokens\): the long text is in a file that the model reads in parts \(\/\S+prompt-1\.txt\)\.\n$/u,
    );
    const [first, second] = scene.server.requests;
    expect(told(first)).toContain('What is wrong?');
    expect(told(first)).toContain('line 6000 of a log');
    expect(told(first).length).toBeLessThan(8000);
    expect(told(second)).toMatch(/line 1\d\d of a log/u);
  });
});

const promptOf = (number: number, length: number): string =>
  `Begin ${number}. ${'word '.repeat(length / 5)}End ${number}.`;
const tokensOf = (request: ReceivedRequest): number => Math.round(JSON.stringify(request.body).length / 4);

describe('a small window', () => {
  test('of 4,096 tokens never loses the prompt that is to be answered', async () => {
    const settings = JSON.stringify({models: {own: {contextWindow: 4096}}});
    const answer = say(`Fine. ${'word '.repeat(300)}`);
    const counts: number[] = [];
    await using scene = await openScene(request => [answer, usage({input: tokensOf(request), output: 300})]);
    for (const number of [1, 2, 3, 4]) {
      const args = ['--model', 'own', '--settings', settings, '--prompt', promptOf(number, 5000)];
      expect(await scene.run(number === 1 ? args : ['--continue', ...args])).toMatchObject({code: 0});
      const last = told(scene.server.requests.at(-1));
      expect(last).toContain(`Begin ${number}.`);
      expect(last).toContain(`End ${number}.`);
      counts.push(scene.server.requests.length);
    }
    // No summary is paid as long as files make enough room.
    expect(counts.slice(0, 3)).toEqual([1, 2, 3]);
  });

  test('that a refusal names lets older prompts go into files, too', async () => {
    await using scene = await openScene(request => {
      const tokens = tokensOf(request);
      return tokens > 12_500
        ? fail(400, {message: `prompt is too long: ${tokens} tokens > 12500 maximum`})
        : say('Fine.');
    });
    for (const number of [1, 2, 3, 4]) {
      const args = ['--prompt', promptOf(number, 24_000)];
      expect(await scene.run(number === 1 ? args : ['--continue', ...args])).toMatchObject({
        code: 0,
        stdout: 'Fine.\n',
      });
      expect(told(scene.server.requests.at(-1))).toMatch(new RegExp(`Begin 1\\.[^]*End ${number}\\.`, 'u'));
    }
    expect(scene.server.requests.length).toBeLessThanOrEqual(7);
  });
});

test('a server that cuts a request silently reveals its window by an answer that ends at once', async () => {
  await using scene = await openScene(
    request =>
      tokensOf(request) > 4095 ? [say('o'), usage({input: 4095, output: 1}), stop('max-tokens')] : say('Fine.'),
    'openai',
  );
  const run = await scene.run(['--prompt', promptOf(1, 24_000)]);
  expect(run).toMatchObject({code: 0, stdout: 'Fine.\n'});
  expect(run.stderr).toMatch(/^weft: Too long for \S+ \([\d,]+ of 4,096 tokens\): the long text is in a file/u);
  expect(scene.server.requests).toHaveLength(2);
});

const enter = async (terminal: ShellTerminal, line: string): Promise<void> => {
  await terminal.type(line);
  await terminal.press('Enter');
};

describe('a conversation that is too long, in the terminal UI', () => {
  test('is offered to be compacted, and the prompt goes on; "always" is kept', async () => {
    await using scene = await openScene([
      say(longAnswer),
      tooLong,
      say('THE SUMMARY'),
      tooLong,
      // Another compaction has to help.
      say(`${'word '.repeat(7000)}\n\nSecond answer.`),
      tooLong,
      say('SUMMARY TWO'),
      say('Third answer.'),
    ]);
    await using terminal = await openTerminal(scene.place, {...pointedAt(scene.server)});
    await enter(terminal, 'weft "First prompt."');
    await terminal.until(/First answer\./u);
    await enter(terminal, 'Second prompt.');
    await terminal.onScreen(/Too long for[^]*THE SUMMARY[^]*Enter compact/u);
    await terminal.press('Escape');
    await terminal.until(/Too long for[^]*To change the model/u);
    await enter(terminal, 'Once more.');
    // The declined summary is kept.
    await terminal.onScreen(/THE SUMMARY[^]*a always compact/u);
    await terminal.type('a');
    await terminal.until(/Second answer\./u);
    expect(told(scene.server.requests.at(-1))).toMatch(/THE SUMMARY[^]*Second prompt\.[^]*Once more\./u);
    await enter(terminal, 'Third prompt.');
    await terminal.until(/compacted[^]*Third answer\./u);
    expect(scene.server.requests).toHaveLength(8);
    expect(readFileSync(join(scene.place.home, 'weft', 'settings.json'), 'utf8')).toContain('"compaction": "auto"');
  });
});

describe('/compact as a prompt', () => {
  test('compacts, tells programs of the boundary, and calls its hooks', async () => {
    await using scene = await openScene([
      say(`First answer. ${'word '.repeat(1000)}`),
      say('THE SUMMARY'),
      say('Second answer.'),
    ]);
    const hook = (event: string): object => ({
      [event]: [{matcher: 'manual', hooks: [{type: 'command', command: `cat >${scene.place.work}/${event}`}]}],
    });
    const settings = JSON.stringify({hooks: {...hook('PreCompact'), ...hook('PostCompact')}});
    await scene.run(['--prompt', 'First prompt.']);
    const args = [
      '--continue',
      '--settings',
      settings,
      '--output-format',
      'stream-json',
      '--prompt',
      '/compact mind the tests',
    ];
    const run = await scene.run(args);
    expect(run.code).toBe(0);
    const messages = run.stdout
      .trim()
      .split('\n')
      .map(line => JSON.parse(line));
    expect(messages.map(({type, subtype}) => [type, subtype].join(' ').trim())).toEqual([
      'system init',
      'system status',
      'system status',
      'system compact_boundary',
      'assistant',
      'result success',
    ]);
    expect(messages[3].compact_metadata).toEqual({
      trigger: 'manual',
      pre_tokens: expect.any(Number),
      post_tokens: expect.any(Number),
    });
    expect(messages[5]).toMatchObject({
      is_error: false,
      result: expect.stringMatching(/^Compacted the conversation: /u),
    });
    expect(told(scene.server.requests[1])).toContain('mind the tests');
    expect(JSON.parse(scene.read('PreCompact'))).toMatchObject({
      trigger: 'manual',
      custom_instructions: 'mind the tests',
    });
    expect(JSON.parse(scene.read('PostCompact'))).toMatchObject({trigger: 'manual', compact_summary: 'THE SUMMARY'});
    await scene.run(['--continue', '--prompt', 'Second prompt.']);
    expect(told(scene.server.requests[2])).toMatch(/THE SUMMARY[^]*Second prompt\./u);
    expect(told(scene.server.requests[2])).not.toContain('First answer.');
  });

  test('says so if there is nothing to compact', async () => {
    await using scene = await openScene([]);
    expect(await scene.run(['--prompt', '/compact'])).toMatchObject({
      code: 0,
      stdout: 'Nothing to compact yet.\n',
    });
  });
});

const ofAgent = ({body}: ReceivedRequest): boolean => textsIn(body.messages[0]).join('\n').includes('FIND-IT');

test('a sub-agent makes room, too', async () => {
  await using scene = await openScene((request, number) => {
    if (number === 1) return call('Agent', {description: 'find', prompt: 'FIND-IT', subagent_type: 'explore'});
    if (!ofAgent(request)) return say('The agent found it.');
    if (told(request).length < 20_000 && number > 2) return say('Found.');
    return number === 2 ? call('Read', {file_path: 'long.txt'}) : tooLong;
  });
  put(scene, 'long.txt', longText('LONG'));
  const run = await scene.run(['--prompt', 'Go.', '--settings', '{"compaction": "trim"}']);
  expect(run).toMatchObject({code: 0, stdout: 'The agent found it.\n'});
  expect(run.stderr).toMatch(/find: Too long for \S+ \(13,462 of 12,000 tokens\): shortened the conversation/u);
});

test('killed between the compaction and the repetition: the session reopens compacted', async () => {
  await using scene = await openScene((_, number) =>
    number === 1
      ? say(longAnswer)
      : number === 2
        ? tooLong
        : number === 3
          ? say('THE SUMMARY')
          : number === 4
            ? hang()
            : say('Back.'),
  );
  await scene.run(['--prompt', 'First prompt.']);
  const child = scene.start(['--continue', '--prompt', 'Second prompt.']);
  const ended = once(child, 'exit');
  await scene.server.received(4);
  child.kill('SIGKILL');
  await ended;
  expect(await scene.run(['--continue', '--prompt', 'Third prompt.'])).toMatchObject({code: 0, stdout: 'Back.\n'});
  expect(told(scene.server.requests.at(-1))).toMatch(/THE SUMMARY[^]*Second prompt\.[^]*Third prompt\./u);
});

test('off leaves the fault as it is', async () => {
  await using scene = await openScene([say(longAnswer), tooLong]);
  await scene.run(['--prompt', 'First prompt.']);
  const run = await scene.run(['--continue', '--prompt', 'Second prompt.', '--settings', '{"compaction": "off"}']);
  expect(run.code).toBe(1);
  expect(scene.server.requests).toHaveLength(2);
});

test('without compaction, /compact makes room as the error advises, also for one long prompt', async () => {
  await using scene = await openScene(request => {
    const tokens = tokensOf(request);
    return tokens > 12_500
      ? fail(400, {message: `prompt is too long: ${tokens} tokens > 12500 maximum`})
      : say('Fine.');
  });
  const off = ['--settings', '{"compaction": "off"}'];
  for (const number of [1, 2]) {
    const prompt = ['--prompt', promptOf(number, 60_000)];
    const {code, stderr} = await scene.run([...off, ...(number === 1 ? [] : ['--continue']), ...prompt]);
    expect([number, code, stderr]).toEqual([number, 1, expect.stringContaining('/compact')]);
  }
  expect(await scene.run([...off, '--continue', '--prompt', '/compact'])).toMatchObject({code: 0});
  expect(await scene.run([...off, '--continue', '--prompt', 'Short.'])).toMatchObject({code: 0, stdout: 'Fine.\n'});
});

test('a short conversation that a compaction would make longer stays as it is, and costs nothing', async () => {
  await using scene = await openScene([say('Hi.')]);
  await scene.run(['--prompt', 'x']);
  expect(await scene.run(['--continue', '--prompt', '/compact'])).toMatchObject({
    code: 0,
    stdout: 'The conversation stays as it is: it would not get shorter.\n',
    stderr: '',
  });
  expect(scene.server.requests).toHaveLength(1);
});

/** Runs a prompt that the provider refuses, and returns what weft says. */
async function stderrOf(refusal: Answer): Promise<string> {
  await using scene = await openScene(() => refusal);
  const {code, stderr} = await scene.run(['--prompt', 'x']);
  expect([code, scene.server.requests.length]).toEqual([1, 1]);
  return stderr;
}

test('a system prompt that is too long is no long prompt of the user', async () => {
  const part = String.raw`The system prompt and the tools are the longest part, with about \d,\d{3} tokens\.`;
  expect(await stderrOf(fail(400, {message: 'prompt is too long: 3462 tokens > 3000 maximum'}))).toMatch(
    new RegExp(`^weft: Too long for \\S+ \\(3,462 of 3,000 tokens\\)\\. ${part}`, 'u'),
  );
  expect(await stderrOf(fail(413, {message: 'Request Entity Too Large'}))).toMatch(
    new RegExp(`^weft: The conversation is too long for \\S+ \\(413\\): Request Entity Too Large\\. ${part}`, 'u'),
  );
});
