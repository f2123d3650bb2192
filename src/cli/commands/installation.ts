import type {Command} from 'commander';
import {exitCode, exiting, type ExitCode} from '../../app/exit-code.ts';
import {print} from '../../app/output.ts';
import {version} from '../../app/version.ts';
import {existsSync, realpathSync} from 'node:fs';
import {dirname, join, win32} from 'node:path';
import {userPlaces} from '../../app/user-data.ts';

/** `weft version`, `weft update` and `weft uninstall`. */
export function add(command: Command): void {
  command.action(
    exiting(async () => {
      const name = command.name();
      if (name === 'update') return printUpdate();
      if (name === 'uninstall') return printRemoval();
      print(`${version}\n`);
      return exitCode.done;
    }),
  );
}

function printUpdate(): ExitCode {
  const {place, update} = thisInstallation();
  const source = update.includes('PACKAGE') ? packageLines : [];
  printLines([`weft ${version}, ${place}`, `Update it: ${update}`, ...source]);
  return exitCode.done;
}

function printRemoval(): ExitCode {
  const {place, remove} = thisInstallation();
  const {config, data} = userPlaces();
  printLines([
    `weft ${version}, ${place}`,
    'Remove saved API keys: weft logout',
    `Remove it: ${remove}`,
    `Settings and sessions stay in ${[...new Set([config, data])].join(' and ')}. To remove them, delete these folders.`,
  ]);
  return exitCode.done;
}

const packageLines = [
  'PACKAGE is what you installed weft from: a .tgz file, a folder or a git URL.',
  'weft is not in the npm registry. The package named weft there is another program.',
];

function thisInstallation(): Installation {
  const root = dirname(dirname(realpathSync(process.argv[1] ?? '')));
  return installationOf({
    root,
    nodePrefix: process.platform === 'win32' ? dirname(process.execPath) : dirname(dirname(process.execPath)),
    isCheckout: existsSync(join(root, 'src', 'cli', 'main.ts')),
  });
}

const printLines = (lines: readonly string[]): void => print(lines.map(line => `${line}\n`).join(''));

interface Installation {
  /** How or where weft is installed, to complete a sentence that begins with `weft 1.2.3, `. */
  readonly place: string;
  /** A command for the user. PACKAGE in it means the source that weft was installed from. */
  readonly update: string;
  readonly remove: string;
}

/** Package managers, by a part of the path of their global packages. */
const managers: readonly (readonly [path: RegExp, name: string, update: string, remove: string])[] = [
  [/\/(?:pnpm\/global|global\/[^/]+\/\.pnpm)\//u, 'pnpm', 'pnpm add --global PACKAGE', 'pnpm remove --global weft'],
  [/\/yarn\/global\//u, 'Yarn', 'yarn global add PACKAGE', 'yarn global remove weft'],
  [/\/\.bun\/install\/global\//u, 'Bun', 'bun add --global PACKAGE', 'bun remove --global weft'],
  [/\/\.volta\//u, 'Volta', 'volta install PACKAGE', 'volta uninstall weft'],
];

/** Programs that run a package from a cache, which has a folder for each package. */
const runners: readonly (readonly [cache: RegExp, name: string])[] = [
  [/^.*\/_npx\/[^/]+/u, 'npx'],
  [/^.*\/pnpm\/dlx\/[^/]+/u, 'pnpm dlx'],
  [/^.*\/bunx-[^/]+/u, 'bunx'],
];

/**
 * Detects from the program's folder how it was installed. `nodePrefix` is npm's default prefix: the folder with `bin/node`, or with
 * `node.exe`.
 */
export function installationOf({
  root,
  nodePrefix,
  isCheckout,
}: {
  readonly root: string;
  readonly nodePrefix: string;
  readonly isCheckout: boolean;
}): Installation {
  const path = root.replaceAll(win32.sep, '/');
  if (isCheckout)
    return {
      place: `running from source in ${root}`,
      update: `in ${root}: git pull && npm ci && npm run build`,
      remove: `npm uninstall --global weft, if you ran npm link; then delete ${root}`,
    };
  for (const [cache, name] of runners) {
    const folder = cache.exec(path)?.[0];
    if (folder !== undefined) return {place: `run by ${name}`, update: `${name} PACKAGE`, remove: `delete ${folder}`};
  }
  for (const [part, name, update, remove] of managers)
    if (part.test(path)) return {place: `installed by ${name}`, update, remove};
  const prefix = /^(.*?)(?:\/lib|(?<=\/npm|\/nodejs))\/node_modules\/weft$/u.exec(path)?.[1];
  if (prefix !== undefined) {
    const where = prefix === nodePrefix.replaceAll(win32.sep, '/') ? '' : ` --prefix "${prefix}"`;
    return {
      place: `installed by npm in ${prefix}`,
      update: `npm install --global${where} PACKAGE`,
      remove: `npm uninstall --global${where} weft`,
    };
  }
  const project = /^(.*?)\/node_modules\//u.exec(path)?.[1];
  const manager = path.includes('/node_modules/.pnpm/') ? 'pnpm' : 'npm';
  return project === undefined
    ? {place: `in ${root}`, update: 'replace this folder with that of PACKAGE', remove: `delete ${root}`}
    : {
        place: `installed in the project ${project}`,
        update: `in ${project}: ${manager} add PACKAGE`,
        remove: `in ${project}: ${manager} remove weft`,
      };
}
