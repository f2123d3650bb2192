import {unwrap, UsageError, exitCode, type ExitCode} from '../../../app/exit-code.ts';
import {note, print, printAndWait} from '../../../app/output.ts';
import type {FileDiff} from '../../../actions/preview.ts';
import {pluralize} from '../../../base/clip.ts';
import {visibleLine} from '../../../base/visible.ts';
import {relativeTo} from '../../../base/shown-path.ts';
import {promptSpans, type PromptSpan, timelineOf} from '../../../domain/timeline.ts';
import type {JsonOption} from '../../flags.ts';
import {printDocument} from '../../rows.ts';
import {openSaved} from './saved-session.ts';

/** The flags of `weft sessions diff`. */
export interface DiffOptions extends JsonOption {
  readonly session?: string;
  readonly stat?: true;
}

/** `weft sessions diff [range]`: prints what some prompts of a session changed, as a patch. */
export async function diffSavedSession(
  rangeText: string | undefined,
  {session, stat, json}: DiffOptions,
): Promise<ExitCode> {
  const [, prefix, range = ''] = /^(?:(.*):)?(.*)$/su.exec(rangeText ?? '') ?? [];
  if (prefix !== undefined && session !== undefined) throw new UsageError('Name the session once.');
  const {records, roots, checkpoints} = await openSaved(prefix ?? session);
  const [top] = roots;
  const changes = spansIn(range, promptSpans(timelineOf(records))).flatMap(({files}) => files);
  const {signal} = new AbortController();
  if (stat === undefined && json === undefined) {
    const {text: patch, unnamed} =
      changes.length === 0
        ? {text: Buffer.alloc(0), unnamed: []}
        : unwrap(await checkpoints.patch(changes, top, signal));
    await printAndWait(patch, 'text');
    if (unnamed.length > 0)
      note(
        `not in the patch, because their names are not UTF-8: ${unnamed.map(path => visibleLine(relativeTo(path, top))).join(', ')}`,
      );
    if (patch.length === 0) note('no file that weft has saved changed');
    return exitCode.done;
  }
  const {files, more} =
    changes.length === 0 ? {files: [], more: 0} : unwrap(await checkpoints.compare(changes, signal));
  const rows = files.map(file => ({
    path: relativeTo(file.path, top),
    kind: kindOf(file),
    added: file.added,
    removed: file.removed,
    ...(file.notes.length > 0 && {notes: file.notes}),
  }));
  if (json !== undefined) return printDocument({files: rows, more});
  for (const {path, added, removed, notes = []} of rows)
    print(`${[path, `+${String(added)} −${String(removed)}`, ...notes].join('  ')}\n`);
  if (more > 0) print(`and ${pluralize(more, 'more file')}\n`);
  return exitCode.done;
}

const kindOf = ({before, after}: FileDiff): 'created' | 'deleted' | 'changed' =>
  before === 'absent' ? 'created' : after === 'absent' ? 'deleted' : 'changed';

/** Returns the prompts of a range such as `2..4`, `2..`, `..4` or `3`: all of them without one. Throws if there are no such prompts. */
function spansIn(range: string, spans: readonly PromptSpan[]): readonly PromptSpan[] {
  if (range === '') return spans;
  const [, first = '', dots, last = ''] = /^(\d*)(\.\.)?(\d*)$/u.exec(range) ?? [];
  const from = first === '' ? 1 : Number(first);
  const to = dots === undefined ? from : last === '' ? spans.length : Number(last);
  if ((first === '' && last === '' && dots === undefined) || from < 1 || from > to || to > spans.length)
    throw new UsageError(
      `There are no prompts ${range}. This session has ${String(spans.length)}; a range is 2..4, 2.. or 3.`,
    );
  return spans.slice(from - 1, to);
}
