import {basename, extname} from 'node:path';
import type {DecideChanges} from '../../actions/changes-port.ts';
import {failed, type Outcome} from '../../base/outcome.ts';
import type {Confinement} from '../../domain/risk.ts';
import {askUnattended} from './host-gate.ts';
import {type EnclosedEnd, runEnclosed} from './run-enclosed.ts';
import type {CommandSandbox} from './sandbox.ts';

/** Runs commands and script files for programs that drive weft. Each runs to its end, without a terminal and with bounded output. */
export interface SandboxExec {
  /** Runs a shell command. A failure says why nothing was started. */
  exec(
    request: {readonly command: string; readonly timeoutMs: number},
    signal: AbortSignal,
  ): Promise<Outcome<EnclosedEnd, string>>;
  /** Runs a script with the interpreter for its file extension. While it runs, the script is in a temporary folder. */
  runFile(
    request: {
      readonly name: string;
      readonly contents: Uint8Array;
      readonly args: readonly string[];
      readonly timeoutMs: number;
    },
    signal: AbortSignal,
  ): Promise<Outcome<EnclosedEnd, string>>;
}

const maxScriptBytes = 1024 * 1024;

/** The longest run, in milliseconds. */
const maxRunMs = 600_000;

export function makeSandboxExec({
  sandbox,
  directory,
  environment,
  confinement,
  changes,
}: {
  readonly sandbox: Pick<CommandSandbox, 'enclose'>;
  readonly directory: string;
  readonly confinement: Confinement;
  /** Decides about the changes in the command's view of the workspace. With `none` nothing is applied. */
  readonly changes: 'none' | DecideChanges;
  readonly environment: Readonly<Record<string, string>>;
}): SandboxExec {
  async function run(
    argv: readonly [string, ...string[]],
    {timeoutMs, input}: {readonly timeoutMs: number; readonly input: string | Uint8Array},
    signal: AbortSignal,
  ): Promise<Outcome<EnclosedEnd, string>> {
    const request = {argv, directory, environment, confinement, hosts: askUnattended, input, changes} as const;
    return runEnclosed(sandbox, {...request, timeoutMs: Math.min(timeoutMs, maxRunMs)}, signal);
  }

  return {
    exec: ({command, timeoutMs}, signal) => run(['/bin/sh', '-c', command], {timeoutMs, input: ''}, signal),
    async runFile({name, contents, args, timeoutMs}, signal) {
      const interpreter = interpreterOf(name);
      if (interpreter === undefined) {
        return failed(`${name} cannot be run: its name must end in one of ${[...interpreters.keys()].join(', ')}`);
      }
      if (contents.length > maxScriptBytes) return failed(`${name} is longer than ${String(maxScriptBytes)} bytes`);
      const words = ['/bin/sh', '-c', fromInput, 'weft-run-file', interpreter, basename(name), ...args] as const;
      return run(words, {timeoutMs, input: contents}, signal);
    },
  };
}

/** Reads the script from stdin into a temporary folder inside the sandbox. The script's own stdin is empty. */
const fromInput = `
interpreter=$1; name=$2; shift 2
folder=$(mktemp -d) && cat >"$folder/$name" || exit 126
"$interpreter" "$folder/$name" "$@" </dev/null
code=$?
rm -rf "$folder"
exit "$code"`;

/** Returns the program that runs a script with this name; `undefined` for an unknown extension. */
export const interpreterOf = (name: string): string | undefined => interpreters.get(extname(name).toLowerCase());

const interpreters: ReadonlyMap<string, string> = new Map([
  ['.sh', 'bash'],
  ['.bash', 'bash'],
  ['.js', 'node'],
  ['.mjs', 'node'],
  ['.cjs', 'node'],
  ['.ts', 'node'],
  ['.py', 'python3'],
  ['.rb', 'ruby'],
  ['.pl', 'perl'],
  ['.php', 'php'],
]);
