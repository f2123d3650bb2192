import {dirname, join} from 'node:path';
import {findProgram} from '../workspace/exec/trusted-path.ts';
import {realPath} from '../workspace/files/resolve-path.ts';
import {packageName} from './version.ts';

/** Programs that run a package from a cache, which has a folder for each package. */
const runners: readonly (readonly [cache: RegExp, name: string])[] = [
  [/^.*\/_npx\/[^/]+/u, 'npx'],
  [/^.*\/pnpm\/dlx\/[^/]+/u, 'pnpm dlx'],
  [/^.*\/\.?bunx-[^/]+/u, 'bunx'],
];

/** Returns the program that runs this path from a cache, with its folder there; `undefined` for a path outside of such caches. */
export function runnerOf(path: string): {readonly name: string; readonly folder: string} | undefined {
  for (const [cache, name] of runners) {
    const folder = cache.exec(path)?.[0];
    if (folder !== undefined) return {name, folder};
  }
  return undefined;
}

/** Returns a command line that runs this installation of weft: `weft` with the arguments, or another one if npm start or npx started it. */
export function weftCommand(args = ''): string {
  const program = realPath(process.argv[1] ?? '');
  const root = dirname(dirname(program));
  const known = findProgram('weft') ?? '';
  // npm adds such a folder to PATH while it runs a program.
  if (realPath(known) === program && !known.includes('node_modules/.bin')) return joined('weft', args);
  if (process.env['npm_lifecycle_event'] === 'start' && process.env['npm_package_json'] === join(root, 'package.json'))
    return joined(`npm --prefix ${quoted(root)} start`, args === '' ? '' : `-- ${args}`);
  const runner = runnerOf(program);
  return joined(runner === undefined ? 'weft' : `${runner.name} ${packageName}`, args);
}

const joined = (...words: readonly string[]): string => words.filter(word => word !== '').join(' ');

const quoted = (path: string): string => (/^[\w@%+=:,./-]+$/u.test(path) ? path : `"${path}"`);
