import {spawnSync} from 'node:child_process';
import {cpSync, mkdirSync, readFileSync, realpathSync, symlinkSync, writeFileSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {describe, expect, test} from 'vitest';
import {runWeft, TempPlace, weftBin} from '../support/run-weft.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** A checkout with the real start script, whose build and program are small. */
function layOutCheckout(folder: string): void {
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(folder, path)), {recursive: true});
    writeFileSync(join(folder, path), text);
  };
  write('package.json', '{"type": "module", "scripts": {"start": "node .config/start.js"}}');
  write('src/main.ts', 'export {};\n');
  write('bin/weft.js', 'console.log(JSON.stringify([process.cwd(), ...process.argv.slice(2)]));\n');
  write(
    '.config/build.ts',
    "import {mkdirSync, writeFileSync} from 'node:fs';\nimport {sourceStamp, stampFile} from './source-stamp.ts';\n" +
      "mkdirSync(new URL('../dist', import.meta.url), {recursive: true});\nwriteFileSync(stampFile, sourceStamp());\n",
  );
  for (const name of ['start.js', 'check-node.js', 'source-stamp.ts'])
    cpSync(join(root, '.config', name), join(folder, '.config', name));
}

test(
  'npm start builds once, again after a change, and opens the folder that it was called from',
  {tags: 'long'},
  () => {
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
  },
);

test.each(['start', 'build'])('a Node that reads no TypeScript: npm run %s says what to do', name => {
  using place = new TempPlace();
  const {scripts} = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const {status, stdout, stderr} = spawnSync('sh', ['-c', scripts[name]], {
    cwd: root,
    env: place.environment({NODE_OPTIONS: '--no-experimental-strip-types'}),
    encoding: 'utf8',
  });
  expect([status, stdout, stderr]).toEqual([
    2,
    '',
    `weft is built with Node.js 22.18 or newer; this is ${process.versions.node}. Run "npm ci" without --ignore-scripts: it installs such a Node here, and "npm start" then uses it.\n`,
  ]);
});

describe('what a user is told to type next works', () => {
  const byNpm = {npm_lifecycle_event: 'start', npm_package_json: join(root, 'package.json')};
  const npmStart = `npm --prefix ${root.replace(/\/$/u, '')} start`;

  test.each([
    ['started by npm start', byNpm, npmStart, `${npmStart} -- demo`],
    ["started by another program's npm start", {...byNpm, npm_package_json: '/shop/package.json'}, 'weft', 'weft demo'],
  ])('%s', {tags: 'long'}, async (_title, environment, next, demo) => {
    using place = new TempPlace();
    const {stdout} = await runWeft(['demo'], {place, environment: {...environment, TMPDIR: place.home}});
    expect(stdout).toContain(`**Next:** run \`${next}\` in one of your own projects.`);
    const {stderr} = await runWeft(['--prompt', 'x'], {place, environment});
    expect(stderr).toMatch(new RegExp(`, run: ${demo}\n$`, 'u'));
  });

  test('started by npm start after npm link', async () => {
    using place = new TempPlace();
    symlinkSync(weftBin, join(place.home, 'weft'));
    const environment = {...byNpm, PATH: `${place.home}:${place.environment()['PATH'] ?? ''}`};
    const {stderr} = await runWeft(['--prompt', 'x'], {place, environment});
    expect(stderr).toMatch(/, run: weft demo\n$/u);
  });
});
