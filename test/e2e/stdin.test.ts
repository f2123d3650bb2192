// @module-tag long
import {describe, expect, test} from 'vitest';
import {say} from '../support/model-script.ts';
import {finish} from '../support/run-weft.ts';
import {openScene, toldPrompt} from '../support/scene.ts';

const answer = {code: 0, signal: null, stdout: 'Read.\n', stderr: ''};

describe('what the model is asked', () => {
  const joined = 'review this\n\n<stdin>\n- a\n+ b\n</stdin>';
  const cases: readonly (readonly [title: string, command: string, asked: string])[] = [
    ['--prompt beside a pipe', `printf '%s\\n' '- a' '+ b' | weft --prompt 'review this'`, joined],
    ['--print and arguments beside a pipe', `printf '%s\\n' '- a' '+ b' | weft --print review this`, joined],
    ['--prompt beside a file', `printf '%s\\n' '- a' '+ b' >d; weft --prompt 'review this' <d`, joined],
    ['--prompt - is stdin', `echo 'what now?' | weft --prompt -`, 'what now?\n'],
    ['--print alone is stdin', `echo 'what now?' | weft --print`, 'what now?\n'],
    ['a pipe without any flag', `echo 'what now?' | weft`, 'what now?\n'],
    ['--prompt=…', `weft --prompt='what now?' </dev/null`, 'what now?'],
    ['-p', `weft -p 'what now?' </dev/null`, 'what now?'],
    ['--print with arguments', 'weft --print what now </dev/null', 'what now'],
    ['an empty pipe', `: | weft --prompt 'what now?'`, 'what now?'],
    ['a closed stdin', `weft --prompt 'what now?' <&-`, 'what now?'],
    [
      'a slow pipe that has begun',
      `(echo first; sleep 2; echo last) | weft --prompt x`,
      'x\n\n<stdin>\nfirst\nlast\n</stdin>',
    ],
    ['bytes that are no UTF-8', `printf 'a\\377b' | weft --prompt x`, 'x\n\n<stdin>\na\u{FFFD}b\n</stdin>'],
  ];
  test.concurrent.each(cases)('%s', async (_title, command, asked) => {
    await using scene = await openScene([say('Read.')]);
    expect(await scene.shell(command)).toEqual(answer);
    expect(toldPrompt(scene.server.requests[0])).toBe(asked);
  });
});

test('two megabytes on stdin arrive whole', {tags: 'smoke'}, async () => {
  await using scene = await openScene([say('Read.')]);
  const text = 'Zeile mit Umlaut: ü\n'.repeat(100_000);
  expect(await scene.run(['--prompt', 'x'], {stdin: {text}})).toEqual(answer);
  expect(toldPrompt(scene.server.requests[0])).toBe(`x\n\n<stdin>\n${text.trimEnd()}\n</stdin>`);
});

test('too much on stdin is refused in one line', async () => {
  await using scene = await openScene([say('Read.')]);
  const {code, stdout, stderr} = await scene.shell(`head -c 9000000 /dev/zero | tr '\\0' a | weft --prompt x`);
  expect([code, stdout, stderr]).toEqual([
    2,
    '',
    'weft: stdin is larger than 8 MB. Name a file in the prompt instead.\n',
  ]);
});

test('an open pipe on which nothing comes holds nothing up', {tags: 'smoke'}, async () => {
  await using scene = await openScene([say('Read.')]);
  const child = scene.start(['--prompt', 'x'], {stdin: 'open'});
  const finished = finish(child);
  await scene.server.received(1);
  expect(await finished).toEqual({
    ...answer,
    stderr: 'weft: no input on stdin for 1.5 s, continuing without it\n',
  });
});
