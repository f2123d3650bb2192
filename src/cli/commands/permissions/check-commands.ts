import {type JudgedAction} from '../../../domain/access.ts';
import {judgedAction, ruleKinds} from '../../../actions/catalogue.ts';
import {reasonText} from '../../../domain/reason.ts';
import {homedir} from 'node:os';
import {decodeAction} from '../../../actions/decode-action.ts';
import {isJsonObject, parseJson, type JsonObject} from '../../../base/json.ts';
import {failed, ok, type Outcome} from '../../../base/outcome.ts';
import {visibleExactLine} from '../../../base/visible.ts';
import {faultText} from '../../../domain/fault.ts';
import type {Executor} from '../../../domain/executor.ts';
import type {PermissionMode, Verdict} from '../../../domain/risk.ts';
import type {Proof, SandboxChoice} from '../../../domain/sandbox.ts';
import {makeJudge, type Judge, type JudgeOptions} from '../../../safety/judge.ts';
import {listFolder} from '../../../workspace/files/list-folder.ts';
import {readBytes} from '../../../workspace/files/regular-files.ts';
import {makePaths} from '../../../workspace/files/resolve-path.ts';
import {readingOf} from '../../../safety/commands/effects.ts';
import {fileEffect} from '../../../workspace/impact/file-effect.ts';
import {findUntrustedProgram} from '../../../workspace/exec/trusted-path.ts';
import {exitCode, type ExitCode, UsageError} from '../../../app/exit-code.ts';
import {proveSandbox, requireNamedSandbox} from '../../../app/prove-sandbox.ts';
import {contextFor, type RunContext} from '../../../app/run-context.ts';
import {isStdoutGone, note, printAndWait} from '../../../app/output.ts';
import {weftFolders} from '../../../app/user-data.ts';
import {eachLine} from '../../stdin.ts';

/** The folder, mode, sandbox and output format of a check. An `undefined` mode or sandbox comes from the settings. */
export interface CheckJob {
  readonly directory: string;
  readonly mode: PermissionMode | undefined;
  readonly sandbox: SandboxChoice | undefined;
  readonly form: 'json' | 'text';
}

/**
 * Prints the verdict for each command under the rules in effect, in order: for the commands in `words`, or for the JSON lines on stdin
 * as they arrive. An invalid line is reported and makes the exit code 1; verdicts do not change it.
 */
export async function checkCommands(words: readonly string[], job: CheckJob): Promise<ExitCode> {
  const judge = await sessionJudge(job);
  let code: ExitCode = exitCode.done;
  if (words.length > 0) {
    for (const command of commandsIn(words)) {
      const given = readCommand(command);
      if (given.tag === 'failed') throw new UsageError(given.error);
      await printAndWait(await report(given.value, judge, job), job.form);
    }
    return code;
  }
  if (process.stdin.isTTY) {
    throw new UsageError('No command. Give one, or JSON lines on stdin: weft permissions check "git push"');
  }
  for await (const {line, number} of eachLine(process.stdin)) {
    if (line.trim() === '') continue;
    const given = readLine(line);
    if (given.tag === 'failed') {
      note(`line ${String(number)}: ${given.error}`);
      code = exitCode.failed;
    } else await printAndWait(await report(given.value, judge, job), job.form);
    if (isStdoutGone()) break;
  }
  return code;
}

/**
 * Returns the commands in the arguments. Several words are one command, as for `ssh`. If the first word contains white space, which no
 * program name does, each word is a whole command.
 */
function commandsIn(words: readonly string[]): readonly string[] {
  return /\S\s+\S/u.test(words[0] ?? '') ? words : [words.join(' ')];
}

interface SessionJudge {
  readonly judge: Judge;
  readonly mode: PermissionMode;
}

/** Makes the judge of a session in that folder, with the proof of its sandbox. */
async function sessionJudge({directory, sandbox, mode}: CheckJob): Promise<SessionJudge> {
  const context = contextFor({cwd: directory, sessionPersistence: false, sandbox});
  for (const notice of await context.notices()) note(notice);
  await requireNamedSandbox(context);
  const {settings} = context;
  let proof: Promise<Proof> | undefined;
  const judge = commandJudge(context, settings.sandbox === 'native' ? 'none' : () => (proof ??= proveSandbox(context)));
  return {judge, mode: mode ?? settings.permissionMode};
}

/** Makes the judge of commands in a folder, under the rules in effect there. `sandbox` is the proof of what confines them. */
export function commandJudge({roots, settings, places}: RunContext, sandbox: JudgeOptions['sandbox']): Judge {
  const home = homedir();
  const paths = makePaths({roots, home});
  return makeJudge({
    sandbox,
    unasked: settings.unasked.person,
    excluded: settings.excluded,
    roots,
    home,
    resolve: path => paths.resolve(path),
    list: listFolder,
    read: readBytes,
    findWorkspaceProgram: (name, from) => findUntrustedProgram(name, {directory: from, roots}),
    effectOf: command => fileEffect(command, {home, readCommand: readingOf}),
    secretNames: () => [],
    weftFolders: weftFolders(places, process.env),
    ruleKinds,
    rules: settings.rules,
    blockCommand: () => '',
  });
}

interface ParsedCommand {
  readonly command: string;
  readonly action: JudgedAction;
}

function readLine(line: string): Outcome<ParsedCommand, string> {
  const json = parseJson(line);
  if (json.tag === 'failed') return failed(`it is not JSON: ${json.error}`);
  if (typeof json.value === 'string') return readCommand(json.value);
  if (!isJsonObject(json.value) || typeof json.value['command'] !== 'string') {
    return failed('it is neither a JSON string nor an object with a "command"');
  }
  return readCommand(json.value['command'], json.value);
}

/** Parses a command with the flags that a model would set. The flags are claims and can only make the verdict stricter. */
function readCommand(command: string, flags: JsonObject = {}): Outcome<ParsedCommand, string> {
  const claims: Record<string, boolean> = {};
  for (const name of ['is_read_only', 'is_risky']) {
    const claim = flags[name];
    if (claim === undefined) continue;
    if (typeof claim !== 'boolean') return failed(`"${name}" must be true or false`);
    claims[name] = claim;
  }
  if (command === '') return failed('the command is empty');
  const action = decodeAction('Bash', {command, ...claims});
  return action.tag === 'ok' ? ok({command, action: judgedAction(action.value)}) : failed(faultText(action.error));
}

async function report(
  {command, action}: ParsedCommand,
  {judge, mode}: SessionJudge,
  {directory, form}: CheckJob,
): Promise<string> {
  const {verdict, means: conditions} = await judge.assess(
    action,
    {executor: conditionCollector(directory), mode},
    unaborted,
  );
  return form === 'json' ? jsonLine(command, verdict, conditions) : textLines(command, verdict, conditions);
}

/** An executor that runs nothing: it collects the conditions under which the verdict holds. */
const conditionCollector = (directory: string): Executor<readonly string[]> => ({
  name: 'weft permissions check',
  directory,
  means: [],
  discharge: {
    'restricted-environment': (_, notes) => [...notes, "without the workspace's programs and git hooks"],
    confined: ({to}, notes) => [...notes, to === 'outside' ? 'outside of the sandbox' : 'in a sandbox'],
    // The command line already names these.
    directory: (_, notes) => notes,
    paths: (_, notes) => notes,
    'left-out': (_, notes) => notes,
  },
});

/** Judging a command is never cancelled: it ends by itself. */
const unaborted = new AbortController().signal;

const jsonLine = (command: string, {decision, risk, reasons}: Verdict, conditions: readonly string[]): string => {
  const verdict = {command, verdict: decision, risk, reasons: reasons.map(reasonText)};
  return `${JSON.stringify(conditions.length === 0 ? verdict : {...verdict, conditions})}\n`;
};

const textLines = (command: string, {decision, risk, reasons}: Verdict, conditions: readonly string[]): string =>
  [
    `${decision.padEnd(5)} ${risk.padEnd(12)} ${visibleExactLine(command)}`,
    ...conditions.map(condition => `${' '.repeat(19)}${condition}`),
    ...reasons.map(reason => `${' '.repeat(19)}${visibleExactLine(reasonText(reason))}`),
    '',
  ].join('\n');
