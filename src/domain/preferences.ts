/** How the terminal UI is to be for a user. What a settings file may say of each, and what counts unsaid, is in `config`. */
export interface Preferences {
  /** The keys that the composer begins with. */
  readonly editorMode: EditorMode;
  readonly tui: Display;
  readonly theme: ThemeChoice;
  readonly notify: Notify;
  readonly verbosity: Verbosity;
  /** Lines that are only ever added, for screen readers, instead of a screen. */
  readonly accessible: boolean;
  /** What the bell of those lines tells of. */
  readonly bellOn: readonly BellEvent[];
}

export const editorModes = ['emacs', 'vim'] as const;
export type EditorMode = (typeof editorModes)[number];

/** Where what is finished goes: into the terminal's scrollback, or onto a screen of weft's own that is scrolled by its keys. */
export const displays = ['inline', 'fullscreen'] as const;
export type Display = (typeof displays)[number];

export const themeNames = ['dark', 'light', 'ansi', 'plain'] as const;
export type ThemeName = (typeof themeNames)[number];

/** `auto` takes the theme that goes with the terminal's background. */
export const themeChoices = ['auto', ...themeNames] as const;
export type ThemeChoice = (typeof themeChoices)[number];

/** How the user is called when the agent waits or is done, and the terminal has not the focus. */
export const notifications = ['off', 'bell', 'osc9'] as const;
export type Notify = (typeof notifications)[number];

/** How much a finished entry shows: its title, that and a few lines of what came of it, or all that is known. */
export const verbosities = ['name', 'summary', 'full'] as const;
export type Verbosity = (typeof verbosities)[number];

/** An approval is asked for, a question is put, the answer is there. */
export const bellEvents = ['approval', 'question', 'done'] as const;
export type BellEvent = (typeof bellEvents)[number];
