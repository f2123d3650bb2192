import {writeFileSync} from 'node:fs';
import type {Command} from 'commander';
import * as z from 'zod/mini';
import {askUnattended} from '../../workspace/sandbox/host-gate.ts';
import {commandSandbox} from '../../app/command-sandbox.ts';
import {exitCode, type ExitCode, exiting, unwrap, UsageError} from '../../app/exit-code.ts';
import {note, print, printError} from '../../app/output.ts';
import {contextFor} from '../../app/run-context.ts';
import {codeOfShadow, runInShadow, type ShadowPlace, takeShadowPlace} from '../../app/shadow-run.ts';
import {visibleLine, visibleText} from '../../base/visible.ts';
import {firstLine} from '../../base/clip.ts';
import {maxTimerMs} from '../../base/timer-limits.ts';
import {type ChangesAlongside, describeChange, previewRewind} from '../../agent/rewind.ts';
import {bisectMisses, bisectMissText, findBadChange, treesAfter} from '../../domain/bisect.ts';
import {changesOfSession, type SessionChange} from '../../domain/timeline.ts';
import {beforeTrees, type TreeId} from '../../domain/checkpoint.ts';
import {faultText} from '../../domain/fault.ts';
import {confines, holdsChanges} from '../../domain/sandbox.ts';
import {openCheckpoints} from '../../workspace/checkpoints/make-checkpoints.ts';
import {runTagVariable, shellEnvironment} from '../../workspace/exec/shell-environment.ts';
import {findShell, userPath} from '../../workspace/exec/trusted-path.ts';
import {realPath} from '../../workspace/files/resolve-path.ts';
import {runEnclosed} from '../../workspace/sandbox/run-enclosed.ts';
import {addParameters, jsonFlag, type JsonOption} from '../flags.ts';
import {printDocument} from '../rows.ts';
import {openSaved, type SavedSession} from './sessions/saved-session.ts';
import {abortOnSignals} from '../signals.ts';

interface BisectOptions extends JsonOption {
  readonly session?: string;
}

/** `weft bisect <command>`: finds the call of a session after which a command fails. */
export function add(command: Command): void {
  addParameters(
    command,
    [
      ['<command>', 'Command that fails now and passed before the session, such as "npm test"'],
      ['--session <id>', 'Session id (default: the latest of this folder)'],
      jsonFlag,
    ],
    exiting(async (line: string, options: BisectOptions) => {
      if (line.trim() === '') throw new UsageError('Name a command that fails now: weft bisect "npm test"');
      const shadow = takeShadowPlace();
      const session = await openSaved(shadow?.given ?? options.session);
      const changes = changesOfSession(session.records);
      return shadow === undefined ? outside({session, changes, options}) : inside(line, {session, changes, shadow});
    }),
  );
}

const bisectEnd = z.union([
  z.object({kind: z.literal('found'), at: z.number(), runs: z.number()}),
  z.object({kind: z.enum(bisectMisses), runs: z.number()}),
]);

interface Bisected {
  readonly session: SavedSession;
  readonly changes: readonly SessionChange[];
}

/** Searches in a shadow of the workspace, and tells the result. */
async function outside({
  session,
  changes,
  options: {json},
}: Bisected & {readonly options: BisectOptions}): Promise<ExitCode> {
  const {roots, places, summary, records, checkpoints, store} = session;
  if (changes.length === 0) {
    note('this session has changed no files that weft has saved');
    return exitCode.failed;
  }
  const [directory] = roots;
  const ran = await runInShadow({directory, roots, places}, {stdout: 2, pass: summary.id});
  if (ran.tag === 'failed' || ran.value.report === undefined) {
    if (ran.tag === 'failed') note(`can't bisect: ${ran.error}`);
    return ran.tag === 'failed' ? exitCode.failed : codeOfShadow(ran.value.code);
  }
  const end = bisectEnd.parse(JSON.parse(ran.value.report));
  const change = end.kind === 'found' ? changes[end.at] : undefined;
  if (end.kind !== 'found' || change === undefined) {
    if (end.kind !== 'found') note(bisectMissText(end.kind));
    if (json !== undefined) printDocument({bad: null, reason: end.kind, runs: end.runs});
    return exitCode.failed;
  }
  const bad = describeChange(change, records);
  const step = change.call === 'unknown' ? String(change.number) : change.call;
  const undo = `weft sessions rewind ${summary.id} --step ${step} --yes`;
  const others: ChangesAlongside = prompts => store.changesAlongside(summary.id, prompts);
  const {signal} = new AbortController();
  const exact = await previewRewind({kind: 'step', step}, {records, checkpoints, others}, signal);
  const refused = exact.tag === 'failed' ? faultText(exact.error) : undefined;
  if (json !== undefined)
    return printDocument({bad, runs: end.runs, step, ...(refused === undefined ? {undo} : {undo: null, refused})});
  print(
    visibleText(
      `Broken by: ${bad.label}\nof prompt ${String(change.number)}: ${firstLine(bad.prompt, 200)}\n(${String(end.runs)} runs)\n`,
    ),
  );
  if (refused !== undefined || !process.stdin.isTTY) {
    note(refused ?? `to undo just this step: ${undo}`);
    return exitCode.done;
  }
  const {rewindSavedSession} = await import('./sessions/rewind.ts');
  await rewindSavedSession(summary.id, {step});
  return exitCode.done;
}

/** Searches in the shadow in which this process works: gives the files each state in turn, and runs the command. */
async function inside(
  line: string,
  {session, changes, shadow}: Bisected & {readonly shadow: ShadowPlace},
): Promise<ExitCode> {
  const [top, ...others] = shadow.roots;
  const first = realPath(top);
  const roots = [first, ...others.map(realPath)] as const;
  const folders = new Map(shadow.real.map((real, at) => [real, roots[at] ?? real]));
  const checkpoints = openCheckpoints(roots, session.places.checkpoints);
  const inPlace = (tree: TreeId): TreeId => (shadow.kind === 'view' ? tree : checkpoints.movedTo(tree, folders));
  const {signal, stopped} = abortOnSignals();
  const context = {...contextFor({cwd: first}), roots};
  const sandbox = commandSandbox(context, context.settings.sandbox);
  try {
    const proof = await sandbox.proof();
    note(
      `the states are in a ${shadow.kind === 'view' ? 'copy-on-write view' : `copy (${shadow.reason})`}; commands run ${confines(proof) ? 'in the sandbox' : 'without a sandbox'}`,
    );
    let output = '';
    const restore = async (trees: readonly TreeId[]): Promise<'same' | 'changed'> => {
      const [before, ...more] = trees.map(inPlace);
      if (before === undefined) return 'same';
      const {report} = unwrap(
        await checkpoints.revert([{before, after: 'now', more: {before: more, after: []}}], signal),
      );
      const [conflict] = report.conflicts;
      if (conflict !== undefined) throw new Error(`can't restore ${conflict.path}: ${conflict.reason}`);
      return report.files.length === 0 ? 'same' : 'changed';
    };
    const labelOf = (at: number): string => {
      const change = changes[at];
      return change === undefined ? '' : visibleLine(describeChange(change, session.records).label);
    };
    const failsNow = async (state: string): Promise<boolean> => {
      signal.throwIfAborted();
      const given = {...process.env, PATH: userPath()};
      const variables = {
        inherited: given,
        userSet: context.settings.env,
        passedThrough: context.settings.passEnv,
        roots,
      };
      const ran = await runEnclosed(
        sandbox,
        {
          argv: [findShell(given, roots), '-c', line],
          directory: shadow.directory,
          environment: shellEnvironment(variables, {
            runTag: process.env[runTagVariable] ?? '',
            channel: 'pipes',
            environment: 'inherited',
          }),
          confinement: holdsChanges(proof) ? 'sandbox' : 'chosen',
          hosts: askUnattended,
          timeoutMs: maxTimerMs,
          input: '',
          changes: 'none',
        },
        signal,
      );
      signal.throwIfAborted();
      if (ran.tag === 'failed') throw new Error(ran.error);
      const {end} = ran.value;
      if (end.kind === 'not-started') throw new Error(`can't run the command: ${end.reason}`);
      ({output} = ran.value);
      const isBad = end.kind !== 'exited' || end.code !== 0;
      note(`${state}: ${isBad ? 'fails' : 'passes'}`);
      return isBad;
    };
    let end: z.infer<typeof bisectEnd> = await findBadChange(changes.length, async count => {
      await restore(treesAfter(changes, count));
      return failsNow(count === 0 ? 'without the changes of the session' : `after ${labelOf(count - 1)}`);
    });
    // Someone else may have broken the files of that change before it.
    const bad = end.kind === 'found' ? changes[end.at] : undefined;
    if (end.kind === 'found' && bad !== undefined) {
      const state = treesAfter(changes, end.at);
      await restore(state);
      if (
        (await restore([...beforeTrees(bad.files), ...state])) === 'changed' &&
        (await failsNow(`right before ${labelOf(end.at)}`))
      )
        end = {kind: 'broken-beside', runs: end.runs + 1};
    }
    if (end.kind === 'fails-at-start') printError(output.slice(-4000));
    writeFileSync(shadow.report, JSON.stringify(end));
    return exitCode.done;
  } catch (cause) {
    const code = stopped();
    if (code !== undefined) return code;
    throw cause;
  } finally {
    await sandbox.close();
  }
}
