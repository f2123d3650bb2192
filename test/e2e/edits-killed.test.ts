import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {setTimeout as pause} from 'node:timers/promises';
import {expect, test} from 'vitest';
import {call, say} from '../support/model-script.ts';
import {finish} from '../support/run-weft.ts';
import {openScene, type Scene} from '../support/scene.ts';

const runs = 40;
const editsOfRun = 40;
const body = Array.from({length: 12_000}, (_, at) => `line ${at} of a file that takes a while to write\n`).join('');
const contentOf = (version: number): string => `version ${version}.\n${body}version ${version}.\n`;

const words = [
  '--prompt',
  'x',
  '--permission-mode',
  'acceptEdits',
  '--no-session-persistence',
  '--output-format',
  'stream-json',
];

/** Waits until so many results have been told; with none, until the answer is there. */
async function resultsCome(child: ReturnType<Scene['start']>, count: number): Promise<void> {
  let told = '';
  return new Promise(resolve => {
    child.stdout.on('data', (chunk: Buffer) => {
      told += chunk.toString();
      if (told.includes('"type":"assistant"') && told.split('"tool_result"').length > count) resolve();
    });
    child.on('close', () => resolve());
  });
}

test('killed at any moment of an edit a file is the old or the new one, to the byte', {tags: 'long'}, async () => {
  await using scene = await openScene(() => {
    const version = versionIn(scene.read('a.txt'));
    return version === undefined ? say('Torn.') : edits(version);
  });
  writeFileSync(join(scene.place.work, 'a.txt'), contentOf(0));
  const versions = new Set<number | undefined>();
  for (let run = 0; run < runs; run += 1) {
    const child = scene.start([...words]);
    const finished = finish(child);
    await resultsCome(child, run % 4);
    await pause((run * 7) % 23);
    child.kill('SIGKILL');
    await finished;
    const text = scene.read('a.txt');
    const version = versionIn(text);
    expect(text === contentOf(version ?? -1)).toBe(true);
    versions.add(version);
  }
  expect(versions.size).toBeGreaterThan(3);
});

const edits = (from: number) =>
  Array.from({length: editsOfRun}, (_, at) =>
    call('MultiEdit', {
      file_path: 'a.txt',
      edits: [{old_string: `version ${from + at}.`, new_string: `version ${from + at + 1}.`, replace_all: true}],
    }),
  );

const versionIn = (text: string): number | undefined => {
  const found = /^version (\d+)\.\n/u.exec(text)?.[1];
  return found === undefined ? undefined : Number(found);
};
