import {array, assert, constantFrom, nat, property} from 'fast-check';
import {expect, test} from 'vitest';
import {makeAttachedOutput} from '../../../../src/workspace/terminals/attached-terminal.ts';
import {randomInputs} from '../../../support/random-inputs.ts';

/** What a terminal gets of the chunks, and how often its screen has to be painted. */
function shown(...chunks: readonly string[]) {
  const output = makeAttachedOutput();
  const steps = chunks.map(chunk => output.push(chunk));
  return {
    text: steps.map(({text}) => text).join(''),
    repaints: steps.filter(({screen}) => screen === 'repaint').length,
  };
}

const esc = '\u001B';

test.each([
  ['text, colours and moves', `a${esc}[31mred${esc}[0m${esc}[5;7Hb\r\n`],
  ['modes of keys and mouse', `${esc}[?1h${esc}=${esc}[?2004h${esc}[?1000;1006h${esc}[>1u`],
  ['questions', `${esc}[c${esc}[6n${esc}]11;?${esc}\\`],
  ['links', `${esc}]8;;http://a.example${esc}\\a${esc}]8;;${esc}\\`],
  ['a bell and other alphabets', `\u0007${esc}(0q${esc}(B`],
])('%s pass', (_name, text) => {
  expect(shown(text)).toEqual({text, repaints: 0});
});

test.each([
  ['the clipboard', `${esc}]52;c;aGVsbG8=\u0007`],
  ['the clipboard, asked for', `${esc}]52;c;?${esc}\\`],
  ['titles', `${esc}]0;title\u0007${esc}]2;title${esc}\\`],
  ['colours of the terminal', `${esc}]11;#ff0000\u0007${esc}]4;1;#ff0000\u0007`],
  ['notifications', `${esc}]9;hello\u0007${esc}]777;notify;a;b\u0007`],
  ['strings for the terminal', `${esc}P+q544e${esc}\\${esc}_Gi=1;AAAA${esc}\\${esc}^x${esc}\\${esc}Xx${esc}\\`],
  ['the window and its title', `${esc}[8;10;10t${esc}[21t`],
  ['the printer', `${esc}[5i`],
  ['what has scrolled away', `${esc}[3J`],
  ['the answerback', '\u0005'],
  ['132 columns and sizes of the whole window', `${esc}[?3h${esc}[?2048h`],
  ['the same in one-character controls', '\u009D52;c;aGVsbG8=\u0007\u009D0;title\u009C\u009B21t'],
  ['a string that is broken off', `${esc}]0;title\u0018`],
])('%s: nothing passes', (_name, text) => {
  expect(shown(`a${text}b`)).toEqual({text: 'ab', repaints: 0});
});

test('what is dropped leaves no half of a sequence behind', () => {
  expect(shown(`${esc}[${esc}]0;title\u000721t`).text).toBe('[21t');
});

test('a full reset is a soft one, since it would leave the screen', () => {
  expect(shown(`${esc}c`).text).toBe(`${esc}[!p${esc}[2J${esc}[H`);
});

test.each(['1049', '1047', '47', '1;1049', '1049;25'])('mode %s only asks for the screen to be painted', mode => {
  const {text, repaints} = shown(`drawn${esc}[2J${esc}[?${mode}h${esc}[?2004h${esc}[6nmore`);
  const others = mode.split(';').filter(one => one === '1' || one === '25');
  const rest = others.length === 0 ? '' : `${esc}[?${others.join(';')}h`;
  expect([text, repaints]).toEqual([`${rest}${esc}[?2004h${esc}[6n`, 1]);
});

test('sequences may be split anywhere', () => {
  const text = `a${esc}[31mred${esc}]0;title\u0007${esc}]8;;http://x${esc}\\y${esc}(Bz\u009B1m${esc}[?25l`;
  const {text: whole} = shown(text);
  assert(
    property(array(nat(text.length), {maxLength: 8}), cuts => {
      const at = [0, ...cuts.toSorted((a, b) => a - b), text.length];
      expect(shown(...at.slice(1).map((end, index) => text.slice(at[index], end))).text).toBe(whole);
    }),
  );
});

test('an endless string takes no memory and ends where it ends', () => {
  const output = makeAttachedOutput();
  expect(output.push(`${esc}]52;c;`).text).toBe('');
  for (let at = 0; at < 100; at += 1) expect(output.push('A'.repeat(1000)).text).toBe('');
  expect(output.push(`A${esc}`).text).toBe('');
  expect(output.push('\\back').text).toBe('back');
});

test('whatever comes, no string for the terminal but links and questions gets through', () => {
  const pieces = constantFrom(
    esc,
    '[',
    ']',
    '52;',
    '?',
    '1049',
    'h',
    '\u0007',
    'P',
    '\\',
    '\u009D',
    '\u009B',
    't',
    'x',
    '8;',
    '\u0018',
  );
  assert(
    property(array(array(pieces, {maxLength: 12}), {maxLength: 6}), chunks => {
      const {text} = shown(...chunks.map(chunk => chunk.join('')));
      // oxlint-disable-next-line no-control-regex -- sequences are what is looked for
      expect(text).not.toMatch(/\u001B\](?!8;)|\u001B[PX^_]|[\u0080-\u009F]|\u001B\[[0-9;?]*t/u);
    }),
    {numRuns: randomInputs(3000)},
  );
});
