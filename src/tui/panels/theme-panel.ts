import type {FileDiff} from '../../actions/preview.ts';
import {unreachable} from '../../base/unreachable.ts';
import {themeChoices, type ThemeChoice} from '../../domain/preferences.ts';
import {diffLines} from '../views/diff-lines.ts';
import {closed, isWayOut, keysRow, listRow, steppedRow, titleRow, goOn, type Panel, type PanelPlace} from './panel.ts';

/** The themes: the chosen one is shown at once everywhere, and kept with Enter. */
export const themePanel = (now: ThemeChoice): Panel => panelOf(Math.max(0, themeChoices.indexOf(now)), now);

const panelOf = (row: number, before: ThemeChoice): Panel => ({
  press(key) {
    if (isWayOut(key)) return closed({do: 'choose-theme', theme: before});
    const next = steppedRow(key, {row, count: themeChoices.length});
    const theme = themeChoices[next ?? row] ?? before;
    if (next !== undefined) return {panel: panelOf(next, before), effects: [{do: 'choose-theme', theme}]};
    if (key.kind !== 'key' || key.name !== 'enter') return goOn(panelOf(row, before));
    return closed({do: 'command', line: {kind: 'command', name: 'theme', argument: theme}});
  },
  lines(place) {
    const {frame} = place;
    return {
      lines: [
        titleRow('Which theme?', frame),
        ...themeChoices.map((name, at) =>
          listRow(`${name.padEnd(6)} ${meaning(name)}`, at === row ? 'chosen' : 'other', frame),
        ),
        ...sample(place),
        keysRow(['Enter keeps it', 'Up and Down show others', 'Esc leaves it as it was'], frame),
      ],
      cursor: {x: 0, y: 1 + row},
    };
  },
});

function meaning(theme: ThemeChoice): string {
  switch (theme) {
    case 'auto':
      return "goes by the terminal's background";
    case 'dark':
      return 'for dark backgrounds';
    case 'light':
      return 'for light backgrounds';
    case 'ansi':
      return "the terminal's own sixteen colours";
    case 'plain':
      return 'no colours';
    default:
      return unreachable(theme);
  }
}

/** A few lines in which the colours can be judged, where there is room for them. */
function sample({rows, frame}: PanelPlace): readonly string[] {
  const {theme} = frame;
  const lines = [
    `${theme.paint(['success'], 'success')} ${theme.paint(['warning'], 'warning')} ${theme.paint(['error'], 'error')} ${theme.paint(['dim'], 'aside')}`,
    ...diffLines([example], {most: 6, shown: 'all', long: 'clipped'}, frame),
  ];
  return lines.slice(0, Math.max(0, rows - themeChoices.length - 2));
}

const example: FileDiff = {
  path: 'greet.ts',
  before: '',
  after: '',
  movedFrom: undefined,
  added: 1,
  removed: 1,
  hunks: [
    {
      oldStart: 1,
      newStart: 1,
      lines: [
        {kind: 'removed', text: "const greeting = 'hello';", changed: [{from: 18, to: 23}]},
        {kind: 'added', text: "const greeting = 'welcome';", changed: [{from: 18, to: 25}]},
      ],
    },
  ],
  notes: [],
};
