import {isAbsolute} from 'node:path';
import {CommanderError} from 'commander';
import {causeText} from '../domain/fault.ts';
import {codeOfFailure, exitCode, setExitCode, type ExitCode} from '../app/exit-code.ts';
import {type MainOptions, outputFormats} from '../app/main-options.ts';
import {note, onStdoutFailure, printError, stdoutFlushed} from '../app/output.ts';
import {programFor} from './program.ts';
import {keepIgnoredSignals} from './signals.ts';

/** Runs the command line. Reports a thrown error as one line on stderr and an exit code. */
export async function main(): Promise<void> {
  keepIgnoredSignals(process.env);
  // With an empty or relative HOME, weft would take the settings of the current folder for the user's own.
  if (!isAbsolute(process.env['HOME'] ?? '/')) delete process.env['HOME'];
  onStdoutFailure(() => (process.exitCode ??= exitCode.failed));
  const args = withDebugFile(process.argv.slice(2));
  try {
    if (args[0] === '__complete') await (await import('./complete.ts')).printCompletions(args.slice(1));
    else await (await programFor(args)).parseAsync(args, {from: 'user'});
  } catch (cause) {
    const code = reportFailure(cause);
    setExitCode(code);
    // Only for errors of commander: once a run has begun, it reports its own failure.
    if (cause instanceof CommanderError && code !== exitCode.done) {
      const message = cause.message.replace(/^error: /u, '');
      await (await import('./run-main.ts')).printFailureResult(formatsIn(args), {message, code});
    }
  }
  await stdoutFlushed();
}

/** Replaces `--debug=FILE` by the option of the Agent SDK, because `--debug` takes no value. */
function withDebugFile(args: readonly string[]): readonly string[] {
  const end = args.indexOf('--');
  return args.map((arg, at) => (end < 0 || at < end ? arg.replace(/^--debug=/u, '--debug-file=') : arg));
}

/** Returns the formats that a command line asks for, even after the option at which commander stopped. */
function formatsIn(args: readonly string[]): Pick<MainOptions, 'outputFormat' | 'inputFormat'> {
  const valueOf = (option: string): string | undefined =>
    args.find((arg, index) => args[index - 1] === option || arg.startsWith(`${option}=`))?.replace(`${option}=`, '');
  const outputFormat = outputFormats.find(format => format === valueOf('--output-format'));
  return outputFormat === undefined
    ? {}
    : {outputFormat, inputFormat: valueOf('--input-format') === 'stream-json' ? 'stream-json' : 'text'};
}

function reportFailure(cause: unknown): ExitCode {
  // Commander has already printed the message.
  if (cause instanceof CommanderError) return cause.exitCode === 0 ? exitCode.done : exitCode.usage;
  const code = codeOfFailure(cause);
  note(causeText(cause));
  if (code === exitCode.usage) return code;
  if (process.argv.includes('--debug') && cause instanceof Error) {
    printError(`${(cause.cause instanceof Error ? cause.cause : cause).stack}\n`);
  }
  return code;
}
