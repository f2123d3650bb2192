import type {PressContext} from '../input/effect.ts';
import type {KeyPress} from '../input/keymap.ts';
import type {Panel, PanelPlace} from '../panels/panel.ts';
import {isBack, waits, type Dialogue} from './dialogue.ts';

/** What a panel is shown and pressed in. */
export interface PanelRoom {
  place(): PanelPlace;
  context(): PressContext;
}

/** Any panel of the screen UI by typed words: its lines as they stand, its keys by name or letter. */
export function panelDialogue(panel: Panel, room: PanelRoom): Dialogue {
  const how = 'Type up, down, enter, back or one of the letters named above, and Enter.';
  return {
    lines: [...panel.lines(room.place()).lines.map(line => line.trimEnd()), how],
    answer(line) {
      if (line === '') return waits(how);
      const {panel: next, effects} = panel.press(pressOf(line), room.context());
      return {next: next === 'closed' ? 'closed' : panelDialogue(next, room), say: [], effects};
    },
  };
}

function pressOf(line: string): KeyPress {
  const word = line.toLowerCase();
  if (isBack(line) || word === 'esc') return {kind: 'key', name: 'escape'};
  const name = namedKeys.find(one => one === word);
  return name === undefined ? {kind: 'text', text: line} : {kind: 'key', name};
}

const namedKeys = ['up', 'down', 'left', 'right', 'enter'] as const;
