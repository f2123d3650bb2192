#!/bin/sh
':' //; command -v node >/dev/null || { echo 'weft needs Node.js 22.13 or newer, and PATH has no node. Install Node.js and try again.' >&2; exit 2; }; if [ -r /proc/self/status ]; then while read -r key value; do case $key in SigIgn:) export WEFT_IGNORED_SIGNALS="$value"; break;; esac; done </proc/self/status; else export WEFT_IGNORED_SIGNALS="$(trap)"; fi; exec node --max-semi-space-size=1 "$0" "$@"
// The line above is for the shell alone. It notes which signals are ignored, which Node forgets when it starts; it costs no more
// time than `env node` would. V8 collects new objects after one megabyte: what of them is alive is little, and more room costs memory
// (113 MiB instead of 135 after an answer of 300 kB) but saves no time. V8 takes that option only when it starts.
// Runs under any Node, old ones included: what an old one lacks must not be imported by name.
import module from 'node:module';

// Not imported: that would read each export of the module, and some of them load others.
const {existsSync, readFileSync} = module.createRequire(import.meta.url)('node:fs');

const [major, minor] = process.versions.node.split('.').map(Number);
const root = new URL('..', import.meta.url);
const program = new URL('dist/weft.js', root);

if (major < 22 || (major === 22 && minor < 13)) {
  process.stderr.write(
    `weft needs Node.js 22.13 or newer; this is ${process.versions.node}. Install a newer Node.js and try again.\n`,
  );
  process.exitCode = 2;
} else if (process.platform === 'win32') {
  process.stderr.write('weft does not run on Windows itself. Install WSL (`wsl --install`), and install weft there.\n');
  process.exitCode = 2;
} else if (process.versions.pnp) {
  process.stderr.write(
    "weft does not run under Yarn's Plug'n'Play, which replaces Node's functions for files. Install weft with npm, and run it outside of yarn.\n",
  );
  process.exitCode = 2;
} else if (process.argv.length === 3 && /^(?:--version|-V)$/.test(process.argv[2])) {
  process.stdout.write(`${JSON.parse(readFileSync(new URL('package.json', root), 'utf8')).version}\n`);
} else if (existsSync(program)) {
  // Started by `node`, without the options above: the Agent SDK and editors do so.
  if (!process.execArgv.includes('--max-semi-space-size=1'))
    module.createRequire(program)('node:v8').setFlagsFromString('--semi-space-growth-factor=1');
  module.createRequire(program)('./weft.js').runProgram();
} else {
  process.stderr.write('weft is not built yet: run `npm run build` in its folder.\n');
  process.exitCode = 2;
}
