import {spawn} from 'node:child_process';
import {once} from 'node:events';
import type {Command} from 'commander';
import {isNewer, latestVersion} from '../../app/daily-work.ts';
import {exitCode, exiting, type ExitCode, UsageError} from '../../app/exit-code.ts';
import {askYesNo, print} from '../../app/output.ts';
import {packageName, version} from '../../app/version.ts';
import {runnerOf} from '../../app/weft-command.ts';
import {existsSync, realpathSync} from 'node:fs';
import {homedir} from 'node:os';
import {dirname, join} from 'node:path';
import {userPlaces} from '../../app/user-data.ts';
import {programPath, userPath} from '../../workspace/exec/trusted-path.ts';

interface UpdateOptions {
  readonly yes?: true;
  readonly dryRun?: true;
}

/** `weft version`, `weft update` and `weft uninstall`. */
export function add(command: Command): void {
  const name = command.name();
  if (name === 'update')
    command.option('--yes', 'Update without a question').option('--dry-run', 'Print the command and run nothing');
  command.action(
    exiting(async (options: UpdateOptions) => {
      if (name === 'update') return runUpdate(options);
      if (name === 'uninstall') return printRemoval();
      print(`${version}\n`);
      return exitCode.done;
    }),
  );
}

/** Updates weft if there is a newer version, after a question. Without a terminal, only prints the command. */
async function runUpdate({yes, dryRun}: UpdateOptions): Promise<ExitCode> {
  const {place, update} = thisInstallation();
  const isCommand = update.kind === 'command';
  const latest = isCommand ? await latestVersion('awaited') : '';
  if (latest !== '' && !isNewer(latest, version)) {
    printLines([`weft ${version}, ${place}`, 'This is the newest version.']);
    return exitCode.done;
  }
  const text = isCommand ? update.words.map(word => (/\s/u.test(word) ? `"${word}"` : word)).join(' ') : update.text;
  printLines([
    `weft ${version}, ${place}`,
    ...(latest === '' ? [] : [`Newest version: ${latest}`]),
    `Update it: ${text}`,
  ]);
  if (!isCommand || dryRun === true || (yes !== true && !process.stdin.isTTY)) return exitCode.done;
  if (yes !== true && !(await askYesNo('Run it? [y/N] '))) return exitCode.done;
  const [program = '', ...args] = update.words;
  const path = programPath(program, userPath());
  if (path === undefined) throw new UsageError(`${program} is not on your PATH. Run the command where it is.`);
  // In a project, its settings would be read too.
  const child = spawn(path, args, {cwd: homedir(), stdio: 'inherit'});
  const [code] = await once(child, 'close');
  return code === 0 ? exitCode.done : exitCode.failed;
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

function thisInstallation(): Installation {
  const program = process.argv[1] ?? '';
  const root = dirname(dirname(realpathSync(program)));
  return installationOf({
    // pnpm links its global folder to a store that projects share.
    root: /\/global\/v\d+\//u.test(program) ? program : root,
    nodePrefix: dirname(dirname(process.execPath)),
    isCheckout: existsSync(join(root, 'src', 'cli', 'main.ts')),
  });
}

const printLines = (lines: readonly string[]): void => print(lines.map(line => `${line}\n`).join(''));

interface Installation {
  /** How or where weft is installed, to complete a sentence that begins with `weft 1.2.3, `. */
  readonly place: string;
  /** The command line of the package manager, or what only a person can do. */
  readonly update:
    | {readonly kind: 'command'; readonly words: readonly string[]}
    | {readonly kind: 'text'; readonly text: string};
  readonly remove: string;
}

const newest = `${packageName}@latest`;

/** Package managers, by a part of the path of their global packages, and their words to add and to remove one. */
const managers: readonly (readonly [path: RegExp, name: string, add: string, remove: string])[] = [
  [/\/(?:pnpm\/global|global\/[^/]+\/\.pnpm|global\/v\d+)\//u, 'pnpm', 'pnpm add --global', 'pnpm remove --global'],
  [/\/yarn\/global\//u, 'Yarn', 'yarn global add', 'yarn global remove'],
  [/\/\.bun\/install\/global\//u, 'Bun', 'bun add --global', 'bun remove --global'],
  [/\/\.volta\//u, 'Volta', 'volta install', 'volta uninstall'],
];

/** Detects from the program's folder how it was installed. `nodePrefix` is npm's default prefix: the folder with `bin/node`. */
export function installationOf({
  root,
  nodePrefix,
  isCheckout,
}: {
  readonly root: string;
  readonly nodePrefix: string;
  readonly isCheckout: boolean;
}): Installation {
  if (isCheckout)
    return {
      place: `running from source in ${root}`,
      update: {kind: 'text', text: `in ${root}: git pull && npm ci && npm run build`},
      remove: `npm uninstall --global ${packageName}, if you ran npm link; then delete ${root}`,
    };
  const runner = runnerOf(root);
  if (runner !== undefined) {
    const update = {kind: 'text', text: `${runner.name} ${newest}`} as const;
    return {place: `run by ${runner.name}`, update, remove: `delete ${runner.folder}`};
  }
  for (const [part, name, install, remove] of managers) {
    const update = {kind: 'command', words: [...install.split(' '), newest]} as const;
    if (part.test(root)) return {place: `installed by ${name}`, update, remove: `${remove} ${packageName}`};
  }
  const own = /^(.*)\/lib\/weft\/[^/]+$/u.exec(root)?.[1];
  if (own !== undefined) {
    const words = ['sh', `${root}/install.sh`, '--prefix', own];
    return {
      place: `installed by install.sh in ${own}`,
      update: {kind: 'command', words},
      remove: [...words, '--uninstall'].join(' '),
    };
  }
  const prefix = /^(.*?)(?:\/lib|(?<=\/npm|\/nodejs))\/node_modules\/(?:@[^/]+\/)?weft$/u.exec(root)?.[1];
  if (prefix !== undefined) {
    const where = prefix === nodePrefix ? [] : ['--prefix', prefix];
    return {
      place: `installed by npm in ${prefix}`,
      update: {kind: 'command', words: ['npm', 'install', '--global', ...where, newest]},
      remove: ['npm uninstall --global', ...where, packageName].join(' '),
    };
  }
  const project = /^(.*?)\/node_modules\//u.exec(root)?.[1];
  const manager = root.includes('/node_modules/.pnpm/') ? 'pnpm' : 'npm';
  return project === undefined
    ? {
        place: `in ${root}`,
        update: {kind: 'text', text: `replace this folder with that of ${newest}`},
        remove: `delete ${root}`,
      }
    : {
        place: `installed in the project ${project}`,
        update: {kind: 'text', text: `in ${project}: ${manager} add ${newest}`},
        remove: `in ${project}: ${manager} remove ${packageName}`,
      };
}
