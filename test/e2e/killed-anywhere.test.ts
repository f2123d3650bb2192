// @module-tag long
import {appendFileSync, mkdirSync, readFileSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {setTimeout as pause} from 'node:timers/promises';
import * as fc from 'fast-check';
import {expect, test} from 'vitest';
import {entriesBelow} from '../../src/workspace/files/list-folder.ts';
import {lookUntil} from '../support/look-until.ts';
import {call, say, type Answer} from '../support/model-script.ts';
import {processesWith} from '../support/processes.ts';
import {randomInputs} from '../support/random-inputs.ts';
import {finish} from '../support/run-weft.ts';
import {openScene} from '../support/scene.ts';

const free = ['--permission-mode', 'bypassPermissions'] as const;
const id = '0f9a1a34-1111-4222-8333-444455556666';
const names = ['a.txt', 'b.txt', 'd/e.txt', 'd/f.txt', 'd/g/h.txt'] as const;
const lines = 10;
const bodyOf = (name: string): string =>
  Array.from({length: lines}, (_, at) => `${name} line ${String(at)}\n`).join('');

const deeds = ['edit', 'write', 'new', 'patch', 'sed', 'append', 'move', 'remove', 'move-folder', 'all'] as const;

/** A deed of the agent. Its texts are `agent` and a number. */
const deed = fc.record({
  does: fc.constantFrom(...deeds),
  name: fc.constantFrom(...names),
  other: fc.constantFrom(...names),
  line: fc.integer({min: 0, max: lines - 1}),
});

function answerOf(
  {does, name, other, line}: typeof deed extends fc.Arbitrary<infer T> ? T : never,
  at: number,
): Answer {
  const [text, old] = [`agent ${String(at)}`, `${name} line ${String(line)}`];
  switch (does) {
    case 'edit':
      return call('Edit', {file_path: name, old_string: `${old}\n`, new_string: `${text}\n`});
    case 'write':
      return call('Write', {file_path: name, content: `${text}\n`});
    case 'new':
      return call('Write', {file_path: `new${String(line % 3)}.txt`, content: `${text}\n`});
    case 'patch':
      return call('ApplyPatch', {
        patch: `*** Begin Patch\n*** Update File: ${name}\n@@\n-${old}\n+${text}\n*** End Patch`,
      });
    case 'sed':
      return call('Bash', {command: `sed -i 's#^${old}$#${text}#' ${name}; mv ${name} ${other}`});
    case 'append':
      return call('Bash', {command: `echo ${text} >>${name}; sleep 0.0${String(line)}; echo ${text} >>${other}`});
    case 'move':
      return call('Bash', {command: `mv ${name} ${line % 2 === 0 ? 'd/moved.txt' : 'moved.txt'}`});
    case 'remove':
      return call('Bash', {command: `rm ${name}; mkdir -p made; echo ${text} >made/n.txt`});
    case 'move-folder':
      return call('Bash', {command: line % 2 === 0 ? 'mkdir -p x; mv d x/y' : 'mv d lib'});
    default:
      return call('Bash', {command: `cp ${other} copy.txt; rm -rf d; echo ${text} >b.txt`});
  }
}

/** Every file below a folder with its text, but for the data of git and drafts of files that a killed weft was writing. */
const textsIn = (folder: string): ReadonlyMap<string, string> =>
  new Map(
    [...entriesBelow(folder)]
      .filter(entry => entry.isFile() && !/^\.weft-.*\.tmp$/u.test(entry.name))
      .map(entry => join(entry.parentPath, entry.name))
      .filter(path => !path.includes('/.git/'))
      .map(path => [path.slice(folder.length + 1), readFileSync(path, 'utf8')]),
  );

test('killed at any moment, an undo takes all of the agent’s back and nothing of a person’s', async () => {
  const history = fc.record({
    deeds: fc.array(deed, {minLength: 2, maxLength: 6}),
    answers: fc.integer({min: 1, max: 7}),
    delayMs: fc.integer({min: 0, max: 300}),
    repository: fc.boolean(),
    /** The person appends a line to these files if they exist, by number, and makes these files. */
    appends: fc.array(fc.nat(), {maxLength: 3}),
    makes: fc.constantFrom([], ['mine.txt'], ['d/mine.txt'], ['made/mine.txt', 'new0.txt']),
  });
  await fc.assert(
    fc.asyncProperty(history, async ({deeds: done, answers, delayMs, repository, appends, makes}) => {
      const reads = names.flatMap(name => [call('Read', {file_path: name})].flat());
      await using scene = await openScene([reads, ...done.map(answerOf), say('Done.')]);
      const {work} = scene.place;
      const put = (name: string, text: string): void => {
        mkdirSync(dirname(join(work, name)), {recursive: true});
        appendFileSync(join(work, name), text);
      };
      for (const name of names) put(name, bodyOf(name));
      if (repository) await scene.shell('git init -q && git add . && git -c user.name=a -c user.email=a commit -qm x');
      const child = scene.start([...free, '--session-id', id, '--prompt', 'change it']);
      const finished = finish(child);
      await scene.server.received(Math.min(answers, done.length + 1));
      await pause(delayMs);
      child.kill('SIGKILL');
      await finished;
      await lookUntil(
        () => !processesWith('weft-process-watchdog').some(({words}) => words.includes(scene.place.home)),
        () => 'the watchdog goes on',
      );
      const left = [...textsIn(work).keys()];
      const mine = [...appends.map(at => left[at % left.length] ?? 'a.txt'), ...makes].map(
        (name, at) => [name, `mine ${String(at)}\n`] as const,
      );
      for (const [name, text] of mine) put(name, text);
      const {stderr} = await scene.run(['sessions', 'rewind', id, '--yes']);
      const named = new Set([...stderr.matchAll(/! (\S+) stays as it is/gu)].map(([, name = '']) => name));
      // A folder is named with all that is in it.
      const isNamed = (path: string): boolean => named.has(path) || (path.includes('/') && isNamed(dirname(path)));
      const undone = [...stderr.matchAll(/^ +[±~+-] (\S+)/gmu)].map(([, name = '']) => name);
      expect(undone.filter(isNamed)).toEqual([]);
      const now = textsIn(work);
      for (const [name, text] of mine) expect([stderr, now.get(name)]).toEqual([stderr, expect.stringContaining(text)]);
      for (const name of new Set([...names, ...now.keys()])) {
        if (isNamed(name)) continue;
        const body = names.some(each => each === name) ? bodyOf(name) : '';
        const own = mine.flatMap(([of, text]) => (of === name ? [text] : []));
        expect([stderr, name, now.get(name)]).toEqual([stderr, name, [body, ...own].join('')]);
      }
    }),
    {numRuns: randomInputs(20)},
  );
});
