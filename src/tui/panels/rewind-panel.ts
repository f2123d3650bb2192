import {unreachable} from '../../base/unreachable.ts';
import {visibleLine} from '../../base/visible.ts';
import type {RewindScope} from '../../domain/journal.ts';
import {rewindText} from '../../domain/rewind-text.ts';
import type {RewindPoint, RewindReport, RewindTarget} from '../../domain/rewind.ts';
import type {KeyPress} from '../input/keymap.ts';
import {noIndent, wrapSpans, type Frame} from '../text/wrap.ts';
import type {Placed} from '../views/composer-view.ts';
import {
  closed,
  firstShown,
  goOn,
  isWayOut,
  keysRow,
  listRow,
  steppedRow,
  titleRow,
  type Panel,
  type PanelPlace,
  type PanelStep,
} from './panel.ts';

/** Going back, step by step: which prompt (latest first), what of it, and what that would do. */
export const rewindPanel = (points: readonly RewindPoint[]): Panel =>
  panelOf({stage: 'prompt', points: points.toReversed(), row: 0});

/** What going there would do, to be agreed to. */
export const rewindPreview = (target: RewindTarget, report: RewindReport): Panel =>
  panelOf({stage: 'confirm', target, report});

type RewindStage =
  | {readonly stage: 'prompt'; readonly points: readonly RewindPoint[]; readonly row: number}
  | {readonly stage: 'scope'; readonly point: RewindPoint}
  | {readonly stage: 'confirm'; readonly target: RewindTarget; readonly report: RewindReport};

const panelOf = (stage: RewindStage): Panel => ({
  press: (key, {place}) => press(stage, key, place),
  lines: place => lines(stage, place),
});

/** The letters that choose what goes back, and what they stand for. */
const scopeKeys: readonly {readonly key: string; readonly scope: RewindScope; readonly word: string}[] = [
  {key: 'b', scope: 'both', word: 'both'},
  {key: 'f', scope: 'files', word: 'files only'},
  {key: 't', scope: 'talk', word: 'conversation only'},
];

/** `later` presses came in one piece with others, and such a piece never agrees to anything. */
function press(stage: RewindStage, key: KeyPress, place: 'first' | 'later'): PanelStep {
  if (isWayOut(key)) return closed();
  switch (stage.stage) {
    case 'prompt': {
      const {points, row} = stage;
      const next = steppedRow(key, {row, count: points.length});
      if (next !== undefined) return goOn(panelOf({...stage, row: next}));
      const point = isEnter(key) ? points[row] : undefined;
      return goOn(panelOf(point === undefined ? stage : {stage: 'scope', point}));
    }
    case 'scope': {
      const chosen = key.kind === 'text' ? scopeKeys.find(one => one.key === key.text) : undefined;
      const what = isEnter(key) ? 'both' : chosen?.scope;
      if (what === undefined) return goOn(panelOf(stage));
      return closed({do: 'op', op: {op: 'preview-rewind', target: {kind: 'prompt', to: stage.point.to, what}}});
    }
    case 'confirm':
      if (key.kind !== 'text' || place === 'later') return goOn(panelOf(stage));
      if (key.text === 'y') return closed({do: 'op', op: {op: 'rewind', target: stage.target}});
      return key.text === 'n' ? closed() : goOn(panelOf(stage));
    default:
      return unreachable(stage);
  }
}

const isEnter = (key: KeyPress): boolean => key.kind === 'key' && key.name === 'enter';

function lines(stage: RewindStage, place: PanelPlace): Placed {
  const {frame} = place;
  switch (stage.stage) {
    case 'prompt':
      return pointLines(stage, place);
    case 'scope': {
      const keys = scopeKeys.map(({key, word}) => `${key} ${word}`);
      const title = `Go back to before: ${visibleLine(stage.point.prompt)}`;
      return {lines: [titleRow(title, frame), keysRow([...keys, 'Esc goes back'], frame)], cursor: {x: 0, y: 1}};
    }
    case 'confirm':
      return previewLines(stage.report, place);
    default:
      return unreachable(stage);
  }
}

/** Prompts shown at once. */
const promptsShown = 10;

function pointLines(
  {points, row}: RewindStage & {readonly stage: 'prompt'},
  {rows, frame}: {readonly rows: number; readonly frame: Frame},
): Placed {
  const room = Math.max(1, Math.min(promptsShown, rows - 2));
  const top = firstShown({row, count: points.length, room});
  const shown = points.slice(top, top + room).map(({number, prompt, files}, at) => {
    const text = `${number}. ${visibleLine(prompt)}${files === 'changed' ? '  (changed files)' : ''}`;
    return listRow(text, top + at === row ? 'chosen' : 'other', frame);
  });
  const count = points.length > room ? [`${points.length} prompts`] : [];
  return {
    lines: [
      titleRow('Go back to before which prompt?', frame),
      ...shown,
      keysRow(['Enter chooses', 'Esc goes back', ...count], frame),
    ],
    cursor: {x: 0, y: 1 + row - top},
  };
}

function previewLines(report: RewindReport, {rows, frame, view}: PanelPlace): Placed {
  const directory = view.session.tag === 'open' ? view.session.info.directory : '';
  const [head = '', ...rest] = rewindText(report, {directory, when: 'preview'}).split('\n');
  const room = Math.max(1, rows - 1);
  const all = [
    ...wrapSpans([{text: head, roles: ['bold']}], frame, noIndent),
    ...rest.flatMap(line => {
      const [, indent = '', text = ''] = /^( *)([^]*)$/u.exec(line) ?? [];
      return wrapSpans([{text, roles: []}], frame, {first: indent, rest: `${indent}  `, roles: []});
    }),
  ];
  const body = all.length <= room ? all : [...all.slice(0, Math.max(1, room - 1)), '  …'].slice(0, room);
  return {
    lines: [...body, keysRow(['y do it', 'n leave everything as it is'], frame)],
    cursor: {x: 0, y: body.length},
  };
}
