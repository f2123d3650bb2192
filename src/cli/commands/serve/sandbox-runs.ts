import {readFileSync} from 'node:fs';
import {basename, resolve} from 'node:path';
import {decodeAction} from '../../../actions/decode-action.ts';
import {failed, ok, type Outcome} from '../../../base/outcome.ts';
import {unreachable} from '../../../base/unreachable.ts';
import {faultText} from '../../../domain/fault.ts';
import {type RunTerms, weftItself} from '../../../domain/executor.ts';
import {reasonText} from '../../../domain/reason.ts';
import {confines, nativeProof, type Proof} from '../../../domain/sandbox.ts';
import type {MachinePort, SandboxRequest} from '../../../server/routes/machine-routes.ts';
import {endProcessTree} from '../../../workspace/exec/process-tree.ts';
import {makeRunTags} from '../../../workspace/exec/run-tag.ts';
import {shellEnvironment} from '../../../workspace/exec/shell-environment.ts';
import {userPath} from '../../../workspace/exec/trusted-path.ts';
import {isFile} from '../../../workspace/files/list-folder.ts';
import {startProcessWatchdog} from '../../../workspace/exec/watchdog.ts';
import type {EnclosedEnd} from '../../../workspace/sandbox/run-enclosed.ts';
import {interpreterOf, makeSandboxExec} from '../../../workspace/sandbox/sandbox-exec.ts';
import {commandSandbox} from '../../compose/command-sandbox.ts';
import {loadRunContext, type RunContext} from '../../compose/run-context.ts';
import {commandJudge} from '../permissions/check-commands.ts';
import {requestFolder} from './request-folder.ts';

/** Milliseconds that a run may take. */
const timeoutMs = 600_000;

type Runs = MachinePort['run'];

/**
 * Runs a command or a script file as a client of the server asked, under the rules of its folder: nobody is there to be asked, so what
 * would ask is refused. Secrets of the environment are kept from it, as from every command.
 */
export const runInSandbox: Runs = async ({cwd, ...request}, signal) => {
  const folder = requestFolder(cwd);
  if (folder === 'no-folder')
    return refused(400, 'The request does not fit: not an existing absolute folder, in body.cwd');
  const context = loadRunContext({
    directory: folder.path,
    added: [],
    options: {sessionPersistence: false, color: false},
  });
  return runJudged(request, {context}, signal);
};

/** Runs a command under the rules of a run: nobody is asked, so what would ask is refused with 403. */
export async function runJudged(
  {what, provider, network}: Omit<SandboxRequest, 'cwd'>,
  {context}: {readonly context: RunContext},
  signal: AbortSignal,
): ReturnType<Runs> {
  const command = commandLine(what);
  if (command === undefined)
    return refused(400, 'The request does not fit: not a script file with a known ending, in body.path');
  const sandbox = commandSandbox(context, provider === undefined || provider === 'native' ? 'bwrap' : provider);
  const {runTag, endLeftovers} = await processesOf(context);
  try {
    const found = provider === 'native' ? nativeProof : await sandbox.proof();
    // A backend that nobody named is used where it works.
    const proof = confines(found) || provider !== undefined ? found : nativeProof;
    if (proof.provider !== 'native' && !confines(proof))
      return refused(409, `${proof.provider} does not work here: ${proof.reason}`);
    if (network === 'open' && proof.provider !== 'native')
      return refused(
        409,
        `${proof.provider} keeps the network closed here: leave out network, or name the provider native`,
      );
    const judged = await judgedRun(command, {context, proof}, signal);
    if (judged.tag === 'failed') return refused(403, judged.error);
    const {environment, confinement} = judged.value;
    const exec = makeSandboxExec({
      sandbox: proof.provider === 'native' ? {enclose: async () => ok({kind: 'plain'})} : sandbox,
      directory: context.directory,
      confinement,
      environment: shellEnvironment(
        {
          given: {...process.env, PATH: userPath()},
          own: context.settings.env,
          passed: context.settings.passEnv,
          roots: context.roots,
        },
        {runTag, channel: 'terminal', environment},
      ),
    });
    const run =
      what.kind === 'command'
        ? await exec.exec({command, timeoutMs}, signal)
        : await exec.runFile(
            {name: basename(what.path), contents: readFileSync(pathOf(what.path), 'utf8'), args: what.args, timeoutMs},
            signal,
          );
    if (run.tag === 'failed') return refused(409, run.error);
    const {stdout, stderr, notes} = run.value;
    const {code, why} = exitOf(run.value.end);
    return ok({
      exitCode: code,
      stdout,
      stderr: [stderr, ...[why, ...notes].filter(line => line !== '').map(line => `weft: ${line}\n`)].join(''),
      provider: proof.provider,
      isolation: proof.proven,
    });
  } finally {
    await endLeftovers();
    await sandbox.close();
  }
}

/** Whatever the run starts is known by its tag: it ends with it, and with weft where weft is killed. */
async function processesOf({places}: RunContext) {
  const tags = await makeRunTags(places.blocks);
  const watchdog = startProcessWatchdog(tags.prefix);
  const runTag = tags.next();
  return {
    runTag,
    endLeftovers: async () => {
      await endProcessTree({leaders: [], owns: tag => tag === runTag, outputs: []}, 'short');
      watchdog.dismiss();
    },
  };
}

const refused = (status: 400 | 403 | 409, error: string) => failed({status, error} as const);

/** A path of a request is taken from the server's folder. */
const pathOf = (path: string): string => resolve(process.cwd(), path);

/** What is to be judged, as a shell would be given it; `undefined` where the file is none that can be run. */
function commandLine(what: SandboxRequest['what']): string | undefined {
  if (what.kind === 'command') return what.command;
  const interpreter = interpreterOf(what.path);
  const path = pathOf(what.path);
  if (interpreter === undefined || !isFile(path)) return undefined;
  return [interpreter, path, ...what.args].map(word => `'${word.replaceAll("'", String.raw`'\''`)}'`).join(' ');
}

/** The terms on which the command may run unasked; a failure says why it may not. */
async function judgedRun(
  command: string,
  {context, proof}: {readonly context: RunContext; readonly proof: Proof},
  signal: AbortSignal,
): Promise<Outcome<RunTerms, string>> {
  const action = decodeAction('Bash', {command});
  if (action.tag === 'failed') return failed(faultText(action.error));
  const judge = commandJudge(context, proof.provider === 'native' ? 'none' : async () => proof);
  const by = {executor: weftItself(context.directory), mode: context.settings.permissionMode};
  const {verdict, means} = await judge.assess(action.value, by, signal);
  if (verdict.decision === 'allow') return ok(means);
  const why = verdict.reasons.map(reasonText).join('; ');
  return failed(verdict.decision === 'ask' ? `The user would have to be asked: ${why}` : `Not allowed: ${why}`);
}

/** As shells have it; the words say what the number does not. */
function exitOf(end: EnclosedEnd['end']): {readonly code: number; readonly why: string} {
  switch (end.kind) {
    case 'exited':
      return {code: end.code, why: ''};
    case 'signalled':
      return {code: 128, why: `it was ended by ${end.signal}`};
    case 'timed-out':
      return {code: 124, why: `it was ended after ${String(timeoutMs / 1000)} s`};
    case 'aborted':
      return {code: 130, why: 'it was stopped'};
    case 'not-started':
      return {code: 126, why: `it was not started: ${end.reason}`};
    default:
      return unreachable(end);
  }
}
