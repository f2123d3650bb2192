/** Every key literal of the terminal UI. What a key means depends on who has attention; which key it is does not. */

/** What a terminal reports about one press; the same fields Ink gives. */
export interface RawKey {
  readonly upArrow: boolean;
  readonly downArrow: boolean;
  readonly leftArrow: boolean;
  readonly rightArrow: boolean;
  readonly pageUp: boolean;
  readonly pageDown: boolean;
  readonly home: boolean;
  readonly end: boolean;
  readonly return: boolean;
  readonly escape: boolean;
  readonly tab: boolean;
  readonly backspace: boolean;
  readonly delete: boolean;
  readonly ctrl: boolean;
  readonly shift: boolean;
  readonly meta: boolean;
  readonly super: boolean;
  readonly eventType?: 'press' | 'repeat' | 'release';
}

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
  | 'unfold-paste'
  | 'complete'
  | 'next-mode'
  | 'take-terminal'
  | 'paste-image'
  | 'unfold'
  | 'next-verbosity'
  | 'ignored';

export type KeyPress =
  | {readonly kind: 'key'; readonly name: KeyName}
  /** Typed characters; several when the terminal delivered them together. */
  | {readonly kind: 'text'; readonly text: string}
  /** `more` goes on with the paste before it. */
  | {readonly kind: 'paste'; readonly text: string; readonly part: 'first' | 'more'};

/**
 * Letters that answer a confirmation. Enter is not among them, and never will be. What accepts depends on the risk: `allowMild` is
 * no answer to what reaches further, and what destroys is accepted by no letter but by its word.
 */
export const approvalKeys = {
  allowMild: 'y',
  allowRisky: 'k',
  allowSession: 's',
  allowAlways: 'a',
  /** Where a rule is shown: for all projects of the user. */
  allowEverywhere: 'u',
  refuse: 'n',
  refuseWithReason: 'r',
  showAll: 'v',
  chooseHunks: 'h',
} as const;

/** Keys of a card that no text can be typed with, and how they are called on screen. */
export const cardKeys = {
  edit: {name: 'line-end', label: 'Ctrl+E'},
  /** The composer's key for the editor, which does the same on a card with an edit. */
  editor: {name: 'open-editor', label: 'Ctrl+G'},
  switchFocus: {name: 'complete', label: 'Tab'},
} as const satisfies Record<string, {readonly name: KeyName; readonly label: string}>;

/** Letters of the list of blocks, and of the card that hands one over. */
export const blockKeys = {stop: 's', keep: 'k', take: 't', decline: 'n'} as const;

/** Letters and characters of the question form. */
export const questionKeys = {toggle: ' ', other: 'o'} as const;

/** Slash commands begin with this; a line that ends with the continuation goes on after Enter. */
export const commandPrefix = '/';
export const continuation = '\\';

/**
 * Reads one delivery of the terminal. On a busy machine and on a slow line several presses arrive in one piece: they come out in
 * order, however they are mixed.
 */
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

/** Without tabs and line ends, which belong to texts too; a part of what is split, so that it is kept. */
// oxlint-disable-next-line no-control-regex -- keys are control characters
const controlCharacter = /([\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F])/u;

/** What a control character is among others; one that comes alone is told by the fields of its press. */
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
  b: 'left',
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
  o: 'unfold',
  p: 'up',
  r: 'search-history',
  t: 'take-terminal',
  u: 'delete-to-start',
  v: 'paste-image',
  w: 'delete-word',
  x: 'unfold-paste',
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
