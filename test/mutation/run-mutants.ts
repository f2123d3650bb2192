// Breaks one thing at a time in the files that are named, and counts how often a test fails: `node test/mutation/run-mutants.ts FILE…`.
// `--most=50` takes so many mutants of each file, evenly spread; `--tests=24` asks so many of the nearest test files;
// `--lines=3,7` takes the mutants of these lines. It works in a copy of the last commit.
// All mutants stand in the source at once and are switched on one by one; only tests that reach a mutant run for it.
import {execFileSync} from 'node:child_process';
import {mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join, relative} from 'node:path';
import {fileURLToPath} from 'node:url';
import {
  createVitest,
  type TestCase,
  type TestModule,
  type TestSequencer,
  type TestSpecification,
  type Vitest,
} from 'vitest/node';
import {mutantsOf, withMutants, type Mutant} from './mutants.ts';
import {testsOf} from './tests-of.ts';

/** Vitest would begin with the files that take longest. */
class AsGiven implements TestSequencer {
  shard(files: TestSpecification[]): TestSpecification[] {
    return files;
  }
  sort(files: TestSpecification[]): TestSpecification[] {
    return files;
  }
}

const root = fileURLToPath(new URL('../..', import.meta.url));
const names = process.argv.slice(2).filter(word => !word.startsWith('--'));
const most = numberOf('most', 1e9);
const maxTests = numberOf('tests', 24);
const lines = new Set(wordOf('lines').split(',').filter(Boolean).map(Number));
const copy = mkdtempSync(join(tmpdir(), 'weft-mutants-'));
rmSync(copy, {recursive: true});
execFileSync('git', ['worktree', 'add', '--quiet', '--detach', copy], {cwd: root});
symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));

try {
  for (const name of names) await report(relative(root, join(process.cwd(), name)));
} finally {
  execFileSync('git', ['worktree', 'remove', '--force', copy], {cwd: root});
}

interface Test {
  readonly id: string;
  readonly file: string;
  readonly duration: number;
  readonly reached: ReadonlyMap<number, number>;
  readonly reachedBetween: readonly number[];
}

async function report(name: string): Promise<void> {
  const path = join(copy, name);
  const source = readFileSync(path, 'utf8');
  const all = mutantsOf(source).filter(({line}) => lines.size === 0 || lines.has(line));
  const step = Math.max(1, all.length / most);
  const chosen = Array.from({length: Math.min(all.length, most)}, (_, at) => all[Math.floor(at * step)]).filter(
    each => each !== undefined,
  );
  writeFileSync(path, withMutants(source, chosen));
  const vitest = await startVitest();
  await vitest.standalone();
  try {
    const tests = await testsThatPass(vitest, testsOf(copy, name).slice(0, maxTests));
    let missed = 0;
    for (const [number, mutant] of chosen.entries()) {
      const which = tests.filter(test => test.reached.has(number));
      const loads = tests.some(test => test.reachedBetween.includes(number));
      if (await isCaught(vitest, number, loads ? tests : which)) continue;
      missed += 1;
      console.log(`  ${name}:${describe(source, mutant)}${loads || which.length > 0 ? '' : ' (no test reaches it)'}`);
    }
    const files = new Set(tests.map(test => test.file)).size;
    const caught = `${chosen.length - missed} of ${chosen.length} caught`;
    console.log(`${name}: ${caught} (${all.length} in all), ${files} test files`);
  } finally {
    await vitest.close();
    writeFileSync(path, source);
  }
}

function startVitest(): Promise<Vitest> {
  return createVitest({
    root: copy,
    config: '.config/vitest.config.ts',
    watch: false,
    maxWorkers: 1,
    reporters: [{}],
    silent: true,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: {poll: {timeout: 10_000, interval: 20}},
    setupFiles: ['test/support/fixed-seed.ts', 'test/mutation/switch-mutant.ts'],
    sequence: {sequencer: AsGiven},
  });
}

/** What each test reaches while no mutant counts. A file that fails then can say nothing. */
async function testsThatPass(vitest: Vitest, files: readonly string[]): Promise<readonly Test[]> {
  const modules = await run(vitest, files, {maxReached: Infinity});
  // From now on a run ends with its first failure.
  vitest.config.bail = 1;
  return modules.flatMap(module => {
    const cases = [...module.children.allTests()].filter(each => each.result().state !== 'skipped');
    if (module.state() === 'failed') console.log(`${module.relativeModuleId} fails without a mutant`);
    return module.state() === 'passed' ? cases.map(each => testOf(module.relativeModuleId, each)) : [];
  });
}

function testOf(file: string, each: TestCase): Test {
  const {reached = {}, reachedBetween = []} = each.meta();
  return {
    id: each.id,
    file,
    duration: each.diagnostic()?.duration ?? 0,
    reached: new Map(Object.entries(reached).map(([number, times]) => [Number(number), times])),
    reachedBetween,
  };
}

/** A run that hangs counts as a failure, as it would for a developer. */
async function isCaught(vitest: Vitest, active: number, tests: readonly Test[]): Promise<boolean> {
  if (tests.length === 0) return false;
  const times = new Map<string, number>();
  for (const {file, duration} of tests) times.set(file, (times.get(file) ?? 0) + duration);
  const quickestFirst = [...times.keys()].toSorted((one, other) => (times.get(one) ?? 0) - (times.get(other) ?? 0));
  const maxReached = 1000 + 100 * Math.max(0, ...tests.map(test => test.reached.get(active) ?? 0));
  const modules = await run(vitest, quickestFirst, {active, maxReached, tests: tests.map(test => test.id)});
  return modules.length === 0 || modules.some(module => module.state() === 'failed');
}

async function run(
  vitest: Vitest,
  files: readonly string[],
  mutation: Parameters<typeof provide>[1],
): Promise<readonly TestModule[]> {
  provide(vitest, mutation);
  const specifications = files.map(file => vitest.getRootProject().createSpecification(join(copy, file)));
  const hangs = setTimeout(endWorkers, mutation.active === undefined ? 900_000 : 200_000);
  const {testModules, unhandledErrors} = await vitest.runTestSpecifications(specifications);
  clearTimeout(hangs);
  return unhandledErrors.length > 0 ? [] : testModules;
}

function provide(vitest: Vitest, mutation: Parameters<typeof vitest.provide<'mutation'>>[1]): void {
  vitest.provide('mutation', mutation);
}

/** The processes that vitest has started for the tests: this one has no other children while they run. */
function endWorkers(): void {
  const children = readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, 'utf8').trim();
  for (const child of children.split(' ')) if (child !== '') process.kill(Number(child), 'SIGKILL');
}

function describe(source: string, {start, end, text, line}: Mutant): string {
  return `${line} ${source.slice(start, end).split('\n')[0]} -> ${text.split('\n')[0]}`;
}

function numberOf(option: string, otherwise: number): number {
  const word = wordOf(option);
  return word === '' ? otherwise : Number(word);
}

function wordOf(option: string): string {
  const word = process.argv.find(each => each.startsWith(`--${option}=`)) ?? '';
  return word.slice(option.length + 3);
}
