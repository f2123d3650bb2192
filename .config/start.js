import {spawnSync} from 'node:child_process';
import {fileURLToPath} from 'node:url';

/**
 * `npm start`: builds weft if the build is missing or older than its sources. Then it opens weft in the folder that npm was called
 * from. npm itself changes into weft's own folder and names the other one in INIT_CWD.
 */
await import('./check-node.js');
const {isBuildFresh} = await import('./source-stamp.ts');
if (!isBuildFresh()) {
  process.stderr.write('Building weft (once)…\n');
  const build = fileURLToPath(new URL('build.ts', import.meta.url));
  const {status} = spawnSync(process.execPath, [build], {stdio: ['ignore', 'ignore', 'inherit']});
  if (status !== 0) process.exit(status ?? 1);
}
const calledFrom = process.env['INIT_CWD'] ?? '';
if (calledFrom !== '') process.chdir(calledFrom);
const program = new URL('../bin/weft.js', import.meta.url);
process.argv[1] = fileURLToPath(program);
await import(program.href);
