/** Tracks which terminal modes are on by reading all written text, because Ink does not report its modes. */
interface TerminalModes {
  /** Reads mode switches in `text` that was written to the terminal. */
  observe(text: string): void;
  /** Returns the sequence that switches off all modes that are on. Empty if there are none. */
  resetSequence(): string;
  /** Whether the keyboard reports modifiers through the kitty protocol. */
  readonly reportsModifiers: 'yes' | 'no';
}

/** Starts tracking. `onChange` is called when the reset sequence changes. */
export function trackModes(onChange: () => void): TerminalModes {
  const on = new Set<string>();
  let keyboards = 0;
  let titles = 0;
  let modified = '';
  const switched = (mode: string, state: string): void => {
    if (state === (normallyOn.has(mode) || mode === wheelArrows ? 'l' : 'h')) on.add(mode);
    else on.delete(mode);
  };
  const undo = (): string => {
    const modes = undoModes();
    return modes === '' ? '' : endFrame + modes;
  };
  const undoModes = (): string =>
    [...on]
      .filter(mode => mode !== alternateScreen)
      .map(off)
      .join('') +
    (modified === '' ? '' : modifyOtherKeys.off) +
    (keyboards > 0 ? `\u001B[<${keyboards}u` : '') +
    (titles > 0 ? '\u001B[23;2t' : '') +
    // The alternate screen comes last, because keyboard modes belong to the screen that they were set on.
    (on.has(alternateScreen) ? off(alternateScreen) : '');
  let reported = '';
  return {
    observe(text) {
      for (const [, mode, state, keyboard, many, title, keys] of text.matchAll(switches)) {
        if (mode !== undefined && state !== undefined) switched(mode, state);
        else if (keyboard !== undefined) {
          keyboards = Math.max(0, keyboards + (keyboard === '>' ? 1 : -Number(many === '' ? 1 : many)));
        } else if (title !== undefined) titles = title === '22' ? 1 : 0;
        else if (keys !== undefined) modified = keys;
      }
      const now = undo();
      if (now === reported) return;
      reported = now;
      onChange();
    },
    resetSequence: undo,
    get reportsModifiers() {
      return keyboards > 0 ? 'yes' : 'no';
    },
  };
}

function off(mode: string): string {
  if (mode === wheelArrows) return `\u001B[?${mode}r`;
  return `\u001B[?${mode}${normallyOn.has(mode) ? 'h' : 'l'}`;
}

const alternateScreen = '1049';

/** Sends arrow keys for the wheel on the alternate screen. It may be on or off at first, so it is saved, switched off and restored. */
const wheelArrows = '1007';

/** The modes that are on by default: a visible cursor and wrapping. */
const normallyOn = new Set(['25', '7']);

/** Ends what a frame begins and ends itself, in case a killed process wrote half of it: synchronized output, no wrapping, reverse wrapping. */
const endFrame = '\u001B[?2026l\u001B[?7h\u001B[?45l';

// oxlint-disable-next-line no-control-regex -- sequences of the terminal
const switches = /\u001B\[(?:\?(\d+)([hlr])|([<>])(\d*)u|(2[23]);2t|>4(;1|)m)/gu;

/**
 * Switches xterm's modifyOtherKeys, level 1, on and off, for terminals without the kitty protocol. Shift+Enter then differs from
 * Enter; keys with their own byte keep it. The SGR reset after it is for terminals that read the switch as a style.
 */
export const modifyOtherKeys = {on: '\u001B[>4;1m\u001B[m', off: '\u001B[>4m\u001B[m'} as const;

type Environment = Readonly<Record<string, string | undefined>>;

/** Returns whether to send modifyOtherKeys. Kitty and Ghostty have a better protocol. The Linux console would print the sequence. */
export const wantsModifyOtherKeys = ({TERM: term = ''}: Environment): 'yes' | 'no' =>
  /^(?:xterm|tmux|screen|foot|mintty|wezterm|iterm)/u.test(term) && !/kitty|ghostty/u.test(term) ? 'yes' : 'no';

/** Resets the modes of cursor, keyboard, mouse and writing that a program may have left on. */
const resetProgramModes =
  '\u001B[?25h\u001B[?1l\u001B>\u001B[4l\u001B[20l\u001B[?5l\u001B[?7h\u001B[?12l' +
  '\u001B[?9l\u001B[?1000l\u001B[?1002l\u001B[?1003l\u001B[?1004l\u001B[?1005l\u001B[?1006l\u001B[?1015l\u001B[?1016l' +
  '\u001B[?2004l\u001B[?2026l\u001B[?2031l\u001B[=0u\u001B[<99u\u001B[>4;0m\u001B[0 q';

/**
 * Resets modes that another program may have left on, and leaves the alternate screen. Saves and restores the cursor position,
 * because origin mode (DECOM) and setting the margins move it.
 */
export const resetModes = `\u001B7\u001B[?1049l\u001B[0m\u000F\u001B(B\u001B7\u001B[?6l\u001B[?69l\u001B[r\u001B8${resetProgramModes}`;

/** Resets every mode that a program on the alternate screen may have enabled, and returns to the normal screen. */
export const restoreScreen = `\u001B[r\u001B[0m\u001B[?6l\u001B[?69l\u000F\u001B(B${resetProgramModes}\u001B[2J\u001B[?1049l`;
