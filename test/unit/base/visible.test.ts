/* oxlint-disable no-control-regex -- these tests look for control characters */
import * as fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {visible, visibleLine, visibleOutput} from '../../../src/base/visible.ts';

describe('visible', () => {
  test.each([
    ['plain', 'plain'],
    ['a\tb\nc', 'a    b\nc'],
    ['\u001B[2Jx', '^[[2Jx'],
    ['\u007F\u0085', '^?\\x85'],
    ['user\u202Etxt.exe', 'user\\u{202e}txt.exe'],
    ['\uD800x', '\\u{d800}x'],
    ['👩‍👩‍👧', '👩‍👩‍👧'],
  ])('%j', (text, shown) => {
    expect(visible(text)).toBe(shown);
  });

  test('one line stays one', () => {
    expect(visibleLine('a\nb')).toBe('a ⏎ b');
  });

  test.each([
    ['\u001B[31mred\u001B[0m', 'red'],
    ['\u001B]8;;http://x\u0007link\u001B]8;;\u0007', 'link'],
    ['10%\r50%\r100%\ndone\r\n', '100%\ndone\n'],
    ['bell\u0007', 'bell^G'],
  ])('output %j', (text, shown) => {
    expect(visibleOutput(text)).toBe(shown);
  });

  test('nothing a terminal acts on is left', () => {
    const hostile = fc.string({
      unit: fc.constantFrom(
        'a',
        '\u001B',
        '[',
        ']',
        '2',
        'J',
        '\u0007',
        '\r',
        '\n',
        '\u009B',
        '\u202E',
        '\uD83D',
        'm',
        '\\',
      ),
    });
    fc.assert(
      fc.property(hostile, text => {
        for (const shown of [visible(text), visibleOutput(text)]) {
          expect(shown).not.toMatch(/[\u0000-\u0009\u000B-\u001F\u007F-\u009F\u202E]|\p{Surrogate}/u);
        }
      }),
    );
  });
});
