import {expect, test} from 'vitest';
import type {CheckSetting} from '../../../src/domain/receipt.ts';
import {makeJudge} from '../../../src/safety/judge.ts';
import {diskOptions} from './support/judging.ts';

const judgeWith = (checks: readonly CheckSetting[]) => makeJudge({...diskOptions('/w', '/home/me'), checks});

/** Writes each check of a command in a line: kind, name, what exit codes say, and the folder unless it is the workspace. */
async function checksOf(command: string, checks: readonly CheckSetting[] = []): Promise<readonly string[]> {
  const found = await judgeWith(checks).checksIn(command, '/w');
  return found.map(({kind, name, zero, nonZero, directory}) =>
    [`${kind} [${name}]`, zero === 'passed' ? nonZero : zero, directory === '/w' ? '' : directory].join(' ').trim(),
  );
}

test.each([
  ['npm test', 'test [npm test] failed'],
  ['npm t', 'test [npm test] failed'],
  ['npm run test', 'test [npm test] failed'],
  ['npm test --silent', 'test [npm test] failed'],
  ['npm test -- --grep x', 'test [npm test -- --grep x] failed'],
  ['npm test -- --silent', 'test [npm test -- --silent] failed'],
  ['npm --prefix web test', 'test [npm --prefix web test] failed'],
  ['npm run build', 'build [npm run build] failed'],
  ['npm run lint:fix', 'lint [npm run lint:fix] failed'],
  ['npm run type-check', 'types [npm run type-check] failed'],
  ['npm run check-types', 'types [npm run check-types] failed'],
  ['pnpm -r test', 'test [pnpm -r test] failed'],
  ['pnpm build', 'build [pnpm build] failed'],
  ['pnpm vitest run', 'test [pnpm vitest run] failed'],
  ['yarn tsc --noEmit', 'types [yarn tsc --noEmit] failed'],
  ['yarn lint', 'lint [yarn lint] failed'],
  ['bun test', 'test [bun test] failed'],
  ['npx tsc --noEmit -p .', 'types [tsc --noEmit -p .] failed'],
  ['timeout 60 npx vitest run a.test.ts', 'test [vitest run a.test.ts] failed'],
  ['./node_modules/.bin/eslint src', 'lint [eslint src] failed'],
  ['node --test', 'test [node --test] failed'],
  ['node --run test', 'test [node --run test] failed'],
  ['python3 -m pytest -q', 'test [python3 -m pytest -q] failed'],
  ['python3.12 -m unittest', 'test [python3.12 -m unittest] failed'],
  ['uv run pytest', 'test [pytest] failed'],
  ['ruff check .', 'lint [ruff check .] failed'],
  ['cargo +nightly test', 'test [cargo +nightly test] failed'],
  ['cargo clippy -- -D warnings', 'lint [cargo clippy -- -D warnings] failed'],
  ['cargo fmt --check', 'lint [cargo fmt --check] failed'],
  ['go test ./...', 'test [go test ./...] failed'],
  ['go vet ./...', 'lint [go vet ./...] failed'],
  ['make', 'build [make] failed'],
  ['make -C src -j4 test', 'test [make -C src -j4 test] failed'],
  ['just lint', 'lint [just lint] failed'],
  ['./gradlew :app:test', 'test [./gradlew :app:test] failed'],
  ['mvn -q clean verify', 'test [mvn -q clean verify] failed'],
  ['bundle exec rspec', 'test [rspec] failed'],
  ['prettier --check .', 'lint [prettier --check .] failed'],
  ['CI=1 npm test', 'test [npm test] failed'],
  ['env FORCE_COLOR=0 npm test', 'test [npm test] failed'],
  ['SKIP=slow npm test', 'test [SKIP=slow npm test] failed'],
  ['cd web && npm test', 'test [npm test] failed /w/web'],
  ['(cd web && npm test)', 'test [npm test] failed /w/web'],
  ['bash -lc "npm test"', 'test [npm test] failed'],
  ['npm test 2>&1', 'test [npm test] failed'],
  ['npm test > out.txt 2>&1', 'test [npm test] failed'],
])('%s is a check', async (command, found) => {
  expect(await checksOf(command)).toEqual([found]);
});

test.each([
  'ls',
  'cat package.json',
  'npm install',
  'npm run dev',
  'npm run test:watch',
  'npm start',
  'yarn add jest',
  'yarn install',
  'pnpm dev',
  'tsc --watch',
  'tsc -w',
  'tsc --version',
  'vitest bench',
  'vitest --watch',
  'pytest --collect-only',
  'jest --listTests',
  'prettier --write .',
  'black .',
  'cargo run',
  'go run .',
  'node test.js',
  'bun run test.ts',
  'python3 test.py',
  'make clean',
  'make install',
  'docker build .',
  'ssh host npm test',
  'echo npm test',
  'git commit -m "npm test"',
  'echo $(npm test)',
  '[ -f test ]',
])('%s is none', async command => {
  expect(await checksOf(command)).toEqual([]);
});

test.each([
  ['npm test | tail -5', ['test [npm test] pipe']],
  ['npm test 2>&1 | tee log', ['test [npm test] pipe']],
  ['npm test || true', ['test [npm test] list']],
  ['npm test; echo done', ['test [npm test] list']],
  ['npm test\necho done', ['test [npm test] list']],
  ['npm test && echo ok || echo bad', ['test [npm test] list']],
  ['npm test &', ['test [npm test] background']],
  ['! npm test', ['test [npm test] condition']],
  ['if npm test; then echo ok; fi', ['test [npm test] condition']],
  ['for d in a b; do npm test; done', ['test [npm test] condition']],
  ['ls | xargs pytest', ['test [pytest] condition']],
  ['watch npm test', ['test [npm test] condition']],
  ['bash -c "npm test | tail"', ['test [npm test] pipe']],
  ['bash -c "npm test"; echo $?', ['test [npm test] list']],
  ['(npm test; true)', ['test [npm test] list']],
  ['set -e; npm test | tail; echo', ['test [npm test] pipe']],
])('%s hides the exit code', async (command, found) => {
  expect(await checksOf(command)).toEqual(found);
});

test.each([
  ['echo start; npm test', ['test [npm test] failed']],
  ['export CI=1 && npm test', ['test [npm test] failed']],
  ['cat x | npm test', ['test [npm test] failed']],
  ['set -o pipefail; npm test | tail', ['test [npm test] failed']],
  ['set -euo pipefail\nnpm test | cat\necho ok', ['test [npm test] failed']],
  ['set -o pipefail; npm test | grep ok', ['test [npm test] unreached']],
  ["bash -o pipefail -c 'npm test | tee log'", ['test [npm test] failed']],
  ["bash -eo pipefail -c 'npm test | tee log; echo done'", ['test [npm test] failed']],
  ["bash -ec 'npm test; echo done'", ['test [npm test] failed']],
  ["NODE_ENV=test bash -c 'npm test'", ['test [NODE_ENV=test npm test] failed']],
  ['export A=b; npm test', ['test [A=b npm test] failed']],
  ['cd web && export A=b C="d e" && npm test', ['test [A=b C="d e" npm test] failed /w/web']],
  [
    'export PATH=$PWD/node_modules/.bin:$PATH; vitest run',
    ['test [PATH=$PWD/node_modules/.bin:$PATH vitest run] failed'],
  ],
  ['export CI=1; npm test', ['test [npm test] failed']],
  ['log=$(mktemp); npm test > $log; rc=$?; tail $log; echo "exit: $rc"; exit $rc', ['test [npm test] failed']],
  ['pushd web > /dev/null && npm test && popd', ['test [npm test] failed /w/web']],
  ['pushd web && npm test; rc=$?; popd; exit $rc', ['test [npm test] failed /w/web']],
  ['if npm test; then echo ok; else exit 1; fi', ['test [npm test] failed']],
  ['if npm test; then echo ok; else echo bad; exit 1; fi', ['test [npm test] failed']],
  ['if ! npm test; then echo bad; exit 1; fi', ['test [npm test] failed']],
  ['if ! npm test; then exit 1; else echo ok; fi', ['test [npm test] failed']],
  ['if tsc; then npm test; else exit 1; fi', ['types [tsc] unreached', 'test [npm test] unreached']],
  ['npm test 2>&1 | tail -20; exit ${PIPESTATUS[0]}', ['test [npm test] failed']],
  ['cd web && npm test | tee log; rc="${PIPESTATUS[0]}"; echo $rc; exit $rc', ['test [npm test] failed /w/web']],
  ['npm test || exit 1', ['test [npm test] failed']],
  ['npm test && git commit -m x', ['test [npm test] unreached']],
  ['npm ci && npm test', ['test [npm test] unreached']],
  ['tsc && npm test', ['types [tsc] unreached', 'test [npm test] unreached']],
  ['npm test | tail; tsc', ['test [npm test] list', 'types [tsc] failed']],
  ['npm test || exit 0', ['test [npm test] list']],
  ['source .venv/bin/activate && pytest', ['test [pytest] failed']],
  ['. ./venv/bin/activate; pytest -q', ['test [pytest -q] failed']],
  ['npm test; ', ['test [npm test] failed']],
  ['npm test; exit $?', ['test [npm test] failed']],
  ['npm test; exit', ['test [npm test] failed']],
  ['npm test > log 2>&1; rc=$?; tail log; exit $rc', ['test [npm test] failed']],
  ['npm test\ncode=$?\necho "ended: done"\nexit "${code}"', ['test [npm test] failed']],
  ['npm test || { echo failed; exit 1; }', ['test [npm test] failed']],
  ['npm test; rc=$?; echo "rc=$rc"; exit $rc', ['test [npm test] failed']],
])('%s passes if its exit code is 0', async (command, found) => {
  expect(await checksOf(command)).toEqual(found);
});

test.each([
  'pushd sub; npm test',
  'pushd sub; npm test; popd',
  'pushd +1 && npm test',
  'pushd sub && popd && npm test',
  'export A; npm test',
  'ls && export A=b; npm test',
  '(export A=b); npm test',
  'export A=b & npm test',
  'npm_config_shell=x; npm test',
  'if npm test; then echo ok; else echo bad; fi',
  'if npm test; then echo ok; else exit 0; fi',
  'if npm test; then echo ok; else echo bad; exit $?; fi',
  'if npm test; true; then echo ok; else exit 1; fi',
  'if npm test | tail; then echo ok; else exit 1; fi',
  'if npm test; then echo ok; elif true; then echo; else exit 1; fi',
  'if npm test; then echo ok; else exit 1; fi; echo done',
  'if ! npm test; then echo bad; fi',
  'if ! npm test; then exit $?; fi',
  'if ! npm test && true; then exit 1; fi',
  'while npm test; do exit 1; done',
  'case x in npm) npm test;; *) exit 1;; esac',
  'npm test || { echo bad; exit $?; }',
  'npm test || { echo bad; exit; }',
  'ls | npm test; exit ${PIPESTATUS[0]}',
  'npm test | tail; exit ${PIPESTATUS[1]}',
  'npm test; ls | cat; exit ${PIPESTATUS[0]}',
  'npm test | npm run lint; exit ${PIPESTATUS[0]}',
  'ls | cat && npm test | tail; exit ${PIPESTATUS[0]}',
  'set -e; npm test | cat; ls | tail; exit ${PIPESTATUS[0]}',
  'npm test; rc=$?; read rc; echo $rc; exit $rc',
  "bash -c 'npm test | tee log' -o pipefail",
  'trap "exit 0" EXIT; npm test',
  'export PATH=$PWD/fake:$PATH; npm test',
  'PATH=$PWD/fake:$PATH; npm test',
  'PATH=fake : && npm test',
  'command export PATH=fake; npm test',
  'hash -p /bin/true npm; npm test',
  'source rc; npm test',
  '. ./rc && npm test',
  'alias npm=true; npm test',
  'eval "$x"; npm test',
  '$x y; npm test',
  'cd $x && npm test',
  'exit 0; npm test',
  'if true; then exit; fi; npm test',
  'exec true; npm test',
  'set -n; npm test',
  'set -e; set +e; npm test; true',
  'false && set -e; npm test; true',
  'read PATH < f; npm test',
  'printf -v PATH x; npm test',
  'for PATH in fake; do ls; done; npm test',
  '(set -e; npm test; true) && echo',
  'source activate && pytest',
  'source .venv/bin/activate rc && pytest',
  'source ../venv/bin/activate && pytest',
  'npm test; rc=$?; rc=0; exit $rc',
  'npm test; echo; rc=$?; exit $rc',
  'npm test; echo $?; exit $?',
  'npm test; rc=$?; read rc; exit $rc',
  'npm test; rc=$?; ls; rc=0; exit $rc',
  'npm test; rc=$?; { rc=0; }; exit $rc',
  'npm test; rc=$?; x=1 rc=0; exit $rc',
  'npm test; rc=$?; rc+=0; exit $rc',
  'npm test; rc=$?; . ./x; exit $other',
  'npm test; rc=$?; . ./x; exit $rc',
  'npm test; rc=$?; { . ./x; }; exit $rc',
  'npm test | cat; exit $?',
  'npm test & exit $?',
  'npm test || true; exit $?',
  'npm test; exit 0',
  'npm test || { exit 0; exit 1; }',
  'npm test || { echo x; true; }',
  'npm test || { true && exit 1; true; }',
  'npm test || (exit 1); true',
  'PATH=fake bash -c "npm test"',
  'env PATH=fake sh -c "npm test"',
  'bash -nc "npm test"',
  'bash --rcfile rc -ic "npm test"',
  'bash -c "trap true EXIT; npm test"',
  'find . -maxdepth 0 -exec bash -c "npm test" ";"',
  'setsid npm test',
  'command -v npm test',
  'timeout --help 5 npm test',
])('%s proves nothing', async command => {
  const found = await judgeWith([]).checksIn(command, '/w');
  expect(found.filter(({zero}) => zero === 'passed')).toEqual([]);
});

test.each([
  'make -v test',
  'make -C . -v test',
  'make -n test',
  'make -t test',
  'make -k -i test',
  'make -ki test',
  'make -q test',
  'make --dry-run test',
  'make test SHELL=/bin/true',
  'ninja -n test',
  'just -n test',
  'just --dry-run test',
  'npm test --script-shell=/bin/true',
  'npm test --script-shell /bin/true',
  'cargo test --no-run',
  'go test -c ./...',
  'go test -list . ./...',
  'tsc --noCheck',
  'gradle test -m',
  'jest --listTests',
  'eslint --print-config a.js',
  'timeout 5 make -i test',
  'make --eval=x test',
  'mvn -DskipTests verify',
  'mvn -Dmaven.test.skip=true test',
  'mvn -fn test',
  'gradle check -x test',
  './gradlew --exclude-task test test',
  'python -m pytest --collect-only',
  'python3 -m pytest --co -q',
  'pytest --setup-plan',
  'vitest list',
  'npx vitest list',
  'cargo nextest list',
  'cargo test -- --list',
  'npm test -- --listTests',
  'npm test --if-present',
  'pnpm test --config.script-shell=/bin/true',
  'go test -exec /bin/true ./...',
  'just --shell /bin/true test',
  'ctest -N',
  'tox --notest',
  'swift test list',
  'ruff check --exit-zero .',
  'bazel test --nobuild //...',
])('%s checks nothing, and says so', async command => {
  const judge = judgeWith([]);
  expect([await judge.checksIn(command, '/w'), await judge.hidingIn(command)]).toEqual([[], 'options']);
});

test.each([
  'PATH=/tmp/x npm test',
  'PATH=$PWD/fake:$PATH npm test',
  'env PATH=/tmp/x:$PATH timeout 5 npm test',
  'MAKEFLAGS=-n make test',
  'BASH_ENV=/tmp/x npm test',
  'ENV=x npm test',
  'LD_PRELOAD=./x.so npm test',
  'LD_LIBRARY_PATH=/tmp/x npm test',
  'npm_config_script_shell=/bin/true npm test',
  'NPM_CONFIG_SCRIPT_SHELL=/bin/true npm test',
  'NODE_OPTIONS=--version npm test',
  'NODE_OPTIONS="--require ./fake.js" npm test',
  'NODE_OPTIONS+=--test-name-pattern=x npm test',
  'PYTHONPATH=/tmp/x pytest',
  'PYTEST_ADDOPTS=--collect-only pytest',
  'GOFLAGS=-run=x go test ./...',
  'MAVEN_ARGS=-DskipTests mvn test',
  'CC=true make',
  'HOME=/tmp/x npm test',
  'LD_PRELOAD=./x.so bash -c "npm test"',
  "env 'BASH_FUNC_node%%=() { true; }' npm test",
])('%s may run another program, and says so', async command => {
  const judge = judgeWith([]);
  expect([await judge.checksIn(command, '/w'), await judge.hidingIn(command)]).toEqual([[], 'variables']);
});

test.each([
  'CI=1 npm test',
  'NODE_ENV=test npm test',
  'FORCE_COLOR=0 npx vitest run',
  'PATH="$PWD/node_modules/.bin:$PATH" vitest run',
  'PATH=$HOME/.cargo/bin:/usr/local/go/bin:$PATH make test',
  'env -i PATH="$PATH" npm test',
  'NODE_OPTIONS=--max-old-space-size=4096 npm test',
  'NODE_OPTIONS="$NODE_OPTIONS --experimental-vm-modules --no-warnings" npx jest',
  "NODE_OPTIONS='--import tsx' mocha",
  'PYTHONPATH=. pytest',
  'PYTHONPATH="$PWD/src:$PYTHONPATH" pytest',
  'PYTEST_ADDOPTS="-q -p no:cacheprovider" pytest',
  'MAKEFLAGS=-j4 make test',
  'GOFLAGS="-mod=mod -count=1" go test ./...',
  'JAVA_HOME=$(/usr/libexec/java_home -v 17) mvn test',
  'MAVEN_OPTS=-Xmx1g mvn test',
  'CC="ccache gcc-12" make test',
  'RUSTFLAGS="-D warnings" cargo test',
  'npm_config_loglevel=error npm test',
  'DATABASE_URL=postgres://x TMPDIR=/tmp/x npm test',
  'mvn -DskipTests package',
  'gradle build -x test',
  'mvn -DskipTests=false verify',
  'npm run build --workspaces --if-present',
  'vitest run --passWithNoTests',
  'bazel test //...',
])('%s is a check of every day', async command => {
  const judge = judgeWith([]);
  const found = (await judge.checksIn(command, '/w')).map(({zero, files}) => [zero, files]);
  expect([found, await judge.hidingIn(command)]).toEqual([[['passed', 'as-read']], 'passed']);
});

test.each([
  'coproc npm test',
  'coproc npm test; wait',
  "eval 'npm test; true'",
  'npm() { true; }; npm test',
  'function npm { :; }; npm test',
  'eval make -i test',
])('%s does not show that a check ran', async command => {
  expect(await judgeWith([]).hidingIn(command)).not.toBe('passed');
});

test.each([
  ['echo npm test', ''],
  ["echo 'Tests: 41 passed'; ls test # npm test", ''],
  ['git commit -m "Run npm test" && test -f a', ''],
  ['cd web && npm test | tail', 'npm test'],
  ['./run-tests.sh; rm -r test', './run-tests.sh'],
  ['echo "$(npm test)"', 'echo "$(npm test)"'],
  ['tail test.log', 'tail test.log'],
  ['rm test.log', ''],
  ['(( npm test', '(( npm test'],
  ['env -i /bin/true npm test', ''],
  ['timeout 5 true npm test', ''],
  ['true npm test', ''],
  ['sudo /bin/echo npm test', ''],
  ['bash -c "echo npm test"', ''],
  ["printf '# pass 3\\n'", ''],
  ['bash -c ./run-tests.sh', './run-tests.sh'],
  ['docker compose run web npm test', 'docker compose run web npm test'],
  ['gh run watch', 'gh run watch'],
  ['npm run qa', 'npm run qa'],
  ['go run ./qa', 'go run ./qa'],
  ['sed -n 5p a.test.ts', ''],
  ['find . -name "*.test.js" -exec node {} ";"', 'find . -name "*.test.js" -exec node {} ";"'],
])('%s may run %j', async (command, ran) => {
  expect(await judgeWith([]).ranIn(command)).toBe(ran);
});

test.each(['npx() { :; }; npx vitest run', 'alias npm=true; npm test', 'hash -p /bin/true npm; npm test'])(
  '%s runs another program',
  async command => {
    const judge = judgeWith([]);
    expect([await judge.checksIn(command, '/w'), await judge.hidingIn(command)]).toEqual([[], 'changed']);
  },
);

test.each(['eval "$(direnv export bash)"; npm test', 'f() { ls; }; f'])(
  '%s hides no check in its words',
  async command => {
    expect(await judgeWith([]).hidingIn(command)).not.toBe('options');
  },
);

test.each(['make -k -j4 test', 'go test -run TestA ./...', 'cargo test', 'tsc -p .', 'make -sk test'])(
  '%s hides nothing',
  async command => {
    expect(await judgeWith([]).hidingIn(command)).toBe('passed');
    expect(await checksOf(command)).toHaveLength(1);
  },
);

test.each([
  'npm(){ :; }; npm test',
  'function npm { :; }; npm test',
  'PATH=fake npm test',
  'NODE_OPTIONS+=x npm test',
  'export SKIP=slow; npm test',
])('%s is not npm test', async command => {
  const found = await judgeWith([{name: 'npm test', command: 'npm test'}]).checksIn(command, '/w');
  expect(found.filter(({name}) => name === 'npm test')).toEqual([]);
});

test.each([
  ['npm test && node fmt.js', ['written']],
  ['npm test && sed -i s/a/b/ a.txt', ['written']],
  ['echo good > a.txt && npm test && cp old a.txt', ['written']],
  ['npm test && echo bad > a.txt', ['written']],
  ['npm test && { echo bad; } > a.txt', ['written']],
  ['(npm test) && rm a.txt', ['written']],
  ['sh late.sh & npm test', ['written']],
  ['npm test && npm run lint:fix', ['written', 'as-read']],
  ['bash -c "npm test && node fmt.js"', ['written']],
  ['npm test && npm run lint', ['as-read', 'as-read']],
  ['npm ci && npm test && git status && echo ok', ['as-read']],
  ['echo good > a.txt && npm test 2>&1', ['as-read']],
  ['npm test > log', ['as-read']],
  ['npm --prefix ../other test', ['outside']],
  ['cd /tmp && npm test', ['outside']],
  ['pytest --rootdir=/other', ['outside']],
  ['make -C ~/other test', ['outside']],
  ['tsc -p web/../../tsconfig.json', ['outside']],
  ['cd web && npm --prefix ../api test', ['as-read']],
  ['npm --prefix /w/web test', ['as-read']],
  ['go build -o /dev/null ./...', ['as-read']],
  ['pytest --junitxml=/tmp/report.xml', ['as-read']],
  ['/usr/bin/make test', ['as-read']],
  ['set -o pipefail; npm test | tail -5', ['as-read']],
  ['set -o pipefail; npm test | tee log', ['as-read']],
  ['npm test && echo bad | tee a.txt', ['written']],
])('%s: the files are %j', async (command, files) => {
  const found = await judgeWith([]).checksIn(command, '/w');
  expect(found.map(each => each.files)).toEqual(files);
});

test('checks of the settings have their names, also in pipes and lists', async () => {
  const named = [
    {name: 'unit', command: 'node run.js', paths: ['src/**']},
    {name: 'all', command: 'make build && ./test.sh'},
    {name: 'logged', command: './test.sh | tee log'},
    {name: 'tests', command: 'npm run test'},
    {name: 'slow', command: 'SLOW=1 npm test'},
  ];
  expect(await checksOf('cd web && timeout 5 node run.js', named)).toEqual(['test [unit] failed /w/web']);
  expect(await checksOf('node run.js x', named)).toEqual([]);
  expect(await checksOf('make build && ./test.sh', named)).toEqual(['test [all] failed']);
  expect(await checksOf('./test.sh | tee log', named)).toEqual(['test [logged] pipe']);
  expect(await checksOf('npm test', named)).toEqual(['test [tests] failed']);
  expect(await checksOf('CI=1 SLOW=1 npm test', named)).toEqual(['test [slow] failed']);
});

test('settings with one command in several folders are several checks', async () => {
  const folders = [
    {name: 'web', command: 'npm test', directory: 'web', paths: ['web/**']},
    {name: 'api', command: 'npm test', directory: '/w/api/'},
  ];
  const all = {name: 'all', command: 'npm test'};
  expect(await checksOf('(cd web && npm test) && (cd api && npm test)', folders)).toEqual([
    'test [web] unreached /w/web',
    'test [api] unreached /w/api',
  ]);
  expect(await checksOf('npm test', folders)).toEqual(['test [npm test] failed']);
  expect(await checksOf('npm test', [...folders, all])).toEqual(['test [all] failed']);
  // Two settings of the same command don't say which paths count.
  const [check] = await judgeWith([
    {...all, paths: ['a/**']},
    {...all, name: 'b', paths: ['b/**']},
  ]).checksIn('npm test', '/w');
  expect(check?.paths).toBe('all');
});

test('a check keeps the whole command, to run it again', async () => {
  const [exported] = await judgeWith([]).checksIn('export A="b c"; npm test', '/w');
  expect(exported).toMatchObject({name: 'A="b c" npm test', command: 'A="b c" npm test'});
  const [check] = await judgeWith([]).checksIn('cd web && CI=1 timeout 60 npx tsc -p . > log', '/w');
  expect(check).toMatchObject({name: 'tsc -p .', command: 'CI=1 timeout 60 npx tsc -p .', paths: 'all'});
});
