import {program, type ProgramRow} from '../program-table.ts';

/**
 * Tools that are asked for their version. The option belongs to the name: without it most of these run what they are given. Tools that
 * first run what the project configures (yarn, pnpm, mvn, pytest) are not among them.
 */
const versions: readonly ProgramRow[] = [
  program(
    each(
      '--version',
      'node npm npx bun deno tsc python python3 pip pip3 pipx uv ruby gem php perl lua julia elixir swift zig rustc cargo rustup gcc g++ cc c++ ' +
        'clang clang++ make cmake ninja ld gdb docker kubectl aws gcloud gh hg svn curl wget openssl jq yq rg fd grep sed awk gawk bash zsh tmux vim ' +
        'nvim emacs code ffmpeg sqlite3 psql mysql redis-cli brew apt dpkg rpm java javac dotnet ruff systemctl tar find ls sort tree',
    ),
    {
      match: [
        'node --version',
        'npm --version',
        'python3 --version',
        'node --version; npm --version',
        'cargo --version',
        'bash --version',
      ],
      notMatch: [
        'node',
        'node -e 1',
        'node a.js',
        'node --version a.js',
        'python3 --version -c 1',
        'yarn --version',
        'pytest --version',
        'bash --version -c ls',
        'cargo +x --version',
        'make --version clean',
        'node --vers',
      ],
    },
  ),
  program(
    [
      each('-v', 'node npm npx tsc php gem docker nginx make perl'),
      each('-V', 'python python3 pip pip3 cargo rustc curl nginx tmux ssh'),
    ].join(),
    {
      match: ['node -v', 'npm -v', 'python3 -V', 'cargo -V'],
      notMatch: [
        'python -v',
        'ruby -v',
        'node -v -r ./a',
        'perl -V:x',
        'make -v all',
        'node -p 1',
        'python -m http.server',
      ],
    },
  ),
  program(
    [each('-version', 'java javac scala'), each('version', 'go docker helm zig'), 'kubectl version --client'].join(),
    {
      match: ['java -version', 'go version', 'docker version', 'kubectl version --client'],
      notMatch: [
        'java -version -jar a.jar',
        'java -jar a.jar',
        'go version ./a',
        'go run .',
        'kubectl version',
        'terraform version',
      ],
    },
  ),
];

/** Tools that are asked for help: the option alone makes them print it and do nothing else. */
const usages: readonly ProgramRow[] = [
  program(
    [
      each(
        '--help',
        'node npm npx bun deno tsc python python3 pip pip3 uv ruby php perl lua rustc cargo rustup gcc g++ clang make cmake ninja docker kubectl ' +
          'gh hg curl wget jq yq rg fd grep egrep fgrep sed gawk bash java javac dotnet ruff tar find ls cat tac nl head tail wc stat du df file ' +
          'basename dirname realpath readlink sort uniq cut tr paste comm join fold fmt expand rev column od hexdump xxd strings base64 diff cmp ' +
          'tree date seq tee touch mkdir rm cp mv ln chmod md5sum sha1sum sha256sum iconv gzip zip unzip patch git',
      ),
      each('-h', 'git npm rg cargo jq docker kubectl'),
      each(
        '-h',
        'add,branch,checkout,cherry-pick,clean,clone,commit,diff,fetch,grep,log,merge,mv,pull,push,rebase,reset,restore,revert,rm,show,stash,status,switch,tag,worktree'
          .split(',')
          .map(command => `git_${command}`)
          .join(' '),
      ).replaceAll('_', ' '),
      'cargo help, go help',
    ].join(),
    {
      match: [
        'grep --help',
        'grep --help | head -3',
        'git --help',
        'git commit -h',
        'npm --help',
        'tar --help',
        'node --help',
      ],
      notMatch: [
        'git log --help',
        'npm help',
        'eslint --help',
        './a --help',
        'node --help a.js',
        'git commit -h -m x',
        'rm --help a',
      ],
    },
  ),
  program('help', {
    flags: '-d -m -s',
    operands: ['name'],
    match: ['help cd', 'help -d test'],
    notMatch: ['help $X'],
  }),
];

/** Subcommands that show what is installed and how it is configured. */
const installed: readonly ProgramRow[] = [
  program('npm ls, npm list, npm ll', {
    flags:
      '-a -g -l -p --all --depth=number --depth?=number --global --json --long --parseable --prod --production --dev --omit=name --include=name --link',
    operands: ['text'],
    match: [
      'npm ls',
      'npm ls --depth=0',
      'npm list --depth 0 --json',
      'npm ls react',
      'node --version; npm ls --depth=0',
    ],
    notMatch: [
      'npm ls --prefix /etc',
      'npm install',
      'npm run build',
      'npm ls --script-shell=x',
      'npm test',
      'npm exec x',
      'npm ls --node-options=x',
    ],
  }),
  program('npm root, npm prefix, npm bin, npm config list, npm config ls', {
    flags: '-g --global',
    match: ['npm root -g', 'npm prefix', 'npm config list'],
    notMatch: ['npm prefix x', 'npm config set a b', 'npm config edit'],
  }),
  program('npm config get', {
    operands: ['name', 'none'],
    match: ['npm config get registry'],
    notMatch: ['npm config get a b', 'npm config set a'],
  }),
  program('npm run, npm run-script', {
    match: ['npm run'],
    notMatch: ['npm run test', 'npm run --silent x', 'npm run x --if-present'],
  }),
  program('npm pkg get', {
    operands: ['name'],
    match: ['npm pkg get version'],
    notMatch: ['npm pkg set version=1', 'npm pkg fix'],
  }),
  program('pip list, pip freeze, pip3 list, pip3 freeze, pip check, pip3 check', {
    flags: '--format=name --user --local -l --not-required',
    match: ['pip list', 'pip freeze', 'pip3 list --format=json'],
    notMatch: [
      'pip list --outdated',
      'pip install x',
      'pip freeze > requirements.txt',
      'pip list --log=x',
      'pip list --cache-dir x',
    ],
  }),
  program('pip show, pip3 show', {
    flags: '-f --files',
    operands: ['name'],
    match: ['pip show requests', 'pip show -f a b'],
    notMatch: ['pip show ./a', 'pip show --log x a'],
  }),
  program('go env', {
    flags: '-json',
    operands: ['name'],
    match: ['go env', 'go env GOPATH GOROOT'],
    notMatch: ['go env -w A=b', 'go env -u A'],
  }),
  program('rustup show, rustup toolchain list, rustup target list, rustup component list', {
    flags: '--installed -v',
    match: ['rustup show', 'rustup toolchain list'],
    notMatch: ['rustup update', 'rustup toolchain install x', 'rustup run x y'],
  }),
  program('gem list, brew list, brew --prefix, dpkg -l, dpkg --list, rpm -qa, docker ps, docker images', {
    flags: '-a -q -l --all --quiet --versions --no-trunc',
    operands: ['name'],
    match: ['gem list', 'dpkg -l', 'docker ps -a', 'brew list --versions', 'docker images'],
    notMatch: [
      'gem install a',
      'dpkg -i a',
      'docker rm a',
      'docker ps --format x -f y',
      'brew install a',
      'docker -H x ps',
    ],
  }),
  program('node --check, node -c', {
    operands: ['path'],
    match: ['node --check a.js'],
    notMatch: ['node --check -r ./x a.js', 'node --check /etc/x', 'node -c -e 1'],
  }),
  program('bash -n, sh -n', {
    operands: ['file', 'none'],
    match: ['bash -n a.sh'],
    notMatch: ['bash -n +n', 'bash -n - +n', 'bash -n -c ls', 'bash -n a +n', 'bash a.sh'],
  }),
];

/** Files that choose which of several versions of a tool runs, and may name one of their own. */
const ofVersions = ['.tool-versions', 'mise.toml', '.mise.toml'];

export const chosenBy: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ...'node bun deno tsc python python3 pip pip3 pipx uv ruby gem php perl lua julia elixir swift zig go java javac scala'
    .split(' ')
    .map((name): [string, ReadonlySet<string>] => [name, new Set(ofVersions)]),
  ...['rustc', 'cargo', 'rustup'].map((name): [string, ReadonlySet<string>] => [
    name,
    new Set([...ofVersions, 'rust-toolchain', 'rust-toolchain.toml']),
  ]),
  // The settings name a registry, which npm asks whether there is a newer npm.
  ...['npm', 'npx'].map((name): [string, ReadonlySet<string>] => [name, new Set([...ofVersions, '.npmrc'])]),
  ['dotnet', new Set([...ofVersions, 'global.json'])],
]);

export const toolchains: readonly ProgramRow[] = [...versions, ...usages, ...installed];

function each(option: string, names: string): string {
  return names
    .split(' ')
    .map(name => `${name} ${option}`)
    .join();
}
