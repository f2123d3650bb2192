/**
 * Options by which a program does more than its name says: `runs` has a program or code run, `writes` names a file that is written,
 * `loads` names a file or folder whose code or settings count. A rule that ends in a wildcard was not written with these in mind.
 */
export interface ActingFlags {
  /** `go test`, or the program alone; several with a comma between them. The row with the longest name that fits counts too. */
  readonly names: string;
  /** The options as they are written, separated by blanks; `--opt*` is any that begins so, `NAME=` an assignment. */
  readonly runs: string;
  readonly writes: string;
  readonly loads: string;
  /** Options of one letter that take a value; what follows in the same word is that value. */
  readonly valued: string;
  /** An operand that is a file to be written: `uniq in out`. */
  readonly writtenOperand: 'none' | 'second';
  /** `abbreviated`: the program accepts unambiguous beginnings of long options. */
  readonly long: 'abbreviated' | 'in full';
  /** `ends`: the arguments behind `--` are not for the program itself. */
  readonly doubleDash: 'ends' | 'operands';
}

const row = (names: string, flags: Partial<Omit<ActingFlags, 'names'>>): ActingFlags => ({
  names,
  runs: '',
  writes: '',
  loads: '',
  valued: '',
  writtenOperand: 'none',
  long: 'in full',
  doubleDash: 'operands',
  ...flags,
});

export const actingFlags: readonly ActingFlags[] = [
  row('sort, gsort', {runs: '--compress-program', writes: '-o --output', valued: '-k -t -S -T', long: 'abbreviated'}),
  row('uniq', {valued: '-f -s -w', writtenOperand: 'second'}),
  row('xxd', {valued: '-c -g -l -s -n -o', writtenOperand: 'second'}),
  row('shuf', {writes: '-o --output', valued: '-i -n', long: 'abbreviated'}),
  row('tree', {writes: '-o'}),
  row('iconv', {writes: '-o --output', valued: '-f -t', long: 'abbreviated'}),
  row('find, gfind', {
    runs: '-exec -execdir -ok -okdir',
    writes: '-fprint -fprint0 -fls -fprintf',
  }),
  row('fd, fdfind', {runs: '-x -X --exec --exec-batch'}),
  row('rg', {runs: '--pre --hostname-bin'}),
  row('ag, ack', {runs: '--pager'}),
  row('man', {runs: '-P --pager -H --html', long: 'abbreviated'}),
  row('less, more', {runs: '-k --lesskey-file', writes: '-o -O --log-file --LOG-FILE'}),
  row('diff, sdiff, diff3, colordiff', {runs: '--diff-program --pager', writes: '-o --output', long: 'abbreviated'}),
  row('tar, gtar, bsdtar', {
    runs: '--to-command --use-compress-program -I --checkpoint-action --info-script --new-volume-script -F --rsh-command --rmt-command -P --absolute-names',
    writes: '--index-file',
    valued: '-f -C -T -X -b',
    long: 'abbreviated',
  }),
  row('zip', {runs: '-TT --unzip-command'}),
  row('rsync', {runs: '-e --rsh --rsync-path -M --remote-option', writes: '--log-file --write-batch'}),
  row('ssh, scp, sftp', {
    runs: '-S -o -D ProxyCommand= LocalCommand=',
    loads: '-F',
    writes: '-E',
    valued: '-i -l -p -P -c -J -b',
  }),
  row('curl', {
    loads: '-K --config',
    writes:
      '-o --output -D --dump-header -c --cookie-jar --trace --trace-ascii --stderr --libcurl --etag-save --hsts --alt-svc --output-dir',
    valued: '-A -b -d -e -E -F -H -m -P -Q -r -T -u -U -w -x -X -y -Y -z -C -t',
  }),
  row('wget', {
    runs: '--use-askpass -e --execute --config',
    writes: '-O --output-document -o --output-file -a --append-output --save-cookies -P --directory-prefix --warc-file',
    valued: '-t -T -w -Q -U -l -A -R -D -I -X -i -B',
    long: 'abbreviated',
  }),
  row('git', {
    runs: '--upload-pack --receive-pack --exec --extcmd --ext-diff --textconv --open-files-in-pager --exec-path --config-env --template',
    writes: '--output',
    loads: '--git-dir --work-tree',
    long: 'abbreviated',
  }),
  row('git clone', {runs: '-u -c --config', loads: '--reference'}),
  row('git grep', {runs: '-O', valued: '-e -f -A -B -C -m'}),
  row('git rebase', {runs: '-x', valued: '-s -X -C'}),
  row('git difftool, git mergetool', {runs: '-x -t --tool', long: 'abbreviated'}),
  row('git archive, git format-patch', {writes: '-o --output-directory'}),
  row('git bisect, git submodule', {runs: 'run foreach'}),
  row('git blame, git annotate', {loads: '--contents --ignore-revs-file -S', long: 'abbreviated'}),
  row('npm, npx, pnpm, yarn, bun', {
    runs:
      '--script-shell --shell --node-options --call --editor --viewer --git --userconfig --globalconfig --use-yarnrc --init-module ' +
      '--require --preload --node-arg --npm --onload-script',
    loads: '--prefix -C --dir --cwd --workspace-dir --modules-folder --global-folder',
    writes: '--cache --logs-dir --tmp',
    long: 'abbreviated',
    doubleDash: 'ends',
  }),
  row('npm exec, npx', {runs: '-c', doubleDash: 'ends'}),
  row('node, tsx, ts-node', {
    runs: '-e -p -r --eval --print --require --import --loader --experimental-loader --experimental-policy --inspect-brk --env-file',
    writes:
      '--test-reporter-destination --cpu-prof-dir --heap-prof-dir --report-dir --redirect-warnings --diagnostic-dir',
  }),
  row('go', {
    runs: '-exec -toolexec -vettool --exec --toolexec --vettool',
    writes:
      '-o -coverprofile -cpuprofile -memprofile -blockprofile -mutexprofile -trace -outputdir -test.coverprofile -test.cpuprofile',
    loads: '-C -overlay -modfile -pkgdir',
  }),
  row('cargo', {
    runs: '--config -Z',
    writes: '--target-dir --artifact-dir --out-dir --root',
    loads: '--manifest-path -C',
    doubleDash: 'ends',
  }),
  row('rustc', {runs: '-C --codegen', writes: '-o --out-dir --emit'}),
  row('make, gmake, ninja', {
    runs: '--eval -E SHELL= .SHELLFLAGS= MAKE= MAKEFLAGS= CC= CXX= LD= AR= RM= INSTALL= MAKEFILES=',
    loads: '-C --directory -f --file --makefile -I --include-dir',
    valued: '-j -l -o -W',
    long: 'abbreviated',
  }),
  row('gcc, g++, cc, c++, clang, clang++', {
    runs: '-wrapper -B -fplugin* -specs* --specs* -Xclang -load',
    writes: '-o -MF -dumpdir -save-temps=*',
  }),
  row('tsc', {
    writes: '--outDir --outFile --declarationDir --tsBuildInfoFile --generateTrace --generateCpuProfile -out',
    loads: '-p --project -b --build',
  }),
  row('eslint', {
    writes: '-o --output-file --cache-location --cache-file',
    loads: '-c --config --rulesdir --plugin --parser -f --format --resolve-plugins-relative-to',
  }),
  row('prettier', {loads: '--plugin --config --plugin-search-dir', writes: '--cache-location'}),
  row('jest, vitest, mocha, ava', {
    loads:
      '-c --config --globalSetup --globalTeardown --setupFiles --setupFilesAfterEnv --rootDir --root --dir -r --require --reporter --reporters --testRunner --runner --transform --testEnvironment --resolver --preset --testSequencer',
    writes: '--outputFile --outputFile.* --coverageDirectory --coverage.reportsDirectory --cacheDirectory',
  }),
  row('mocha', {runs: '-n --node-option --node-option=*', loads: '--file --import --loader'}),
  row('vitest', {runs: '--execArgv --execArgv=* --poolOptions*'}),
  row('ctest', {
    runs: '-S --script -SP --script-new-process --build-and-test --launch',
    loads: '--test-dir',
    writes: '-O',
  }),
  row('dotnet', {
    runs: '-p:* /p:* -property:* --property:* -p --property --logger --logger:* -l -l:* @*',
    loads: '-s --settings --test-adapter-path --collect',
    writes: '-o --output --results-directory --artifacts-path',
  }),
  row('swift', {
    runs: '-Xlinker -Xswiftc -Xcc -Xcxx --toolset --swift-sdk --sdk --destination',
    loads: '--package-path --scratch-path',
  }),
  row('pytest, py.test', {
    runs: '--pdbcls -p addopts= --override-ini=addopts*',
    loads: '-c --rootdir --confcutdir --import-mode --config-file',
    writes: '--junitxml --junit-xml --log-file --basetemp --cov-report --resultlog --report-log --html --pastebin',
  }),
  row('mypy, pylint, flake8, ruff, black, isort, coverage', {
    runs: '--python-executable --init-hook',
    loads: '--load-plugins --config-file --rcfile --config --append-config',
    writes:
      '--output-file --html-report --xml-report --txt-report --junit-xml --cobertura-xml-report --any-exprs-report -o --output --cache-dir --data-file',
  }),
  row('rspec, rubocop', {loads: '-r --require -c --config -P', writes: '-o --out'}),
  row('phpunit', {
    loads: '--bootstrap -c --configuration --include-path',
    writes: '--log-junit --coverage-html --coverage-clover',
  }),
  row('kubectl, helm, oc', {runs: '--kubeconfig --post-renderer', writes: '--cache-dir --output-dir'}),
  row('gradle, gradlew, mvn, mvnw', {
    loads: '-I --init-script -b --build-file -p --project-dir -f --file -s --settings -gs -c --settings-file',
  }),
  row('cmake', {
    runs: '-P -D*_COMPILER=* -D*_LAUNCHER=* -DCMAKE_MAKE_PROGRAM*',
    loads: '-C -S',
    writes: '-B --graphviz --trace-redirect',
  }),
  row('docker compose, docker-compose', {loads: '-f --file --project-directory --env-file'}),
  row('pip, pip3', {
    runs: '--python --global-option --install-option --build-option',
    writes: '-t --target --prefix --root --log --src',
    loads: '-e --editable -r --requirement -c --constraint',
  }),
  row('npm install, npm i, npm add, npm uninstall, npm link, pnpm add, pnpm install, pnpm remove', {
    runs: '-g --global --location',
  }),
  row('yarn', {runs: 'global'}),
  row('psql', {loads: '-f --file', writes: '-o --output -L --log-file', valued: '-c -d -h -p -U -v -F -R -T -P'}),
  row('sqlite3', {loads: '-init'}),
  row('ssh-keygen, ssh-add', {runs: '-D -s'}),
  row('gpg, gpg2, openssl', {
    runs: '-engine -provider --gpgconf',
    writes: '-o --output -out -keyout --status-file --logger-file',
  }),
  row('pandoc', {runs: '--filter -F --lua-filter -L --pdf-engine', writes: '-o --output'}),
  row('strace, ltrace, perf', {writes: '-o --output'}),
  row('time, gtime', {writes: '-o --output'}),
  row('date', {runs: '-s --set'}),
  row('jq, yq', {writes: '-s --split-exp', loads: '-f --from-file -L'}),
  row('terraform, tofu', {loads: '-chdir*', writes: '-out -state-out -backup', runs: '-plugin-dir'}),
];
