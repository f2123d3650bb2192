import {dirname, join} from 'node:path';
import {findProgram} from '../workspace/exec/trusted-path.ts';
import {realPath} from '../workspace/files/resolve-path.ts';

/** Returns a command line that runs this installation of weft: `weft` with the arguments, or another one if npm start or npx started it. */
export function weftCommand(args = ''): string {
  const program = realPath(process.argv[1] ?? '');
  const root = dirname(dirname(program));
  const known = findProgram('weft') ?? '';
  // npm adds such a folder to PATH while it runs a program.
  if (realPath(known) === program && !known.includes('node_modules/.bin')) return joined('weft', args);
  if (process.env['npm_lifecycle_event'] === 'start' && process.env['npm_package_json'] === join(root, 'package.json'))
    return joined(`npm --prefix ${quoted(root)} start`, args === '' ? '' : `-- ${args}`);
  return joined(/[/\\]_npx[/\\]/u.test(program) ? quoted(program) : 'weft', args);
}

const joined = (...words: readonly string[]): string => words.filter(word => word !== '').join(' ');

const quoted = (path: string): string => (/^[\w@%+=:,./-]+$/u.test(path) ? path : `"${path}"`);
