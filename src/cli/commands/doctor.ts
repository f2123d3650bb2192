import type {Command} from 'commander';
import {exitCode, type ExitCode, exiting} from '../../app/exit-code.ts';
import {print} from '../../app/output.ts';
import {jsonFlag, type JsonOption} from '../flags.ts';
import {printDocument} from '../rows.ts';

export function add(command: Command): void {
  command.option(...jsonFlag).action(exiting(doctor));
}

/**
 * `weft doctor`: prints what works on this machine, one line each, or one object with `--json`. It calls no servers except MCP servers,
 * and changes nothing. The exit code is 1 if something that weft needs does not work.
 */
async function doctor({json}: JsonOption): Promise<ExitCode> {
  const {examine, lineOf} = await import('../../app/diagnostics.ts');
  const checks = await examine();
  const failed = checks.some(({state}) => state === 'failed');
  if (json === undefined) print(checks.map(lineOf).join(''));
  else printDocument({ok: !failed, checks});
  return failed ? exitCode.failed : exitCode.done;
}
