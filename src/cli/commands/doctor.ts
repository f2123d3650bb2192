import {exitCode, type ExitCode} from '../exit-code.ts';
import {examine, type Check} from '../doctor/examine.ts';
import type {JsonOption} from '../place-options.ts';
import {print, printJson} from '../say.ts';

/**
 * `weft doctor`: what works on this machine, one line each; `--json` prints one object. Nothing is sent anywhere and nothing is
 * changed. The exit code is 1 when something that weft needs does not work.
 */
export async function doctor({json}: JsonOption): Promise<ExitCode> {
  const checks = await examine();
  const failed = checks.some(({state}) => state === 'failed');
  if (json === undefined) print(checks.map(lineOf).join(''));
  else printJson(`${JSON.stringify({ok: !failed, checks}, undefined, 2)}\n`);
  return failed ? exitCode.failed : exitCode.done;
}

/** The same in words, one check a line. */
export const doctorText = async (): Promise<string> => (await examine()).map(lineOf).join('').trimEnd();

const marks = {ok: '✓', limited: '!', failed: '✗'} as const satisfies Record<Check['state'], string>;

const lineOf = ({name, state, detail, fix}: Check): string =>
  `${marks[state]} ${name.padEnd(9)} ${detail}${fix === '' ? '' : ` ${fix}`}\n`;
