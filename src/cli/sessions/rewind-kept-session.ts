import {join} from 'node:path';
import {carryOutRewind, previewRewind, rewindPoints} from '../../agent/rewind-session.ts';
import type {JournalRecord, RewindScope} from '../../domain/journal.ts';
import {rewindText} from '../../domain/rewind-text.ts';
import type {RewindTarget} from '../../domain/rewind.ts';
import {keptRoots, makeCheckpoints} from '../../workspace/checkpoints/make-checkpoints.ts';
import {exitCode, type ExitCode} from '../exit-code.ts';
import {findSession} from '../find-session.ts';
import {openUserStore} from '../load-surroundings.ts';
import type {RewindOptions} from '../program.ts';
import {saysYes} from '../says-yes.ts';
import {printError, printJson} from '../say.ts';
import {UsageError} from '../usage-error.ts';
import {userPlaces} from '../user-places.ts';
import {valueOf} from '../value-of.ts';

/** `weft sessions rewind <id>`: shows what going back would do, and does it once it is agreed to. */
export async function rewindKeptSession(idText: string, options: RewindOptions): Promise<ExitCode> {
  const places = userPlaces();
  const store = await openUserStore(places);
  const id = findSession(store, idText);
  const {summary} = valueOf(store.read(id));
  const opened = store.resume(id);
  // The advice to go on with a copy is for those who resume.
  if (opened.tag === 'failed') throw new Error(opened.error.message);
  const session = opened.value;
  const {records} = session;
  const target = targetOf(options, records);
  const folder = join(places.data, 'checkpoints');
  const checkpoints = makeCheckpoints({
    roots: rootsOf(records, folder) ?? [summary.directory],
    folder,
    environment: process.env,
    now: () => Date.now(),
  });
  const {signal} = new AbortController();
  const preview = valueOf(await previewRewind(target, {records, checkpoints}, signal));
  const {directory} = summary;
  if (options.yes === undefined) {
    const text = rewindText(preview, {directory, when: 'preview'});
    if (options.json !== undefined) printJson(`${JSON.stringify({done: false, ...preview})}\n`);
    else printError(`${text}\n`);
    if (!process.stdin.isTTY) {
      if (options.json !== undefined) return exitCode.done;
      throw new UsageError('Nothing has been done. Add --yes to do it.');
    }
    if (!(await saysYes('Do it? [y/N] '))) return exitCode.failed;
  }
  const keep = (record: JournalRecord): void => session.append(record);
  const done = valueOf(await carryOutRewind(target, {records, checkpoints, keep}, signal));
  store.close();
  if (options.json === undefined) printError(`${rewindText(done, {directory, when: 'done'})}\n`);
  else printJson(`${JSON.stringify({done: true, ...done})}\n`);
  return exitCode.done;
}

/** The workspace folders of the session when its files were last kept. */
function rootsOf(records: readonly JournalRecord[], folder: string): readonly string[] | undefined {
  const last = records.findLast(record => record.kind === 'checkpoint');
  return last === undefined ? undefined : keptRoots(folder, last.tree);
}

function targetOf({to, redo, ...scopes}: RewindOptions, records: readonly JournalRecord[]): RewindTarget {
  const chosen = (['files', 'talk', 'both'] as const satisfies readonly RewindScope[]).filter(
    scope => scopes[scope] !== undefined,
  );
  if (chosen.length > 1) throw new UsageError(`Give one of --${chosen.join(' and --')}, not both.`);
  if (redo !== undefined) {
    if (to !== undefined || chosen.length > 0) throw new UsageError('--redo takes back the last rewind as it was.');
    return {kind: 'redo'};
  }
  const points = rewindPoints(records);
  const point = to === undefined ? points.at(-1) : points[to - 1];
  if (point === undefined) {
    throw new UsageError(
      points.length === 0
        ? 'There is no prompt to go back to in this session.'
        : `There is no prompt ${String(to)}: this session has ${points.length}, counted from 1.`,
    );
  }
  return {kind: 'prompt', to: point.to, what: chosen[0] ?? 'both'};
}
