import {isExploration} from '../../actions/exploration.ts';
import type {Entry, ExplorationStep} from './view.ts';

/** Appends an entry. A read, search, or listing joins the exploration before it. `directory` is the workspace. */
export function withEntry(entries: readonly Entry[], entry: Entry, directory: string): readonly Entry[] {
  if (!isStep(entry)) return [...entries, entry];
  const last = entries.findLastIndex(one => !isBetweenSteps(one));
  const before = entries[last];
  if (before?.kind !== 'exploration') return [...entries, {kind: 'exploration', steps: [entry], directory}];
  const thoughts = entries.slice(last + 1).filter(one => one.kind === 'thinking');
  return [...entries.slice(0, last), {...before, steps: [...before.steps, ...thoughts, entry]}];
}

/** True for entries that don't end an exploration: thinking and blank text. */
export const isBetweenSteps = (entry: Entry): boolean =>
  entry.kind === 'thinking' || (entry.kind === 'text' && entry.written === 'nothing' && entry.rest.trim() === '');

function isStep(entry: Entry): entry is ExplorationStep {
  if (entry.kind === 'past-action') return entry.action !== 'unknown' && isExploration(entry.action);
  return entry.kind === 'action' && entry.stage.stage === 'queued' && isExploration(entry.stage.action);
}
