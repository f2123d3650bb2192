import {type ChildProcess, spawn} from 'node:child_process';
import {constants} from 'node:os';
import {
  type AppliedChanges,
  type DecideChanges,
  droppedTexts,
  type PendingChanges,
  emptyChangesOutcome,
} from '../../../actions/changes-port.ts';
import {changeLines, keepChanges, type KeptChanges} from '../../../actions/sandbox-exec.ts';
import {pluralize} from '../../../base/clip.ts';
import type {JsonObject} from '../../../base/json.ts';
import {failed, ok, type Outcome, tryOr} from '../../../base/outcome.ts';
import {unreachable} from '../../../base/unreachable.ts';
import type {Change} from '../../../domain/change-set.ts';
import {causeText} from '../../../domain/fault.ts';
import {sandboxesAllCommands, holdsChanges, type ProviderName} from '../../../domain/sandbox.ts';
import {childrenOf} from '../../../workspace/exec/process-table.ts';
import {shellEnvironment} from '../../../workspace/exec/shell-environment.ts';
import {findShell} from '../../../workspace/exec/trusted-path.ts';
import {userPath} from '../../../workspace/exec/trusted-path.ts';
import {askUnattended} from '../../../workspace/sandbox/host-gate.ts';
import {changesFolder} from '../../../config/places.ts';
import {removeAppliedSet} from '../../../workspace/sandbox/changes/stored-sets.ts';
import {openKept} from '../../../workspace/sandbox/changes/open-changes.ts';
import {type Launch, openLaunch} from '../../../workspace/sandbox/launch.ts';
import type {CommandSandbox, CommandStart, Enclosure} from '../../../workspace/sandbox/sandbox.ts';
import {commandSandbox, taggedRun} from '../../../app/command-sandbox.ts';
import {finishApplies} from '../../../app/prove-sandbox.ts';
import {contextFor, type RunContext} from '../../../app/run-context.ts';
import {exitCode, type ExitCode} from '../../../app/exit-code.ts';
import type {FolderOption} from '../../../app/main-options.ts';
import type {JsonOption} from '../../flags.ts';
import {userPlaces} from '../../../app/user-data.ts';
import {note, print, printJson} from '../../../app/output.ts';
import {signalChild} from '../../../workspace/signal-child.ts';

export interface SandboxRunOptions extends FolderOption, JsonOption {
  readonly provider?: ProviderName;
  readonly dry?: true;
}

/**
 * `weft sandbox run`: runs a command in the sandbox of the settings, or in the given one, with weft's terminal. If the
 * sandbox holds changes back, they are applied when the command ends, because a person asked for this command. With
 * `--dry` they are shown and saved. The exit code is the command's. It is 1 if no backend passed its probe, or if the
 * command succeeded but not everything was applied.
 */
export async function runInSandbox(
  words: readonly [string, ...string[]],
  {provider, cwd, ...form}: SandboxRunOptions,
): Promise<ExitCode> {
  const context = contextFor({cwd});
  const {directory, settings} = context;
  await finishApplies(context);
  const sandbox = commandSandbox(
    context,
    provider ?? (sandboxesAllCommands(settings.sandbox) ? settings.sandbox : 'bwrap'),
  );
  const stopping = new AbortController();
  const signals: Signals = {stopped: stopping.signal, passTo: () => stopping.abort()};
  const pass = (signal: NodeJS.Signals): void => signals.passTo(signal);
  for (const signal of passed) process.on(signal, pass);
  try {
    const proof = await sandbox.proof();
    const isHeld = holdsChanges(proof);
    if (!isHeld && (form.dry !== undefined || form.json !== undefined)) {
      const why = proof.reason === '' ? '' : ` (${proof.reason})`;
      note(
        `did not start the command: ${proof.provider} can't hold back its changes here${why}. Run weft sandbox test to see why, or omit --dry and --json`,
      );
      return exitCode.failed;
    }
    if (signals.stopped.aborted) return exitCode.interrupted;
    const processes = isHeld ? await taggedRun(context) : undefined;
    try {
      const launched = await launch(words, {context, sandbox, runTag: processes?.runTag});
      const ran = launched.tag === 'ok' ? await runToEnd(launched.value, {directory, isHeld, form}, signals) : launched;
      if (ran.tag === 'ok') {
        if (isHeld && ran.value.code !== 0 && words.some(word => /\bgit\b/u.test(word))) note(repositoryNote);
        return tell(ran.value, form);
      }
      note(`did not start the command: ${ran.error}`);
      return exitCode.failed;
    } finally {
      await processes?.end();
    }
  } finally {
    for (const signal of passed) process.off(signal, pass);
    await sandbox.close();
  }
}

const repositoryNote =
  '.git is read-only in the sandbox. Run commands that change the repository, such as git commit, outside the sandbox';

interface Signals {
  /** Aborted when weft should stop its own work. */
  readonly stopped: AbortSignal;
  passTo: (signal: NodeJS.Signals) => void;
}

interface Launched {
  readonly launch: Launch;
  readonly complete: (enclosure: Enclosure) => CommandStart;
}

async function launch(
  words: readonly [string, ...string[]],
  {
    context: {directory, roots, settings},
    sandbox,
    runTag,
  }: {readonly context: RunContext; readonly sandbox: CommandSandbox; readonly runTag: string | undefined},
): Promise<Outcome<Launched, string>> {
  const given = {...process.env, PATH: userPath()};
  const [first, ...others] = words;
  const shell = findShell(given, roots);
  // Through the shell, so that a missing program gets the usual message and exit code.
  const argv: readonly [string, ...string[]] =
    others.length === 0 && /\s/u.test(first) ? [shell, '-c', first] : [shell, '-c', 'exec "$@"', 'sh', ...words];
  const [program, ...args] = argv;
  const variables = {inherited: given, userSet: settings.env, passedThrough: settings.passEnv, roots};
  const opened = await openLaunch(sandbox, {
    argv,
    directory,
    environment: shellEnvironment(variables, {runTag: runTag ?? '', channel: 'terminal', environment: 'inherited'}),
    confinement: runTag === undefined ? 'chosen' : 'sandbox',
    hosts: askUnattended,
    terminal: 'shared',
  });
  if (opened.tag === 'failed') return opened;
  const complete = (enclosure: Enclosure): CommandStart =>
    enclosure.kind === 'plain' ? {program, args, environment: given} : enclosure;
  return ok({launch: opened.value, complete});
}

type Form = Pick<SandboxRunOptions, 'dry' | 'json'>;

interface Ran {
  readonly code: number;
  readonly effects: Effects;
}

/** Runs the command with weft's terminal, and decides about its changes. A failure says why the command did not start. */
async function runToEnd(
  {launch: launched, complete}: Launched,
  {directory, isHeld, form}: {readonly directory: string; readonly isHeld: boolean; readonly form: Form},
  signals: Signals,
): Promise<Outcome<Ran, string>> {
  const stop = signals.passTo;
  const begun = await launched.begin(
    complete,
    signals.stopped,
  )(async start => {
    // With --json, stdout is for weft's JSON document.
    const stdio = form.json === undefined ? 'inherit' : [0, 2, 2];
    const child = spawn(start.program, start.args, {cwd: directory, env: start.environment, stdio});
    signals.passTo = signal => {
      if (!isHeld) signalChild(child, signal);
      else if (!signalInside(child.pid ?? 0, signal)) signalChild(child, 'SIGKILL');
    };
    const ended = endOf(child);
    return ok({started: ended, ended, discard: async () => 'see above'});
  });
  const end = begun.tag === 'ok' ? await begun.value : begun.error;
  // The command has ended: from now on signals stop weft itself.
  signals.passTo = stop;
  let effects: Effects = form.dry === undefined ? nothingApplied : nothingKept;
  const decide: DecideChanges = async (held, signal) => {
    effects =
      form.dry === undefined ? await applyAll(held, signal) : {kind: 'kept', ...(await keepChanges(held, signal))};
    return emptyChangesOutcome;
  };
  const {notes} = await launched.end(isHeld ? decide : 'none', signals.stopped);
  for (const line of notes) note(line);
  return typeof end === 'string' ? failed(end) : ok({code: end, effects});
}

/** The changes of a command in the sandbox, and what happened to them. */
type Effects =
  | ({readonly kind: 'kept'} & KeptChanges)
  | ({readonly kind: 'applied'; readonly changes: readonly Change[]} & AppliedChanges);

/** The id of a dry run that changed nothing, so that scripts can apply it, too. */
const noChangesId = 'none';

const nothingKept: Effects = {kind: 'kept', changes: [], diffs: [], id: ok(noChangesId)};
const nothingApplied: Effects = {kind: 'applied', changes: [], applied: [], dropped: []};

async function applyAll(held: PendingChanges, signal: AbortSignal): Promise<Effects> {
  const {changes} = held;
  const paths = changes.filter(change => change.class !== 'protected').map(({path}) => path);
  const {applied, dropped} = await held.apply(paths, 'each', signal);
  return {kind: 'applied', changes, applied, dropped: [...protectedIn(changes), ...dropped]};
}

const protectedIn = (changes: readonly Change[]): AppliedChanges['dropped'] =>
  changes.flatMap(change => (change.class === 'protected' ? [{change, why: 'protected'} as const] : []));

const isWhole = (effects: Effects): boolean =>
  effects.kind === 'kept' ? effects.id.tag === 'ok' : effects.dropped.length === 0;

/** Reports what happened to the changes. The exit code is the command's, or 1 if it succeeded but not everything was applied or saved. */
function tell({code, effects}: Ran, {json}: Form): ExitCode {
  if (json === undefined) printEffects(effects);
  else printJson(`${JSON.stringify(factsOf(effects, code))}\n`);
  process.exitCode = code === 0 && !isWhole(effects) ? exitCode.failed : code;
  return exitCode.done;
}

function printEffects(effects: Effects): void {
  if (effects.kind === 'applied') tellDropped(effects);
  else if (effects.changes.length === 0) note('the command changed nothing');
  else {
    print([...changeLines(effects, 'whole'), ''].join('\n'));
    if (effects.id.tag === 'ok')
      print(`Nothing is applied yet. To apply exactly these changes:\n  weft sandbox apply ${effects.id.value}\n`);
    else note(`nothing is applied, and weft can't save the changes: ${effects.id.error}`);
  }
}

const tellDropped = ({dropped}: Pick<AppliedChanges, 'dropped'>): void => {
  for (const line of droppedTexts({dropped, said: ''})) note(line);
};

function factsOf(effects: Effects, code: number): JsonObject {
  switch (effects.kind) {
    case 'kept':
      return {
        id: effects.id.tag === 'ok' ? effects.id.value : null,
        exitCode: code,
        changes: effects.changes.map(changeFacts),
        ...(effects.id.tag === 'ok' ? {} : {reason: effects.id.error}),
      };
    case 'applied':
      return {exitCode: code, ...appliedFacts(effects)};
    default:
      return unreachable(effects);
  }
}

const changeFacts = ({path, kind, class: of}: Change): JsonObject => ({path, kind, class: of});

const appliedFacts = ({applied, dropped}: AppliedChanges): JsonObject => ({
  applied: applied.map(changeFacts),
  dropped: dropped.map(({change, why}) => ({...changeFacts(change), why})),
});

/** `weft sandbox apply`: applies the changes of a dry run to its folder, all of them or none. */
export async function applyKept(id: string, {json}: JsonOption): Promise<ExitCode> {
  const places = userPlaces();
  const folder = changesFolder(places.data);
  await finishApplies({roots: ['/'], places});
  if (id === noChangesId) {
    if (json === undefined) note('nothing to apply');
    else printJson(`${JSON.stringify({id, applied: [], dropped: []})}\n`);
    return exitCode.done;
  }
  const opened = openKept(id, folder);
  if (opened.tag === 'failed') {
    note(opened.error);
    return exitCode.failed;
  }
  const {held, roots} = opened.value;
  const stopping = new AbortController();
  const stop = (): void => stopping.abort();
  for (const signal of passed) process.on(signal, stop);
  try {
    const {changes} = held;
    const wanted = changes.filter(change => change.class !== 'protected');
    const {applied, dropped} = await held.apply(
      wanted.map(({path}) => path),
      'all-or-nothing',
      stopping.signal,
    );
    const isApplied = dropped.length === 0;
    if (isApplied) await removeAppliedSet(id, folder);
    const all = {applied, dropped: [...protectedIn(changes), ...dropped]};
    if (json !== undefined) printJson(`${JSON.stringify({id, ...appliedFacts(all)})}\n`);
    else {
      if (isApplied) note(`applied ${pluralize(applied.length, 'change')} in ${roots.join(', ')}`);
      else note('nothing was applied. Run the command again to get changes that fit the current files');
      tellDropped(all);
    }
    return isApplied ? exitCode.done : stopping.signal.aborted ? exitCode.interrupted : exitCode.failed;
  } finally {
    for (const signal of passed) process.off(signal, stop);
  }
}

/**
 * Signals a command whose changes are held back. Returns false if its process is gone. The command has its own process session;
 * bwrap and the program that makes its mounts do not pass signals on.
 */
function signalInside(leader: number, signal: NodeJS.Signals): boolean {
  const session = childrenOf(leader).flatMap(childrenOf)[0];
  if (session === undefined) return false;
  return tryOr(() => process.kill(-session, signal), false);
}

/** Resolves to the exit code as a shell reports it, or to a text if the process did not start. */
function endOf(child: ChildProcess): Promise<number | string> {
  const {promise, resolve} = Promise.withResolvers<number | string>();
  child.once('error', cause => resolve(causeText(cause)));
  child.once('exit', (code, signal) => resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal])));
  return promise;
}

const passed = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
