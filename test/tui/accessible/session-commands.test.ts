import {afterEach, expect, test} from 'vitest';
import {messageId} from '../../../src/domain/ids.ts';
import {ok} from '../../../src/base/outcome.ts';
import {sessionInfo} from '../support/scripted-engine.ts';
import {leaveSpeakers, speak} from './speaker.ts';

afterEach(leaveSpeakers);

test('/btw reads the answer between two lines', async () => {
  const speaker = await speak();
  speaker.engine.answers['ask-aside'] = ok('It was **src/cart.ts**.');
  await speaker.type('/btw which file?\r');
  await speaker.heard(
    /Asking beside the conversation…[^]*Answer beside the conversation:\n+It was src\/cart\.ts\.\nEnd of the answer\.\n/u,
  );
  expect(speaker.engine.ops.filter(({op}) => op === 'prompt')).toEqual([]);
});

const points = [
  {to: messageId('p1'), number: 1, prompt: 'make it', files: 'changed'},
  {to: messageId('p2'), number: 2, prompt: 'mend it', files: 'untouched'},
] as const;

test('/branch lists prompts, and asks about files that changed since', async () => {
  const speaker = await speak();
  const {answers, ops} = speaker.engine;
  answers['rewind-points'] = ok(points);
  const files = {
    files: [{path: '/w/a', effect: 'changed'}],
    conflicts: [],
    excluded: [],
    coverage: 'all files',
  } as const;
  answers['preview-rewind'] = ok({kind: 'rewind', what: 'both', prompt: 'make it', prompts: 2, files, alongside: []});
  await speaker.type('/branch\r');
  await speaker.heard(
    /Branch from before a prompt:\n1\. Now, with the whole conversation\n2\. mend it\n3\. make it, changed files\n/u,
  );
  await speaker.type('3\r');
  await speaker.heard(/1\. Keep the files as they are\n2\. Take back 1 file, too, ~ \/w\/a\n/u);
  await speaker.type('2\r');
  const {id} = sessionInfo;
  const branch = {kind: 'branch', id, to: messageId('p1'), files: 'go-back'} as const;
  expect(ops.filter(({op}) => op === 'open-session')).toEqual([{op: 'open-session', session: branch}]);
});

test('a list with nothing to choose goes back to the prompt', async () => {
  const speaker = await speak();
  speaker.engine.answers.plans = ok({plans: [], dryRuns: []});
  await speaker.type('/plans\r');
  await speaker.heard(/No plans yet\.[^\n]*\n> $/u);
  await speaker.type('go on\r');
  await expect.poll(() => speaker.engine.ops.filter(({op}) => op === 'prompt')).toHaveLength(1);
});

test('/diff reads the changed files of a comparison', async () => {
  const speaker = await speak();
  const line = {kind: 'added', text: 'const a = 1;', changed: []} as const;
  const hunks = [{oldStart: 1, newStart: 1, lines: [line]}];
  const file = {path: `${sessionInfo.directory}/a.ts`, before: 'absent', after: 'x', movedFrom: undefined, notes: []};
  const files = [{...file, added: 1, removed: 0, hunks}];
  speaker.engine.answers['session-changes'] = ok({files, more: 0, coverage: 'named files'});
  await speaker.type('/diff start\r');
  await speaker.heard(
    /Since its start: 1 changed file\. Only files that the session touched are known\.\nFile \S*a\.ts: 1 added, 0 removed\.\nFrom line 1:\nadded: const a = 1;\n/u,
  );
  await speaker.type('/diff git\r');
  await speaker.heard(/Uncommitted: There is no repository here\.\n/u);
  await speaker.type('/diff all\r');
  await speaker.heard(/Unknown comparison all\. Choose from session, start, git\./u);
});

test('/blame names the author of lines before it reads them', async () => {
  const speaker = await speak();
  const line = {line: 2, by: 'agent', prompt: 'Fix it', tool: 'Edit', call: 'c1'} as const;
  speaker.engine.answers.blame = ok({path: 'a.ts', lines: [line], texts: ['const a = 1;']});
  await speaker.type('/blame a.ts:2\r');
  await speaker.heard(/By agent\. Prompt: Fix it\. Call: Edit c1\nLine 2: const a = 1;\n/u);
  await speaker.type('/blame\r');
  await speaker.heard(/Name a file: \/blame src\/a\.ts/u);
});
