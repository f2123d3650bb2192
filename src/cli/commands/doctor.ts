import type {Command} from 'commander';
import {exitCode, type ExitCode, exiting} from '../../app/exit-code.ts';
import {print} from '../../app/output.ts';
import {jsonFlag, type JsonOption} from '../flags.ts';
import {printDocument} from '../rows.ts';

export function add(command: Command): void {
  command.option(...jsonFlag).action(exiting(doctor));
}

/**
 * `weft doctor`: what works on this machine, one line each; `--json` prints one object. No server but those of
 * MCP is called, and nothing is changed. The exit code is 1 when something that weft needs does not work.
 */
async function doctor({json}: JsonOption): Promise<ExitCode> {
  const {examine, lineOf} = await import('../../app/diagnostics.ts');
  const checks = await examine();
  const failed = checks.some(({state}) => state === 'failed');
  if (json === undefined) print(checks.map(lineOf).join(''));
  else printDocument({ok: !failed, checks});
  return failed ? exitCode.failed : exitCode.done;
}
