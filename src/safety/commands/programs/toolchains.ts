import {program, type ProgramRow} from '../program-table.ts';

/**
 * Tools with a version option. The option is part of the name, because most of these tools run their arguments without
 * it. Tools that first run what the project configures (yarn, pnpm, mvn, pytest) are not included.
 */
const askedForVersion = [
  each(
    '--version',
    'node npm npx bun deno tsc python python3 pip pip3 pipx uv ruby gem php perl lua julia elixir swift zig rustc cargo rustup gcc g++ cc c++ ' +
      'clang clang++ make cmake ninja ld gdb docker kubectl aws gcloud gh hg svn curl wget openssl jq yq rg fd grep sed awk gawk bash zsh tmux vim ' +
      'nvim emacs code ffmpeg sqlite3 psql mysql redis-cli brew apt dpkg rpm java javac dotnet ruff systemctl tar find ls sort tree',
  ),
  each('-v', 'node npm npx tsc php gem docker nginx make perl'),
  each('-V', 'python python3 pip pip3 cargo rustc curl nginx tmux ssh'),
  each('-version', 'java javac scala'),
  each('version', 'go docker helm zig'),
  'kubectl version --client',
].join();

/** Tools with a help option. The option alone makes them print help and do nothing else. */
const askedForHelp = [
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
].join();

/** Tools that show what is installed and how it is configured. */
export const toolchains: readonly ProgramRow[] = [
  program(askedForVersion, {
    yes: `node --version ¦ npm --version ¦ python3 --version ¦ node --version; npm --version ¦ cargo --version ¦
      bash --version ¦ node -v ¦ npm -v ¦ python3 -V ¦ cargo -V ¦ java -version ¦ go version ¦ docker version ¦
      kubectl version --client`,
    no: `node ¦ node -e 1 ¦ node a.js ¦ node --version a.js ¦ python3 --version -c 1 ¦ yarn --version ¦
      pytest --version ¦ bash --version -c ls ¦ cargo +x --version ¦ make --version clean ¦ node --vers ¦ python -v ¦
      ruby -v ¦ node -v -r ./a ¦ perl -V:x ¦ make -v all ¦ node -p 1 ¦ python -m http.server ¦
      java -version -jar a.jar ¦ java -jar a.jar ¦ go version ./a ¦ go run . ¦ kubectl version ¦ terraform version`,
  }),
  program(askedForHelp, {
    yes: `grep --help ¦ grep --help | head -3 ¦ git --help ¦ git commit -h ¦ npm --help ¦ tar --help ¦ node --help`,
    no: `git log --help ¦ npm help ¦ eslint --help ¦ ./a --help ¦ node --help a.js ¦ git commit -h -m x ¦ rm --help a`,
  }),
  program('help', {options: '-d -m -s', operands: 'name*', yes: 'help cd ¦ help -d test', no: `help $X`}),
  program('npm ls, npm list, npm ll', {
    options: `-a -g -l -p --all --depth=number --depth?=number --global --json --long --parseable --prod --production
      --dev --omit=name --include=name --link`,
    operands: 'text*',
    yes: `npm ls ¦ npm ls --depth=0 ¦ npm list --depth 0 --json ¦ npm ls react ¦ node --version; npm ls --depth=0`,
    no: `npm ls --prefix /etc ¦ npm install ¦ npm run build ¦ npm ls --script-shell=x ¦ npm test ¦ npm exec x ¦
      npm ls --node-options=x`,
  }),
  program('npm root, npm prefix, npm bin, npm config list, npm config ls', {
    options: '-g --global',
    yes: 'npm root -g ¦ npm prefix ¦ npm config list',
    no: 'npm prefix x ¦ npm config set a b ¦ npm config edit',
  }),
  program('npm config get', {
    operands: 'name',
    yes: 'npm config get registry',
    no: 'npm config get a b ¦ npm config set a',
  }),
  program('npm run, npm run-script', {
    yes: 'npm run',
    no: 'npm run test ¦ npm run --silent x ¦ npm run x --if-present',
  }),
  program('npm pkg get', {operands: 'name*', yes: 'npm pkg get version', no: 'npm pkg set version=1 ¦ npm pkg fix'}),
  program('pip list, pip freeze, pip3 list, pip3 freeze, pip check, pip3 check', {
    options: '--format=name --user --local -l --not-required',
    yes: 'pip list ¦ pip freeze ¦ pip3 list --format=json',
    no: `pip list --outdated ¦ pip install x ¦ pip freeze > requirements.txt ¦ pip list --log=x ¦
      pip list --cache-dir x`,
  }),
  program('pip show, pip3 show', {
    options: '-f --files',
    operands: 'name*',
    yes: 'pip show requests ¦ pip show -f a b',
    no: 'pip show ./a ¦ pip show --log x a',
  }),
  program('go env', {
    options: '-json',
    runs: '-w',
    operands: 'name*',
    yes: 'go env ¦ go env GOPATH GOROOT',
    no: 'go env -w A=b ¦ go env -u A',
  }),
  program('rustup show, rustup toolchain list, rustup target list, rustup component list', {
    options: '--installed -v',
    yes: 'rustup show ¦ rustup toolchain list',
    no: 'rustup update ¦ rustup toolchain install x ¦ rustup run x y',
  }),
  program('gem list, brew list, brew --prefix, dpkg -l, dpkg --list, rpm -qa, docker ps, docker images', {
    options: '-a -q -l --all --quiet --versions --no-trunc',
    operands: 'name*',
    yes: 'gem list ¦ dpkg -l ¦ docker ps -a ¦ brew list --versions ¦ docker images',
    no: 'gem install a ¦ dpkg -i a ¦ docker rm a ¦ docker ps --format x -f y ¦ brew install a ¦ docker -H x ps',
  }),
  program('node --check, node -c', {
    operands: 'path*',
    yes: 'node --check a.js',
    no: 'node --check -r ./x a.js ¦ node --check /etc/x ¦ node -c -e 1',
  }),
  program('bash -n, sh -n', {
    operands: 'file',
    yes: 'bash -n a.sh',
    no: 'bash -n +n ¦ bash -n - +n ¦ bash -n -c ls ¦ bash -n a +n ¦ bash a.sh',
  }),
];

function each(option: string, names: string): string {
  return names
    .split(' ')
    .map(name => `${name} ${option}`)
    .join();
}
