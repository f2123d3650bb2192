import type {OpenTreeChange, TreeId} from '../domain/checkpoint.ts';
import type {JournalRecord} from '../domain/journal.ts';
import {promptSpans, timelineOf} from '../domain/timeline.ts';

/**
 * Returns the changes of files that a journal knows, oldest first: those of its prompts, or everything since the first of them.
 * Undone prompts don't count.
 */
export function sessionChanges(
  records: readonly JournalRecord[],
  since: 'session' | 'start',
): readonly OpenTreeChange[] {
  const changes = promptSpans(timelineOf(records)).flatMap(({files}) => files);
  const [first] = changes;
  if (since === 'session' || first === undefined) return changes;
  // A tree of named files covers only these, so that later trees tell the beginnings of other files.
  const [, ...later] = changes.flatMap(({before, more}): readonly TreeId[] => [before, ...(more?.before ?? [])]);
  return [{before: first.before, after: 'now', more: {before: later, after: []}}];
}
