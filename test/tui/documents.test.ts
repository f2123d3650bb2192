import {afterEach, expect, test} from 'vitest';
import type {SessionDocument} from '../../src/domain/document.ts';
import {documentId} from '../../src/domain/ids.ts';
import {failed, ok} from '../../src/base/outcome.ts';
import {leaveStages, start} from './support/stage.ts';

afterEach(leaveStages);

const plan: SessionDocument = {
  id: documentId('d1'),
  title: 'Plan',
  versions: [
    {by: 'agent', text: '1. Look'},
    {by: 'user', text: '1. Look twice'},
  ],
};

test('/documents lists them; one is shown, with its versions, and mentioned', async () => {
  const {screen, engine} = await start();
  engine.answers.documents = ok([plan]);
  await screen.type('/documents\r');
  await screen.until(/Documents[^]*d1 {2}Plan[^]*2 versions/u);
  await screen.type('\r');
  await screen.until(/Show[^]*Edit[^]*Restore version 1/u);
  await screen.type('\r');
  await screen.until(/d1 {2}Plan {2}version 2 of 2, by you[^]*1\. Look twice/u);
  await screen.type('/documents show plan 1\r');
  await screen.until(/version 1 of 2, by the agent[^]*1\. Look\n/u);
});

test('an earlier version is written once more', async () => {
  const {screen, engine} = await start();
  engine.answers.documents = ok([plan]);
  engine.answers['write-document'] = ok({...plan, versions: [...plan.versions, {by: 'user', text: '1. Look'}]});
  await screen.type('/documents restore d1 1\r');
  await screen.until(/Restored d1 "Plan" \(version 3\) to version 1/u);
  await screen.type('/documents restore d1\r');
  await screen.until(/d1 "Plan" \(version 2\) has 2 versions\. Say which one/u);
});

test('the editor gets what a document says now; what comes back is kept', async () => {
  const seen: string[] = [];
  const {screen, engine} = await start([80, 24], {
    editor: {
      async edit({text, name}) {
        seen.push(`${name}: ${text}`);
        return seen.length === 3 ? failed('No editor is set.') : ok(`${text} and think\n`);
      },
    },
  });
  engine.answers.documents = ok([plan]);
  engine.answers['write-document'] = ok(plan);
  await screen.type('/documents edit d1\r');
  await screen.until(/Saved d1 "Plan" \(version 2\)/u);
  await screen.type('/documents new My notes\r');
  await screen.until(/new My notes\s+Saved d1 "Plan" \(version 2\)/u);
  await screen.type('/documents edit d1\r');
  await screen.until(/No editor is set/u);
  expect(seen).toEqual(['document.md: 1. Look twice', 'document.md: ', 'document.md: 1. Look twice']);
});

test('a word and a name that lead nowhere are said', async () => {
  const {screen, engine} = await start();
  engine.answers.documents = ok([plan]);
  await screen.type('/documents show d9\r');
  await screen.until(/There is no document d9\. There are: d1 "Plan" \(version 2\)/u);
  await screen.type('/documents burn d1\r');
  await screen.until(/Unknown command \/documents burn/u);
});

test('@doc: completes the documents of the session, by id and by title', async () => {
  const {screen, engine} = await start();
  const notes: SessionDocument = {...plan, id: documentId('d2'), title: 'Release notes'};
  engine.answers.documents = ok([plan, notes]);
  await screen.type('see @doc:rel');
  await screen.until(/doc:d2/u);
  expect((await screen.rows()).join('\n')).not.toContain('doc:d1');
  await screen.type('\t');
  await screen.until(/› see @doc:d2\n/u);
});
