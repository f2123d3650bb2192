import {unreachable} from '../../../base/unreachable.ts';
import type {RewindScope} from '../../../domain/journal.ts';
import type {RewindPoint, RewindReport, RewindTarget} from '../../../domain/rewind.ts';
import type {KeyPress} from '../../terminal/keymap.ts';
import {
  closePanel,
  isCloseKey,
  isConfirmKey,
  type PanelStep,
  pressList,
  openPicker,
  type Picker,
  plainItem,
} from './picker.ts';

/** The steps of a rewind: choose a prompt (latest first), choose what to rewind, and confirm the preview. */
export type RewindPanel =
  | {readonly panel: 'rewind'; readonly stage: 'prompt'; readonly picker: Picker<RewindPoint>}
  | {
      readonly panel: 'rewind';
      readonly stage: 'scope';
      readonly point: RewindPoint;
      readonly picker: Picker<RewindScope>;
    }
  | {readonly panel: 'rewind'; readonly stage: 'confirm'; readonly target: RewindTarget; readonly report: RewindReport};

export const rewindPanel = (points: readonly RewindPoint[]): RewindPanel => ({
  panel: 'rewind',
  stage: 'prompt',
  picker: openPicker({
    items: points.toReversed().map(point => ({
      ...plainItem(point, point.prompt),
      details: [point.files === 'changed' ? 'changed files' : ''],
    })),
    search: 'words',
    empty: 'No earlier prompts',
    selected: 'current',
  }),
});

export const rewindPreview = (target: RewindTarget, report: RewindReport): RewindPanel => ({
  panel: 'rewind',
  stage: 'confirm',
  target,
  report,
});

const scopePicker = openPicker<RewindScope>({
  items: (
    [
      ['both', 'Conversation and files', 'b'],
      ['files', 'Files only', 'f'],
      ['talk', 'Conversation only', 't'],
    ] as const
  ).map(([value, label, letter]) => ({...plainItem(value, label), letter})),
  search: 'off',
  empty: '',
  selected: 'current',
});

/** Handles a press. A `following` press arrived in the same chunk as earlier ones and never confirms anything. */
export function pressRewind(
  panel: RewindPanel,
  key: KeyPress,
  batchPosition: 'first' | 'following',
): PanelStep<RewindPanel> {
  switch (panel.stage) {
    case 'prompt':
      return pressList(panel, key, point => ({
        panel: {panel: 'rewind', stage: 'scope', point, picker: scopePicker},
        effects: [],
      }));
    case 'scope':
      return pressList(panel, key, what => {
        const target = {kind: 'prompt', to: panel.point.to, what} as const;
        return closePanel({do: 'query', request: {query: 'preview-rewind', target}});
      });
    case 'confirm':
      if (isCloseKey(key)) return closePanel();
      return isConfirmKey(key) && batchPosition === 'first'
        ? closePanel({do: 'query', request: {query: 'rewind', target: panel.target}})
        : {panel, effects: []};
    default:
      return unreachable(panel);
  }
}
