import {chmodSync, existsSync, readdirSync, readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {describe, expect, test} from 'vitest';
import {copyText} from '../../../src/workspace/clipboard.ts';
import type {Environment} from '../../../src/workspace/exec/shell-environment.ts';
import {temporaryFolder} from './temporary-folder.ts';

const osc = (text: string): string => `\u001B]52;c;${Buffer.from(text).toString('base64')}\u0007`;

/** A machine on which the programs named keep what they are given, or fail. */
async function copied(
  text: string,
  programs: Readonly<Record<string, 'takes it' | 'fails'>>,
  {environment = {}, platform = 'linux'}: {environment?: Environment; platform?: NodeJS.Platform} = {},
) {
  using folder = temporaryFolder();
  const got = join(folder.path, 'got');
  for (const [name, does] of Object.entries(programs)) {
    const path = join(folder.path, name);
    writeFileSync(
      path,
      does === 'fails' ? '#!/bin/sh\nexit 1\n' : `#!/bin/sh\n/bin/cat > '${got}'\necho ${name} >> '${got}.by'\n`,
    );
    chmodSync(path, 0o755);
  }
  const written: string[] = [];
  const outcome = await copyText(text, {
    environment: {PATH: folder.path, ...environment},
    platform,
    write: sequence => void written.push(sequence),
  });
  const taken = existsSync(got)
    ? {by: readFileSync(`${got}.by`, 'utf8').trim(), bytes: readFileSync(got)}
    : {by: '', bytes: Buffer.alloc(0)};
  return {outcome, written: written.join(''), ...taken, files: readdirSync(folder.path).length};
}

describe('copyText', () => {
  test('goes through the terminal where there is no program, and says that this may come to nothing', async () => {
    const text = 'grüße\n\u001B]52;c;evil\u0007 日本 👩‍👩‍👧';
    const {outcome, written} = await copied(text, {});
    expect(written).toBe(osc(text));
    expect(outcome).toEqual({
      tag: 'ok',
      value: `Copied ${text.length} characters (if your terminal allows OSC 52)`,
    });
  });

  test('sends nothing to a terminal that would print it, and says what to do', async () => {
    const {outcome, written} = await copied('text', {}, {environment: {TERM: 'dumb'}});
    expect(written).toBe('');
    expect(outcome).toEqual({
      tag: 'failed',
      error: expect.stringMatching(/^This terminal has no clipboard.*\/export\.$/u),
    });
  });

  test.each([
    ['wl-copy', {WAYLAND_DISPLAY: 'wayland-0', DISPLAY: ':0'}],
    ['xclip', {DISPLAY: ':0'}],
    ['tmux', {TMUX: '/tmp/x,1,0'}],
  ])('%s takes it whole', async (program, environment) => {
    const text = 'one\ntwo ü';
    const {outcome, by, bytes, written} = await copied(text, {[program]: 'takes it'}, {environment});
    expect({by, text: bytes.toString()}).toEqual({by: program, text});
    expect(outcome).toEqual({
      tag: 'ok',
      value: `Copied 9 characters with ${program}`,
    });
    expect(written).toBe(osc(text));
  });

  test('one that fails is passed over, and one that is not for this screen is not asked', async () => {
    const environment = {WAYLAND_DISPLAY: 'wayland-0', DISPLAY: ':0'};
    const {by} = await copied('x', {'wl-copy': 'fails', xsel: 'takes it', tmux: 'takes it'}, {environment});
    expect(by).toBe('xsel');
    expect((await copied('x', {xclip: 'takes it', pbcopy: 'takes it'})).by).toBe('');
  });

  test('macOS has pbcopy; Windows is given UTF-16 with its mark', async () => {
    expect((await copied('x', {pbcopy: 'takes it'}, {platform: 'darwin'})).by).toBe('pbcopy');
    const {bytes} = await copied('ü', {'clip.exe': 'takes it'}, {environment: {WSL_DISTRO_NAME: 'u'}});
    expect(bytes).toEqual(Buffer.from('\uFEFFü', 'utf16le'));
  });

  test('what is too much for a terminal is not sent to it', async () => {
    const text = 'x'.repeat(1_000_000);
    const alone = await copied(text, {});
    expect(alone.written).toBe('');
    expect(alone.outcome).toEqual({tag: 'failed', error: expect.stringContaining('/export')});
    const helped = await copied(text, {xclip: 'takes it'}, {environment: {DISPLAY: ':0'}});
    expect(helped.bytes.length).toBe(1_000_000);
    expect(helped.outcome).toEqual({tag: 'ok', value: 'Copied 1000000 characters with xclip'});
  });
});
