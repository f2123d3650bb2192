import {writeFileSync} from 'node:fs';
import type {Command} from 'commander';
import {exitCode, type ExitCode, exiting} from '../../app/exit-code.ts';
import {note, print} from '../../app/output.ts';
import {jsonFlag, type JsonOption} from '../flags.ts';
import {printDocument} from '../rows.ts';

interface DoctorOptions extends JsonOption {
  readonly report?: string;
}

export function add(command: Command): void {
  command
    .option(...jsonFlag)
    .option('--report <file>', 'Write a report to attach to a bug: checks, settings without secrets, and the log')
    .action(exiting(doctor));
}

/**
 * `weft doctor`: prints what works on this machine, one line each, or one object with `--json`. It calls no servers except MCP servers,
 * and changes nothing. `--report` writes a file for bug reports. The exit code is 1 if something that weft needs does not work.
 */
async function doctor({json, report}: DoctorOptions): Promise<ExitCode> {
  const {examine, lineOf} = await import('../../app/diagnostics.ts');
  const checks = await examine();
  const failed = checks.some(({state}) => state === 'failed');
  if (report !== undefined) {
    const {bugReport} = await import('../../app/bug-report.ts');
    // An existing file may be anything, so it is never replaced.
    writeFileSync(report, bugReport(checks.map(lineOf)), {flag: 'wx', mode: 0o600});
    note(`wrote ${report}: read it before you share it`);
    return exitCode.done;
  }
  if (json === undefined) print(checks.map(lineOf).join(''));
  else printDocument({ok: !failed, checks});
  return failed ? exitCode.failed : exitCode.done;
}
