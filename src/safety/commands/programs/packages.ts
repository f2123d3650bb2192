import {deed, program, type ProgramRow} from '../program-table.ts';
import {
  buildsProject,
  downloadsScripts,
  installs,
  publishes,
  reachesByTask,
  runsPackage,
  runsScript,
  runsTask,
  runsText,
} from './deeds.ts';

/** Files that choose which of several versions of a tool runs, and may name one of their own. */
const versionFiles = '.tool-versions mise.toml .mise.toml';

const ofNpm = {
  runs: `--script-shell --shell --node-options --call --editor --viewer --git --userconfig --globalconfig --use-yarnrc
    --init-module --require --preload --node-arg --npm --onload-script --config.* --pnpmfile --global-pnpmfile
    --ignore-scripts=* --browser`,
  writes: '--cache --logs-dir --tmp',
  loads: '--prefix -C --dir --cwd --workspace-dir --modules-folder --global-folder',
} as const;

const ofTox = {
  options: '-e=text -k=text -m=text -s=text -t=text -H=text -i=text -p=text -T=text',
  runs: '-x --override --force-python --extra-python -P --runner -S --shell',
  loads: `-c --conf -f --noxfile --workdir --work-dir --root -r --search-root --config --installpkg --envdir
    --discover`,
} as const;

const ofUv = {
  options: '-n=text -q=text -G=text -E=text',
  runs: `--python -p --index* --default-index* --extra-index-url --find-links -C --config-setting* --build-isolation*
    --with-editable`,
  writes: '-o --output-file --target',
  loads: '--config-file --directory --project -P --cache-dir --prefix --env-file --overrides',
} as const;

const ofAptGet = {
  options: '-t=text -a=text',
  runs: '-o --option',
  loads: '-c --config-file --allow-*',
} as const;

const ofRpm = {
  options: '-p=text -f=text',
  runs: '-E --eval -D --define --pipe --setopt* --plugin* --undefine',
  loads: '-c --config --rcfile --macros --load --dbpath --root --installroot --repofrompath --pluginpath',
} as const;

const ofPacman = {
  loads: '--config --hookdir --dbpath -r --root --gpgdir --cachedir -b',
} as const;

const ofNix = {
  options: '-j=text -L=text',
  runs: `--option --builders --plugin-files --expr --build-hook --post-build-hook --run --command -c --store --impure
    --override-input -I --include`,
  writes: '-o --out-link --profile',
  loads: '-f --file',
} as const;

const ofCabal = {
  runs: `-w --with-* --ghc-option* --ghc-options* -pgm* -F -fplugin* -e --eval --test-wrapper* --exec -optF*
    -package-db* -ghci-script`,
  writes: '-o -odir -hidir -outputdir',
  loads: '--project-file* --stack-yaml* --config-file* --work-dir --builddir -package-env*',
} as const;

const ofDune = {
  runs: '-pp -ppx --pp* -plugin -dllpath',
  writes: '--build-dir -o',
  loads: '--root --workspace -I',
} as const;

/** Package managers, and what runs programs of packages. */
export const packages: readonly ProgramRow[] = [
  program('npm', {
    ...ofNpm,
    scripts: '-c --call',
    does: [downloadsScripts, publishes, reachesByTask, runsScript],
    wraps: {behind: 'exec x dlx', flags: '-y --yes -q --quiet --no --no-install'},
    chosenBy: `${versionFiles} .npmrc`,
    can: 'run any package',
    is: 'subcommands verbs abbreviates ends-at-dashes',
  }),
  program('npx', {
    ...ofNpm,
    runs: `${ofNpm.runs} -c`,
    scripts: '-c --call',
    does: [runsPackage],
    wraps: {flags: '-y --yes -q --quiet --no --no-install'},
    chosenBy: `${versionFiles} .npmrc`,
    is: 'packages abbreviates ends-at-dashes',
  }),
  program('pnpm', {
    ...ofNpm,
    operands: 'module*',
    scripts: '-c --shell-mode',
    does: [downloadsScripts, publishes, reachesByTask, runsScript],
    wraps: {behind: 'exec x dlx', flags: '-y --yes -q --quiet --no --no-install'},
    can: 'run any package',
    is: 'subcommands verbs abbreviates ends-at-dashes',
  }),
  program('yarn', {
    ...ofNpm,
    operands: 'module*',
    runs: `${ofNpm.runs} global`,
    does: [
      deed('external', 'downloads packages and runs their scripts', {when: /^$/u}),
      downloadsScripts,
      publishes,
      reachesByTask,
      runsScript,
    ],
    wraps: {behind: 'exec x dlx', flags: '-y --yes -q --quiet --no --no-install'},
    can: 'run any package',
    is: 'subcommands verbs abbreviates ends-at-dashes',
  }),
  program('bun', {
    ...ofNpm,
    operands: 'module*',
    runs: `${ofNpm.runs} -r -e -p --eval --print --shell`,
    loads: `${ofNpm.loads} -c --config --env-file --tsconfig-override`,
    does: [downloadsScripts, publishes, reachesByTask, runsScript, runsText],
    wraps: {behind: 'exec x dlx', flags: '-y --yes -q --quiet --no --no-install'},
    chosenBy: versionFiles,
    is: 'code subcommands verbs own-words abbreviates ends-at-dashes',
  }),
  program('npm exec', {runs: '-c', is: 'packages ends-at-dashes'}),
  program('npm x, pnpm exec, pnpm x, yarn exec, yarn x, bun exec, bun x', {is: 'packages'}),
  program('npm config set, npm config edit, npm set, npm explore, npm init, npm create, npm innit', {is: 'runs-any'}),
  program('pnpm config set, pnpm set, pnpm create, yarn config set, yarn create, bun create', {is: 'runs-any'}),
  program('cargo', {
    runs: '--config -Z',
    writes: '--target-dir --artifact-dir --out-dir --root',
    loads: '--manifest-path -C',
    does: [publishes, deed('external', 'downloads packages', {when: /^(?:install|add|update|fetch)$/u}), buildsProject],
    chosenBy: `${versionFiles} rust-toolchain rust-toolchain.toml`,
    is: 'subcommands verbs ends-at-dashes',
  }),
  program('cargo nextest, cargo llvm-cov', {runs: '--tool-config-file', loads: '--config-file'}),
  program('cargo watch', {runs: '-s --shell --use-shell'}),
  program('tox', {...ofTox, does: [runsTask], wraps: {behind: 'exec x'}, is: 'tasks'}),
  program('nox', {...ofTox, does: [runsTask], is: 'tasks'}),
  program('invoke, inv, fab', {...ofTox}),
  program('composer', {
    runs: '--with-all-plugins',
    loads: '-d --working-dir',
    does: [installs],
    wraps: {behind: 'exec x'},
    is: 'subcommands',
  }),
  program('pip, pip3', {
    runs: `--python --global-option --install-option --build-option -C --config-settings* -i --index-url
      --extra-index-url --pypi-url --trusted-host --proxy`,
    writes: '-t --target --prefix --root --log --src',
    loads: '-e --editable -r --requirement -c --constraint -f --find-links --build-constraint',
    does: [installs],
    chosenBy: versionFiles,
    is: 'subcommands verbs abbreviates',
  }),
  program('uv', {
    ...ofUv,
    does: [installs],
    wraps: {behind: 'run', flags: '--frozen --locked --offline'},
    chosenBy: versionFiles,
    is: 'subcommands verbs',
  }),
  program('poetry, conda, mamba', {
    ...ofUv,
    does: [installs],
    wraps: {behind: 'run', flags: '--frozen --locked --offline'},
    is: 'subcommands verbs',
  }),
  program('pdm', {...ofUv, wraps: {behind: 'run', flags: '--frozen --locked --offline'}}),
  program('npm install, npm i, npm add, npm uninstall, npm link, pnpm add', {runs: '-g --global --location'}),
  program('pnpm install, pnpm remove', {runs: '-g --global --location'}),
  program('apt-get, apt', {...ofAptGet, does: [installs], is: 'subcommands verbs'}),
  program('aptitude, apt-cache', {...ofAptGet}),
  program('rpm, zypper', {...ofRpm}),
  program('dnf, yum', {...ofRpm, does: [installs], is: 'subcommands'}),
  program('pacman', {...ofPacman, does: [installs], is: 'subcommands'}),
  program('yay', {...ofPacman}),
  program('nix-build, nix-env', {...ofNix}),
  program('nix-shell', {...ofNix, scripts: '--run --command', is: 'runs-words'}),
  program('nix', {...ofNix, wraps: {behind: '-c --command --'}, is: 'subcommands'}),
  program('nix run, snap run, flatpak run', {is: 'runs-any'}),
  program('cabal, stack', {...ofCabal, wraps: {behind: 'exec x'}}),
  program('ghc, runghc, hlint', {...ofCabal}),
  program('ghci', {...ofCabal, is: 'code'}),
  program('dune, opam', {...ofDune, wraps: {behind: 'exec x'}}),
  program('ocamlfind, ocamlc, ocamlopt', {...ofDune}),
  program('npm unpublish, npm deprecate, cargo yank, gem yank', {
    does: [deed('destructive', 'takes back a published version')],
  }),
  program('gem', {
    does: [publishes, installs],
    wraps: {behind: 'exec x'},
    chosenBy: versionFiles,
    is: 'subcommands verbs',
  }),
  program('twine, vsce', {does: [publishes]}),
  program('bunx, pnpx', {
    does: [runsPackage],
    wraps: {flags: '-y --yes -q --quiet --no --no-install'},
    is: 'packages',
  }),
  program('uvx', {does: [runsPackage], wraps: {}}),
  program('pipx', {
    does: [runsPackage],
    wraps: {behind: 'run', flags: '--frozen --locked --offline'},
    chosenBy: versionFiles,
    is: 'subcommands',
  }),
  program('poetry run, pipenv run, pdm run, hatch run', {does: [deed('unknown', 'runs code from this project')]}),
  program('rye run, bundle exec, composer run', {does: [deed('unknown', 'runs code from this project')]}),
  program('composer test', {does: [deed('unknown', 'runs code from this project')]}),
  program('bundle', {does: [installs], wraps: {behind: 'exec x'}, is: 'subcommands verbs'}),
  program('brew, apk', {does: [installs], is: 'subcommands verbs'}),
  program('snap, flatpak, choco', {does: [installs]}),
  program('pipenv, micromamba, rye, hatch, volta, devbox, dotenvx, foreman, honcho, pixi, proto', {
    wraps: {behind: 'run', flags: '--frozen --locked --offline'},
  }),
  program('asdf, rbenv, pyenv, nodenv, fnm, jenv, rtx, lerna, nx', {wraps: {behind: 'exec x'}}),
  program('nvm, direnv', {wraps: {behind: 'exec', operands: 1}}),
  program('mise', {wraps: {behind: 'exec x --'}}),
  program('rustup', {
    wraps: {behind: 'run', operands: 1},
    chosenBy: `${versionFiles} rust-toolchain rust-toolchain.toml`,
    is: 'subcommands verbs',
  }),
];
