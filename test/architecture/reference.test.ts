import {join} from 'node:path';
import {expect, test} from 'vitest';
import {parseSettings, settingDescriptions} from '../../src/config/settings-schema.ts';
import {environmentVariables} from '../support/environment-variables.ts';
import {manPage, referencePages} from '../support/reference-pages.ts';
import {filesUnder, readText, root} from './repository.ts';

const rewrite = 'The reference no longer says what the sources say. Rewrite it: npm run docs';
const pages = await referencePages();

test.each(Object.entries(pages))('docs/reference/%s is what the tables say', async (name, text) => {
  await expect(text, rewrite).toMatchFileSnapshot(join(root, 'docs/reference', name));
});

test('docs/reference holds no other page', () => {
  expect(filesUnder('docs/reference')).toEqual(
    Object.keys(pages)
      .map(name => `docs/reference/${name}`)
      .toSorted(),
  );
});

test('man/weft.1 is what the tables say', async () => {
  await expect(await manPage(), rewrite).toMatchFileSnapshot(join(root, 'man/weft.1'));
});

test.each(settingDescriptions())('the example of the setting $key is valid', ({key, example}) => {
  expect(parseSettings({path: 'x', text: `{"${key}": ${example}}`})).toMatchObject({tag: 'ok', value: {warnings: []}});
});

test('the reference names each environment variable that the sources read, and no other', () => {
  const sources = filesUnder('src')
    .filter(path => /\.tsx?$/u.test(path))
    .map(path => ({path, text: readText(path)}));
  const named = environmentVariables.flatMap(({rows}) => rows.map(([name]) => name));
  const all = sources.map(({text}) => text).join('\n');
  const read = sources
    .filter(({path}) => !path.startsWith('src/safety/'))
    .flatMap(({text}) => reads.flatMap(pattern => [...text.matchAll(pattern)].map(([, name = '']) => name)));
  expect([...new Set(read)].filter(name => !named.includes(name) && !ownVariables.includes(name))).toEqual([]);
  expect(named.filter(name => !new RegExp(`\\b${name}\\b`, 'u').test(all))).toEqual([]);
  expect(named).toEqual([...new Set(named)]);
});

/** How sources read a variable. Names that reach a read through a list are in the table only by care. */
const reads: readonly RegExp[] = [
  /\b(?:env|environment)\[?\.?'?([A-Z][A-Z0-9_]+)\b/gu,
  /\b(?:has|isSet|valueOf)\('([A-Z][A-Z0-9_]+)'\)/gu,
  /[{,]\s*([A-Z][A-Z0-9_]+)(?:: \w+)? = ''/gu,
  /\b(WEFT_[A-Z_]+)\b/gu,
];

/** Variables that weft sets itself for its own start and for the processes it starts, and examples in comments. */
const ownVariables: readonly string[] =
  'WEFT_IGNORED_SIGNALS WEFT_PROJECT_DIR WEFT_ACTIVE WEFT_RUN WEFT_SHADOW WEFT_INSIDE PROBE THROUGH CI'.split(' ');
