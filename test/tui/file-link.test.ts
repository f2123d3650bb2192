import {expect, test} from 'vitest';
import {fileLink, proseLink, readLink} from '../../src/tui/text/file-link.ts';
import {themeOf} from '../../src/tui/theme/theme.ts';

const look = {theme: 'dark', level: 'truecolor', links: 'osc8', background: 'dark'} as const;
const theme = themeOf(look, 'dark', {pictures: 'none', directory: '/w', repository: ''});

test.each([
  ['src/a.ts', ['file:///w/src/a.ts']],
  ['src/a.ts:12', ['file:///w/src/a.ts#12']],
  ['a.ts:3-9', ['file:///w/a.ts#3']],
  ['/w/src/a b.ts', []],
  ['/w/src/ä.ts', ['file:///w/src/%C3%A4.ts']],
  ['/etc/x.conf', []],
  ['../x/a.ts', []],
  ['src/../../a.ts', []],
  ['console.log', []],
  ['README.md', []],
  ['text/html', []],
  ['https://a.example/x.ts', []],
  ['bin/run.command', []],
  ['x/\u001B]8;;evil.ts', []],
])('code in prose: %s', (code, hrefs) => {
  expect(proseLink(code, theme)).toEqual(hrefs.map(href => ({href})));
});

test('a path that weft read is linked wherever it is, without control characters', () => {
  expect(readLink('/etc/x.conf:4', theme)).toEqual([{href: 'file:///etc/x.conf#4'}]);
  expect(fileLink('a\u001B\\b.ts', 0, theme)).toEqual([{href: 'file:///w/a%1B%5Cb.ts'}]);
  expect(fileLink('evil.desktop', 0, theme)).toEqual([]);
});

test('a terminal without links, and lines that are redrawn, have none', () => {
  expect(fileLink('a.ts', 0, theme.unlinked)).toEqual([]);
  expect(
    fileLink(
      'a.ts',
      0,
      themeOf({...look, links: 'shown'}, 'dark', {pictures: 'none', directory: '/w', repository: ''}),
    ),
  ).toEqual([]);
});
