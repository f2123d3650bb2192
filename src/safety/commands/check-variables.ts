/** Variables that only change how the output of a command looks. */
export const plainVariable = /^(?:CI|FORCE_COLOR|NO_COLOR|TERM|COLUMNS|LANG|LC_ALL|TZ)=/u;

/**
 * Returns whether a variable before a check may put another program in its place, or let it check nothing: `PATH=/tmp/x`,
 * `LD_PRELOAD=x.so`, `MAKEFLAGS=-n`. Values of every day don't, such as `NODE_OPTIONS=--max-old-space-size=4096`.
 */
export function mayReplaceCheck(assignment: string): boolean {
  const [, name = '', value = ''] = /^(\w+)(?:\[[^\]]*\])?\+?=([^]*)$/u.exec(assignment) ?? [];
  const [, usual] = deciding.find(([names]) => names.test(name)) ?? [];
  if (usual === undefined) return false;
  // A new value often contains the old one: `$PATH`, `${NODE_OPTIONS:-}`.
  const own = new RegExp(String.raw`\$(?:${name}\b|\{${name}(?::?[-+]:?)?\})`, 'gu');
  const parts = value
    .replaceAll(/["']/gu, '')
    .replaceAll(own, '')
    .split(name.endsWith('PATH') ? /:/u : /\s+/u);
  return parts.some(part => part !== '' && !usual.test(part));
}

/** Folders in which people keep programs. */
export const programFolders =
  /^(?:(?!\/(?:var\/)?tmp\/)(?:[~.]?\/|\$\w+\/|\$\{\w+\}\/|\$\(pwd\)\/)?(?:[\w.@-]+\/)*(?:node_modules\/(?:\.bin|(?:@[\w.-]+\/)?[\w.-]+\/bin)|(?:\.?v?env|vendor|\.tox\/[\w.-]+)\/bin)|\$\(npm bin\)|(?:\/(?:usr|opt|snap|nix|Library)(?:\/[\w.@+-]+)*)?\/s?bin|(?:~|\$HOME|\$\{HOME\}|\/root|\/home\/\w+)\/(?:\.[\w-]+(?:\/[\w.-]+)*|go)\/(?:bin|shims))\/?$/u;
/** Folders of the workspace in which people keep modules. */
const moduleFolders =
  /^(?:(?:\.|\$PWD|\$\{PWD\}|\$\(pwd\))(?:\/|$))?(?:(?:[\w-]+\/)*(?:src|libs?|app|python|backend|tests?|node_modules)\/?)?$/u;
const nodeOptions =
  /^(?:--(?:max-(?:old|semi)-space-size|stack-size|stack-trace-limit|unhandled-rejections|dns-result-order|disable-warning|conditions)(?:=[\w-]+)?|--experimental-(?!.*(?:loader|config|test|sea))[\w-]+|--(?:no-(?:warnings|deprecation|experimental-strip-types)|throw-deprecation|trace-[\w-]+|enable-source-maps|openssl-legacy-provider|expose-gc|preserve-symlinks)|(?:--import|--require|-r|--loader)(?:=[\w@][\w@/-]*)?|[\w@][\w@/-]*)$/u;
const javaOptions =
  /^(?:-X[\w:+=.-]+|-D(?:file\.encoding|java\.awt\.headless|user\.\w+|org\.gradle\.[\w.]+)=[\w.-]+|-B|-q|-ntp|-T\w+)$/u;

/** Variables that decide which programs, modules or options a check gets, and the usual parts of their values. */
const deciding: readonly (readonly [names: RegExp, usual: RegExp])[] = [
  [/^PATH$/iu, programFolders],
  [/^(?:PYTHONPATH|NODE_PATH)$/u, moduleFolders],
  [/^NODE_OPTIONS$/u, nodeOptions],
  [/^(?:GNU)?(?:MAKE|M)FLAGS$/u, /^(?:-?[jskBw]*\d*|--jobs=\d+|--no-print-directory|--output-sync(?:=\w+)?)$/u],
  [/^GOFLAGS$/u, /^-(?:(?:mod|count|tags|buildvcs|p|timeout)=[\w,]+|race|v|trimpath|short)$/u],
  [
    /^PYTEST_ADDOPTS$/u,
    /^(?:-[qvxsln]+|-r\w+|--(?:color|tb|durations|maxfail|cov[\w-]*)(?:=[\w./-]+)?|\d+|auto|-p|no:\w+)$/u,
  ],
  [/^(?:_JAVA|JAVA|JAVA_TOOL|JDK_JAVA|MAVEN|GRADLE)_OPT(?:ION)?S$|^MAVEN_ARGS$/u, javaOptions],
  [
    /^(?:JAVA_HOME|GOROOT)$/u,
    /^(?:\/(?:usr|opt|Library)\/.*|(?:~|\$HOME|\$\{HOME\})\/\..*|\$\(\/usr\/libexec\/java_home|-v|[\d.]+\))$/u,
  ],
  [/^RUBYOPT$/u, /^-W[\w:-]*$/u],
  [/^(?:CC|CXX)$/u, /^(?:(?:cc|sc)ache|(?:\/usr\/bin\/)?[\w-]*(?:gcc|g\+\+|clang|clang\+\+|cc|c\+\+)(?:-\d+)?)$/u],
  [/^(?:CARGO_BUILD_)?RUSTC_WRAPPER$/u, /^sccache$/u],
  [/^npm_config_(?:loglevel|yes|color|cache|registry|fund|audit|progress|update_notifier|ignore_scripts)$/iu, /^/u],
  // These have no value of every day.
  [
    /^(?:(?:npm_config_|LD_|DYLD_|BASH_FUNC_).*|BASH_ENV|ENV|SHELLOPTS|BASHOPTS|PYTHONHOME|PYTEST_PLUGINS|PERL5(?:OPT|LIB)|RUBYLIB|MAKEFILES|CARGO|RUSTC|RUSTDOC|CARGO_HOME|CARGO_TARGET_\w+_RUNNER|DOTNET_STARTUP_HOOKS|BUN_OPTIONS|HOME)$/iu,
    /^$/u,
  ],
];
