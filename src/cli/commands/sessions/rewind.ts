import {askYesNo, note, printError, printJson} from '../../../app/output.ts';
import {openUserStore} from '../../../app/user-database.ts';
import {exitCode, type ExitCode, unwrap, UsageError} from '../../../app/exit-code.ts';
import type {JsonOption} from '../../flags.ts';
import {type ChangesAlongside, performRewind, previewRewind, rewindPoints} from '../../../agent/rewind.ts';
import type {JournalRecord, RewindScope} from '../../../domain/journal.ts';
import {rewindReportText, type RewindTarget} from '../../../domain/rewind.ts';
import {endKilledSessions, sessionIdOf, takeBackKilledRewinds} from '../../../app/open-session.ts';
import {userPlaces} from '../../../app/user-data.ts';
import {checkpointsOf} from './saved-session.ts';

/** The flags of `weft sessions rewind`. */
export interface RewindOptions extends JsonOption {
  /** The number of the prompt to undo, with all later ones; by default the last prompt. */
  readonly to?: number;
  readonly files?: true;
  readonly talk?: true;
  readonly both?: true;
  readonly redo?: true;
  /** The id of a call, or the number of a prompt: takes only its changes back. */
  readonly step?: string;
  readonly yes?: true;
}

/** `weft sessions rewind <id>`: shows what the rewind would do, asks, and does it. */
export async function rewindSavedSession(idText: string, options: RewindOptions): Promise<ExitCode> {
  const places = userPlaces();
  const store = await openUserStore(places);
  const id = sessionIdOf(store, idText);
  const {summary} = unwrap(store.read(id));
  const folder = places.checkpoints;
  await endKilledSessions({store, directory: summary.directory, folder});
  const opened = store.resume(id);
  // Leave out the fault's advice to continue in a copy: it is for `--resume`.
  if (opened.tag === 'failed') throw new Error(opened.error.message);
  const session = opened.value;
  const {records} = session;
  const {roots, checkpoints} = checkpointsOf({summary, records}, places);
  const takenBack = await takeBackKilledRewinds(id, {store: () => store, roots, folder});
  for (const {text} of takenBack) note(text);
  // Redoing a rewind that was killed takes it back, and the other way round.
  if (takenBack.some(({session: of, kind}) => of === id && kind !== (options.redo === undefined ? 'rewind' : 'redo')))
    return exitCode.done;
  const target = targetOf(options, records);
  const {signal} = new AbortController();
  const others: ChangesAlongside = prompts => store.changesAlongside(session.id, prompts);
  const preview = unwrap(await previewRewind(target, {records, checkpoints, others}, signal));
  const {directory} = summary;
  if (options.yes === undefined) {
    const text = rewindReportText(preview, {directory, when: 'preview'});
    if (options.json !== undefined) printJson(`${JSON.stringify({done: false, ...preview})}\n`);
    else printError(`${text}\n`);
    if (!process.stdin.isTTY) {
      if (options.json !== undefined) return exitCode.done;
      throw new UsageError('Nothing was rewound. Add --yes to rewind.');
    }
    if (!(await askYesNo('Rewind? [y/N] '))) return exitCode.failed;
  }
  const keep = (record: JournalRecord): void => session.append(record);
  const done = unwrap(await performRewind(target, {id, records, checkpoints, keep, others}, signal));
  store.close();
  if (options.json === undefined) printError(`${rewindReportText(done, {directory, when: 'done'})}\n`);
  else printJson(`${JSON.stringify({done: true, ...done})}\n`);
  return done.files.failures === undefined ? exitCode.done : exitCode.failed;
}

function targetOf({to, redo, step, ...scopes}: RewindOptions, records: readonly JournalRecord[]): RewindTarget {
  const chosen = (['files', 'talk', 'both'] as const satisfies readonly RewindScope[]).filter(
    scope => scopes[scope] !== undefined,
  );
  if (chosen.length > 1) throw new UsageError(`Use only one of --${chosen.join(' and --')}.`);
  if (redo !== undefined) {
    if (to !== undefined || chosen.length > 0)
      throw new UsageError("--redo undoes the last rewind and can't be combined with other options.");
    return {kind: 'redo'};
  }
  if (step !== undefined) {
    if (to !== undefined || chosen.length > 0)
      throw new UsageError("--step undoes changes of files only and can't be combined with other options.");
    return {kind: 'step', step};
  }
  const points = rewindPoints(records);
  const point = to === undefined ? points.at(-1) : points[to - 1];
  if (point === undefined) {
    throw new UsageError(
      points.length === 0
        ? 'This session has no prompt to go back to.'
        : `There is no prompt ${String(to)}. This session has ${points.length}.`,
    );
  }
  return {kind: 'prompt', to: point.to, what: chosen[0] ?? 'both'};
}
