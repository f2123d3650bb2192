import {readdirSync, readFileSync, symlinkSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {execa} from 'execa';
import {rolldown} from 'rolldown';
import {expect, test} from 'vitest';
import {bundleOptions} from '../../.config/bundle-options.ts';
import {say} from '../support/model-script.ts';
import {openScene, pointedAt} from '../support/scene.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** The most files of which one answer runs a function: each of them is something to read for somebody who follows a prompt. */
const maxFiles = 157;

test('one answer runs functions of few files', {tags: 'long'}, async () => {
  await using scene = await openScene([say('done')]);
  const {home} = scene.place;
  const start = await builtFileByFile(home);
  const coverage = join(home, 'coverage');
  const env = scene.place.environment({...pointedAt(scene.server, 'anthropic'), NODE_V8_COVERAGE: coverage});
  const {stdout} = await execa(process.execPath, [start, '--prompt', 'x'], {
    cwd: home,
    env,
    extendEnv: false,
    stdin: 'ignore',
  });
  expect(stdout).toBe('done');
  const files = executedIn(coverage);
  expect(files).toContain('agent/loop.js');
  expect(files.length, files.join(' ')).toBeLessThanOrEqual(maxFiles);
});

/** Builds the program with a file for each source, and returns the file that runs it. */
async function builtFileByFile(home: string): Promise<string> {
  const dir = join(home, 'dist');
  const bundle = await rolldown(bundleOptions);
  const {output} = await bundle.write({dir, format: 'esm', preserveModules: true, entryFileNames: '[name].js'});
  await bundle.close();
  symlinkSync(join(root, 'node_modules'), join(home, 'node_modules'));
  const entry = output.find(file => file.type === 'chunk' && file.isEntry)?.fileName ?? '';
  const start = join(dir, 'start.mjs');
  writeFileSync(join(dir, 'package.json'), '{"type": "module"}');
  writeFileSync(start, `import {main} from ${JSON.stringify(`./${entry}`)};\nawait main();\nprocess.exit();\n`);
  return start;
}

interface Script {
  readonly url: string;
  readonly functions: readonly {readonly ranges: readonly {readonly count: number}[]}[];
}

/** The sources of which a function ran; the first function of a script is the file itself. */
function executedIn(folder: string): readonly string[] {
  const scripts = readdirSync(folder).flatMap((name): readonly Script[] => {
    const read: {readonly result: readonly Script[]} = JSON.parse(readFileSync(join(folder, name), 'utf8'));
    return read.result;
  });
  return scripts.flatMap(({url, functions}) => {
    const [, path] = /\/dist\/src\/(.*)$/u.exec(url) ?? [];
    return path !== undefined && functions.slice(1).some(({ranges}) => (ranges[0]?.count ?? 0) > 0) ? [path] : [];
  });
}
