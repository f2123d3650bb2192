import {readFileSync} from 'node:fs';
import {fileURLToPath} from 'node:url';
import {expect, test} from 'vitest';
import {pictures, takePicture} from '../support/pictures.ts';
import {isInstalled} from '../support/programs.ts';

/** The text of a picture, without what differs from run to run. */
const stableText = (svg: string): string =>
  svg
    .replaceAll(/<[^>]*>/gu, '')
    .replaceAll(/\d+(?:\.\d+)?\s(?:ms|s)\b/gu, 'N s')
    .replaceAll(/:[\da-f]{8}\]\]/gu, ':HASH]]')
    .replaceAll(/\s+/gu, ' ')
    // Only an answer that took some seconds has a closing line.
    .replaceAll(/── N s · &lt;\$0\.01 ── /gu, '');

// The demo shows times and temporary paths, which wrap in different places each time.
const held = pictures.filter(({file}) => file.startsWith('docs/'));

test.for(held)(
  '$file shows the screen as it is: else run `npm run picture`',
  {tags: 'long'},
  async (picture, {skip}) => {
    skip(picture.sandbox === 'auto' && picture.model !== 'none' && !isInstalled('bwrap'), 'needs bwrap');
    const drawn = readFileSync(fileURLToPath(new URL(`../../${picture.file}`, import.meta.url)), 'utf8');
    expect(stableText(await takePicture(picture))).toBe(stableText(drawn));
  },
);
