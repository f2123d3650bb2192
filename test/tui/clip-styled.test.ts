import {expect, test} from 'vitest';
import {clipStyled} from '../../src/tui/text/clip-styled.ts';

test.each([
  ['fits', 'short', 10, 'short'],
  ['plain', 'a longer line', 6, 'a lon…'],
  ['styled', '\u001B[1mbold\u001B[22m and plain', 7, '\u001B[1mbold\u001B[22m a…'],
  ['cut within a style', '\u001B[1mbold letters\u001B[22m', 6, '\u001B[1mbold …\u001B[22m'],
  ['wide letters are not halved', '你好世界', 4, '你…'],
  [
    'a link is closed',
    '\u001B]8;;http://x\u0007link text\u001B]8;;\u0007',
    5,
    '\u001B]8;;http://x\u0007link…\u001B]8;;\u0007',
  ],
])('%s', (_, line, cells, clipped) => {
  expect(clipStyled(line, cells)).toBe(clipped);
});
