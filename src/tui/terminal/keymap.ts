import type {Key} from 'ink';

/** Every key literal of the terminal UI: reads what the terminal sends as named keys. What a key does depends on the focus. */

/** The fields that Ink reports for a key press. */
export type RawKey = Omit<Key, 'hyper' | 'capsLock' | 'numLock'>;

export type KeyName =
  | 'enter'
  | 'newline'
  | 'escape'
  | 'interrupt'
  | 'end-of-input'
  | 'left'
  | 'right'
  | 'up'
  | 'down'
  | 'word-left'
  | 'word-right'
  | 'line-start'
  | 'line-end'
  | 'page-up'
  | 'page-down'
  | 'top'
  | 'bottom'
  | 'delete-left'
  | 'delete-right'
  | 'delete-word'
  | 'delete-word-right'
  | 'delete-to-start'
  | 'delete-to-end'
  | 'yank'
  | 'undo'
  | 'redo'
  | 'redraw'
  | 'suspend'
  | 'search-history'
  | 'open-editor'
  | 'expand-paste'
  | 'complete'
  | 'next-mode'
  | 'take-terminal'
  | 'to-background'
  | 'paste-image'
  | 'expand'
  | 'next-verbosity'
  | 'ignored';

export type KeyPress =
  | {readonly kind: 'key'; readonly name: KeyName}
  /** Typed characters; several when the terminal delivered them together. */
  | {readonly kind: 'text'; readonly text: string}
  /** `more` continues the previous paste. */
  | {readonly kind: 'paste'; readonly text: string; readonly part: 'first' | 'more'};

/** Letters that mean the same on every card. Enter alone never answers one: it takes the choice that the arrows have selected. */
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

/** Letters of the list of blocks. */
export const blockKeys = {stop: 's', keep: 'k'} as const;

/** Letters and characters of the question form. */
export const questionKeys = {toggle: ' ', other: 'o'} as const;

/** Typed alone into an empty prompt, shows and hides the shortcuts. */
export const shortcutsKey = '?';

/** The keys one needs most, as the composer shows them. */
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

/** Slash commands begin with this; a line that ends with the continuation goes on after Enter. */
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

/** The key of a control character that came in one piece with others; one that comes alone has the fields of its press. */
function controlName(character: string): KeyName {
  if (character === '\u007F') return 'delete-left';
  if (character === '\u001B') return 'escape';
  return controlKeys[String.fromCodePoint((character.codePointAt(0) ?? 0) + 64).toLowerCase()] ?? 'ignored';
}

function nameOf(input: string, key: RawKey): KeyName | undefined {
  if (key.return) return key.meta || key.shift || key.ctrl ? 'newline' : 'enter';
  if (key.escape) return 'escape';
  if (key.tab) return key.shift ? 'next-mode' : 'complete';
  if (key.upArrow) return 'up';
  if (key.downArrow) return 'down';
  if (key.leftArrow) return key.ctrl || key.meta ? 'word-left' : 'left';
  if (key.rightArrow) return key.ctrl || key.meta ? 'word-right' : 'right';
  if (key.pageUp) return 'page-up';
  if (key.pageDown) return 'page-down';
  if (key.home) return key.ctrl ? 'top' : 'line-start';
  if (key.end) return key.ctrl ? 'bottom' : 'line-end';
  if (key.backspace) return key.ctrl || key.meta ? 'delete-word' : 'delete-left';
  if (key.delete) return key.ctrl || key.meta ? 'delete-word-right' : 'delete-right';
  if (input === '\n') return 'newline';
  if (key.ctrl) return key.shift && input === 'z' ? 'redo' : (controlKeys[input] ?? 'ignored');
  if (key.meta) return metaKeys[input] ?? 'ignored';
  return key.super ? 'ignored' : undefined;
}

const controlKeys: Readonly<Record<string, KeyName>> = {
  a: 'line-start',
  b: 'to-background',
  c: 'interrupt',
  d: 'end-of-input',
  e: 'line-end',
  f: 'right',
  g: 'open-editor',
  h: 'delete-left',
  j: 'newline',
  k: 'delete-to-end',
  l: 'redraw',
  n: 'down',
  o: 'expand',
  p: 'up',
  r: 'search-history',
  t: 'take-terminal',
  u: 'delete-to-start',
  v: 'paste-image',
  w: 'delete-word',
  x: 'expand-paste',
  y: 'yank',
  z: 'suspend',
  _: 'undo',
  '-': 'undo',
  '/': 'undo',
};

const metaKeys: Readonly<Record<string, KeyName>> = {
  b: 'word-left',
  f: 'word-right',
  d: 'delete-word-right',
  o: 'next-verbosity',
  _: 'redo',
  '-': 'redo',
  '/': 'redo',
};
