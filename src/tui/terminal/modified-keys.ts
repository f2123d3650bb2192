/**
 * Tells keys with modifiers apart as xterm does (modifyOtherKeys), for terminals without the kitty protocol: Shift+Enter is no Enter
 * then. The first level, on which whatever has a byte of its own keeps it. A terminal that takes this for a look forgets it with
 * the second sequence.
 */
export const modifiedKeys = {on: '\u001B[>4;1m\u001B[m', off: '\u001B[>4m\u001B[m'} as const;

/** Environment variables by their names. */
type Environment = Readonly<Record<string, string | undefined>>;

/** Whether the terminal is asked for that. Kitty and its like have the better protocol; the Linux console would show what it does not know. */
export const asksForModifiedKeys = ({TERM: term = ''}: Environment): 'yes' | 'no' =>
  /^(?:xterm|tmux|screen|foot|mintty|wezterm|iterm)/u.test(term) && !/kitty|ghostty/u.test(term) ? 'yes' : 'no';

/** A key that begins a new line in this terminal: Shift+Enter is one only where that is known to differ from Enter. */
export type NewlineKey = 'Shift+Enter' | 'Ctrl+J';
