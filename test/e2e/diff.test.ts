// @module-tag long
import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {call, say} from '../support/model-script.ts';
import {openScenePty} from '../support/pty-terminal.ts';
import {openScene} from '../support/scene.ts';

const id = '0f9a1a34-1111-4222-8333-444455556666';
const change = ['--permission-mode', 'bypassPermissions', '--session-id', id, '--prompt', 'Change it'] as const;

test.each([100, 60, 40])('/diff pages what the session, others and git changed (%i columns)', async columns => {
  await using scene = await openScene([call('Bash', {command: 'node change.js'}), say('Changed.')]);
  const {work} = scene.place;
  writeFileSync(join(work, 'a.txt'), 'one\ntwo\nthree\n');
  writeFileSync(join(work, 'gone.txt'), 'gone\n');
  writeFileSync(join(work, 'run.sh'), 'exit\n');
  writeFileSync(
    join(work, 'change.js'),
    `const fs = require('node:fs');
     fs.writeFileSync('a.txt', 'one\\n2\\nthree\\n');
     fs.writeFileSync('made.txt', 'made\\n');
     fs.chmodSync('run.sh', 0o755);
     fs.rmSync('gone.txt');`,
  );
  await scene.shell('git init -q && git add . && git -c user.name=a -c user.email=a@b.c commit -qm start');
  writeFileSync(join(work, 'before.txt'), 'mine\n');
  await scene.run(change);
  using terminal = openScenePty(scene, {size: [columns, 40], args: ['--resume', id]});
  await terminal.until(/Changed\./u);
  writeFileSync(join(work, 'later.txt'), 'mine\n');
  terminal.type('/diff\r');
  await terminal.until(/\[This session \+2 -2\][^]*a\.txt[^]*gone\.txt[^]*made\.txt[^]*run\.sh[^]*mode 644 → 755/u);
  expect((await terminal.rows()).join('\n')).not.toMatch(/before\.txt|later\.txt/u);
  terminal.type('\u001B[C');
  await terminal.until(/\[Since its start \+3 -2\][^]*later\.txt/u);
  expect((await terminal.rows()).join('\n')).not.toMatch(/before\.txt/u);
  terminal.type('\u001B[C');
  await terminal.until(/\[Uncommitted \+4 -2\][^]*before\.txt[^]*later\.txt/u);
  terminal.type('q');
  await terminal.until(/Ask weft to do something/u);
});

test('/diff git works before the first prompt, and says when there is nothing', async () => {
  await using scene = await openScene([]);
  const {work} = scene.place;
  await scene.shell('git init -q && git -c user.name=a -c user.email=a@b.c commit -qm start --allow-empty');
  using terminal = openScenePty(scene);
  await terminal.until(/Ask weft/u);
  terminal.type('/diff\r');
  await terminal.until(/▌ \/diff\s+No changes/u);
  writeFileSync(join(work, 'new.txt'), 'new\n');
  terminal.type('/diff git\r');
  await terminal.until(/\[Uncommitted \+1 -0\][^]*new\.txt/u);
});

test('what happened to files that no checkpoint has is not known, and /diff says so', async () => {
  await using scene = await openScene([call('Bash', {command: 'sed -i s/two/2/ a.txt'}), say('Changed.')]);
  const {work} = scene.place;
  writeFileSync(join(work, 'a.txt'), 'one\ntwo\nthree\n');
  await scene.run(change);
  using terminal = openScenePty(scene, {args: ['--resume', id]});
  await terminal.until(/Changed\./u);
  writeFileSync(join(work, 'a.txt'), 'one\n2\n3\n');
  writeFileSync(join(work, 'later.txt'), 'mine\n');
  terminal.type('/diff\r');
  await terminal.until(/\[This session \+1 -1\][^]*1 changed file[^]*a\.txt/u);
  terminal.type('\u001B[C');
  await terminal.until(/\[Since its start \+2 -2\][^]*1 changed file\. Only files that the session touched are known/u);
});
