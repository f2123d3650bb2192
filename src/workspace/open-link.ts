import {spawn} from 'node:child_process';
import type {Environment} from './exec/shell-environment.ts';
import {splitPath} from './exec/trusted-path.ts';

/** Milliseconds after which an opener that still runs counts as successful. */
const limitMs = 3000;

/**
 * Opens an http or https address in the user's browser. Does nothing over SSH or without a display, because the user
 * would not see the browser. `roots` are the workspace folders, whose programs are not used.
 */
export async function openLink(
  url: string,
  options: {readonly platform: NodeJS.Platform; readonly environment: Environment; readonly roots: readonly string[]},
): Promise<'opened' | 'not-opened'> {
  const protocol = URL.parse(url)?.protocol;
  if (protocol !== 'https:' && protocol !== 'http:') return 'not-opened';
  const env = {...options.environment, PATH: splitPath(options.environment['PATH'] ?? '', options.roots).trusted};
  for (const opener of openersOf(url, options)) {
    if (await hasOpened(opener, env)) return 'opened';
  }
  return 'not-opened';
}

function hasOpened([program, ...args]: Opener, env: Environment): Promise<boolean> {
  const {promise, resolve} = Promise.withResolvers<boolean>();
  const child = spawn(program, args, {env, stdio: 'ignore', detached: true});
  child.once('error', () => resolve(false));
  child.once('exit', code => resolve(code === 0));
  // Some openers keep running as the browser itself.
  const late = setTimeout(() => resolve(true), limitMs);
  child.unref();
  return promise.finally(() => clearTimeout(late));
}

type Opener = readonly [string, ...string[]];

function openersOf(
  url: string,
  {platform, environment}: {readonly platform: NodeJS.Platform; readonly environment: Environment},
): readonly Opener[] {
  const isSet = (name: string): boolean => (environment[name] ?? '') !== '';
  if (isSet('SSH_CONNECTION') || isSet('SSH_TTY')) return [];
  if (platform === 'darwin') return [['/usr/bin/open', url]];
  return [
    // The browser runs on Windows and needs no desktop here.
    ...(isSet('WSL_DISTRO_NAME') ? [['wslview', url] as const] : []),
    ...(isSet('DISPLAY') || isSet('WAYLAND_DISPLAY') ? [['xdg-open', url] as const] : []),
  ];
}
