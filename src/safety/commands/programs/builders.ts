import {effectRule, program, type ProgramRow} from '../program-table.ts';
import {
  buildsProject,
  editsInPlace,
  formatsFiles,
  unknownInRepository,
  reachesByTask,
  runsTask,
  runsText,
  unknownEffect,
  versionFiles,
} from './effect-rules.ts';

const ofJest = {
  filters: '-t --testNamePattern --test-name-pattern --testnamepattern',
  writes: `--outputFile --outputFile.* --coverageDirectory --coverage.reportsDirectory --cacheDirectory
    --attachmentsDir`,
  loads: `-c --config --globalSetup --global-setup --globalTeardown --global-teardown --setupFiles --setup-files*
    --setupFilesAfterEnv --rootDir --root-dir --root --roots --projects --dir -r --require --reporter --reporters
    --testRunner --test-runner --runner --transform --testEnvironment --test-environment --env --environment
    --resolver --preset --testSequencer --test-sequencer --filter --watchPlugins --watch-plugins --prettierPath
    --prettier-path --dependencyExtractor --dependency-extractor --snapshotResolver --snapshot-resolver
    --snapshotEnvironment --testResultsProcessor --test-results-processor --modulePaths --moduleDirectories
    --moduleNameMapper --haste --pool --diff --workspace --sequence.* --coverage.* --browser.* --alias`,
} as const;

/** Compilers, interpreters, test runners, formatters and the like. */
export const builders: readonly ProgramRow[] = [
  program('ugrep, ug', {
    options: '-A=text -B=text -C=text -e=text -f=text -g=text -m=text -t=text -O=text',
    runs: '--filter --pager --view',
    loads: '--config',
  }),
  program('fzf, sk', {runs: '--preview --bind --with-shell --become', loads: '--history'}),
  program('bat', {runs: '--pager --paging-command', is: 'shows pages'}),
  program('batcat', {like: 'bat', is: 'shows'}),
  program('sdiff, diff3, colordiff, delta', {runs: '--diff-program --pager', writes: '-o --output', is: 'abbreviates'}),
  program('ar, nm, ranlib, strip, objdump', {
    options: '-F=text -K=text -N=text -R=text -b=text -j=text -l=text -m=text -t=text',
    runs: '--plugin',
    writes: '-o --output',
    is: 'abbreviates',
  }),
  program('yt-dlp, youtube-dl', {
    options: '-f=text -N=text -r=text -R=text -S=text -u=text -p=text -I=text',
    runs: `--exec* --downloader --external-downloader --netrc-cmd --ffmpeg-location --plugin-dirs --use-postprocessor
      --js-runtimes`,
    writes: '-o --output -P --paths --cache-dir --print-to-file --cookies',
    loads: '--config-location* --load-info-json --batch-file -a',
    is: 'abbreviates',
  }),
  program('deno', {
    checks: '!--no-run test:test types:check lint:lint script:task',
    filters: '--filter',
    options: '-I=text -L=text -N=text -R=text -S=text -W=text -d=text',
    runs: '-A --allow-* --preload --import --import-map --unsafely-* -P --permission-set --v8-flags',
    writes: '--coverage --junit-path -o --output',
    loads: '-c --config --lock --cert --env-file',
    edits: 'fmt !--check',
    does: [reachesByTask, runsText],
    chosenBy: versionFiles,
    is: 'code own-words',
  }),
  program('node, tsx, ts-node', {
    checks: '!-c !--check test:--test script:--run',
    filters: '--test-name-pattern --test-skip-pattern --test-only',
    runs: `-e -p -r --eval --print --require --import --loader --experimental-loader --experimental-policy
      --inspect-brk --env-file --env-file-if-exists --test-global-setup --run --experimental-config-file
      --experimental-default-config-file --experimental-sea-config --build-sea --test-reporter=*.* --test-reporter=*/*
      --compiler --transpiler -C`,
    writes: `--localstorage-file --tls-keylog --trace-event-file-pattern --report-directory
      --test-reporter-destination --cpu-prof-dir --heap-prof-dir --report-dir --redirect-warnings --diagnostic-dir`,
    loads: `--test-reporter --openssl-config --openssl-shared-config --icu-data-dir --snapshot-blob --build-snapshot
      --build-snapshot-config --tsconfig -P --project`,
    does: [runsText],
    chosenBy: versionFiles,
    is: 'code own-words',
  }),
  program('go', {
    checks: '!-n !-c !-list* !-run=^$ !-exec* test:test build:build lint:vet',
    filters: '-run -skip -test.run',
    runs: `-overlay --overlay -gccgoflags -exec -toolexec -vettool --exec --toolexec --vettool -compiler --compiler
      -fixtool --fixtool *-extld* *-extar* *-linkmode*`,
    writes: `-o -coverprofile -cpuprofile -memprofile -blockprofile -mutexprofile -trace -outputdir -test.coverprofile
      -test.cpuprofile`,
    loads: '-C -modfile -pkgdir --modfile --pkgdir',
    edits: 'fmt fix !-n',
    does: [effectRule('external', 'downloads packages', {when: /^(?:get|install|mod)$/u}), buildsProject],
    chosenBy: versionFiles,
    is: 'subcommands verbs',
  }),
  program('go run, go install, go get', {runs: '*@*'}),
  program('go generate', {runs: '-run --run'}),
  program('dlv', {runs: 'exec attach connect replay --init', writes: '--output --log-dest', loads: '--wd'}),
  program('golangci-lint, staticcheck, gofumpt', {
    checks: '!-w lint',
    writes: '--out* --output.*',
    loads: '-c --config',
  }),
  program('rustc', {
    checks: 'build',
    options: '-A=text -D=text -F=text -W=text',
    runs: '-C --codegen -Z --test-builder --test-builder-wrapper --runtool --test-runtool --extern -l',
    writes: '-o --out-dir --emit',
    loads: '-L --sysroot --theme --html-in-header @*',
    does: [unknownEffect],
    chosenBy: `${versionFiles} rust-toolchain rust-toolchain.toml`,
    is: 'data',
  }),
  program('rustdoc', {like: 'rustc'}),
  program('make, gmake', {
    checks: `!-n !-t !-q !-i !-v !-h !--recon !--touch !--question !--ignore-errors !--eval* !SHELL=* !.SHELLFLAGS=* !MAKEFLAGS=* !MAKE=*
      target build:`,
    options: '-j=text -l=text -o=text -W=text',
    runs: `
      --eval -E SHELL= .SHELLFLAGS= MAKE= MAKEFLAGS= CC= CXX= LD= AR= RM= INSTALL= MAKEFILES= *=*$(* *=*\${* *!=*
    `,
    loads: '-C --directory -f --file --makefile -I --include-dir *=*',
    does: [reachesByTask, runsTask],
    is: 'input tasks verbs abbreviates',
  }),
  program('ninja', {checks: '!-n !-t target build:', like: 'make', does: [runsTask], is: 'tasks abbreviates'}),
  program('just', {
    checks: '!-n !-l !-s !--show !--summary !--evaluate !--dump !--shell* target',
    options: '-s=text',
    runs: `--shell --shell-arg --shell-command -c --command --chooser -g --global-justfile --clear-shell-args
      --cygpath`,
    loads: '-f --justfile -d --working-directory --dotenv-path -E --tempdir',
    does: [reachesByTask, runsTask],
    is: 'tasks verbs',
  }),
  program('task', {
    checks: '!-n !-l !-a target',
    options: '-C=text -I=text -o=text',
    runs: '-g --global',
    loads: '-t --taskfile -d --dir',
    does: [reachesByTask, runsTask],
    is: 'tasks verbs',
  }),
  program('go-task', {checks: 'target', like: 'task'}),
  program('gcc, g++, cc, c++, clang, clang++', {
    checks: 'build',
    runs: `-wrapper -B -fplugin* -specs* --specs* -Xclang -load -Xlinker -Wl,*plugin* -Wl,@* -fuse-ld=*/* --ld-path*
    -fpass-plugin* --config*`,
    writes: '-o -MF -dumpdir -save-temps=*',
    loads: '@* --gcc-toolchain* -iplugindir*',
    does: [unknownEffect],
    is: 'data',
  }),
  program('gfortran, cpp', {like: 'gcc'}),
  program('ld', {
    options: '-e=text -h=text -l=text -L=text -m=text -u=text -z=text',
    runs: '-plugin -plugin-opt* --plugin* --load-pass-plugin* -run --run -I --dynamic-linker*',
    writes: '-o --output -Map* --Map*',
    loads: '-T --script* -dT --default-script @* -c --mri-script',
    does: [unknownEffect],
  }),
  program('ld.bfd, ld.gold, ld.lld, gold, lld, mold', {like: 'ld'}),
  program('tsc', {
    checks: '!-w !-v !--noCheck* !--clean types',
    writes: '--outDir --outFile --declarationDir --tsBuildInfoFile --generateTrace --generateCpuProfile -out',
    loads: '-p --project -b --build @*',
    does: [unknownEffect],
    chosenBy: versionFiles,
    is: 'data',
  }),
  program('eslint', {
    checks: '!--env-info lint',
    writes: '-o --output-file --cache-location --cache-file',
    loads: '-c --config --rulesdir --plugin --parser -f --format --resolve-plugins-relative-to',
    edits: '--fix',
    does: [formatsFiles],
    is: 'data',
  }),
  program('stylelint', {
    checks: 'lint',
    writes: '-o --output-file --cache-location',
    loads: `-c --config --config-path --config-basedir --custom-syntax --custom-formatter -f --formatter --js-plugin
    --plugin --tsconfig`,
    edits: '--fix',
  }),
  program('biome, oxlint', {
    checks: '!--write lint',
    like: 'stylelint',
    edits: '--write --fix --apply --apply-unsafe --fix-suggestions',
    does: [formatsFiles],
  }),
  program('prettier', {
    checks: 'lint:--check lint:-c lint:--list-different lint:-l',
    writes: '--cache-location',
    loads: '--plugin --config --plugin-search-dir',
    edits: '--write -w',
    does: [formatsFiles],
    is: 'data',
  }),
  program('jest, ava', {
    checks: 'test',
    ...ofJest,
    runs: '--node-arguments* --node-arg* -r --require',
    loads: `${ofJest.loads} --config --plugin --import --before --after -c`,
    is: 'data',
  }),
  program('vitest', {
    checks: '!bench !list !init !dev !watch test',
    ...ofJest,
    runs: '--execArgv --execArgv=* --exec-argv* --poolOptions* --pool-options* --typecheck.checker*',
    is: 'data',
  }),
  program('mocha', {
    checks: '!-w test',
    ...ofJest,
    filters: '-g --grep -f --fgrep',
    options: '-f=text -g=text -j=text -O=text -s=text -t=text',
    runs: '-n --node-option --node-option=*',
    loads: `${ofJest.loads} --file --import --loader -R -u --ui --package --opts --compilers`,
    is: 'data',
  }),
  program('tap, uvu, lab', {
    checks: 'test',
    runs: '--node-arguments* --node-arg* -r --require',
    loads: '--config --plugin --import --before --after -c',
  }),
  program('playwright, cypress', {
    checks: 'test:test test:run',
    filters: '-g --grep',
    options: '-g=text -j=text -k=text -x=text -e=text -s=text -p=text -q=text',
    writes: '--output --trace',
    loads: '-c --config -C --config-file --reporter --browser -b -P --project --ui-host -r',
    is: 'data',
  }),
  program('wdio, karma', {like: 'playwright'}),
  program('nyc, c8', {
    writes: '--report-dir -t --temp-directory -o --reports-dir',
    loads: '-i -r --require --nycrc-path -c --config --cwd --temp-dir',
  }),
  program(`webpack, rollup, vite, babel, swc, esbuild, gulp, grunt, postcss, lessc, sass, svgo, tailwindcss, parcel`, {
    checks: 'build:build',
    runs: '--watch.on*',
    writes: '-o -d --out-dir --out-file --outfile --outdir --dir --file --output* --outDir --cache-location',
    loads: `-c --config --configPlugin --config-file --config-name -p --plugin* --plugins --presets -f --gulpfile
      --gruntfile --tasks --npm --require -r --use -u --base --cwd --js --root-mode --inject* --load-path -I --parser
      --syntax --stringifier`,
  }),
  program('ctest', {
    checks: '!-N !--show-only* test',
    filters: '-R --tests-regex',
    runs: `-S --script -SP --script-new-process --build-and-test --launch --build-makeprogram --test-command
      --overwrite -DCTEST_*`,
    writes: '-O --output-log --output-junit',
    loads: '--test-dir --preset',
  }),
  program('dotnet', {
    checks: 'test:test build:build',
    filters: '--filter',
    runs: `-p:* /p:* -property:* --property:* -p --property --logger --logger:* -logger:* /logger:* /l:* -l -l:* @*`,
    writes: '-o --output --results-directory --artifacts-path',
    loads: '-s --settings --test-adapter-path --collect',
    does: [buildsProject],
    chosenBy: `${versionFiles} global.json`,
    is: 'verbs',
  }),
  program('msbuild', {checks: 'build', like: 'dotnet'}),
  program('swift', {
    checks: '!test=list test:test build:build',
    filters: '--filter',
    runs: '-Xlinker -Xswiftc -Xcc -Xcxx --toolset --swift-sdk --sdk --destination',
    loads: '--package-path --scratch-path',
    does: [buildsProject],
    chosenBy: versionFiles,
    is: 'verbs',
  }),
  program('pytest, py.test', {
    checks: '!--setup-plan !--setup-only !--fixtures* !--markers !--cache-show* test',
    filters: '-k',
    options: '-k=text -m=text -n=text -o=text -r=text -W=text',
    runs: `--pdbcls -p --tx --px --ds --dc addopts= pythonpath= python_files= testpaths= usefixtures= cache_dir=
      log_file= required_plugins= -oaddopts=* -opythonpath=* -opython_files=* -olog_file=* --cov-report=*:/* --cov-report=*:..* --cov-report=*:~* --override-ini=addopts*
      --override-ini=python* --override-ini=log_file=* --override-ini=cache_dir* --override-ini=testpaths*`,
    writes: `--debug --durations-path --template --html:* html:* xml:* json:* lcov:* annotate:* --junitxml --junit-xml
      --log-file --basetemp --cov-report --resultlog --report-log --html --pastebin`,
    loads: '-c --rootdir --confcutdir --import-mode --config-file --cov-config',
    is: 'data',
  }),
  program('mypy, flake8', {
    checks: 'lint',
    runs: '--python-executable --init-hook --pythonpath --install-types',
    writes: `--output-file --html-report --xml-report --txt-report --junit-xml --cobertura-xml-report --any-exprs-report
    -o --output --cache-dir --data-file`,
    loads: `--load-plugins --config-file --rcfile --config --append-config --settings-path --settings-file --sp --style
    --global-config --custom-typeshed-dir --shadow-file --project --venvpath --venv-path --typeshedpath -c --ini`,
    is: 'data abbreviates',
  }),
  program('ruff', {
    checks: '!-e lint:check lint:--check',
    like: 'mypy',
    edits: '--fix --fix-only --add-noqa format !--check !--diff',
    does: [unknownEffect, formatsFiles],
    is: 'data',
  }),
  program('black, isort', {
    checks: 'lint:--check lint:--check-only',
    like: 'mypy',
    edits: '* !--check !--check-only !--diff',
    does: [formatsFiles],
    is: 'data',
  }),
  program('yapf, autopep8', {like: 'mypy', edits: '-i --in-place', is: 'abbreviates'}),
  program('coverage, bandit', {like: 'mypy', is: 'abbreviates'}),
  program('pylint', {checks: 'lint', like: 'mypy', runs: '-f*.* --output-format*.*', is: 'data abbreviates'}),
  program('pyright', {checks: 'types', like: 'mypy', loads: `-p -v -t`}),
  program('sphinx-build', {
    options: '-A=text -b=text -d=text -j=text -t=text -w=text',
    runs: '-D',
    loads: '-c --conf-dir',
    is: 'abbreviates',
  }),
  program('rspec, rubocop', {
    checks: '@bin/rspec @bin/rubocop test',
    filters: '-e --example',
    edits: '-a -A -x --autocorrect --autocorrect-all --auto-correct --fix-layout',
    options: '-e=text -t=text -p=text',
    runs: '--drb',
    writes: '-o --out',
    loads: '-r --require -c --config -C -P -I -O --options -f --format --plugin --default-path --profile',
    is: 'data',
  }),
  program('cucumber', {checks: '@bin/cucumber test', like: 'rspec'}),
  program('ruby', {
    options: '-W=text -K=text -F=text -T=text -0=text -i=text',
    runs: '-e -r -I -C -x -S -E',
    does: [runsText],
    chosenBy: versionFiles,
    is: 'code',
  }),
  program('rake', {
    checks: '@bin/rake !-n !-P !-T* target',
    options: '-j=text -W=text -T=text -D=text -t=text',
    runs: '-e -E -p --execute --execute-print --execute-continue --suppress-backtrace',
    loads: '-f --rakefile -r --require -I --libdir -R --rakelib --rakelibdir -C -g --system',
    does: [reachesByTask, runsTask],
    is: 'tasks verbs',
  }),
  program('perl', {
    options: '-F=text -0=text -D=text -e=script -E=script -i?=edit',
    operands: 'script path*',
    instead: '-e -E',
    runs: '-e -E -M -m -I -d -x -C -n -p -i',
    does: [editsInPlace, runsText],
    chosenBy: versionFiles,
    is: 'code',
  }),
  program('prove', {
    checks: '!-D test',
    options: '-j=text',
    runs: '-e --exec -P --source --harness --formatter -M -I',
    loads: '--rc --rules --state -a --archive',
    is: 'abbreviates',
  }),
  program('php', {
    runs: '-d -r -B -R -F -E -z -S',
    loads: '-c -t -f',
    does: [runsText],
    chosenBy: versionFiles,
    is: 'code',
  }),
  program('phpstan, psalm, php-cs-fixer, phpcs', {
    checks: '!fix lint',
    runs: '-d',
    writes: '--report-file* --cache-file',
    loads: '-c --config* --configuration -a --autoload-file --plugin --bootstrap --standard --runtime-set',
  }),
  program('java', {
    runs: `-javaagent:* -agentpath:* -agentlib:* -Xrun* -XX:OnError* -XX:OnOutOfMemoryError* -XX:Flags*
      -XX:VMOptionsFile* @* -Xbootclasspath* --source-launcher*`,
    writes: '-Xlog:*file=* -Xloggc:* -XX:HeapDumpPath* -XX:ErrorFile*',
    loads: '-cp -classpath --class-path -jar -p --module-path --patch-module --upgrade-module-path',
    does: [unknownEffect],
    chosenBy: versionFiles,
    is: 'whole-options',
  }),
  program('javac', {
    checks: 'build',
    runs: '-processor* --processor* -J* -Xplugin* -P -script -e -Xcompiler-plugin* -X*plugin* @*',
    writes: '-d -s -h',
    loads: '-cp -classpath --class-path -sourcepath --module-path -bootclasspath --system -kotlin-home',
    does: [unknownEffect],
    chosenBy: versionFiles,
    is: 'whole-options',
  }),
  program('kotlinc, kotlin, scalac, groovyc, jar, javap', {like: 'javac', is: 'whole-options'}),
  program('scala', {like: 'javac', does: [unknownEffect], chosenBy: versionFiles, is: 'code whole-options'}),
  program('groovy', {like: 'javac', is: 'code whole-options'}),
  program('phpunit', {
    checks: 'test',
    filters: '--filter',
    runs: '-d --prepend --extension --printer --loader',
    writes: '--log-junit --coverage-html --coverage-clover',
    loads: '--bootstrap -c --configuration --include-path --cache-result-file',
  }),
  program('gradle, gradlew, mvn, mvnw', {
    checks: `@gradlew @mvnw !-m !-fn !--fail-never !--test-dry-run !-Dmaven.test.failure.ignore* !test:-DskipTests !test:-DskipTests=true
      !test:-Dmaven.test.skip !test:-Dmaven.test.skip=true !test:-x=test !test:--exclude-task=test target`,
    options: '-D=text -P=text -q=text -x=text -T=text -pl=text',
    runs: `-Dexec.* -Dmaven.ext* -DargLine* -Djvm* -Dorg.gradle.* -Djava.* -Dmaven.*.executable* -Dmaven.*.debug*
      -Dmaven.multiModule* --builder exec:* antrun:* groovy*:* scripting:* *:*:*`,
    writes: '-l --log-file --write-verification-metadata',
    loads: `-I --init-script -b --build-file -p --project-dir -f --file -s --settings -gs --global-settings -c
      --settings-file -g --gradle-user-home --include-build --project-cache-dir -t --toolchains -Dmaven.repo*`,
    does: [reachesByTask, runsTask],
    is: 'tasks verbs',
  }),
  program('ant', {
    checks: 'target',
    runs: '-listener -logger -inputhandler -main -D*',
    writes: '-l -logfile',
    loads: '-f -file -buildfile -lib -find -s -propertyfile',
    does: [runsTask],
    is: 'tasks whole-options',
  }),
  program('lein, mill', {
    checks: 'target',
    runs: `-J* -D* eval* set* apply* *;* !* --java-home -java-home --addPluginSbtFile* -Sdeps -X* -e --eval @* -i`,
    loads: '--sbt-dir --sbt-boot --ivy -sbt-dir -ivy --home --import',
  }),
  program('clojure, clj', {like: 'lein', is: 'runs-given'}),
  program('sbt, mix', {
    checks: 'target',
    like: 'lein',
    options: '-S=text',
    runs: '-r --require --formatter --rpc-eval',
    does: [buildsProject],
    is: 'verbs',
  }),
  program('bazel', {
    checks: '!--nobuild !--run_under* test:test build:build',
    runs: `--run_under* --workspace_status_command* --credential_helper* --host_jvm_args* --*_command* --test_env=PATH*
    --action_env=PATH* --shell_executable* --python_path* --spawn_strategy*`,
    writes: '--profile --explain --build_event_* --execution_log_*',
    loads: `--bazelrc* --override_* --package_path* --output_base --output_user_root* --server_javabase* --isolation-dir`,
    does: [runsTask],
    is: 'tasks',
  }),
  program('bazelisk, buck2', {checks: 'test:test build:build', like: 'bazel'}),
  program('cmake', {
    checks: 'build:--build',
    options: '-A=text -D=text -G=text -T=text -U=text -W=text',
    runs: `-P -E -D*_COMPILER* -D*_LAUNCHER* -D*_EXECUTABLE* -D*_COMMAND* -D*_PROGRAM* -D*_RULE_* -D*_INCLUDE*
      -D*FLAGS*plugin* --open`,
    writes: '-B --graphviz --trace-redirect',
    loads: '-C -S --toolchain* -D*TOOLCHAIN_FILE* -D*_PATH* -D*_DIR* -D*_ROOT* --preset',
    does: [runsTask],
  }),
  program('meson', {
    checks: 'test:test build:compile',
    options: '-D=text -j=text -t=text',
    runs: '--wrapper --wrap --gdb-path --suite-command',
    writes: '--logbase --destdir',
    loads: '-C --native-file --cross-file --setup',
    is: 'abbreviates',
  }),
  program('pandoc', {
    options: '-f=text -t=text -r=text -w=text -M=text -V=text -T=text -H=text -B=text -A=text -c=text',
    runs: '--filter -F --lua-filter -L --pdf-engine* *.lua',
    writes: '-o --output --log --extract-media',
    loads: '-d --defaults --data-dir --template',
    is: 'abbreviates',
  }),
  program('tex, pdftex, latex, pdflatex, xelatex, lualatex, luatex, xetex, latexmk', {
    runs: `-shell-escape* --shell-escape* -enable-write18 --enable-write18 -cnf-line* --cnf-line* -lua* --lua* -e
      -pdflatex* -latex* -lualatex* -xelatex* -usepretex* -fmt* -translate-file*`,
    writes: '-output-directory* --output-directory* -outdir* -auxdir* -jobname*',
    loads: '-r -progname* -config*',
  }),
  program('gs, gsx, ps2pdf', {runs: '-dNOSAFER -dDELAYSAFER -c *%pipe%* --permit-file-*', writes: '-sOutputFile* -o'}),
  program('exiftool', {
    runs: '-config -if* -api -execute* -stay_open -use',
    writes: '-w* -W* -o -csv*',
    loads: '-@',
    is: 'whole-options',
  }),
  program('protoc', {
    runs: '--plugin*',
    writes: '--*_out* -o --descriptor_set_out --dependency_out',
    loads: '-I --proto_path @*',
  }),
  program('buf', {writes: '-o --output', loads: '--template --config'}),
  program('dpkg', {
    runs: '--pre-invoke* --post-invoke* --status-logger* --force-*',
    writes: '--log*',
    loads: '--root* --admindir* --instdir* --path-*',
  }),
  program('xcodebuild', {
    checks: '!-n !-list !-dry-run !-showBuildSettings target',
    runs: 'CC= CXX= LD= LDPLUSPLUS= SWIFT_EXEC= *=*plugin* -toolchain',
    writes: '-derivedDataPath -resultBundlePath -archivePath -exportPath',
    loads: '-xcconfig -project -workspace *=*',
  }),
  program('zig', {
    checks: 'target',
    runs: '--test-cmd* --build-runner --test-runner -fno-emit-bin=* --libc',
    writes: '-femit-*=* --cache-dir --global-cache-dir -p --prefix*',
    loads: '--build-file --zig-lib-dir --sysroot @*',
    edits: 'fmt !--check',
    does: [buildsProject],
    chosenBy: versionFiles,
    is: 'verbs',
  }),
  program('gh repo, glab repo', {runs: '-c --config -u --upload-pack'}),
  program('jj', {
    options: '-r=text -T=text -m=text',
    runs: '--config* --tool',
    loads: '-R --repository',
    does: [unknownInRepository],
    is: 'subcommands text restores',
  }),
  program('jaq', {loads: '-f --from-file -L --library-path'}),
  program('python, python3', {
    checks: 'module:-m',
    options: '-m=module',
    does: [runsText],
    chosenBy: versionFiles,
    is: 'code',
  }),
  program('lua', {does: [runsText], chosenBy: versionFiles, is: 'code'}),
  program('pwsh', {does: [runsText], is: 'code'}),
  program('julia', {does: [unknownEffect], chosenBy: versionFiles, is: 'code'}),
  program('elixir', {does: [unknownEffect], chosenBy: versionFiles}),
  program('ffmpeg', {does: [unknownEffect]}),
  program('gofmt', {edits: '-w', does: [formatsFiles], is: 'data'}),
  program('rustfmt', {checks: 'lint:--check', edits: '* !--check', does: [formatsFiles], is: 'data'}),
  program('clang-format', {edits: '-i', does: [formatsFiles]}),
  program('oxfmt', {checks: 'lint:--check', edits: '* !--check', does: [formatsFiles]}),
  program('goimports, shfmt', {edits: '-w'}),
  program('stylua, sd', {edits: '* !--check'}),
  program('restic, borg, mlr, clang-tidy, nodemon, tsup, kustomize, pg_ctl', {
    runs: `--password-command --rsh --prepipe* --load --exec -x --onSuccess --helm-command --enable-helm --enable-exec
      --enable-alpha-plugins -p`,
    is: 'whole-options',
  }),
  program('gunicorn, commitlint, graphql-codegen, semantic-release', {
    loads: '-c --config -x --extends -r --require --plugins -p -e',
  }),
  program('pypy, ipython, nodejs, irb, luajit, tclsh, expect, rscript, r, jshell', {is: 'code'}),
];
