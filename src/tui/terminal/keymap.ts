import type {Key} from 'ink';

// All key literals of the terminal UI. Reads terminal input as named keys; the focus decides what a key does.

/** The fields that Ink reports for a key press. */
export type RawKey = Omit<Key, 'hyper' | 'capsLock' | 'numLock'>;

/** The keys by group, with their names and effects, as `/help keys` shows them. */
export const keyHelp = [
  {
    title: 'Prompts',
    rows: [
      {name: 'enter', keys: 'Enter', does: 'send; while the agent works: send now'},
      {name: 'complete', keys: 'Tab', does: 'complete; go to a card; while the agent works: send when done'},
      {name: 'newline', keys: 'Ctrl+J, Alt+Enter, Shift+Enter', does: 'new line, as \\ and Enter'},
      {name: 'up', keys: 'Up, Ctrl+P', does: 'up a line; earlier prompts; take a queued one back'},
      {name: 'down', keys: 'Down, Ctrl+N', does: 'down a line; later prompts'},
      {name: 'search-history', keys: 'Ctrl+R', does: 'search earlier prompts'},
      {name: 'open-editor', keys: 'Ctrl+G', does: 'write the prompt in your editor'},
      {name: 'paste-image', keys: 'Ctrl+V', does: 'paste an image'},
      {name: 'expand-paste', keys: 'Ctrl+X', does: 'unfold a pasted text'},
    ],
  },
  {
    title: 'Session',
    rows: [
      {name: 'escape', keys: 'Esc', does: 'stop the agent; twice on an empty prompt: rewind'},
      {name: 'interrupt', keys: 'Ctrl+C', does: 'clear the prompt or stop the agent; twice: leave'},
      {name: 'end-of-input', keys: 'Ctrl+D', does: 'leave, on an empty prompt'},
      {name: 'next-mode', keys: 'Shift+Tab', does: 'next mode: asks first, accepts edits, plan only'},
      {name: 'expand', keys: 'Ctrl+O', does: 'unfold the last folded entry; again: the one before'},
      {name: 'next-verbosity', keys: 'Alt+O', does: 'show less or more of finished actions'},
      {name: 'page-up', keys: 'PgUp', does: 'scroll back, in fullscreen and on a card'},
      {name: 'page-down', keys: 'PgDn', does: 'scroll on'},
      {name: 'top', keys: 'Ctrl+Home', does: 'scroll to the start, in fullscreen'},
      {name: 'bottom', keys: 'Ctrl+End', does: 'scroll to the end'},
      {
        name: 'to-background',
        keys: 'Ctrl+B',
        does: 'move the running command to the background; else back a character',
      },
      {name: 'take-terminal', keys: 'Ctrl+T', does: 'attach to a background command'},
      {name: 'redraw', keys: 'Ctrl+L', does: 'redraw the screen'},
      {name: 'suspend', keys: 'Ctrl+Z', does: 'suspend weft; fg resumes it'},
    ],
  },
  {
    title: 'Editing',
    rows: [
      {name: 'line-start', keys: 'Ctrl+A, Home', does: 'to the start of the line'},
      {name: 'line-end', keys: 'Ctrl+E, End', does: 'to the end of the line'},
      {name: 'left', keys: 'Left', does: 'back a character'},
      {name: 'right', keys: 'Right, Ctrl+F', does: 'forward a character'},
      {name: 'word-left', keys: 'Alt+B, Ctrl+Left', does: 'back a word'},
      {name: 'word-right', keys: 'Alt+F, Ctrl+Right', does: 'forward a word'},
      {name: 'delete-left', keys: 'Backspace, Ctrl+H', does: 'delete the character before'},
      {name: 'delete-right', keys: 'Delete', does: 'delete the character after'},
      {name: 'delete-word', keys: 'Ctrl+W, Alt+Backspace', does: 'cut the word before'},
      {name: 'delete-word-right', keys: 'Alt+D, Ctrl+Delete', does: 'cut the word after'},
      {name: 'delete-to-start', keys: 'Ctrl+U', does: 'cut to the start of the line'},
      {name: 'delete-to-end', keys: 'Ctrl+K', does: 'cut to the end of the line'},
      {name: 'yank', keys: 'Ctrl+Y', does: 'paste what was cut'},
      {name: 'undo', keys: 'Ctrl+_', does: 'undo an edit'},
      {name: 'redo', keys: 'Alt+_', does: 'redo it'},
    ],
  },
] as const;

const keyRows = keyHelp.flatMap(({rows}) => rows.map(({name, keys}) => ({name, keys})));

export type KeyName = (typeof keyRows)[number]['name'] | 'ignored';

/** Other keys with the same effects, listed only in the reference. */
export const otherKeys: readonly {readonly name: KeyName; readonly keys: string}[] = [
  {name: 'newline', keys: 'Ctrl+Enter'},
  {name: 'word-left', keys: 'Alt+Left'},
  {name: 'word-right', keys: 'Alt+Right'},
  {name: 'delete-word', keys: 'Ctrl+Backspace'},
  {name: 'delete-word-right', keys: 'Alt+Delete'},
  {name: 'undo', keys: 'Ctrl+-, Ctrl+/'},
  {name: 'redo', keys: 'Ctrl+Shift+Z, Alt+-, Alt+/'},
];

/** Key names by label, with the letter in lower case. */
const names: ReadonlyMap<string, KeyName> = new Map(
  [...keyRows, ...otherKeys].flatMap(({name, keys}) =>
    keys.split(', ').map(key => [key.replace(/[A-Z]$/u, letter => letter.toLowerCase()), name] as const),
  ),
);

export type KeyPress =
  | {readonly kind: 'key'; readonly name: KeyName}
  /** Typed characters. There are several if the terminal delivered them together. */
  | {readonly kind: 'text'; readonly text: string}
  /** `more` continues the previous paste. */
  | {readonly kind: 'paste'; readonly text: string; readonly part: 'first' | 'more'};

/** Letters with the same meaning on every card. Enter alone never decides: it confirms the choice that the arrow keys selected. */
export const approvalKeys = {
  allow: 'y',
  allowSession: 's',
  allowAlways: 'a',
  refuse: 'n',
  chooseHunks: 'h',
  showAll: 'v',
} as const;

/** Keys of a card that type no text, and their names on screen. */
export const cardKeys = {
  edit: {name: 'line-end', label: 'Ctrl+E'},
  /** The composer's key for the editor; on a card with an edit it opens the edit. */
  editor: {name: 'open-editor', label: 'Ctrl+G'},
  switchFocus: {name: 'complete', label: 'Tab'},
} as const satisfies Record<string, {readonly name: KeyName; readonly label: string}>;

export const blockKeys = {stop: 's', keep: 'k'} as const;

/** Letters and characters of the question form. */
export const questionKeys = {toggle: ' ', other: 'o'} as const;

/** Typed alone into an empty prompt, shows and hides the shortcuts. */
export const shortcutsKey = '?';

/** The most important keys, as the composer shows them. */
export const shortcuts: readonly {readonly keys: string; readonly does: string}[] = [
  {keys: '/', does: 'commands'},
  {keys: '@', does: 'attach a file'},
  {keys: '!', does: 'run a command'},
  {keys: 'Enter', does: 'send'},
  {keys: 'Tab', does: 'send when done'},
  {keys: 'Ctrl+J', does: 'new line'},
  {keys: 'Shift+Tab', does: 'change mode'},
  {keys: 'Ctrl+R', does: 'search prompts'},
  {keys: 'Ctrl+G', does: 'open your editor'},
  {keys: 'Ctrl+V', does: 'paste an image'},
  {keys: 'Ctrl+O', does: 'unfold'},
  {keys: 'Ctrl+T', does: 'running commands'},
  {keys: 'Esc', does: 'interrupt'},
  {keys: 'Ctrl+C twice', does: 'exit'},
  {keys: '/help', does: 'all keys'},
];

/** The beginning of slash commands, and the end of a line that continues after Enter. */
export const commandPrefix = '/';
export const continuation = '\\';

/** Reads one piece of input; several presses may arrive in one, and come out in order. */
export function readKeys(input: string, key: RawKey): readonly KeyPress[] {
  if (key.eventType === 'release') return [];
  const name = nameOf(input, key);
  if (name !== undefined) return [{kind: 'key', name}];
  return input
    .split(controlCharacter)
    .flatMap((part, at): readonly KeyPress[] =>
      at % 2 === 0 ? typed(part) : [{kind: 'key', name: controlName(part)}],
    );
}

/** Line ends and tabs between characters are part of the text; at its end an Enter and a tab are keys. */
function typed(part: string): readonly KeyPress[] {
  const lines = part.replaceAll('\r\n', '\n');
  const text = lines.replace(/[\r\t]+$/u, '');
  const ends = lines
    .slice(text.length)
    .split('')
    .map((end): KeyPress => ({kind: 'key', name: end === '\t' ? 'complete' : 'enter'}));
  return text === '' ? ends : [{kind: 'text', text: text.replaceAll('\r', '\n')}, ...ends];
}

/** Control characters except tabs and line ends, which belong to text; the group keeps them in the result of `split`. */
// oxlint-disable-next-line no-control-regex -- keys are control characters
const controlCharacter = /([\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F])/u;

/**
 * Returns the key of a control character that came in one piece with others. A control character that comes alone has
 * the fields of its press.
 */
function controlName(character: string): KeyName {
  if (character === '\u007F') return 'delete-left';
  if (character === '\u001B') return 'escape';
  return names.get(`Ctrl+${String.fromCodePoint((character.codePointAt(0) ?? 0) + 64).toLowerCase()}`) ?? 'ignored';
}

/** The keys that Ink names, with their labels. */
const named = [
  ['return', 'Enter'],
  ['escape', 'Esc'],
  ['tab', 'Tab'],
  ['upArrow', 'Up'],
  ['downArrow', 'Down'],
  ['leftArrow', 'Left'],
  ['rightArrow', 'Right'],
  ['pageUp', 'PgUp'],
  ['pageDown', 'PgDn'],
  ['home', 'Home'],
  ['end', 'End'],
  ['backspace', 'Backspace'],
  ['delete', 'Delete'],
] as const satisfies readonly (readonly [keyof RawKey, string])[];

/** Returns the name of a key. Ignores a modifier that has no meaning with a named key. */
function nameOf(input: string, key: RawKey): KeyName | undefined {
  const [, label] = named.find(([field]) => key[field]) ?? [];
  if (label !== undefined) {
    const {ctrl, meta, shift} = key;
    return (
      (ctrl ? names.get(`Ctrl+${label}`) : undefined) ??
      (meta ? names.get(`Alt+${label}`) : undefined) ??
      (shift ? names.get(`Shift+${label}`) : undefined) ??
      names.get(label)
    );
  }
  if (input === '\n') return 'newline';
  if (!key.ctrl && !key.meta) return key.super ? 'ignored' : undefined;
  const shifted = key.ctrl && key.shift ? names.get(`Ctrl+Shift+${input}`) : undefined;
  return shifted ?? (input.length > 1 ? undefined : names.get((key.ctrl ? 'Ctrl+' : 'Alt+') + input)) ?? 'ignored';
}
