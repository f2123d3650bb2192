import {unreachable} from '../../base/unreachable.ts';
import {splitBlocks} from '../markdown/split-blocks.ts';
import type {Entry, Finished, TextEntry, View} from './view.ts';

/**
 * Takes what is finished off the front of the view, in order: an entry waits for those before it, and a message gives up
 * its finished blocks while it is still being written.
 */
export function drain(view: View): {readonly view: View; readonly finished: readonly Finished[]} {
  const finished: Finished[] = [];
  let taken = 0;
  for (const entry of view.entries) {
    if (entry.kind === 'text') {
      const rest = drainText(entry, finished);
      if (rest !== undefined) return finish(view, finished, [rest, ...view.entries.slice(taken + 1)]);
    } else if (isClosed(entry)) {
      finished.push(entry);
    } else {
      break;
    }
    taken++;
  }
  return taken === 0 ? {view, finished} : finish(view, finished, view.entries.slice(taken));
}

const finish = (view: View, finished: readonly Finished[], entries: readonly Entry[]) => ({
  view: {...view, entries},
  finished,
});

/** The entry that is left, or `undefined` when all of it is finished. */
function drainText(entry: TextEntry, finished: Finished[]): TextEntry | undefined {
  const split = splitBlocks(entry.rest, entry.place, entry.state === 'done' ? 'whole' : 'growing');
  if (split.pieces.length > 0) finished.push({kind: 'pieces', pieces: split.pieces, written: entry.written});
  if (entry.state === 'done') return undefined;
  if (split.pieces.length === 0 && split.rest === entry.rest) return entry;
  return {...entry, rest: split.rest, place: split.place, written: split.pieces.length > 0 ? 'some' : entry.written};
}

function isClosed(entry: Exclude<Entry, TextEntry>): boolean {
  switch (entry.kind) {
    case 'thinking':
      return entry.state === 'done';
    case 'action':
      return entry.stage.stage === 'settled';
    case 'prompt':
    case 'notice':
    case 'past-action':
    case 'end':
      return true;
    default:
      return unreachable(entry);
  }
}
