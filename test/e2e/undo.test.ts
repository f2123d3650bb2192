// @module-tag long
import {
  chmodSync,
  chownSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import {join} from 'node:path';
import {describe, expect, test} from 'vitest';
import {call, say} from '../support/model-script.ts';
import {fileComes, openScene, pointedAt, toldPrompt, type Scene} from '../support/scene.ts';
import {openTerminal} from '../support/shell-terminal.ts';

const free = ['--permission-mode', 'bypassPermissions'] as const;
const id = '0f9a1a34-1111-4222-8333-444455556666';

const put = (scene: Scene, name: string, text: string): void => writeFileSync(join(scene.place.work, name), text);

const prompt = (scene: Scene, text: string) => scene.run([...free, '--resume', id, '--prompt', text]);

const rewind = (scene: Scene, ...args: readonly string[]) => scene.run(['sessions', 'rewind', id, ...args]);

/** What every path below the workspace is, without what git keeps; the same words for the same tree. */
const listing = (scene: Scene): readonly string[] =>
  readdirSync(scene.place.work, {recursive: true, withFileTypes: true})
    .map(entry => join(entry.parentPath, entry.name))
    .filter(path => !path.includes('/.git/') && !path.endsWith('/.git'))
    .map(path => `${path} ${lstatSync(path).mode.toString(8)} ${contentOf(path)}`)
    .toSorted();

function contentOf(path: string): string {
  const stat = lstatSync(path);
  if (stat.isSymbolicLink()) return readlinkSync(path);
  return stat.isFile() ? readFileSync(path, 'base64') : '';
}

const lines = (one: string, nine: string): string => `${one}\n2\n3\n4\n5\n6\n7\n8\n${nine}\n`;

describe('going back', () => {
  test('names files outside of the workspace that the agent edited, and leaves them alone', async () => {
    const answers = [call('Write', {file_path: 'made', content: ''}), say('Made.')];
    await using scene = await openScene(() => answers.shift() ?? say('Done.'));
    const outside = join(scene.place.home, 'other', 'notes.txt');
    answers.unshift(call('Write', {file_path: outside, content: 'hi\n'}));
    await scene.run([...free, '--session-id', id, '--prompt', 'first']);
    const text = `restored 1 file and the conversation\n1 file: 1 deleted\n  - made\nNot in checkpoints, so not touched: ${outside} (3 bytes)\n`;
    expect((await rewind(scene, '--yes')).stderr).toBe(`Undid "first": ${text}`);
    expect(readFileSync(outside, 'utf8')).toBe('hi\n');
  });

  test("weft's own database in the workspace is no part of it", async () => {
    await using scene = await openScene([call('Write', {file_path: 'made', content: ''}), say('Made.')]);
    const environment = {WEFT_HOME: join(scene.place.work, 'data')};
    await scene.run([...free, '--session-id', id, '--prompt', 'first'], {environment});
    const undone = await scene.run(['sessions', 'rewind', id, '--yes'], {environment});
    expect([undone.code, undone.stderr]).toEqual([
      0,
      'Undid "first": restored 1 file and the conversation\n1 file: 1 deleted\n  - made\n',
    ]);
    const shown = await scene.run(['sessions', 'show', id], {environment});
    expect(shown.stdout).toContain('> first');
  });

  test('a command that names its files is undone, also what git ignores, with no look at other files', async () => {
    const command = "sed -i 's/one/two/' d/a && mkdir -p new/deep && cp d/a new/deep/ && mv large.log moved && rm gone";
    await using scene = await openScene([call('Bash', {command}), say('Done.')]);
    await scene.shell('git init -q && printf "*.log\n" >.gitignore && mkdir d && echo one >d/a && echo gone >gone');
    put(scene, 'large.log', 'x'.repeat(2 * 1024 * 1024));
    chmodSync(join(scene.place.work, 'd/a'), 0o640);
    const before = listing(scene);
    await scene.run([...free, '--session-id', id, '--prompt', 'Change it.']);
    put(scene, 'own', 'mine');
    expect(listing(scene)).not.toEqual(before);
    const done = await rewind(scene, '--yes', '--files');
    expect(done.stderr).toContain('5 files: 1 changed back, 2 restored, 2 deleted\n');
    expect(listing(scene).filter(line => !line.includes('/own '))).toEqual(before);
    const [table] = readdirSync(join(scene.place.home, 'weft/checkpoints')).filter(name => name.startsWith('seen-'));
    expect(table).toBe(undefined);
  });

  test('a hook that may change any file is undone with the edit before it; one that names its files costs no look', async () => {
    const write = call('Write', {file_path: 'made', content: 'made\n'});
    await using scene = await openScene([write, say('Done.'), write, say('Done.')]);
    put(scene, 'other', 'other\n');
    put(scene, 'log', 'first\n');
    const before = listing(scene);
    const run = async (command: string, ...words: readonly string[]) => {
      const hooks = {PostToolUse: [{matcher: 'Write', hooks: [{type: 'command', command}]}]};
      const settings = JSON.stringify({hooks: {...hooks, Stop: [{hooks: [{type: 'command', command: 'true'}]}]}});
      await scene.run([...free, '--settings', settings, ...words, '--prompt', 'Make it.']);
      expect(listing(scene)).not.toEqual(before);
      const tables = readdirSync(join(scene.place.home, 'weft/checkpoints')).filter(name => name.startsWith('seen-'));
      const {stderr} = await rewind(scene, '--yes');
      expect(listing(scene)).toEqual(before);
      return {tables: tables.length, files: stderr.split('\n')[1]};
    };
    const named = await run('echo next >> log', '--session-id', id);
    expect(named).toEqual({tables: 0, files: '2 files: 1 changed back, 1 deleted'});
    const any = await run('node -e "fs.rmSync(\'other\')"', '--resume', id);
    expect(any).toEqual({tables: 1, files: '2 files: 1 restored, 1 deleted'});
  });

  test('git clean and git reset by a command are undone to the byte; and that, too', async () => {
    const destroy = call('Bash', {command: 'git clean -qfdx && git reset -q --hard'});
    await using scene = await openScene([destroy, say('Cleaned.')]);
    await scene.shell('git init -q && printf "ignored/\n" >.gitignore && printf "one\r\n" >a && git add . ');
    await scene.shell('git -c user.name=a -c user.email=a@b commit -qm first');
    put(scene, 'a', 'two\r\n');
    put(scene, 'script', '#!/bin/sh\n');
    chmodSync(join(scene.place.work, 'script'), 0o750);
    symlinkSync('a', join(scene.place.work, 'link'));
    mkdirSync(join(scene.place.work, 'ignored/empty'), {recursive: true});
    put(scene, 'ignored/kept', 'small');
    const before = listing(scene);
    await scene.run([...free, '--session-id', id, '--prompt', 'Clean up.']);
    const cleaned = listing(scene);
    expect(cleaned).not.toEqual(before);

    const refused = await rewind(scene);
    expect(refused).toMatchObject({code: 2, stdout: ''});
    expect(refused.stderr).toContain('--yes');
    expect(listing(scene)).toEqual(cleaned);

    const done = await rewind(scene, '--yes', '--files', '--json');
    expect(JSON.parse(done.stdout)).toMatchObject({done: true, kind: 'rewind', what: 'files', files: {conflicts: []}});
    expect(listing(scene)).toEqual(before);
    expect((await rewind(scene, '--redo', '--yes')).code).toBe(0);
    expect(listing(scene)).toEqual(cleaned);
    expect((await rewind(scene, '--yes')).stderr).toMatch(/Undid "Clean up\.": restored/u);
    expect(listing(scene)).toEqual(before);
  });

  test('what was said goes too and is not sent any more; --redo brings it back', {tags: 'smoke'}, async () => {
    const write = call('Write', {file_path: 'made', content: 'made\n'});
    await using scene = await openScene([say('1'), write, say('2'), say('3'), say('4')]);
    await scene.run([...free, '--session-id', id, '--prompt', 'first']);
    await prompt(scene, 'second');
    expect(scene.read('made')).toBe('made\n');
    expect((await rewind(scene, '--to', '2', '--yes')).code).toBe(0);
    expect(existsSync(join(scene.place.work, 'made'))).toBe(false);
    expect((await rewind(scene, '--redo', '--yes')).code).toBe(0);
    expect(scene.read('made')).toBe('made\n');
    await prompt(scene, 'third');
    expect(scene.server.requests.at(-1)?.body.messages).toHaveLength(7);
    await rewind(scene, '--to', '1', '--talk', '--yes');
    await prompt(scene, 'anew');
    expect(scene.server.requests.at(-1)?.body.messages).toHaveLength(1);
    expect(toldPrompt(scene.server.requests.at(-1))).toBe('anew');
    expect(scene.read('made')).toBe('made\n');
    expect((await rewind(scene, '--redo', '--yes')).stderr).toContain('Nothing to redo.');
  });

  test('later changes of the user stay, or are named', async () => {
    const change = call('Bash', {command: 'for f in merged conflict; do t=$(<$f); echo "${t/1/agent}" >$f; done'});
    await using scene = await openScene([change, say('Changed.')]);
    for (const name of ['merged', 'conflict']) put(scene, name, lines('1', '9'));
    await scene.run([...free, '--session-id', id, '--prompt', 'Change.']);
    put(scene, 'merged', lines('agent', 'user'));
    put(scene, 'conflict', lines('user', '9'));
    const done = await rewind(scene, '--yes');
    expect(done.stderr).toContain('± merged');
    expect(done.stderr).toContain('! conflict stays as it is');
    expect(scene.read('merged')).toBe(lines('1', 'user'));
    expect(scene.read('conflict')).toBe(lines('user', '9'));
  });

  test('a file that can not be written leaves the conversation, and the same undo goes on later', async () => {
    await using scene = await openScene([call('Bash', {command: 'rm large small; python3 -c 1'}), say('Gone.')]);
    put(scene, 'large', 'x'.repeat(3 * 1024 * 1024));
    put(scene, 'small', 'text\n');
    const before = listing(scene);
    await scene.run([...free, '--session-id', id, '--prompt', 'Remove.']);
    const failed = await scene.shell(`trap '' XFSZ; ulimit -f 2048; weft sessions rewind ${id} --yes`);
    expect([failed.code, failed.stderr]).toEqual([
      1,
      [
        'Undid file changes since "Remove.": restored 1 file',
        '1 file: 1 restored',
        '  + small',
        '  ! large stays as it is: file too large',
        '1 path failed, so the conversation stays as it is. Solve the cause, then undo again.',
        '',
      ].join('\n'),
    ]);
    const done = await rewind(scene, '--yes');
    expect([done.code, done.stderr]).toEqual([
      0,
      'Undid "Remove.": restored 1 file and the conversation\n1 file: 1 restored\n  + large\n',
    ]);
    expect(listing(scene)).toEqual(before);
  });

  test('a file with two names is one file again, after an edit and after a command; an owner stays', async () => {
    const edit = call('Edit', {file_path: 'a', old_string: 'one', new_string: 'two'});
    const append = call('Bash', {command: 'echo agent >>a; echo agent >>owned'});
    await using scene = await openScene([call('Read', {file_path: 'a'}), edit, say('1'), append, say('2')]);
    const stats = (...names: readonly string[]) =>
      names.map(name => {
        const {ino, nlink, uid} = lstatSync(join(scene.place.work, name));
        return {ino: name === 'owned' ? 0 : ino, nlink, uid};
      });
    put(scene, 'a', 'one\n');
    put(scene, 'owned', 'one\n');
    linkSync(join(scene.place.work, 'a'), join(scene.place.work, 'b'));
    linkSync(join(scene.place.work, 'a'), join(scene.place.home, 'outside'));
    // Only root can give a file to someone else.
    if (process.getuid?.() === 0) chownSync(join(scene.place.work, 'owned'), 65_534, 65_534);
    const before = [listing(scene), stats('a', 'b', 'owned')];
    await scene.run([...free, '--session-id', id, '--prompt', 'Edit it.']);
    expect([scene.read('a'), scene.read('b')]).toEqual(['two\n', 'one\n']);
    expect((await rewind(scene, '--yes')).stderr).toContain('\n  ~ a\n');
    expect([listing(scene), stats('a', 'b', 'owned')]).toEqual(before);
    await prompt(scene, 'Append to it.');
    expect(scene.read('b')).toBe('one\nagent\n');
    expect((await rewind(scene, '--yes')).stderr).toContain('\n  ~ a (also under 1 other name: hard link)\n');
    expect([listing(scene), stats('a', 'b', 'owned')]).toEqual(before);
  });

  test('a weft that was killed in the middle leaves a way back', async () => {
    const hang = call('Bash', {command: 'echo gone >a; echo $$ >pid; exec sleep 60'});
    await using scene = await openScene([hang]);
    put(scene, 'a', 'mine\n');
    const weft = scene.start([...free, '--session-id', id, '--prompt', 'Hang.']);
    const pid = await fileComes(join(scene.place.work, 'pid'));
    const ended = new Promise(resolve => weft.once('close', resolve));
    weft.kill('SIGKILL');
    await ended;
    process.kill(Number(pid), 'SIGKILL');
    expect((await rewind(scene, '--yes')).code).toBe(0);
    expect(scene.read('a')).toBe('mine\n');
    expect(existsSync(join(scene.place.work, 'pid'))).toBe(false);
  });

  test('a session that is deleted takes its checkpoints along', async () => {
    await using scene = await openScene([call('Bash', {command: 'echo x >made'}), say('Made.')]);
    put(scene, 'a', 'mine\n');
    await scene.run([...free, '--session-id', id, '--prompt', 'Make.']);
    const kept = () =>
      readdirSync(scene.place.home, {recursive: true, withFileTypes: true}).filter(
        entry => entry.isFile() && entry.parentPath.includes('/objects'),
      );
    expect(kept().length).toBeGreaterThan(2);
    expect((await scene.run(['sessions', 'delete', id])).code).toBe(0);
    expect(kept()).toEqual([]);
  });

  test('a redo has its files still after other checkpoints were removed', async () => {
    const write = call('Write', {file_path: 'made', content: 'made\n'});
    await using scene = await openScene([write, say('Made.'), write, say('Made.')]);
    const other = id.replace('0f9a1a34', '0f9a1a35');
    await scene.run([...free, '--session-id', other, '--prompt', 'Make.']);
    rmSync(join(scene.place.work, 'made'));
    await scene.run([...free, '--session-id', id, '--prompt', 'Make.']);
    // So the states before and after the rewind are those of no prompt.
    put(scene, 'own', 'of the user\n');
    const before = listing(scene);
    await rewind(scene, '--yes');
    expect(existsSync(join(scene.place.work, 'made'))).toBe(false);
    expect((await scene.run(['sessions', 'delete', other])).code).toBe(0);
    expect(await rewind(scene, '--redo', '--yes')).toMatchObject({code: 0});
    expect(listing(scene)).toEqual(before);
  });

  test('reading alone keeps nothing, and a session that is not kept leaves nothing', async () => {
    const make = call('Bash', {command: 'echo x >made'});
    await using scene = await openScene([call('Bash', {command: 'ls'}), say('Seen.'), make, say('Made.')]);
    await scene.run([...free, '--prompt', 'Look.']);
    await scene.run([...free, '--no-session-persistence', '--prompt', 'Make.']);
    expect(scene.read('made')).toBe('x\n');
    expect(existsSync(join(scene.place.home, 'weft/checkpoints'))).toBe(false);
  });

  test('words that do not fit are refused', async () => {
    await using scene = await openScene([say('1')]);
    await scene.run(['--session-id', id, '--prompt', 'first']);
    for (const [args, words] of [
      [['--to', '2', '--yes'], 'There is no prompt 2'],
      [['--files', '--talk', '--yes'], 'Use only one of --files and --talk'],
      [['--redo', '--to', '1', '--yes'], '--redo undoes the last rewind and can'],
    ] as const) {
      expect(await rewind(scene, ...args)).toMatchObject({code: 2, stderr: expect.stringContaining(words)});
    }
    expect((await rewind(scene, '--files', '--yes')).stderr).toContain(
      'Nothing to undo. No file that weft has saved has changed since that prompt',
    );
  });
});

describe('going back in a terminal', () => {
  test('the closing line counts the files that commands changed', async () => {
    const command = 'echo A >made; rm gone; python3 -c 1';
    await using scene = await openScene([call('Bash', {command}), say('Done.')]);
    put(scene, 'gone', '');
    await using terminal = await openTerminal(scene.place, pointedAt(scene.server));
    await terminal.type('weft --permission-mode bypassPermissions "Change them."');
    await terminal.press('Enter');
    await terminal.until(/── 2 files changed · [^\n]*\/undo ──/u);
  });

  test('/undo shows, asks, undoes and gives the prompt back; /redo; /rewind chooses', async () => {
    const write = call('Write', {file_path: 'made', content: 'made\n'});
    await using scene = await openScene([write, say('Made it.'), say('Heard.')]);
    await using terminal = await openTerminal(scene.place, pointedAt(scene.server));
    const made = join(scene.place.work, 'made');
    const enter = async (line: string): Promise<void> => {
      await terminal.type(line);
      await terminal.press('Enter');
    };
    await enter('weft --permission-mode acceptEdits "Make it."');
    // Until the prompt is over there is nothing to go back from.
    await terminal.until(/Made it\.[^]*Ask weft to do something/u);
    await enter('/undo');
    await terminal.onScreen(/Undo "Make it\.": restores 1 file and the conversation[^]*1 file: 1 deleted[^]*- made/u);
    await terminal.press('Escape');
    // Esc and a letter after it in one piece would be Alt and the letter.
    await terminal.onScreen(/^(?![^]*Enter undo)[^]*Ask weft to do something/u);
    expect(existsSync(made)).toBe(true);
    await enter('/undo');
    await terminal.onScreen(/Enter undo/u);
    await terminal.press('Enter');
    await terminal.until(/Undid "Make it\."/u);
    await terminal.onScreen(/› Make it\./u);
    expect(existsSync(made)).toBe(false);
    await terminal.press('C-u');
    await enter('/redo');
    await terminal.onScreen(/Enter redo/u);
    await terminal.press('Enter');
    await terminal.until(/Redid "Make it\."/u);
    expect(readFileSync(made, 'utf8')).toBe('made\n');
    expect(lstatSync(made).isFile()).toBe(true);
    await enter('/rewind');
    await terminal.onScreen(/before a prompt[^]*1 {2}Make it\..*changed files/u);
    await terminal.press('Enter');
    await terminal.onScreen(/Files only +f/u);
    await terminal.type('f');
    await terminal.onScreen(/Undo file changes since "Make it\.": restores 1 file/u);
    await terminal.press('Enter');
    await terminal.until(/Undid file changes/u);
    expect(existsSync(made)).toBe(false);
    rmSync(made, {force: true});
    await enter('Are you there?');
    await terminal.until(/Heard\./u);
    // The fourth of them tells that the files went back.
    expect(scene.server.requests.at(-1)?.body.messages).toHaveLength(6);
    expect(JSON.stringify(scene.server.requests.at(-1)?.body.messages)).toContain('The user reverted files');
  });
});
