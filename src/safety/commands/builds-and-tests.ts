import {isAbsolutePath} from '../paths/path-parts.ts';
import type {PathContext} from '../paths/path-context.ts';
import {belowRoots, realParts} from '../paths/path-context.ts';
import type {JudgedInvocation, ScriptAnalysis} from './analyze-command.ts';
import {fileEffects} from './file-effects.ts';
import {plainText} from './only-reads.ts';
import {programName} from './wrappers.ts';

/**
 * Whether everything that a command does besides reading is to build or test the project, or to make files in it where nothing is lost:
 * what may run unasked where a sandbox confines it to the workspace and keeps it from the network. What it runs is the project's own
 * code, so this is a matter of what a person would expect of it, not of what it could do.
 */
export function buildsOrTests(analysis: ScriptAnalysis, context: PathContext): boolean {
  const effects = fileEffects(analysis, context);
  return (
    analysis.invocations.every(
      invocation =>
        invocation.reason === undefined ||
        (typeof invocation.reason === 'string' &&
          effects.overwritten(invocation).length === 0 &&
          isInside(invocation, context) &&
          (isBuildOrTest(wordsOf(invocation)) ||
            (makesFiles.has(programName(wordsOf(invocation)[0] ?? '')) &&
              effects.ofInvocation(invocation).loses === 'nothing'))),
    ) &&
    analysis.sideEffects.every(
      sideEffect =>
        sideEffect.target !== '' &&
        isAbsolutePath(sideEffect.target) &&
        belowRoots(realParts(sideEffect.target, context), context).length > 0 &&
        (sideEffect.effect === 'appends' ||
          (sideEffect.effect === 'writes' && effects.ofSideEffect(sideEffect).loses === 'nothing')),
    )
  );
}

/** An empty word stands for one that is not known before the command runs. */
const wordsOf = ({words}: JudgedInvocation): readonly string[] => words.map(word => plainText(word) ?? '');

const isInside = ({directories}: JudgedInvocation, context: PathContext): boolean =>
  directories.length > 0 &&
  directories.every(directory => belowRoots(realParts(directory, context), context).length > 0);

const makesFiles: ReadonlySet<string> = new Set(['mkdir', 'touch', 'cp', 'tee']);

function isBuildOrTest(words: readonly string[]): boolean {
  const [program = '', ...args] = words;
  const name = programName(program);
  if (words.includes('') || args.some(word => leavesOrLoses.test(word))) return false;
  if (alone.has(name)) return true;
  const operands = args.filter(word => !word.startsWith('-'));
  const [first = '', second = ''] = operands;
  if (runsScripts.has(name)) {
    return /^(?:run|run-script)$/u.test(first) ? scriptNames.test(second) : scriptNames.test(first);
  }
  if (name === 'npx' || name === 'bunx') return args[0] === first && alone.has(first);
  if (/^python[\d.]*$/u.test(name)) return args[0] === '-m' && pythonModules.has(args[1] ?? '');
  if (name === 'node') return args[0] === '--test';
  return subcommands.get(name)?.includes(first) === true;
}

/** Names of targets and options after which something is gone, elsewhere, or never ends. */
const leavesOrLoses =
  /^(?:(?:dist|very|real|maintainer-)?clean(?:[-:].*)?|mrproper|(?:un)?install(?:[-:].*)?|deploy(?:[-:].*)?|publish(?:[-:].*)?|release(?:[-:].*)?|push|upload|--watch(?:=.*)?|--eval|-e)$/u;

const scriptNames =
  /^(?:test|t|tst|build|lint|check|types?|typecheck|type-check|tsc|compile|coverage|format|fmt|prettier|eslint|verify|validate|unit|integration|e2e|spec|bench|ci)(?:[-:.][\w.:-]+)?$/u;

const runsScripts: ReadonlySet<string> = new Set(['npm', 'pnpm', 'yarn', 'bun']);

const alone: ReadonlySet<string> = new Set(
  [
    'tsc vue-tsc tsgo eslint prettier vitest jest mocha ava tap c8 nyc oxlint oxfmt biome stylelint knip rollup esbuild webpack',
    'pytest py.test tox nox mypy pyright ruff flake8 pylint black isort unittest',
    'phpunit phpstan pest rspec rubocop ctest make gmake ninja javac ghc shellcheck shfmt golangci-lint staticcheck gofmt rustfmt clang-format clang-tidy',
  ].flatMap(line => line.split(' ')),
);

const pythonModules: ReadonlySet<string> = new Set(
  'pytest unittest mypy ruff flake8 pylint black isort compileall build doctest'.split(' '),
);

const subcommands: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    cargo: ['test', 't', 'build', 'b', 'check', 'c', 'clippy', 'fmt', 'bench', 'doc', 'nextest'],
    go: ['test', 'vet', 'build', 'fmt'],
    dotnet: ['test', 'build', 'format'],
    swift: ['test', 'build'],
    mix: ['test', 'compile', 'format'],
    zig: ['build', 'test', 'fmt'],
    deno: ['test', 'check', 'lint', 'fmt'],
    gradle: ['test', 'build', 'check', 'assemble', 'compileJava', 'compileKotlin'],
    gradlew: ['test', 'build', 'check', 'assemble', 'compileJava', 'compileKotlin'],
    mvn: ['test', 'compile', 'verify', 'package'],
    mvnw: ['test', 'compile', 'verify', 'package'],
    rake: ['test', 'spec'],
    cmake: ['.', '..'],
    meson: ['test', 'compile'],
    stack: ['test', 'build'],
    cabal: ['test', 'build'],
    sbt: ['test', 'compile'],
    composer: ['test'],
    turbo: ['build', 'test', 'lint'],
    nx: ['build', 'test', 'lint'],
  }),
);
