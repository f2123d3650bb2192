import {describe, expect, test} from 'vitest';
import stringWidth, {cellWidth, fit} from '../../src/tui/text/cell-width.ts';

describe('cells of', () => {
  test.each<[string, string, number]>([
    ['letters', 'aé±', 3],
    ['a combined letter', 'e\u0301', 1],
    ['lines and arrows', '─│→', 3],
    ['Han, kana and Hangul', '日か한', 6],
    ['Hangul in its parts', '\u1112\u1161\u11AB', 2],
    ['a halfwidth letter with its mark', 'ｶﾞ', 2],
    ['a fullwidth letter', 'Ａ', 2],
    ['Han with a variation', '葛\u{E0100}', 2],
    ['Hebrew and Arabic', 'שלא', 3],
    ['Thai with marks above', 'ก็', 1],
    ['Thai with am', 'น้ำ', 2],
    ['a Devanagari conjunct', 'क्षि', 2],
    ['an emoji', '✅', 2],
    ['a family', '👩‍👩‍👧', 2],
    ['a colour of skin', '👍🏽', 2],
    ['a flag', '🇩🇪', 2],
    ['a flag of tags', '🏴󠁧󠁢󠁥󠁮󠁧󠁿', 2],
    ['a flag of two signs', '🏳️‍🌈', 2],
    ['a keycap', '1️⃣', 2],
    ['a sign', '❤', 1],
    ['a sign made an emoji', '❤️', 2],
    ['a Latin sign made an emoji', '©️', 2],
    ['a letter with a selector that means nothing there', 'a\uFE0F', 1],
    ['a joiner alone', '\u200D', 0],
  ])('%s: %j', (_name, text, cells) => {
    expect(cellWidth(text)).toBe(cells);
    expect(cellWidth(`x${text}y`)).toBe(cells + 2);
  });
});

describe('what fits', () => {
  test.each<[string, number, string]>([
    ['short', 5, 'short'],
    ['shorter', 5, 'shor…'],
    ['日本語', 5, '日本…'],
    ['日本語', 4, '日…'],
    ['a日本', 4, 'a日…'],
    ['👩‍👩‍👧👩‍👩‍👧', 3, '👩‍👩‍👧…'],
    ['anything', 0, ''],
    ['', 0, ''],
    [`e${'\u0301'.repeat(500)}x`, 2, `e${'\u0301'.repeat(500)}x`],
    ['日'.repeat(1_000_000), 5, '日日…'],
  ])('%j in %i', (text, cells, fitting) => {
    expect(fit(text, cells)).toBe(fitting);
  });
});

test('the measure of Ink in the built program leaves out styles and control characters', () => {
  const texts = [
    '',
    'ab',
    '\u001B[1mab\u001B[0m',
    '漢\u0000\n',
    '\u001B]8;;http://a\u0007ab\u001B]8;;\u0007',
    '👍\u001B[31m',
  ];
  expect(texts.map(text => stringWidth(text))).toEqual([0, 2, 2, 2, 2, 2]);
  expect(stringWidth('\u001B[1mab', {countAnsiEscapeCodes: true})).toBe(5);
});
