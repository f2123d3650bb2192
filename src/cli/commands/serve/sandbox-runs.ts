import {constants} from 'node:os';
import {basename, resolve} from 'node:path';
import {type Action, writeFilesAction, judgedAction} from '../../../actions/catalogue.ts';
import {
  type DecideChanges,
  droppedTexts,
  type PendingChanges,
  listFiles,
  emptyChangesOutcome,
} from '../../../actions/changes-port.ts';
import {decodeAction} from '../../../actions/decode-action.ts';
import {failed, ok} from '../../../base/outcome.ts';
import {unreachable} from '../../../base/unreachable.ts';
import type {Change} from '../../../domain/change-set.ts';
import {faultText} from '../../../domain/fault.ts';
import {weftItself} from '../../../domain/executor.ts';
import {reasonText} from '../../../domain/reason.ts';
import type {Verdict} from '../../../domain/risk.ts';
import {confines, holdsChanges, nativeProof} from '../../../domain/sandbox.ts';
import type {MachinePort, SandboxRequest} from '../../../server/routes/machine-routes.ts';
import {shellEnvironment} from '../../../workspace/exec/shell-environment.ts';
import {userPath} from '../../../workspace/exec/trusted-path.ts';
import {isFile} from '../../../workspace/files/list-folder.ts';
import {readBytes} from '../../../workspace/files/regular-files.ts';
import type {EnclosedEnd} from '../../../workspace/sandbox/run-enclosed.ts';
import {interpreterOf, makeSandboxExec, type SandboxExec} from '../../../workspace/sandbox/sandbox-exec.ts';
import {commandSandbox, taggedRun} from '../../../app/command-sandbox.ts';
import {loadRunContext, type RunContext} from '../../../app/run-context.ts';
import {commandJudge} from '../permissions/check-commands.ts';
import {requestFolder} from './request-folder.ts';

/** The time limit of a run, in milliseconds. */
const timeoutMs = 600_000;

type Runs = MachinePort['run'];

/**
 * Runs a command or a script file for a client of the server, under the rules of the client's folder. Any command about
 * which weft would ask is refused, because there is no user to ask. Like every command, the command does not get the
 * secrets of the environment.
 */
export const runInSandbox: Runs = async ({cwd, ...request}, signal) => {
  const folder = requestFolder(cwd);
  if (folder === 'no-folder') return refused(400, 'Invalid request: not an existing absolute folder, in body.cwd');
  const context = loadRunContext({
    directory: folder.path,
    added: [],
    options: {sessionPersistence: false, color: false},
  });
  return runJudged(request, {context}, signal);
};

/** Runs a command under the rules of `context`. A command about which weft would ask is refused with 403. */
export async function runJudged(
  {what, provider, network, apply}: Omit<SandboxRequest, 'cwd'>,
  {context}: {readonly context: RunContext},
  signal: AbortSignal,
): ReturnType<Runs> {
  const command = commandLine(what);
  if (command === undefined)
    return refused(400, 'Invalid request: not a script file with a known ending, in body.path');
  const sandbox = commandSandbox(context, provider === undefined || provider === 'native' ? 'bwrap' : provider);
  const processes = await taggedRun(context);
  try {
    const found = provider === 'native' ? nativeProof : await sandbox.proof();
    // Without a named backend, use the default one only if it works.
    const proof = confines(found) || provider !== undefined ? found : nativeProof;
    if (proof.provider !== 'native' && !confines(proof))
      return refused(409, `${proof.provider} does not work here: ${proof.reason}`);
    if (network === 'open' && proof.provider !== 'native')
      return refused(409, `${proof.provider} keeps the network closed here: omit network, or use the provider native`);
    const judge = commandJudge(context, proof.provider === 'native' ? 'none' : async () => proof);
    const by = {executor: weftItself(context.directory), mode: context.settings.permissionMode};
    const action = decodeAction('Bash', {command});
    if (action.tag === 'failed') return refused(403, faultText(action.error));
    const {verdict, means} = await judge.assess(judgedAction(action.value), by, signal);
    if (verdict.decision !== 'allow') return refused(403, whyNot(verdict));
    const {environment, confinement} = means;
    const isHeld = holdsChanges(proof);
    if (apply === 'no' && !isHeld && verdict.risk !== 'read-only')
      return refused(409, `${proof.provider} can't hold back the command's changes, so it did not run`);
    // If changes are not held back, they are already in the workspace.
    let effects: Effects = {changes: [], applied: !isHeld && verdict.risk !== 'read-only', refusal: '', notes: []};
    const decide: DecideChanges = async (held, ended) => {
      effects = await effectsOf(held, {apply, judgeOf: edits => judge.assess(judgedAction(edits), by, ended)}, ended);
      return emptyChangesOutcome;
    };
    const exec = makeSandboxExec({
      sandbox: proof.provider === 'native' ? {enclose: async () => ok({kind: 'plain'})} : sandbox,
      directory: context.directory,
      confinement: isHeld && confinement === 'chosen' ? 'sandbox' : confinement,
      changes: decide,
      environment: shellEnvironment(
        {
          inherited: {...process.env, PATH: userPath()},
          userSet: context.settings.env,
          passedThrough: context.settings.passEnv,
          roots: context.roots,
        },
        {runTag: processes.runTag, channel: 'terminal', environment},
      ),
    });
    const run =
      what.kind === 'command' ? await exec.exec({command, timeoutMs}, signal) : await runFile(exec, what, signal);
    if (run.tag === 'failed') return refused(409, run.error);
    if (effects.refusal !== '') return refused(403, effects.refusal);
    const {stdout, stderr} = run.value;
    const notes = [...run.value.notes, ...effects.notes];
    const {code, why} = exitOf(run.value.end);
    const {files, network: closed} = proof.proven;
    return ok({
      exitCode: code,
      stdout,
      stderr: [stderr, ...[why, ...notes].filter(line => line !== '').map(line => `weft: ${line}\n`)].join(''),
      provider: proof.provider,
      isolation: {files, network: closed, processes: proof.proven.processes},
      changes: effects.changes.map(({path, kind}) => ({path, kind})),
      applied: effects.applied,
    });
  } finally {
    await processes.end();
    await sandbox.close();
  }
}

const refused = (status: 400 | 403 | 409, error: string) => failed({status, error} as const);

/** Resolves a path of a request from the server's folder. */
const pathOf = (path: string): string => resolve(process.cwd(), path);

/** Returns the command line to judge, as for a shell; `undefined` if the file can't be run. */
function commandLine(what: SandboxRequest['what']): string | undefined {
  if (what.kind === 'command') return what.command;
  const interpreter = interpreterOf(what.path);
  const path = pathOf(what.path);
  if (interpreter === undefined || !isFile(path)) return undefined;
  return [interpreter, path, ...what.args].map(word => `'${word.replaceAll("'", String.raw`'\''`)}'`).join(' ');
}

/** Passes the script to its interpreter byte for byte. */
async function runFile(
  exec: SandboxExec,
  {path, args}: Extract<SandboxRequest['what'], {readonly kind: 'file'}>,
  signal: AbortSignal,
): ReturnType<SandboxExec['runFile']> {
  const bytes = readBytes(pathOf(path));
  if (bytes.kind !== 'text') return failed(`can't read ${path}`);
  return exec.runFile({name: basename(path), contents: Buffer.from(bytes.text, 'latin1'), args, timeoutMs}, signal);
}

const whyNot = ({decision, reasons}: Verdict): string =>
  `${decision === 'ask' ? "This needs the user's approval" : 'Not allowed'}: ${reasons.map(reasonText).join('; ')}`;

/** The changes of a command in the sandbox, and what happened to them. */
interface Effects {
  readonly changes: readonly Change[];
  readonly applied: boolean;
  /** Why the changes may not be applied; empty if they may. */
  readonly refusal: string;
  readonly notes: readonly string[];
}

/** Applies the changes like edits of an unattended run, all or none. Build output is applied unless a rule denies it. */
async function effectsOf(
  held: PendingChanges,
  {
    apply,
    judgeOf,
  }: {
    readonly apply: SandboxRequest['apply'];
    readonly judgeOf: (edits: Action) => Promise<{readonly verdict: Verdict}>;
  },
  signal: AbortSignal,
): Promise<Effects> {
  const {changes} = held;
  const seen: Effects = {changes, applied: false, refusal: '', notes: []};
  if (apply !== 'yes') return seen;
  const ofClass = (wanted: Change['class']): readonly Change[] => changes.filter(change => change.class === wanted);
  for (const group of [ofClass('file'), ofClass('output')]) {
    if (group.length === 0) continue;
    const paths = group.map(({path}) => path);
    const {verdict} = await judgeOf(writeFilesAction(paths));
    if (verdict.decision === 'deny' || (verdict.decision === 'ask' && group[0]?.class === 'file'))
      return {...seen, refusal: `${whyNot(verdict)}. Its changes were not applied: ${listFiles(paths)}`};
  }
  const {dropped} = await held.apply(
    changes.filter(change => change.class !== 'protected').map(({path}) => path),
    'all-or-nothing',
    signal,
  );
  const kept = ofClass('protected').map(change => ({change, why: 'protected'}) as const);
  return {...seen, applied: dropped.length === 0, notes: droppedTexts({dropped: [...kept, ...dropped], said: ''})};
}

/** Returns the exit code as a shell reports it, and a reason for what the number does not say. */
function exitOf(end: EnclosedEnd['end']): {readonly code: number; readonly why: string} {
  switch (end.kind) {
    case 'exited':
      return {code: end.code, why: ''};
    case 'signalled':
      return {code: 128 + constants.signals[end.signal], why: `killed by ${end.signal}`};
    case 'timed-out':
      return {code: 124, why: `stopped after ${String(timeoutMs / 1000)} s`};
    case 'aborted':
      return {code: 130, why: 'stopped'};
    case 'not-started':
      return {code: 126, why: `did not start: ${end.reason}`};
    default:
      return unreachable(end);
  }
}
