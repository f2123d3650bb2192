import type {RewindScope} from '../../domain/journal.ts';
import type {RewindPoint, RewindReport, RewindTarget} from '../../domain/rewind.ts';
import type {KeyPress} from './keymap.ts';

/** Going back, step by step: which prompt, what of it, and what that would do. */
export type RewindPicker =
  /** Latest first. */
  | {readonly stage: 'prompt'; readonly points: readonly RewindPoint[]; readonly row: number}
  | {readonly stage: 'scope'; readonly point: RewindPoint}
  | {readonly stage: 'confirm'; readonly target: RewindTarget; readonly report: RewindReport};

export type RewindStep =
  | {readonly kind: 'open'; readonly picker: RewindPicker}
  | {readonly kind: 'preview' | 'go'; readonly target: RewindTarget}
  | {readonly kind: 'closed'};

/** The letters that choose what goes back, and what they stand for. */
export const scopeKeys: readonly {readonly key: string; readonly scope: RewindScope; readonly word: string}[] = [
  {key: 'b', scope: 'both', word: 'both'},
  {key: 'f', scope: 'files', word: 'files only'},
  {key: 't', scope: 'talk', word: 'conversation only'},
];

export const openRewind = (points: readonly RewindPoint[]): RewindPicker => ({
  stage: 'prompt',
  points: points.toReversed(),
  row: 0,
});

/** One press; `later` presses came in one piece with others, and such a piece never agrees to anything. */
export function pressRewind(picker: RewindPicker, key: KeyPress, place: 'first' | 'later'): RewindStep {
  if (key.kind === 'key' && (key.name === 'escape' || key.name === 'end-of-input')) return {kind: 'closed'};
  switch (picker.stage) {
    case 'prompt':
      return pressPoints(picker, key);
    case 'scope': {
      const chosen = key.kind === 'text' ? scopeKeys.find(one => one.key === key.text) : undefined;
      const isEnter = key.kind === 'key' && key.name === 'enter';
      const what = isEnter ? 'both' : chosen?.scope;
      if (what === undefined) return {kind: 'open', picker};
      return {kind: 'preview', target: {kind: 'prompt', to: picker.point.to, what}};
    }
    default:
      if (key.kind !== 'text' || place === 'later') return {kind: 'open', picker};
      if (key.text === 'y') return {kind: 'go', target: picker.target};
      return key.text === 'n' ? {kind: 'closed'} : {kind: 'open', picker};
  }
}

function pressPoints(picker: RewindPicker & {readonly stage: 'prompt'}, key: KeyPress): RewindStep {
  const {points, row} = picker;
  const chosen = (point: RewindPoint | undefined): RewindStep => ({
    kind: 'open',
    picker: point === undefined ? picker : {stage: 'scope', point},
  });
  const moved = (by: number): RewindStep => ({
    kind: 'open',
    picker: {...picker, row: (row + by + points.length) % Math.max(1, points.length)},
  });
  if (key.kind !== 'key') return {kind: 'open', picker};
  switch (key.name) {
    case 'up':
      return moved(-1);
    case 'down':
    case 'complete':
      return moved(1);
    case 'enter':
      return chosen(points[row]);
    default:
      return {kind: 'open', picker};
  }
}
