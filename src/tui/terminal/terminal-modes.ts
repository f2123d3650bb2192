import {modifiedKeys} from './modified-keys.ts';

/**
 * The modes that are on because weft switched them on: what is written is looked at, so that whoever writes a mode (Ink does
 * most) needs not say so. One answer to "how is this undone", whatever the way of leaving.
 */
export interface TerminalModes {
  /** `text` was written to the terminal. */
  wrote(text: string): void;
  /** Undoes what is on now; empty when nothing is. */
  undo(): string;
  /** Whether the keyboard tells by the kitty protocol which modifiers a key has. */
  readonly tellsModifiers: 'yes' | 'no';
}

/** `onChange` is called when `undo` has another answer than before. */
export function trackModes(onChange: () => void): TerminalModes {
  const on = new Set<string>();
  let keyboards = 0;
  let titles = 0;
  let modified = '';
  const switched = (mode: string, state: string): void => {
    if (state === (normallyOn.has(mode) || mode === wheelArrows ? 'l' : 'h')) on.add(mode);
    else on.delete(mode);
  };
  const undo = (): string =>
    [...on]
      .filter(mode => mode !== alternateScreen)
      .map(off)
      .join('') +
    (modified === '' ? '' : modifiedKeys.off) +
    (keyboards > 0 ? `\u001B[<${keyboards}u` : '') +
    (titles > 0 ? '\u001B[23;2t' : '') +
    // Last: what the keyboard was told counts for the screen it was told on.
    (on.has(alternateScreen) ? off(alternateScreen) : '');
  let told = '';
  return {
    wrote(text) {
      // A frame changes no mode for longer than itself; only the cursor and the like are switched by small writes.
      for (const [, mode, state, keyboard, many, title, keys] of text.matchAll(switches)) {
        if (mode !== undefined && state !== undefined) switched(mode, state);
        else if (keyboard !== undefined) {
          keyboards = Math.max(0, keyboards + (keyboard === '>' ? 1 : -Number(many === '' ? 1 : many)));
        } else if (title !== undefined) titles = title === '22' ? 1 : 0;
        else if (keys !== undefined) modified = keys;
      }
      const now = undo();
      if (now === told) return;
      told = now;
      onChange();
    },
    undo,
    get tellsModifiers() {
      return keyboards > 0 ? 'yes' : 'no';
    },
  };
}

function off(mode: string): string {
  if (mode === wheelArrows) return `\u001B[?${mode}r`;
  return `\u001B[?${mode}${normallyOn.has(mode) ? 'h' : 'l'}`;
}

const alternateScreen = '1049';

/** Arrow keys for the wheel on the alternate screen: the user has it either way, so it is saved, switched off and restored. */
const wheelArrows = '1007';

/** The cursor is shown. */
const normallyOn = new Set(['25']);

// oxlint-disable-next-line no-control-regex -- sequences of the terminal
const switches = /\u001B\[(?:\?(\d+)([hlr])|([<>])(\d*)u|(2[23]);2t|>4(;1|)m)/gu;
