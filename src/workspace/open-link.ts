import {spawn} from 'node:child_process';
import type {Environment} from './exec/shell-environment.ts';
import {splitPath} from './exec/trusted-path.ts';

/** Milliseconds that the program which opens links has to fail in. */
const limitMs = 3000;

/**
 * Opens an http or https address in the user's browser, where there is one on this machine that the user sees: not over SSH and not
 * without a display. `roots` are the workspace folders, whose programs are not used.
 */
export async function openLink(
  url: string,
  where: {readonly platform: NodeJS.Platform; readonly environment: Environment; readonly roots: readonly string[]},
): Promise<'opened' | 'not-opened'> {
  const protocol = URL.parse(url)?.protocol;
  const words = openerOf(url, where);
  if (words === undefined || (protocol !== 'https:' && protocol !== 'http:')) return 'not-opened';
  const [program, ...args] = words;
  const PATH = splitPath(where.environment['PATH'] ?? '', where.roots).trusted;
  const {promise, resolve} = Promise.withResolvers<'opened' | 'not-opened'>();
  const child = spawn(program, args, {env: {...where.environment, PATH}, stdio: 'ignore', detached: true});
  child.once('error', () => resolve('not-opened'));
  child.once('exit', code => resolve(code === 0 ? 'opened' : 'not-opened'));
  // Some go on as the browser itself.
  const late = setTimeout(() => resolve('opened'), limitMs);
  child.unref();
  return promise.finally(() => clearTimeout(late));
}

function openerOf(
  url: string,
  {platform, environment}: {readonly platform: NodeJS.Platform; readonly environment: Environment},
): readonly [string, ...string[]] | undefined {
  const isSet = (name: string): boolean => (environment[name] ?? '') !== '';
  if (isSet('SSH_CONNECTION') || isSet('SSH_TTY')) return undefined;
  if (platform === 'darwin') return ['/usr/bin/open', url];
  if (platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler', url];
  return isSet('DISPLAY') || isSet('WAYLAND_DISPLAY') ? ['xdg-open', url] : undefined;
}
