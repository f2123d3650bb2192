// Breaks one thing at a time in the files that are named, and counts how often a test fails: `node test/mutation/run-mutants.ts FILE…`.
// `--most=50` takes so many mutants of each file, evenly spread. It works in a copy of the last commit.
import {execFileSync, spawnSync} from 'node:child_process';
import {mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {basename, join, relative} from 'node:path';
import {fileURLToPath} from 'node:url';
import {mutantsOf} from './mutants.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const names = process.argv.slice(2).filter(word => !word.startsWith('--'));
const most = Number(/^--most=(\d+)$/u.exec(process.argv.find(word => word.startsWith('--most=')) ?? '')?.[1] ?? 1e9);
const copy = mkdtempSync(join(tmpdir(), 'weft-mutants-'));
rmSync(copy, {recursive: true});
execFileSync('git', ['worktree', 'add', '--quiet', '--detach', copy], {cwd: root});
symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
const tests = readdirSync(join(copy, 'test'), {recursive: true, encoding: 'utf8'})
  .filter(name => /^(?:unit|contract|tui|differential)\/.*\.test\.tsx?$/u.test(name))
  .map(name => ({name: join('test', name), text: readFileSync(join(copy, 'test', name), 'utf8')}));

try {
  for (const name of names) report(relative(root, join(process.cwd(), name)));
} finally {
  execFileSync('git', ['worktree', 'remove', '--force', copy], {cwd: root});
}

function report(name: string): void {
  const path = join(copy, name);
  const source = readFileSync(path, 'utf8');
  const all = mutantsOf(source);
  const step = Math.max(1, all.length / most);
  const chosen = Array.from({length: Math.min(all.length, most)}, (_, at) => all[Math.floor(at * step)]);
  const direct = tests.filter(({text}) => text.includes(`/${basename(name)}'`)).map(test => test.name);
  if (!passes(direct)) throw new Error(`${name}: its tests fail without a mutant: ${direct.join(' ')}`);
  const missed: string[] = [];
  for (const mutant of chosen) {
    if (mutant === undefined) continue;
    const {start, end, text, line} = mutant;
    writeFileSync(path, source.slice(0, start) + text + source.slice(end));
    if (passes(direct)) missed.push(`  ${name}:${line} ${source.slice(start, end).split('\n')[0]} -> ${text}`);
  }
  writeFileSync(path, source);
  const caught = chosen.length - missed.length;
  console.log(`${name}: ${caught} of ${chosen.length} caught (${all.length} in all), ${direct.length} test files`);
  for (const line of missed) console.log(line);
}

/** A run that hangs counts as a failure, as it would for a developer. */
function passes(files: readonly string[]): boolean {
  const args = ['vitest', 'run', '--config', '.config/vitest.config.ts', '--maxWorkers=1', '--bail=1', ...files];
  return spawnSync('npx', args, {cwd: copy, timeout: 90_000}).status === 0;
}
