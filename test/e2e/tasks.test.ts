// @module-tag long
import {spawn} from 'node:child_process';
import {readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {describe, expect, test} from 'vitest';
import {finish, runWeft, startWeft, TempPlace, weftBin, type Finished} from '../support/run-weft.ts';
import {needs} from '../support/programs.ts';
import {openTerminal} from '../support/shell-terminal.ts';

/** Runs a shell script in the place's workspace, in which `weft` is the built program. */
async function shell(place: TempPlace, script: string): Promise<Finished> {
  const weft = `weft() { node '${weftBin}' "$@"; }\n`;
  const child = spawn('bash', ['-c', weft + script], {cwd: place.work, env: place.environment()});
  child.stdin.end();
  return finish(child);
}

const readme = readFileSync(fileURLToPath(new URL('../../src/protocol/task/README.md', import.meta.url)), 'utf8');

/** Each command of the README and what it is said to print. */
const examples = Array.from(
  readme.matchAll(/```sh\n([^]*?)```\n\n```text\n([^]*?)```/gu),
  ([, command = '', output = '']) => [command, output] as const,
);

test('the examples of the README print what it says', async context => {
  needs('diff')(context);
  using place = new TempPlace();
  expect(examples.length).toBe(readme.match(/```sh/gu)?.length);
  for (const [command, output] of examples) {
    const {stdout} = await shell(place, command);
    expect({command, stdout}).toEqual({command, stdout: output});
  }
});

const todo = (id: string, status: string, title = `Title ${id}`): object => ({id, title, description: '', status});
const lists: readonly (readonly object[])[] = [
  [todo('a', 'pending'), todo('b', 'pending')],
  [todo('a', 'in_progress'), todo('b', 'pending')],
  [todo('a', 'completed'), todo('b', 'in_progress', 'Überschrift "b" — \u2028 日本 <x>')],
  [todo('a', 'completed'), todo('b', 'pending', 'Neu')],
  [todo('b', 'completed', 'Neu'), todo('a', 'completed')],
  [todo('c', 'in_progress'), todo('d', 'in_progress')],
  [],
];
/** Line separators are escaped: readers that split by Unicode's rules would cut the line in two. */
const listLines = lists.map(todos => `${JSON.stringify({todos}).replaceAll('\u2028', String.raw`\u2028`)}\n`);
const listText = listLines.join('');

describe('lists through encode and watch', () => {
  test.each(['json', 'sse'])('%s: the same lines', async output => {
    using place = new TempPlace();
    const encoded = await runWeft(['tasks', 'encode', '--output', output], {place, stdin: {text: listText}});
    expect([encoded.code, encoded.stderr]).toEqual([0, '']);
    expect(await runWeft(['tasks', 'watch', '--json'], {place, stdin: {text: encoded.stdout}})).toEqual({
      code: 0,
      signal: null,
      stdout: listText,
      stderr: '',
    });
  });

  test('base64: payload by payload, each list among the states', async () => {
    using place = new TempPlace();
    const encoded = await runWeft(['tasks', 'encode', '-'], {place, stdin: {text: listText}});
    expect(encoded.stdout).toMatch(/^(?:[A-Za-z0-9+/]+=*\n)+$/u);
    const watched = await runWeft(['tasks', 'watch'], {place, stdin: {text: encoded.stdout}});
    const states = watched.stdout.split(/(?<=\n)/u);
    let at = 0;
    for (const line of listLines) {
      at = states.indexOf(line, at);
      expect({line, found: at >= 0}).toEqual({line, found: true});
    }
    expect([states.at(-1), watched.code, watched.stderr]).toEqual(['{"todos":[]}\n', 0, '']);
  });

  test('what is no list is complained of with its line, the rest is written', {tags: 'smoke'}, async () => {
    using place = new TempPlace();
    const text = `${listLines[0]}nothing\r\n\n{"todos":[{"id":"x"}]}\n${JSON.stringify({todos: lists[1]})}`;
    const {stdout, stderr, code} = await runWeft(['tasks', 'encode'], {place, stdin: {text}});
    expect(stdout.trimEnd().split('\n')).toHaveLength(2);
    expect(stderr).toMatch(/^weft: line 2: not JSON: [^\n]+\nweft: line 4: todos\[0\]: the title is missing\n$/u);
    expect(code).toBe(1);
  });
});

describe('what cannot be read', () => {
  test.each(['decode', 'watch'])('%s: one complaint each, the rest is processed, exit code 1', async command => {
    using place = new TempPlace();
    const {stdout, stderr, code} = await runWeft(['tasks', command], {
      place,
      stdin: {text: 'EgwKCgoBYRIFVGl0bGU=\n%%%\n\n{"no json\nSgMKAWE=\n'},
    });
    expect(stdout.trimEnd().split('\n')).toHaveLength(2);
    expect(stderr).toMatch(/^weft: line 2: [^\n]+\nweft: line 4: [^\n]+\n$/u);
    expect(code).toBe(1);
  });

  test.each([
    [
      'a file that is not there',
      ['tasks', 'decode', 'gone.log'],
      /^weft: Can't read gone\.log: no such file[^\n]*\n$/u,
    ],
    ['a folder', ['tasks', 'watch', '--json', '.'], /^weft: Can't read \.: [^\n]*directory[^\n]*\n$/u],
  ])('%s is an error', async (_name, args, message) => {
    using place = new TempPlace();
    const {stdout, stderr, code} = await runWeft(args, {place});
    expect([stdout, code]).toEqual(['', 1]);
    expect(stderr).toMatch(message);
  });

  test('a folder as stdin is an error', async () => {
    using place = new TempPlace();
    const {stdout, stderr} = await shell(place, 'weft tasks watch --json < .; echo "exit code $?"');
    expect([stdout, stderr]).toEqual(['exit code 1\n', "weft: Can't read stdin: it is a folder\n"]);
  });

  test.each([
    ['no target', ['tasks', 'transform']],
    ['another target', ['tasks', 'transform', '--to', 'gemini']],
    ['another input form', ['tasks', 'decode', '--input', 'xml']],
    ['another output form', ['tasks', 'encode', '--output', 'xml']],
    ['two files', ['tasks', 'decode', 'a', 'b']],
    ['another command', ['tasks', 'frobnicate']],
  ])('%s is a usage error', async (_name, args) => {
    using place = new TempPlace();
    const {stdout, code} = await runWeft(args, {place});
    expect([stdout, code]).toEqual(['', 2]);
  });
});

describe('as part of a pipeline', () => {
  test('watch prints a change before the input ends', {tags: 'smoke'}, async () => {
    using place = new TempPlace();
    const child = startWeft(['tasks', 'watch', '--json'], {place, stdin: 'open'});
    const ended = finish(child);
    const printed = new Promise(resolve => child.stdout.once('data', chunk => resolve(String(chunk))));
    child.stdin.write('{"client_actions":{"actions":[{"add_messages_to_task":{"messages":[{"id":"m","server_event":{');
    child.stdin.write('"payload":{"2":{"1":[{"1":"a","2":"A"}]}}}}]}}]}}\n');
    const line = '{"todos":[{"id":"a","title":"A","description":"","status":"pending"}]}\n';
    expect(await printed).toBe(line);
    child.stdin.end();
    expect(await ended).toEqual({code: 0, signal: null, stdout: line, stderr: ''});
  });

  test('a closed stdout is no failure and ends the reading', {tags: 'smoke'}, async () => {
    using place = new TempPlace();
    const {stdout, stderr, code} = await shell(
      place,
      'yes WgA= | weft tasks decode | head -n 1; echo "${PIPESTATUS[1]}"',
    );
    expect([stdout, stderr, code]).toEqual(['{"11":{}}\n0\n', '', 0]);
  });

  test('memory does not grow with the input', async () => {
    using place = new TempPlace();
    const message = {id: 'm', agent_output: {text: 'as long as what models say at once '.repeat(300)}};
    const event = {client_actions: {actions: [{append_to_message_content: {task_id: 't', message}}]}};
    writeFileSync(join(place.work, 'event.json'), `${JSON.stringify(event)}\n`);
    const {stdout, stderr, code} = await shell(
      place,
      'export NODE_OPTIONS=--max-old-space-size=32\nyes "$(cat event.json)" | head -n 10000 | weft tasks watch --json',
    );
    expect([stdout, stderr, code]).toEqual(['', '', 0]);
  });

  test.each(['openai', 'anthropic'])('transform --to %s ends properly where the input breaks off', async to => {
    using place = new TempPlace();
    writeFileSync(
      join(place.work, 'cut.sse'),
      'data: {"client_actions":{"actions":[{"add_messages_to_task":{"task_id":"t","messages":[{"id":"m",' +
        '"agent_output":{"text":"Hello"}}]}}]}}\n\ndata: {"client_ac',
    );
    const {stdout, code} = await runWeft(['tasks', 'transform', '--to', to, 'cut.sse'], {place});
    expect(stdout.match(/Hello/gu)).toHaveLength(1);
    expect(stdout.trimEnd()).toMatch(to === 'openai' ? /\ndata: \[DONE\]$/u : /"type":"message_stop"\}$/u);
    expect(code).toBe(1);
  });
});

const told = (id: string): string =>
  `{"client_actions":{"actions":[{"add_messages_to_task":{"messages":[{"id":"${id}","agent_output":{"text":"text ${id}"}}]}}]}}\n`;

test('transform makes one answer of a log, and says where it leaves out another', {tags: 'smoke'}, async () => {
  using place = new TempPlace();
  const text = `${told('a')}{"finished":{}}\n${told('b')}${told('c')}{"finished":{}}\n`;
  const {stdout, stderr, code} = await runWeft(['tasks', 'transform', '--to', 'openai'], {place, stdin: {text}});
  expect([stdout.match(/text \w/gu), stdout.match(/\[DONE\]/gu), code]).toEqual([['text a'], ['[DONE]'], 0]);
  expect(stderr).toBe(
    'weft: line 3: the response ended before this line; the events of another response are skipped\n',
  );
});

describe('in a terminal', () => {
  test('watch is a panel that follows a pipe and leaves the list behind', async () => {
    using place = new TempPlace();
    writeFileSync(join(place.work, 'lists.jsonl'), listLines.slice(0, 3).join(''));
    await using terminal = await openTerminal(place, {});
    // Not through the function `weft`: its subshell would end at the first Ctrl+C, and the prompt would come too early.
    await terminal.type(
      `mkfifo hold; (weft tasks encode lists.jsonl; cat hold) | node '${weftBin}' tasks watch; echo "left with $?"`,
    );
    await terminal.press('Enter');
    await terminal.onScreen(/Todos 1 of 2 done\n {2}✓ Title a\n {2}● Überschrift/u);
    await terminal.press('C-c');
    await terminal.until(/Todos 1 of 2 done\n {2}✓ Title a\n {2}● Überschrift[^]*left with 130/u);
    expect(await terminal.modes()).toMatch(/^cursor 1 /u);
  });
});

test('what is no stream is given up after a few complaints, with one summary', async () => {
  using place = new TempPlace();
  const text = Array.from({length: 50}, () => 'no stream\n').join('');
  const {code, stdout, stderr} = await runWeft(['tasks', 'decode'], {place, stdin: {text}});
  const complaints = stderr.split('\n').slice(0, -1);
  expect([code, stdout, complaints.length]).toEqual([1, '', 6]);
  expect(complaints.at(-1)).toBe('weft: This is not a task-protocol stream: none of its first 5 lines is valid.');
});
