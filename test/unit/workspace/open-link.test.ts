import {mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {afterEach, beforeEach, expect, test} from 'vitest';
import {openLink} from '../../../src/workspace/open-link.ts';

const link = 'https://auth.test/authorize?a=1&b=$(touch x);\'"&c=%20';
let folder = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'weft-link-'));
});
afterEach(() => rmSync(folder, {recursive: true}));

/** A program that writes its arguments down, one a line, and ends with this code. */
function program(name: string, code: number): void {
  const script = `#!/bin/sh\nprintf '%s\\n' "$@" >'${join(folder, 'args')}'\nexit ${code}\n`;
  writeFileSync(join(folder, name), script, {mode: 0o755});
}

const open = (
  environment: Readonly<Record<string, string>>,
  more: {readonly url?: string; readonly roots?: readonly string[]; readonly platform?: NodeJS.Platform} = {},
) =>
  openLink(more.url ?? link, {
    platform: more.platform ?? 'linux',
    environment: {PATH: folder, ...environment},
    roots: more.roots ?? ['/nowhere'],
  });

const given = (): string => {
  try {
    return readFileSync(join(folder, 'args'), 'utf8');
  } catch {
    return '';
  }
};

test.each([{DISPLAY: ':0'}, {WAYLAND_DISPLAY: 'wayland-0'}])(
  'a desktop opens the link as one word (%o)',
  async desktop => {
    program('xdg-open', 0);
    expect(await open(desktop)).toBe('opened');
    expect(given()).toBe(`${link}\n`);
  },
);

test.each([
  ['no desktop', {}],
  ['a desktop elsewhere', {DISPLAY: 'localhost:10', SSH_CONNECTION: '10.0.0.1 1 10.0.0.2 22'}],
  ['a terminal elsewhere', {DISPLAY: ':0', SSH_TTY: '/dev/pts/1'}],
])('%s: nothing is started', async (_case, environment) => {
  program('xdg-open', 0);
  expect(await open(environment)).toBe('not-opened');
  expect(given()).toBe('');
});

test('in WSL the browser of Windows opens it, with a desktop or without', async () => {
  program('wslview', 0);
  program('xdg-open', 1);
  expect(await open({WSL_DISTRO_NAME: 'Debian'})).toBe('opened');
  expect(given()).toBe(`${link}\n`);
  program('wslview', 1);
  program('xdg-open', 0);
  expect(await open({WSL_DISTRO_NAME: 'Debian', DISPLAY: ':0'})).toBe('opened');
  expect(await open({WSL_DISTRO_NAME: 'Debian'})).toBe('not-opened');
});

test('a program that fails, or is not there, opened nothing', async () => {
  expect(await open({DISPLAY: ':0'})).toBe('not-opened');
  program('xdg-open', 3);
  expect(await open({DISPLAY: ':0'})).toBe('not-opened');
  expect(await open({WSL_DISTRO_NAME: 'Debian'})).toBe('not-opened');
});

test('a program of the workspace is not used, and what is no web address is not opened', async () => {
  program('xdg-open', 0);
  expect(await open({DISPLAY: ':0'}, {roots: [folder]})).toBe('not-opened');
  for (const url of ['file:///etc/passwd', 'javascript:alert(1)', '--help', 'vscode://x']) {
    expect(await open({DISPLAY: ':0'}, {url})).toBe('not-opened');
  }
  expect(given()).toBe('');
});
