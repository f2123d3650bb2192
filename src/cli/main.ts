import {CommanderError, type Command} from 'commander';
import {causeText} from '../domain/fault.ts';
import {exitCode, type ExitCode} from './exit-code.ts';
import {keepIgnoredSignals} from './ignored-signals.ts';
import {makeProgram, type Handlers, type MainOptions} from './program.ts';
import {note, onStdoutFailure, print, printError, stdoutFlushed} from './say.ts';
import {UsageError} from './usage-error.ts';
import {version} from './version.ts';

/**
 * The outermost edge: reads the command line, runs the command, and turns what was thrown into one line and an exit code. Each
 * command is loaded when it is called.
 */
export async function main(): Promise<void> {
  keepIgnoredSignals(process.env);
  onStdoutFailure(() => (process.exitCode = exitCode.failed));
  let code: ExitCode = exitCode.done;
  const handlers: Handlers = {
    main: async (prompt, options) => {
      await refuseNearMiss(prompt, {options, program});
      code = await (await import('./run-main.ts')).runMain(prompt, options);
    },
    demo: async options => {
      code = await (await import('./demo/run-demo.ts')).runDemo(options);
    },
    sessionsList: async options => {
      code = await (await import('./commands/sessions.ts')).listSessions(options);
    },
    sessionsShow: async (id, options) => {
      code = await (await import('./commands/sessions.ts')).showSession(id, options);
    },
    sessionsExport: async (id, options) => {
      code = await (await import('./commands/sessions.ts')).exportSession(id, options);
    },
    sessionsRewind: async (id, options) => {
      code = await (await import('./sessions/rewind-kept-session.ts')).rewindKeptSession(id, options);
    },
    sessionsDelete: async (id, options) => {
      code = await (await import('./commands/sessions.ts')).deleteSession(id, options);
    },
    ps: async options => {
      code = await (await import('./commands/ps.ts')).listRunning(options);
    },
    doctor: async options => {
      code = await (await import('./commands/doctor.ts')).doctor(options);
    },
    tasksDecode: async (file, options) => {
      code = await (await import('./commands/tasks.ts')).decodeTasks(file, options);
    },
    tasksWatch: async (file, options) => {
      code = await (await import('./commands/tasks.ts')).watchTasks(file, options);
    },
    tasksEncode: async (file, options) => {
      code = await (await import('./commands/tasks.ts')).encodeTasks(file, options);
    },
    tasksTransform: async (file, options) => {
      code = await (await import('./commands/tasks.ts')).transformTasks(file, options);
    },
    permissionsClasses: async options => {
      code = await (await import('./commands/permissions.ts')).listClasses(options);
    },
    permissionsCheck: async (words, options) => {
      code = await (await import('./commands/permissions.ts')).checkPermissions(words, options);
    },
    permissionsList: async options => {
      code = await (await import('./commands/permissions.ts')).listPermissions(options);
    },
    permissionsAdd: async (list, rule, options) => {
      code = await (await import('./commands/permissions.ts')).addPermission(list, rule, options);
    },
    permissionsRemove: async (list, rule, options) => {
      code = await (await import('./commands/permissions.ts')).removePermission(list, rule, options);
    },
    permissionsTrust: async options => {
      code = await (await import('./commands/permissions.ts')).trustFolder(options);
    },
    permissionsUntrust: async options => {
      code = await (await import('./commands/permissions.ts')).untrustFolder(options);
    },
    configGet: async (name, options) => {
      code = await (await import('./commands/config.ts')).getSetting(name, options);
    },
    configList: async options => {
      code = await (await import('./commands/config.ts')).listSettings(options);
    },
    configExplain: async (name, options) => {
      code = await (await import('./commands/config.ts')).explainOne(name, options);
    },
    configPath: async options => {
      code = await (await import('./commands/config.ts')).settingsPath(options);
    },
    configSet: async (name, value, options) => {
      code = await (await import('./commands/config.ts')).writeSetting(name, value, options);
    },
    configUnset: async (name, options) => {
      code = await (await import('./commands/config.ts')).removeSetting(name, options);
    },
    completion: async shell => {
      const {renderCompletion} = await import('./completion/render-completion.ts');
      print(renderCompletion(makeProgram(version, handlers), shell));
    },
  };
  const program = makeProgram(version, handlers);
  for (const command of [program, ...program.commands, ...program.commands.flatMap(({commands}) => commands)]) {
    command.exitOverride();
  }
  try {
    await program.parseAsync(process.argv);
  } catch (cause) {
    code = exitCodeOf(cause);
  }
  await stdoutFlushed();
  process.exit(code === exitCode.done ? (process.exitCode ?? code) : code);
}

/** A slip in the name of a command is not sent to a model; words given with --print are meant as a prompt. */
async function refuseNearMiss(
  words: readonly string[],
  {options, program}: {readonly options: MainOptions; readonly program: Command},
): Promise<void> {
  if (words.length === 0 || options.print !== undefined || options.prompt !== undefined) return;
  const {nearMiss} = await import('./near-miss.ts');
  const commands = program.commands.map(command => ({
    name: command.name(),
    parts: command.commands.map(part => part.name()),
  }));
  const meant = nearMiss(words, commands);
  if (meant === undefined) return;
  throw new UsageError(
    `There is no command "${words[0]}". Did you mean "weft ${meant}"? Where it is a prompt: weft --prompt "${words.join(' ')}"`,
  );
}

function exitCodeOf(cause: unknown): ExitCode {
  if (cause instanceof CommanderError) return cause.exitCode === 0 ? exitCode.done : exitCode.usage;
  if (cause instanceof Error && 'syscall' in cause && cause.syscall === 'uv_cwd') {
    note('the current folder is gone. Change to one that exists, or name one with --cwd.');
    return exitCode.usage;
  }
  note(causeText(cause));
  if (cause instanceof UsageError) return exitCode.usage;
  if (process.argv.includes('--debug') && cause instanceof Error) printError(`${cause.stack}\n`);
  return exitCode.failed;
}
