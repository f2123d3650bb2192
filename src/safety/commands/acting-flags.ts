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
  /** Options of one letter that take a value; what follows in the same word is that value. `*`: letters never share a word. */
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
  row('rg', {runs: '--pre --hostname-bin', valued: '-A -B -C -d -e -f -g -j -m -M -r -t -T -E'}),
  row('ag, ack', {runs: '--pager', loads: '--ackrc'}),
  row('ugrep, ug', {runs: '--filter --pager --view', loads: '--config', valued: '-A -B -C -e -f -g -m -t -O'}),
  row('fzf, sk', {runs: '--preview --bind --with-shell --become', loads: '--history'}),
  row('bat, batcat', {runs: '--pager --paging-command'}),
  row('man', {
    runs: '-P --pager -H --html',
    loads: '-C --config-file',
    valued: '-L -m -M -p -r -R -s -S',
    long: 'abbreviated',
  }),
  row('less, more', {
    runs: '-k --lesskey-file --lesskey-src --lesskey-content +*',
    writes: '-o -O --log-file --LOG-FILE',
  }),
  row('vi, vim, nvim, view, ex', {runs: '-c --cmd -S -s -u -U -i -l --startuptime +*', valued: '-p -t -T -w -W'}),
  row('emacs, emacsclient', {runs: '-f -l -x --eval --execute --funcall --load --script --insert'}),
  row('diff, sdiff, diff3, colordiff, delta', {
    runs: '--diff-program --pager',
    writes: '-o --output',
    long: 'abbreviated',
  }),
  row('tar, gtar, bsdtar', {
    runs: '--to-command --use-compress-program -I --checkpoint-action --info-script --new-volume-script -F --rsh-command --rmt-command -P --absolute-names',
    writes: '--index-file',
    valued: '-f -C -T -X -b',
    long: 'abbreviated',
  }),
  row('cpio', {runs: '--rsh-command --rmt-command', writes: '-O', valued: '-C -D -E -F -H -I -R', long: 'abbreviated'}),
  row('zip', {runs: '-TT --unzip-command'}),
  row('ar, nm, ranlib, strip, objdump', {
    runs: '--plugin',
    writes: '-o --output',
    valued: '-F -K -N -R -b -j -l -m -t',
  }),
  row('rsync', {runs: '-e --rsh --rsync-path -M --remote-option', writes: '--log-file --write-batch'}),
  row('ssh, scp, sftp', {
    runs: '-S -o -D -I ProxyCommand= LocalCommand=',
    loads: '-F -b',
    writes: '-E',
    valued: '-i -l -p -P -c -J',
  }),
  row('sshfs, autossh, mosh', {runs: '-o -F -S --ssh --client --server ssh_command=', valued: '-p -M'}),
  row('curl', {
    runs: '--engine',
    loads: '-K --config',
    writes:
      '*%output{* -o --output -D --dump-header -c --cookie-jar --trace --trace-ascii --stderr --libcurl --etag-save --hsts --alt-svc --output-dir --trace-config --ssl-sessions',
    valued: '-A -b -d -e -E -F -H -m -P -Q -r -T -u -U -w -x -X -y -Y -z -C -t',
  }),
  row('wget', {
    runs: '--use-askpass -e --execute --config',
    writes:
      '-O --output-document -o --output-file -a --append-output --save-cookies -P --directory-prefix --warc-file --warc-tempdir --rejected-log --hsts-file --certs-dir',
    valued: '-t -T -w -Q -U -l -A -R -D -I -X -i -B',
    long: 'abbreviated',
  }),
  row('aria2c', {
    runs: '--on-download-* --on-bt-*',
    loads: '--conf-path -i --input-file',
    writes: '-d --dir -o --out -l --log --save-session --save-cookies',
    valued: '-j -k -m -s -t -T -U -x -Z',
  }),
  row('yt-dlp, youtube-dl', {
    runs: '--exec* --downloader --external-downloader --netrc-cmd --ffmpeg-location --plugin-dirs --use-postprocessor --js-runtimes',
    loads: '--config-location* --load-info-json --batch-file -a',
    writes: '-o --output -P --paths --cache-dir --print-to-file --cookies',
    valued: '-f -N -r -R -S -u -p -I',
    long: 'abbreviated',
  }),
  row('socat, filan', {
    runs: 'exec:* system:* shell:*',
    writes: '-lf -r -R',
  }),
  row('nc, ncat, netcat', {
    runs: '-e -c --exec --sh-exec --lua-exec',
    writes: '-o --output --hex-dump',
    valued: '-g -G -i -I -m -O -p -q -s -T -V -w -W -x -X',
  }),
  row('git', {
    runs: '--upload-pack --receive-pack --exec --extcmd --ext-diff --textconv --open-files-in-pager --exec-path --config-env --template ext::*',
    writes: '--output',
    loads: '--git-dir --work-tree',
    long: 'abbreviated',
  }),
  row('git merge, git pull, git rebase, git cherry-pick, git revert', {
    runs: '-s*/* --strategy=*/*',
    valued: '-m -X -S -x -C',
  }),
  row('git send-email', {
    runs: '--sendmail-cmd --smtp-server --to-cmd --cc-cmd --header-cmd --smtp-server-option',
    long: 'abbreviated',
  }),
  row('git instaweb, git daemon, git hook, git filter-branch', {
    runs: 'run --httpd -d --browser -b --access-hook --*-filter* --setup',
  }),
  row('git cat-file', {runs: '--filters', long: 'abbreviated'}),
  row('git commit', {loads: '-t --template -F --file', valued: '-m -c -C -S -u', long: 'abbreviated'}),
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
      '--require --preload --node-arg --npm --onload-script --config.* --pnpmfile --global-pnpmfile --ignore-scripts=* --browser',
    loads: '--prefix -C --dir --cwd --workspace-dir --modules-folder --global-folder',
    writes: '--cache --logs-dir --tmp',
    long: 'abbreviated',
    doubleDash: 'ends',
  }),
  row('npm exec, npx', {runs: '-c', doubleDash: 'ends'}),
  row('bun', {runs: '-r -e -p --eval --print --shell', loads: '-c --config --env-file --tsconfig-override'}),
  row('deno', {
    runs: '-A --allow-* --preload --import --import-map --unsafely-* -P --permission-set --v8-flags',
    loads: '-c --config --lock --cert --env-file',
    writes: '--coverage --junit-path -o --output',
    valued: '-I -L -N -R -S -W -d',
  }),
  row('node, tsx, ts-node', {
    runs:
      '-e -p -r --eval --print --require --import --loader --experimental-loader --experimental-policy --inspect-brk --env-file ' +
      '--env-file-if-exists --test-global-setup --run --experimental-config-file --experimental-default-config-file ' +
      '--experimental-sea-config --build-sea --test-reporter=*.* --test-reporter=*/* --compiler --transpiler -C',
    loads:
      '--test-reporter --openssl-config --openssl-shared-config --icu-data-dir --snapshot-blob --build-snapshot --build-snapshot-config ' +
      '--tsconfig -P --project',
    writes:
      '--localstorage-file --tls-keylog --trace-event-file-pattern --report-directory --test-reporter-destination --cpu-prof-dir --heap-prof-dir --report-dir --redirect-warnings --diagnostic-dir',
  }),
  row('go', {
    runs: '-exec -toolexec -vettool --exec --toolexec --vettool -compiler --compiler *-extld* *-extar* *-linkmode*',
    writes:
      '-o -coverprofile -cpuprofile -memprofile -blockprofile -mutexprofile -trace -outputdir -test.coverprofile -test.cpuprofile',
    loads: '-C -overlay -modfile -pkgdir --overlay --modfile --pkgdir',
  }),
  row('go run, go install, go get', {runs: '*@*'}),
  row('go generate', {runs: '-run --run'}),
  row('dlv', {runs: 'exec attach connect replay --init', loads: '--wd', writes: '--output --log-dest'}),
  row('golangci-lint, staticcheck, gofumpt', {loads: '-c --config', writes: '--out* --output.*'}),
  row('cargo', {
    runs: '--config -Z',
    writes: '--target-dir --artifact-dir --out-dir --root',
    loads: '--manifest-path -C',
    doubleDash: 'ends',
  }),
  row('cargo nextest, cargo llvm-cov', {runs: '--tool-config-file', loads: '--config-file'}),
  row('cargo watch', {runs: '-s --shell --use-shell'}),
  row('rustc, rustdoc', {
    runs: '-C --codegen -Z --test-builder --test-builder-wrapper --runtool --test-runtool --extern -l',
    loads: '-L --sysroot --theme --html-in-header @*',
    writes: '-o --out-dir --emit',
    valued: '-A -D -F -W',
  }),
  row('make, gmake, ninja', {
    runs: '--eval -E SHELL= .SHELLFLAGS= MAKE= MAKEFLAGS= CC= CXX= LD= AR= RM= INSTALL= MAKEFILES= *=*$(* *=*${* *!=*',
    loads: '-C --directory -f --file --makefile -I --include-dir *=*',
    valued: '-j -l -o -W',
    long: 'abbreviated',
  }),
  row('just', {
    runs: '--shell --shell-arg --shell-command -c --command --chooser -g --global-justfile --clear-shell-args --cygpath',
    loads: '-f --justfile -d --working-directory --dotenv-path -E --tempdir',
    valued: '-s',
  }),
  row('task, go-task', {runs: '-g --global', loads: '-t --taskfile -d --dir', valued: '-C -I -o'}),
  row('gcc, g++, cc, c++, clang, clang++, gfortran, cpp', {
    runs: '-wrapper -B -fplugin* -specs* --specs* -Xclang -load -Xlinker -Wl,*plugin* -Wl,@* -fuse-ld=*/* --ld-path* -fpass-plugin* --config*',
    loads: '@* --gcc-toolchain* -iplugindir*',
    writes: '-o -MF -dumpdir -save-temps=*',
  }),
  row('ld, ld.bfd, ld.gold, ld.lld, gold, lld, mold', {
    runs: '-plugin -plugin-opt* --plugin* --load-pass-plugin* -run --run -I --dynamic-linker*',
    loads: '-T --script* -dT --default-script @* -c --mri-script',
    writes: '-o --output -Map* --Map*',
    valued: '-e -h -l -L -m -u -z',
  }),
  row('tsc', {
    writes: '--outDir --outFile --declarationDir --tsBuildInfoFile --generateTrace --generateCpuProfile -out',
    loads: '-p --project -b --build @*',
  }),
  row('eslint', {
    writes: '-o --output-file --cache-location --cache-file',
    loads: '-c --config --rulesdir --plugin --parser -f --format --resolve-plugins-relative-to',
  }),
  row('stylelint, biome, oxlint', {
    loads:
      '-c --config --config-path --config-basedir --custom-syntax --custom-formatter -f --formatter --js-plugin --plugin --tsconfig',
    writes: '-o --output-file --cache-location',
  }),
  row('prettier', {loads: '--plugin --config --plugin-search-dir', writes: '--cache-location'}),
  row('jest, vitest, mocha, ava', {
    loads:
      '-c --config --globalSetup --global-setup --globalTeardown --global-teardown --setupFiles --setup-files* --setupFilesAfterEnv ' +
      '--rootDir --root-dir --root --roots --projects --dir -r --require --reporter --reporters --testRunner --test-runner --runner ' +
      '--transform --testEnvironment --test-environment --env --environment --resolver --preset --testSequencer --test-sequencer ' +
      '--filter --watchPlugins --watch-plugins --prettierPath --prettier-path --dependencyExtractor --dependency-extractor ' +
      '--snapshotResolver --snapshot-resolver --snapshotEnvironment --testResultsProcessor --test-results-processor --modulePaths ' +
      '--moduleDirectories --moduleNameMapper --haste --pool --diff --workspace --sequence.* --coverage.* --browser.* --alias',
    writes:
      '--outputFile --outputFile.* --coverageDirectory --coverage.reportsDirectory --cacheDirectory --attachmentsDir',
  }),
  row('mocha', {
    runs: '-n --node-option --node-option=*',
    loads: '--file --import --loader -R -u --ui --package --opts --compilers',
    valued: '-f -g -j -O -s -t',
  }),
  row('vitest', {runs: '--execArgv --execArgv=* --exec-argv* --poolOptions* --pool-options* --typecheck.checker*'}),
  row('ava, tap, uvu, lab', {
    runs: '--node-arguments* --node-arg* -r --require',
    loads: '--config --plugin --import --before --after -c',
  }),
  row('playwright, cypress, wdio, karma', {
    loads: '-c --config -C --config-file --reporter --browser -b -P --project --ui-host -r',
    writes: '--output --trace',
    valued: '-g -j -k -x -e -s -p -q',
  }),
  row('nyc, c8', {
    loads: '-i -r --require --nycrc-path -c --config --cwd --temp-dir',
    writes: '--report-dir -t --temp-directory -o --reports-dir',
  }),
  row('webpack, rollup, vite, babel, swc, esbuild, gulp, grunt, postcss, lessc, sass, svgo, tailwindcss, parcel', {
    loads:
      '-c --config --configPlugin --config-file --config-name -p --plugin* --plugins --presets -f --gulpfile --gruntfile --tasks ' +
      '--npm --require -r --use -u --base --cwd --js --root-mode --inject* --load-path -I --parser --syntax --stringifier',
    writes: '-o -d --out-dir --out-file --outfile --outdir --dir --file --output* --outDir --cache-location',
  }),
  row('ctest', {
    runs: '-S --script -SP --script-new-process --build-and-test --launch --build-makeprogram --test-command --overwrite -DCTEST_*',
    loads: '--test-dir --preset',
    writes: '-O --output-log --output-junit',
  }),
  row('dotnet, msbuild', {
    runs: '-p:* /p:* -property:* --property:* -p --property --logger --logger:* -logger:* /logger:* /l:* -l -l:* @*',
    loads: '-s --settings --test-adapter-path --collect',
    writes: '-o --output --results-directory --artifacts-path',
  }),
  row('swift', {
    runs: '-Xlinker -Xswiftc -Xcc -Xcxx --toolset --swift-sdk --sdk --destination',
    loads: '--package-path --scratch-path',
  }),
  row('pytest, py.test', {
    runs:
      '--pdbcls -p --tx --px --ds --dc addopts= pythonpath= python_files= testpaths= usefixtures= cache_dir= log_file= required_plugins= ' +
      '-oaddopts=* -opythonpath=* -opython_files=* -olog_file=* --override-ini=addopts* --override-ini=python* --override-ini=log_file=* ' +
      '--override-ini=cache_dir* --override-ini=testpaths*',
    loads: '-c --rootdir --confcutdir --import-mode --config-file --cov-config',
    valued: '-k -m -n -o -r -W',
    writes:
      '--debug --durations-path --template --html:* html:* xml:* json:* lcov:* annotate:* --junitxml --junit-xml --log-file --basetemp --cov-report --resultlog --report-log --html --pastebin',
  }),
  row('tox, nox, invoke, inv, fab', {
    runs: '-x --override --force-python --extra-python -P --runner -S --shell',
    loads:
      '-c --conf -f --noxfile --workdir --work-dir --root -r --search-root --config --installpkg --envdir --discover',
    valued: '-e -k -m -s -t -H -i -p -T',
  }),
  row('mypy, pylint, flake8, ruff, black, isort, coverage, pyright, yapf, bandit, autopep8', {
    runs: '--python-executable --init-hook --pythonpath --install-types',
    loads:
      '--load-plugins --config-file --rcfile --config --append-config --settings-path --settings-file --sp --style --global-config ' +
      '--custom-typeshed-dir --shadow-file --project --venvpath --venv-path --typeshedpath -c --ini',
    writes:
      '--output-file --html-report --xml-report --txt-report --junit-xml --cobertura-xml-report --any-exprs-report -o --output --cache-dir --data-file',
  }),
  row('pyright', {loads: '-p -v -t'}),
  row('sphinx-build', {runs: '-D', loads: '-c --conf-dir', valued: '-A -b -d -j -t -w', long: 'abbreviated'}),
  row('rspec, rubocop, cucumber', {
    runs: '--drb',
    loads: '-r --require -c --config -C -P -I -O --options -f --format --plugin --default-path --profile',
    writes: '-o --out',
    valued: '-e -t -p',
  }),
  row('ruby', {runs: '-e -r -I -C -x -S -E', valued: '-W -K -F -T -0 -i'}),
  row('rake', {
    runs: '-e -E -p --execute --execute-print --execute-continue --suppress-backtrace',
    loads: '-f --rakefile -r --require -I --libdir -R --rakelib --rakelibdir -C -g --system',
    valued: '-j -W -T -D -t',
  }),
  row('perl', {runs: '-e -E -M -m -I -d -x -C -n -p -i', valued: '-F -0 -D'}),
  row('prove', {
    runs: '-e --exec -P --source --harness --formatter -M -I',
    loads: '--rc --rules --state -a --archive',
    valued: '-j',
    long: 'abbreviated',
  }),
  row('php', {runs: '-d -r -B -R -F -E -z -S', loads: '-c -t -f'}),
  row('composer', {runs: '--with-all-plugins', loads: '-d --working-dir'}),
  row('phpstan, psalm, php-cs-fixer, phpcs', {
    runs: '-d',
    loads: '-c --config* --configuration -a --autoload-file --plugin --bootstrap --standard --runtime-set',
    writes: '--report-file* --cache-file',
  }),
  row('gawk, awk', {
    runs: '-E --exec -o/* -o..* -p/* -p..* -d/* -d..*',
    writes: '--pretty-print --profile --dump-variables',
    valued: '-F -v -f -e -i -l',
  }),
  row('java', {
    runs: '-javaagent:* -agentpath:* -agentlib:* -Xrun* -XX:OnError* -XX:OnOutOfMemoryError* -XX:Flags* -XX:VMOptionsFile* @* -Xbootclasspath* --source-launcher*',
    loads: '-cp -classpath --class-path -jar -p --module-path --patch-module --upgrade-module-path',
    valued: '*',
    writes: '-Xlog:*file=* -Xloggc:* -XX:HeapDumpPath* -XX:ErrorFile*',
  }),
  row('javac, kotlinc, kotlin, scalac, scala, groovyc, groovy', {
    runs: '-processor* --processor* -J* -Xplugin* -P -script -e -Xcompiler-plugin* -X*plugin* @*',
    loads: '-cp -classpath --class-path -sourcepath --module-path -bootclasspath --system -kotlin-home',
    valued: '*',
    writes: '-d -s -h',
  }),
  row('phpunit', {
    runs: '-d --prepend --extension --printer --loader',
    loads: '--bootstrap -c --configuration --include-path --cache-result-file',
    writes: '--log-junit --coverage-html --coverage-clover',
  }),
  row('kubectl, helm, oc, k3s', {
    runs: '--kubeconfig --post-renderer* --enable-exec* --enable-alpha-plugins* --enable-helm* --helm-command --exec-command --exec-arg --load-restrictor',
    loads: '--registry-config --repository-config --repository-cache --keyring',
    writes: '--cache-dir --output-dir --profile-output --output-directory -d --destination',
    valued: '-c -f -k -l -n -o -p -s -v',
  }),
  row('gradle, gradlew, mvn, mvnw', {
    runs: '-Dexec.* -Dmaven.ext* -DargLine* -Djvm* -Dorg.gradle.* -Djava.* -Dmaven.*.executable* -Dmaven.*.debug* -Dmaven.multiModule* --builder',
    loads:
      '-I --init-script -b --build-file -p --project-dir -f --file -s --settings -gs --global-settings -c --settings-file -g ' +
      '--gradle-user-home --include-build --project-cache-dir -t --toolchains -Dmaven.repo*',
    writes: '-l --log-file --write-verification-metadata',
    valued: '-D -P -q -x -T -pl',
  }),
  row('mvn, mvnw', {runs: 'exec:* antrun:* groovy*:* scripting:* *:*:*'}),
  row('ant', {
    runs: '-listener -logger -inputhandler -main -D*',
    loads: '-f -file -buildfile -lib -find -s -propertyfile',
    valued: '*',
    writes: '-l -logfile',
  }),
  row('sbt, lein, mill, clojure, clj', {
    runs: '-J* -D* eval* set* apply* *;* !* --java-home -java-home --addPluginSbtFile* -Sdeps -X* -e --eval @* -i',
    loads: '--sbt-dir --sbt-boot --ivy -sbt-dir -ivy --home --import',
  }),
  row('bazel, bazelisk, buck2', {
    runs: '--run_under* --workspace_status_command* --credential_helper* --host_jvm_args* --*_command* --test_env=PATH* --action_env=PATH* --shell_executable* --python_path* --spawn_strategy*',
    loads:
      '--bazelrc* --override_* --package_path* --output_base --output_user_root* --server_javabase* --isolation-dir',
    writes: '--profile --explain --build_event_* --execution_log_*',
  }),
  row('cmake', {
    runs: '-P -E -D*_COMPILER* -D*_LAUNCHER* -D*_EXECUTABLE* -D*_COMMAND* -D*_PROGRAM* -D*_RULE_* -D*_INCLUDE* -D*FLAGS*plugin* --open',
    loads: '-C -S --toolchain* -D*TOOLCHAIN_FILE* -D*_PATH* -D*_DIR* -D*_ROOT* --preset',
    valued: '-A -D -G -T -U -W',
    writes: '-B --graphviz --trace-redirect',
  }),
  row('meson', {
    runs: '--wrapper --wrap --gdb-path --suite-command',
    loads: '-C --native-file --cross-file --setup',
    writes: '--logbase --destdir',
    valued: '-D -j -t',
    long: 'abbreviated',
  }),
  row('docker, podman, nerdctl, buildah', {
    runs: '-H --host --context --connection --url',
    loads: '--config --tlscacert --tlscert --tlskey --cidfile',
    writes: '--iidfile --metadata-file',
  }),
  row('docker build, podman build, docker buildx, docker image, docker save, docker export, docker cp', {
    loads: '-f --file --build-context --secret --ssh',
    runs: '*dest=/* *dest=..* *dest=~*',
    writes: '-o --output',
  }),
  row('docker compose, docker-compose', {loads: '-f --file --project-directory --env-file'}),
  row('pip, pip3', {
    runs:
      '--python --global-option --install-option --build-option -C --config-settings* -i --index-url --extra-index-url --pypi-url ' +
      '--trusted-host --proxy',
    writes: '-t --target --prefix --root --log --src',
    loads: '-e --editable -r --requirement -c --constraint -f --find-links --build-constraint',
    long: 'abbreviated',
  }),
  row('uv, poetry, pdm, conda, mamba', {
    runs: '--python -p --index* --default-index* --extra-index-url --find-links -C --config-setting* --build-isolation* --with-editable',
    loads: '--config-file --directory --project -P --cache-dir --prefix --env-file --overrides',
    writes: '-o --output-file --target',
    valued: '-n -q -G -E',
  }),
  row('npm install, npm i, npm add, npm uninstall, npm link, pnpm add, pnpm install, pnpm remove', {
    runs: '-g --global --location',
  }),
  row('yarn', {runs: 'global'}),
  row('mysql, mariadb, mysqldump, mariadb-dump', {
    runs: '--pager* --plugin-dir* --init-command* --default-auth*',
    loads: '--defaults-file* --defaults-extra-file*',
    writes: '--tee* -r --result-file -T --tab',
    valued: '-D -e -h -p -P -S -u',
    long: 'abbreviated',
  }),
  row('psql', {loads: '-f --file', writes: '-o --output -L --log-file', valued: '-c -d -h -p -U -v -F -R -T -P'}),
  row('sqlite3, duckdb', {loads: '-init -f', runs: '-unsigned -unsafe*'}),
  row('ssh-keygen', {runs: '-D -s -w', valued: '-b -C -E -f -F -I -l -m -n -N -O -P -R -r -t -V -Y -z'}),
  row('ssh-add, ssh-agent', {runs: '-D -s -P', valued: '-E -t -H -h'}),
  row('gpg, gpg2, openssl', {
    runs: '-engine -provider* --gpgconf --agent-program --dirmngr-program --pinentry-program --photo-viewer --exec-path --load-extension',
    loads: '--homedir --options -config --trustdb-name --keyring',
    writes: '-o --output -out -keyout --status-file --logger-file',
  }),
  row('pandoc', {
    runs: '--filter -F --lua-filter -L --pdf-engine* *.lua',
    loads: '-d --defaults --data-dir --template',
    writes: '-o --output --log --extract-media',
    valued: '-f -t -r -w -M -V -T -H -B -A -c',
    long: 'abbreviated',
  }),
  row('tex, pdftex, latex, pdflatex, xelatex, lualatex, luatex, xetex, latexmk', {
    runs: '-shell-escape* --shell-escape* -enable-write18 --enable-write18 -cnf-line* --cnf-line* -lua* --lua* -e -pdflatex* -latex* -lualatex* -xelatex* -usepretex* -fmt* -translate-file*',
    loads: '-r -progname* -config*',
    writes: '-output-directory* --output-directory* -outdir* -auxdir* -jobname*',
  }),
  row('gs, gsx, ps2pdf', {runs: '-dNOSAFER -dDELAYSAFER -c *%pipe%* --permit-file-*', writes: '-sOutputFile* -o'}),
  row('exiftool', {
    runs: '-config -if* -api -execute* -stay_open -use',
    loads: '-@',
    valued: '*',
    writes: '-w* -W* -o -csv*',
  }),
  row('protoc', {
    runs: '--plugin*',
    loads: '-I --proto_path @*',
    writes: '--*_out* -o --descriptor_set_out --dependency_out',
  }),
  row('buf', {loads: '--template --config', writes: '-o --output'}),
  row('apt-get, apt, aptitude, apt-cache', {runs: '-o --option', loads: '-c --config-file --allow-*', valued: '-t -a'}),
  row('dpkg', {
    runs: '--pre-invoke* --post-invoke* --status-logger* --force-*',
    loads: '--root* --admindir* --instdir* --path-*',
    writes: '--log*',
  }),
  row('rpm, dnf, yum, zypper', {
    runs: '-E --eval -D --define --pipe --setopt* --plugin* --undefine',
    loads: '-c --config --rcfile --macros --load --dbpath --root --installroot --repofrompath --pluginpath',
    valued: '-p -f',
  }),
  row('pacman, yay', {loads: '--config --hookdir --dbpath -r --root --gpgdir --cachedir -b'}),
  row('nix, nix-build, nix-shell, nix-env', {
    runs: '--option --builders --plugin-files --expr --build-hook --post-build-hook --run --command -c --store --impure --override-input -I --include',
    loads: '-f --file',
    writes: '-o --out-link --profile',
    valued: '-j -L',
  }),
  row('xcodebuild', {
    runs: 'CC= CXX= LD= LDPLUSPLUS= SWIFT_EXEC= *=*plugin* -toolchain',
    loads: '-xcconfig -project -workspace *=*',
    writes: '-derivedDataPath -resultBundlePath -archivePath -exportPath',
  }),
  row('zig', {
    runs: '--test-cmd* --build-runner --test-runner -fno-emit-bin=* --libc',
    loads: '--build-file --zig-lib-dir --sysroot @*',
    writes: '-femit-*=* --cache-dir --global-cache-dir -p --prefix*',
  }),
  row('mix', {runs: '-e -r --require --formatter --eval --rpc-eval', valued: '-S'}),
  row('cabal, stack, ghc, ghci, runghc, hlint', {
    runs: '-w --with-* --ghc-option* --ghc-options* -pgm* -F -fplugin* -e --eval --test-wrapper* --exec -optF* -package-db* -ghci-script',
    loads: '--project-file* --stack-yaml* --config-file* --work-dir --builddir -package-env*',
    writes: '-o -odir -hidir -outputdir',
  }),
  row('dune, opam, ocamlfind, ocamlc, ocamlopt', {
    runs: '-pp -ppx --pp* -plugin -dllpath',
    loads: '--root --workspace -I',
    writes: '--build-dir -o',
  }),
  row('split', {runs: '--filter', writes: '--additional-suffix', valued: '-a -b -C -l -n -t', long: 'abbreviated'}),
  row('install, ginstall', {runs: '--strip-program', valued: '-g -m -o -S -t', long: 'abbreviated'}),
  row('patch', {
    runs: '-e --ed',
    loads: '-d --directory -i --input',
    writes: '-o --output -r --reject-file -B -Y -z',
    valued: '-b -D -F -g -p -V',
    long: 'abbreviated',
  }),
  row('dc', {runs: '*!*', loads: '-f --file', valued: '-e'}),
  row('ansible, ansible-playbook, ansible-inventory, ansible-console, ansible-pull', {
    runs: '-a --args -m --module-name -i --inventory* --vault-password-file --vault-id --become-password-file --connection-password-file -c --connection --*-common-args* --*-extra-args* --become-method -C -U',
    loads: '-M --module-path --playbook-dir',
    valued: '-e -f -l -t -u -T',
    long: 'abbreviated',
  }),
  row('aws, gcloud, az', {
    runs: '--profile --endpoint-url --flags-file --configuration --no-verify-ssl',
    loads: '--cli-input-* --ca-bundle --config',
  }),
  row('gh, glab', {runs: '-u --upload-pack* --shell core.* !* --config', valued: '-R -b -t -B -H -F -f -q -L -a -l'}),
  row('gh repo, glab repo', {runs: '-c --config -u --upload-pack'}),
  row('svn', {
    runs: '--diff-cmd --diff3-cmd --editor-cmd --config-option*',
    loads: '--config-dir',
    valued: '-c -F -m -r -x',
    long: 'abbreviated',
  }),
  row('hg', {
    runs: '--config --ssh -e --remotecmd -t --tool -p --program',
    loads: '-R --repository --cwd --debugger',
    writes: '-o --output',
  }),
  row('jj', {runs: '--config* --tool', loads: '-R --repository', valued: '-r -T -m'}),
  row('tmux', {
    runs: 'run run-shell if if-shell send send-keys pipep pipe-pane source source-file bind bind-key set-hook respawnp respawn-pane respawnw -f -S',
  }),
  row('strace, ltrace, perf', {writes: '-o --output'}),
  row('time, gtime', {writes: '-o --output'}),
  row('date', {runs: '-s --set'}),
  row('jq, gojq, jaq', {loads: '-f --from-file -L --library-path'}),
  row('yq', {runs: '-s --split-exp', writes: '-s --split-exp', loads: '-f --from-file -L --split-exp-file'}),
  row('terraform, tofu, terragrunt', {
    loads: '-chdir* --chdir* --working-dir* --terragrunt-config --config',
    writes: '-out -state -state-out -backup',
    runs: '-plugin-dir* -from-module* --tf-path',
  }),
];
