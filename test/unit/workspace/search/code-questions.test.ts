import {createRequire} from 'node:module';
import {dirname, join} from 'node:path';
import {expect, test} from 'vitest';
import {makeSearch} from '../../../../src/workspace/search/search.ts';
import {never} from '../temporary-folder.ts';
import {type QuestionedPackage, questionedPackages} from './code-questions.ts';

const installed = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), '..');

/** The questions of a package for which none of the right files is among the first ten. */
async function missedIn({name, path, leftOut, questions}: QuestionedPackage): Promise<readonly string[]> {
  const search = makeSearch({
    roots: [join(installed, name)],
    home: installed,
    environment: process.env,
    excluded: () => leftOut,
  });
  const missed: string[] = [];
  for (const [query, files] of questions) {
    const found = await search.codebase({query, path, filters: [], limit: 10}, never);
    const answers = found.tag === 'ok' ? found.value.places.map(place => place.path) : [];
    if (!files.some(file => answers.includes(file))) missed.push(query);
  }
  return missed;
}

/** The part that has to be answered: what was measured, less what a new release of a package may cost. */
const wanted = 0.8;

test.each(questionedPackages.slice(0, 1))('questions on $name are answered', {tags: 'long'}, async questioned => {
  const missed = await missedIn(questioned);
  expect(1 - missed.length / questioned.questions.length, missed.join('\n')).toBeGreaterThanOrEqual(wanted);
});

test.each(questionedPackages.slice(1))('questions on $name are answered', {tags: 'long'}, async questioned => {
  const missed = await missedIn(questioned);
  expect(1 - missed.length / questioned.questions.length, missed.join('\n')).toBeGreaterThanOrEqual(wanted);
});
