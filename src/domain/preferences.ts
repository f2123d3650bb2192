/** The user's settings for the terminal UI. `config` has their forms in a settings file and their defaults. */
export interface Preferences {
  readonly editorMode: EditorMode;
  readonly tui: DisplayMode;
  /** A `ThemeChoice`, or the name of one of the user's theme files. */
  readonly theme: string;
  readonly notify: NotificationMethod;
  readonly verbosity: Verbosity;
  /** Screen-reader mode: output is only ever appended, line by line. */
  readonly accessible: boolean;
  /** The events at which screen-reader mode rings the bell. */
  readonly bellOn: readonly BellEvent[];
  readonly statusLine: StatusLineSetting | 'none';
}

/** The user's command that prints the status line, in the form of Claude Code's setting. */
export interface StatusLineSetting {
  readonly command: string;
  /** Columns to leave free at the left. */
  readonly padding?: number | undefined;
  readonly timeoutMs?: number | undefined;
}

export const editorModes = ['emacs', 'vim'] as const;
export type EditorMode = (typeof editorModes)[number];

/** The destination of finished entries: the terminal's scrollback, or the alternate screen, which weft scrolls itself. */
export const displayModes = ['inline', 'fullscreen'] as const;
export type DisplayMode = (typeof displayModes)[number];

export const themeNames = ['dark', 'light', 'ansi', 'plain'] as const;
export type ThemeName = (typeof themeNames)[number];

/** `auto` selects the theme that fits the terminal's background. */
export const themeChoices = ['auto', ...themeNames] as const;
export type ThemeChoice = (typeof themeChoices)[number];

/** How weft notifies the user, while the terminal does not have the focus, that the agent is waiting or done. */
export const notificationMethods = ['off', 'bell', 'osc9'] as const;
export type NotificationMethod = (typeof notificationMethods)[number];

/** How much a finished entry shows: its title, its title with a few lines of the result, or everything. */
export const verbosities = ['name', 'summary', 'full'] as const;
export type Verbosity = (typeof verbosities)[number];

/** The events that can ring the bell: an approval request, a question from the agent, a complete answer. */
export const bellEvents = ['approval', 'question', 'done'] as const;
export type BellEvent = (typeof bellEvents)[number];
