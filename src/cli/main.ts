import {CommanderError} from 'commander';
import {causeText} from '../domain/fault.ts';
import {exitCode, setExitCode, UsageError, type ExitCode} from './exit-code.ts';
import {note, onStdoutFailure, printError, stdoutFlushed} from './output.ts';
import {makeProgram} from './program.ts';
import {keepIgnoredSignals} from './signals.ts';

/** Runs the command line, and turns what was thrown into one line on stderr and an exit code. */
async function main(): Promise<void> {
  keepIgnoredSignals(process.env);
  onStdoutFailure(() => (process.exitCode ??= exitCode.failed));
  try {
    const [, , command, kind = '', before = ''] = process.argv;
    if (command === '__complete')
      await (await import('./commands/completion/candidates.ts')).printCandidates(kind, before);
    else await makeProgram().parseAsync(process.argv);
  } catch (cause) {
    setExitCode(reportFailure(cause));
  }
  await stdoutFlushed();
  process.exit();
}

function reportFailure(cause: unknown): ExitCode {
  // Commander has written what there is to say.
  if (cause instanceof CommanderError) return cause.exitCode === 0 ? exitCode.done : exitCode.usage;
  if (cause instanceof Error && 'syscall' in cause && cause.syscall === 'uv_cwd') {
    note('the current folder no longer exists. Change to another one, or use --cwd.');
    return exitCode.usage;
  }
  note(causeText(cause));
  if (cause instanceof UsageError) return exitCode.usage;
  if (process.argv.includes('--debug') && cause instanceof Error) {
    printError(`${(cause.cause instanceof Error ? cause.cause : cause).stack}\n`);
  }
  return exitCode.failed;
}

await main();
