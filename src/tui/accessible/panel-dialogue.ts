import type {PressContext} from '../input/effect.ts';
import type {KeyPress} from '../input/keymap.ts';
import type {Panel, PanelPlace} from '../panels/panel.ts';
import {glyphs} from '../theme/glyphs.ts';
import {isBack, waits, type Dialogue} from './dialogue.ts';

/** What a panel is shown and pressed in. */
export interface PanelRoom {
  place(): PanelPlace;
  context(): PressContext;
}

/** A small panel of the screen UI that has no form of its own here: its lines as they stand, its letters typed. */
export function panelDialogue(panel: Panel, room: PanelRoom): Dialogue {
  const lines = panel.lines(room.place()).lines.map(line => line.trimEnd().replaceAll(glyphs.between, ', '));
  return {
    lines: [...lines, how],
    answer(line) {
      if (line === '') return waits(`Nothing was done. ${how}`);
      const {panel: next, effects} = panel.press(pressOf(line), room.context());
      if (next === 'closed') return {next, say: [], effects};
      const dialogue = panelDialogue(next, room);
      const isSame = dialogue.lines.join('\n') === [...lines, how].join('\n');
      return isSame ? {next: 'same', say: [`Nothing was done. ${how}`], effects} : {next: dialogue, say: [], effects};
    },
  };
}

const how = 'Type its letter and Enter, or 0 to go back.';

function pressOf(line: string): KeyPress {
  const word = line.toLowerCase();
  if (isBack(line) || word === 'esc') return {kind: 'key', name: 'escape'};
  const name = namedKeys.find(one => one === word);
  return name === undefined ? {kind: 'text', text: line} : {kind: 'key', name};
}

const namedKeys = ['up', 'down', 'left', 'right'] as const;
