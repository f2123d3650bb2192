import {existsSync, realpathSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {userPlaces} from '../../../app/user-data.ts';
import {exitCode, type ExitCode} from '../../../app/exit-code.ts';
import {print} from '../../../app/output.ts';
import {version} from '../../../app/version.ts';
import {installationOf, type Installation} from './installation.ts';

/** `weft update`. */
export function printUpdate(): ExitCode {
  const {place, update} = thisInstallation();
  const source = update.includes('PACKAGE') ? packageLines : [];
  printLines([`weft ${version}, ${place}`, `Update it: ${update}`, ...source]);
  return exitCode.done;
}

/** `weft uninstall`. */
export function printRemoval(): ExitCode {
  const {place, remove} = thisInstallation();
  const {config, data} = userPlaces();
  printLines([
    `weft ${version}, ${place}`,
    'Remove kept API keys: weft logout',
    `Remove it: ${remove}`,
    `Settings and sessions stay in ${[...new Set([config, data])].join(' and ')}. To remove them, delete these folders.`,
  ]);
  return exitCode.done;
}

const packageLines = [
  'PACKAGE is what weft was installed from: a .tgz file, a folder or a git address.',
  "weft is not in npm's registry: the package called weft there is another program.",
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
