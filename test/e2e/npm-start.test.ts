import {spawnSync} from 'node:child_process';
import {cpSync, mkdirSync, realpathSync, writeFileSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {expect, test} from 'vitest';
import {TempPlace} from '../support/run-weft.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** A checkout with the real start script, whose build and program are small. */
function layOutCheckout(folder: string): void {
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(folder, path)), {recursive: true});
    writeFileSync(join(folder, path), text);
  };
  write('package.json', '{"type": "module", "scripts": {"start": "node .config/start.ts"}}');
  write('src/main.ts', 'export {};\n');
  write('bin/weft.js', 'console.log(JSON.stringify([process.cwd(), ...process.argv.slice(2)]));\n');
  write(
    '.config/build.ts',
    "import {mkdirSync, writeFileSync} from 'node:fs';\nimport {sourceStamp, stampFile} from './source-stamp.ts';\n" +
      "mkdirSync(new URL('../dist', import.meta.url), {recursive: true});\nwriteFileSync(stampFile, sourceStamp());\n",
  );
  for (const name of ['start.ts', 'source-stamp.ts'])
    cpSync(join(root, '.config', name), join(folder, '.config', name));
}

test('npm start builds once, again after a change, and opens the folder that it was called from', () => {
  using place = new TempPlace();
  const checkout = join(place.home, 'checkout');
  layOutCheckout(checkout);
  const start = (): readonly [string, string] => {
    const npm = ['--prefix', checkout, '--silent', 'start', '--', '--model', 'm'];
    const {stdout, stderr} = spawnSync('npm', npm, {cwd: place.work, env: place.environment(), encoding: 'utf8'});
    return [stderr, stdout];
  };
  const opened = `${JSON.stringify([realpathSync(place.work), '--model', 'm'])}\n`;
  expect(start()).toEqual(['Building weft (once)…\n', opened]);
  expect(start()).toEqual(['', opened]);
  writeFileSync(join(checkout, 'src/main.ts'), 'export const changed = 1;\n');
  expect(start()).toEqual(['Building weft (once)…\n', opened]);
});
