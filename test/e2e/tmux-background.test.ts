import {writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {spawn} from '@lydell/node-pty';
import {beforeEach, expect, test} from 'vitest';
import {lookUntil} from '../support/look-until.ts';
import {needs} from '../support/programs.ts';
import {TempPlace, weftBin} from '../support/run-weft.ts';

beforeEach(needs('tmux'));

/** The accent of the light palette, and of the one for a background that is not known, at 256 colours. */
const accents = {light: '38;5;23m', unknown: '38;5;31m'} as const;

test.each([
  ['on', 'light'],
  ['off', 'unknown'],
] as const)('in tmux with allow-passthrough %s the background is %s', {tags: 'long'}, async (allowed, background) => {
  using place = new TempPlace();
  const [socket, settings] = [join(place.home, 'tmux'), join(place.home, 'tmux.conf')];
  await writeFile(settings, `set -g allow-passthrough ${allowed}\nset -g default-terminal tmux-256color\n`);
  const weft = `exec ${process.execPath} ${weftBin}`;
  const tmux = spawn('tmux', ['-S', socket, '-f', settings, 'new-session', weft], {
    cols: 80,
    rows: 24,
    cwd: place.work,
    env: place.environment({TERM: 'xterm-256color', ANTHROPIC_API_KEY: 'none'}),
  });
  let shown = '';
  const exited = new Promise(resolve => tmux.onExit(resolve));
  tmux.onData(data => {
    shown += data;
    if (data.includes('\u001B]11;?')) tmux.write('\u001B]11;rgb:fdfd/f6f6/e3e3\u001B\\');
  });
  await lookUntil(
    () => shown.includes(accents[background]),
    () => `never saw the ${background} accent in ${JSON.stringify(shown)}`,
  );
  expect(shown.includes(accents.light)).toBe(background === 'light');
  tmux.write('\u0003');
  tmux.write('\u0003');
  await exited;
});
