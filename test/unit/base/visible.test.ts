/* oxlint-disable no-control-regex -- these tests look for control characters */
import * as fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {
  visible,
  visibleExactLine,
  visibleExactly,
  visibleJson,
  visibleLine,
  visibleOutput,
  visibleText,
} from '../../../src/base/visible.ts';

describe('visible', () => {
  test.each([
    ['plain', 'plain'],
    ['a\tb\nc', 'a    b\nc'],
    ['\u001B[2Jx', '^[[2Jx'],
    ['\u007F\u0085', '^?\\x85'],
    ['user\u202Etxt.exe', 'user\\u{202e}txt.exe'],
    ['\uD800x', '\\u{d800}x'],
    ['👩‍👩‍👧', '👩‍👩‍👧'],
    ['zero\u200Bwidth\u00ADsoft\u{E0041}', 'zero\\u{200b}width\\xadsoft\\u{e0041}'],
    ['10\u00A0km, \u06A9\u200C\u0647, ❤\uFE0F', '10\u00A0km, \u06A9\u200C\u0647, ❤\uFE0F'],
  ])('%j', (text, shown) => {
    expect(visible(text)).toBe(shown);
  });

  test.each([
    ['rm -rf\tx\n', 'rm -rf    x\n'],
    ['日本 café cafe\u0301 नमस्ते', '日本 café cafe\u0301 नमस्ते'],
    ['a\u00A0b\u3000c\u2800d', 'a\\xa0b\\u{3000}c\\u{2800}d'],
    ['❤\uFE0Fx\u200Dy', '❤\\u{fe0f}x\\u{200d}y'],
    ['a=\u0338b', 'a=\\u{338}b'],
    ['e\u0301\u0301\u0301\u0301', 'e\u0301\u0301\u0301\\u{301}'],
    ['\u3164\u115F\u{F0000}\u0378', '\\u{3164}\\u{115f}\\u{f0000}\\u{378}'],
    ['\u2066a\u2069\r\n', '\\u{2066}a\\u{2069}^M\n'],
  ])('exactly %j', (text, shown) => {
    expect(visibleExactly(text)).toBe(shown);
    expect(visibleExactLine(text)).toBe(shown.replaceAll('\n', ' ⏎ '));
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

describe('for a stream that may be a terminal', () => {
  const steering = '\u001B]52;c;eA==\u0007 \u009B31m \u202Eb \u200B \u{E0041} \u007F';
  const harmless = 'a\tb\n\u05E9\u05DC\u05D5\u05DD \u0633\u0644\u0627\u0645 👩‍👩‍👧 ❤\uFE0F \u06A9\u200C\u0647 日本 \u00A0';

  test('text shows what would steer it, and keeps the rest', () => {
    expect(visibleText(`${steering}\r\n`)).toBe('^[]52;c;eA==^G \\x9b31m \\u{202e}b \\u{200b} \\u{e0041} ^?\n');
    expect(visibleText(harmless)).toBe(harmless);
    expect(visibleText(visibleText(steering))).toBe(visibleText(steering));
  });

  test('JSON stays the same value', () => {
    const value = {[steering]: [steering, harmless, '\r\n\u2028"\\']};
    for (const indent of [undefined, 2]) {
      const shown = visibleJson(`${JSON.stringify(value, undefined, indent)}\n`);
      expect(JSON.parse(shown)).toEqual(value);
      expect(visibleText(shown)).toBe(shown);
    }
    expect(visibleJson('"\u007F"')).toBe(String.raw`"\u007f"`);
  });
});
