import {randomUUID} from 'node:crypto';
import * as z from 'zod/mini';
import {checksIn} from '../../../agent/receipts.ts';
import {callLabel} from '../../../agent/rewind.ts';
import {shownCheck} from '../../../tui/text/check-text.ts';
import {glyphs} from '../../../tui/theme/glyphs.ts';
import {wireCheck} from '../../../protocol/rpc/result-message.ts';
import {lstatSync, writeFileSync} from 'node:fs';
import {join, relative} from 'node:path';
import type {MainOptions} from '../../../app/main-options.ts';
import {exitCode, type ExitCode, unwrap} from '../../../app/exit-code.ts';
import {takeBackKilledRewinds} from '../../../app/open-session.ts';
import {askYesNo, note, print, printAndWait, printJson} from '../../../app/output.ts';
import {contextFor} from '../../../app/run-context.ts';
import {codeOfShadow, runInShadow, type ShadowPlace} from '../../../app/shadow-run.ts';
import {userPlaces} from '../../../app/user-data.ts';
import {withUserStores} from '../../../app/user-jobs.ts';
import {pluralize} from '../../../base/clip.ts';
import {relativeTo} from '../../../base/shown-path.ts';
import {visibleLine} from '../../../base/visible.ts';
import {ok} from '../../../base/outcome.ts';
import type {ChangeEntry} from '../../../domain/change-set.ts';
import {type TreeId, treeId} from '../../../domain/checkpoint.ts';
import {parseSessionId, planId} from '../../../domain/ids.ts';
import {draftOf, type Plan, planText} from '../../../domain/plan.ts';
import {openCheckpoints, type SavedCheckpoints} from '../../../workspace/checkpoints/make-checkpoints.ts';
import {type DryRun, dryRunsIn, removeDryRun, saveDryRun} from '../../../workspace/checkpoints/dry-runs.ts';
import {ignoredAmong} from '../../../workspace/checkpoints/git-query.ts';
import {entriesBelow} from '../../../workspace/files/list-folder.ts';
import {realPath} from '../../../workspace/files/resolve-path.ts';
import {isOwnerGone, ownerText} from '../../../workspace/sandbox/session.ts';
import type {JsonOption} from '../../flags.ts';

/** The flags of `weft plan run --dry`. */
export interface DryOptions extends JsonOption {
  readonly dry?: true;
}

/** Milliseconds for which a dry run can be applied. */
const maxAgeMs = 7 * 24 * 60 * 60 * 1000;

const {signal} = new AbortController();

const checkpointsIn = (roots: readonly string[]): SavedCheckpoints => openCheckpoints(roots, userPlaces().checkpoints);

/** Stores the state of the files now. Throws if it can't. */
async function stateNow(checkpoints: SavedCheckpoints): Promise<TreeId> {
  const tree = unwrap(await checkpoints.take(signal));
  if (tree === 'off') throw new Error('a dry run needs checkpoints, and they are off');
  return tree;
}

/** Makes the plans of killed dry runs what they were before, and forgets old dry runs. */
export async function settleDryRuns(): Promise<void> {
  const {checkpoints} = userPlaces();
  const over = dryRunsIn(checkpoints).filter(({end, owner, at}) =>
    end === undefined ? isOwnerGone(owner) : Date.now() - at > maxAgeMs,
  );
  if (over.length === 0) return;
  await withUserStores(({plans}) => {
    for (const run of over) {
      if (run.end === undefined) plans.reset(planId(run.plan), run.was);
      removeDryRun(checkpoints, run);
    }
  });
}

/** The report of the process in the shadow: the files afterwards, and the checks as programs and as people read them. */
const dryReport = z.object({
  tree: z.string(),
  checks: z.array(
    z.object({
      name: z.string(),
      command: z.string(),
      directory: z.string(),
      exit_code: z.nullable(z.number()),
      fresh: z.boolean(),
      passed: z.optional(z.number()),
      failed: z.optional(z.number()),
      at: z.string(),
      tree: z.string(),
    }),
  ),
  checkLines: z.array(z.string()),
  /** The calls that were refused, each as a line. */
  refused: z.array(z.string()),
  /** The pipes, sockets and devices in the workspace, by their real paths. */
  special: z.array(z.string()),
});
type DryReport = z.infer<typeof dryReport>;

/** Carries out a plan inside the shadow in which this process works, and reports the files afterwards to the process outside. */
export async function carryOutInside(
  shadow: ShadowPlace,
  carryOut: (options: Partial<MainOptions>) => Promise<ExitCode>,
): Promise<ExitCode> {
  if (shadow.kind === 'copy') note(`working in a copy of the folder: ${shadow.reason}`);
  const [, ...addDir] = shadow.roots;
  const [session = '', before = ''] = shadow.given.split(' ');
  const code = await carryOut({cwd: shadow.directory, addDir, sessionId: session, heldBack: shadow.kind});
  const checkpoints = checkpointsIn(shadow.roots.map(realPath));
  const folders = new Map(shadow.roots.map((root, at) => [realPath(root), shadow.real[at] ?? root]));
  const tree = checkpoints.movedTo(await stateNow(checkpoints), folders, treeId(before));
  const id = parseSessionId(session);
  const records = await withUserStores(({sessions}) => {
    const read = id === undefined ? undefined : sessions.read(id);
    return read?.tag === 'ok' ? read.value.records : [];
  });
  const statuses = await checksIn(records, checkpoints, signal);
  const checkLines = statuses.map(status => {
    const {mark, name, result} = shownCheck(status, shadow.directory);
    return `${glyphs[mark]} ${name} ${result}`;
  });
  const refused = records.flatMap(record =>
    record.kind === 'result' && record.result.outcome === 'cancelled' && record.result.reason === 'denied'
      ? [callLabel(record.result.id, records)]
      : [],
  );
  const special = shadow.roots.flatMap((root, at) =>
    [...entriesBelow(root)]
      .filter(entry => !entry.isFile() && !entry.isDirectory() && !entry.isSymbolicLink())
      .map(entry => join(shadow.real[at] ?? root, relative(root, join(entry.parentPath, entry.name)))),
  );
  const report: DryReport = {tree, checks: statuses.map(wireCheck), checkLines, refused, special};
  writeFileSync(shadow.report, JSON.stringify(report));
  return code;
}

/** True if there is nothing at a path. */
const isFree = (path: string): boolean => lstatSync(path, {throwIfNoEntry: false}) === undefined;

/** `weft plan run --dry`: carries the plan out in a shadow of the workspace, shows what changed, and applies it after one yes. */
export async function runDry(plan: Plan, given: MainOptions & DryOptions): Promise<ExitCode> {
  const {json} = given;
  const context = contextFor({...given, cwd: given.cwd ?? plan.directory});
  const {places} = context;
  const [first, ...others] = context.roots;
  const roots: [string, ...string[]] = [realPath(first), ...others.map(realPath)];
  const checkpoints = checkpointsIn(roots);
  const before = await stateNow(checkpoints);
  const session = randomUUID();
  const was = plan.state === 'approved' ? 'approved' : 'pending';
  const begun: DryRun = {
    plan: plan.id,
    session,
    owner: ownerText(),
    text: planText(draftOf(plan)),
    was,
    at: Date.now(),
    roots,
    before,
  };
  saveDryRun(places.checkpoints, begun);
  note('dry run: files are held back. Commands have no network, and other actions that leave this machine are refused');
  const ran = await runInShadow(context, {stdout: json === undefined ? 1 : 2, pass: `${session} ${before}`});
  const ended = await withUserStores(({plans}) => {
    const now = plans.find(plan.id);
    plans.reset(plan.id, was);
    return now;
  });
  if (ran.tag === 'failed' || ran.value.report === undefined || ended === 'unknown') {
    removeDryRun(places.checkpoints, begun);
    if (ran.tag === 'failed') note(`the dry run did not start: ${ran.error}`);
    return ran.tag === 'failed' ? exitCode.failed : codeOfShadow(ran.value.code);
  }
  const {code, report} = ran.value;
  const {tree, checks, checkLines, refused, special} = dryReport.parse(JSON.parse(report));
  const after = treeId(tree);
  const state = ended.state === 'completed' || ended.state === 'failed' ? ended.state : 'stopped';
  const run: DryRun = {...begun, end: {after, state, steps: ended.steps.map(({status}) => status)}};
  saveDryRun(places.checkpoints, run);
  const {files, folders, text} = unwrap(await checkpoints.patch([{before, after}], roots[0], signal));
  const changes = [...files, ...folders].map(each => ({...each, path: relativeTo(each.path, roots[0])}));
  const leftOut = [...checkpoints.leftOut(after), ...special.filter(isFree)].map(path => relativeTo(path, roots[0]));
  if (json !== undefined) {
    printJson(
      `${JSON.stringify({id: plan.id, session, tree: after, exitCode: code, changes, checks, leftOut, refused})}\n`,
    );
    return codeOfShadow(code);
  }
  await printAndWait(text, 'text');
  for (const {path, kind} of folders) note(`${kind} an empty folder: ${visibleLine(relativeTo(path, roots[0]))}`);
  if (leftOut.length > 0) note(`not part of the changes: ${leftOut.map(visibleLine).join(', ')}`);
  for (const each of refused) note(`refused: ${visibleLine(each)}`);
  print([...checkLines, `Tree ${after}`, ''].join('\n'));
  if (!process.stdin.isTTY) {
    note(`nothing is applied yet. To apply exactly these changes: weft plan apply ${plan.id}`);
    return codeOfShadow(code);
  }
  if (await askYesNo('Apply exactly these changes? [y/N] ')) return applyRun(run, {});
  removeDryRun(places.checkpoints, run);
  note('nothing was applied');
  return codeOfShadow(code);
}

/** `weft plan apply`: applies the changes of a dry run: all of them, or none if a file has changed since. */
export async function applyDryRun(id: string, options: JsonOption): Promise<ExitCode> {
  await settleDryRuns();
  const run = dryRunsIn(userPlaces().checkpoints).find(({plan}) => plan === id);
  if (run?.end !== undefined) return applyRun(run, options);
  note(`there is no dry run of plan ${visibleLine(id)}. Make one: weft plan run ${visibleLine(id)} --dry`);
  return exitCode.failed;
}

async function applyRun(run: DryRun, {json}: JsonOption): Promise<ExitCode> {
  const {roots, end} = run;
  const of = parseSessionId(run.session);
  if (end === undefined || of === undefined) return exitCode.failed;
  const places = userPlaces();
  const [before, after] = [treeId(run.before), treeId(end.after)];
  const checkpoints = checkpointsIn(roots);
  return withUserStores(async ({plans, sessions}) => {
    const killed = await takeBackKilledRewinds(of, {store: () => sessions, roots, folder: places.checkpoints});
    for (const {text} of killed) note(text);
    const plan = plans.find(planId(run.plan));
    const {files: changes, folders} = unwrap(await checkpoints.patch([{before, after}], roots[0], signal));
    const now = await stateNow(checkpoints);
    const since = await changedSince(unwrap(await checkpoints.patch([{before, after: now}], roots[0], signal)).files, {
      changes,
      roots,
    });
    const isSame =
      plan !== 'unknown' &&
      (plan.state === 'pending' || plan.state === 'approved') &&
      planText(draftOf(plan)) === run.text;
    if (since.length > 0 || !isSame) {
      const why =
        since.length > 0
          ? `${since.slice(0, 5).map(visibleLine).join(', ')} changed since the dry run`
          : 'the plan changed since the dry run';
      note(`nothing was applied: ${why}. Run it again: weft plan run ${run.plan} --dry`);
      return exitCode.failed;
    }
    const opened = sessions.resume(of);
    if (opened.tag === 'failed') throw new Error(opened.error.message);
    const journal = opened.value;
    try {
      const mark = {session: of, records: journal.records.length, kind: 'redo'} as const;
      const applied = unwrap(await checkpoints.revert([{before: after, after: before}], signal, mark));
      journal.append({kind: 'redo', files: applied.change});
      applied.recorded?.();
      const {conflicts} = applied.report;
      for (const {path, reason} of conflicts) note(`${visibleLine(path)}: ${reason}`);
      const made = unwrap(await checkpoints.patch([{before: after, after: applied.change.after}], roots[0], signal));
      const other = made.files.filter(({path}) => changes.some(each => each.path === path));
      if (conflicts.length + other.length > 0) return exitCode.failed;
    } finally {
      journal.close();
    }
    plans.change(plan.id, known =>
      ok({
        ...known,
        state: end.state,
        steps: known.steps.map((step, at) => ({...step, status: end.steps[at] ?? step.status})),
      }),
    );
    removeDryRun(places.checkpoints, run);
    const applied = [...changes, ...folders].map(each => ({...each, path: relativeTo(each.path, roots[0])}));
    if (json === undefined)
      note(
        `applied ${pluralize(applied.length, 'change')} of plan ${run.plan}. To undo them: weft sessions rewind ${of}`,
      );
    else printJson(`${JSON.stringify({id: run.plan, session: of, tree: after, applied})}\n`);
    return exitCode.done;
  });
}

/** Returns the files that make a dry run void: all that changed since, but for ignored ones that it did not change. */
async function changedSince(
  found: readonly ChangeEntry[],
  {changes, roots}: {readonly changes: readonly ChangeEntry[]; readonly roots: DryRun['roots']},
): Promise<readonly string[]> {
  const [top] = roots;
  const own = new Set(changes.map(({path}) => path));
  const paths = found.map(({path}) => path);
  const inTop = paths.filter(path => path.startsWith(`${top}/`) && !own.has(path)).map(path => relativeTo(path, top));
  const ignored = await ignoredAmong(inTop, {folder: top, environment: process.env, signal});
  return paths.map(path => relativeTo(path, top)).filter(path => !ignored.has(path));
}
