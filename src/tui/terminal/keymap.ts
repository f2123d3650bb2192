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

/** The actions by default key, in the order of the help. The letter of a key is in lower case. */
export const defaultKeys: ReadonlyMap<string, KeyName> = new Map(
  [...keyRows, ...otherKeys].flatMap(({name, keys}) =>
    keys.split(', ').map(key => [key.replace(/[A-Z]$/u, letter => letter.toLowerCase()), name] as const),
  ),
);

/** The parts of the UI in which a key can have an action of its own: the prompt, a card, and a list or the transcript. */
export const keyContexts = ['prompt', 'card', 'list'] as const;
export type KeyContext = (typeof keyContexts)[number];

/**
 * The user's own keys, as their notation in `defaultKeys`, or two of them with a space between: a chord. `global` counts in each context
 * that has no other action for the key. `ignored` unbinds a key.
 */
export type UserKeys = Readonly<Record<KeyContext | 'global', ReadonlyMap<string, KeyName>>>;

/** The user's keys without a key bindings file. */
export const emptyUserKeys: UserKeys = {global: new Map(), prompt: new Map(), card: new Map(), list: new Map()};

let userKeys = emptyUserKeys;

/** Sets the user's own keys for this process. Call it before the UI starts, because hints name keys. */
export function setUserKeys(keys: UserKeys): void {
  userKeys = keys;
}

export const hasUserKeys = (): boolean => userKeys !== emptyUserKeys;

/** Returns what a key or a chord does in a context. `undefined` if it has no action. */
export const actionOfKey = (key: string, context: KeyContext, keys = userKeys): KeyName | undefined =>
  keys[context].get(key) ?? keys.global.get(key) ?? defaultKeys.get(key);

/** Returns the keys and chords of a context with their actions, the user's own first. */
export function keysIn(context: KeyContext, keys = userKeys): readonly (readonly [key: string, name: KeyName])[] {
  const all = new Set([...keys[context].keys(), ...keys.global.keys(), ...defaultKeys.keys()]);
  return [...all].map(key => [key, actionOfKey(key, context, keys) ?? 'ignored']);
}

/** Returns the chords of a context that begin with the key, with their actions. */
export const chordsFrom = (key: string, context: KeyContext, keys = userKeys): ReturnType<typeof keysIn> =>
  keysIn(context, keys).filter(([chord, name]) => name !== 'ignored' && chord.startsWith(`${key} `));

/** Returns the keys of an action in a context, the user's own first, as the help names them. */
export const keysOf = (name: KeyName, context: KeyContext): readonly string[] =>
  keysIn(context).flatMap(([key, action]) => (action === name ? [shownKey(key)] : []));

/** Returns the key of an action for a hint, such as `Ctrl+O`. Empty if the action has none. */
export const keyOf = (name: KeyName, context: KeyContext = 'prompt'): string => keysOf(name, context)[0] ?? '';

/** Returns a hint that names the key of an action, such as `Ctrl+B background`. Empty if the action has no key. */
export function keyHint(name: KeyName, words: (key: string) => string, context: KeyContext = 'prompt'): string {
  const key = keyOf(name, context);
  return key === '' ? '' : words(key);
}

export const inBrackets = (key: string): string => ` (${key})`;

/** Returns a key or a chord as people read it: `Ctrl+K Ctrl+S`. */
export const shownKey = (key: string): string =>
  key.replaceAll(/(?<=\+)[a-z](?= |$)/gu, letter => letter.toUpperCase());

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

/** The actions of a card that type no text. */
export const cardKeys = {
  edit: 'line-end',
  /** The composer's key for the editor; on a card with an edit it opens the edit. */
  editor: 'open-editor',
  switchFocus: 'complete',
} as const satisfies Record<string, KeyName>;

export const blockKeys = {stop: 's', keep: 'k'} as const;

/** Letters and characters of the question form. */
export const questionKeys = {toggle: ' ', other: 'o'} as const;

/** Typed alone into an empty prompt, shows and hides the shortcuts. */
export const shortcutsKey = '?';

/** The most important keys, as the composer shows them. An action without a key is left out. */
export const shortcuts = (newline: string): readonly {readonly keys: string; readonly does: string}[] =>
  [
    {keys: '/', does: 'commands'},
    {keys: '@', does: 'attach a file'},
    {keys: '!', does: 'run a command'},
    {keys: keyOf('enter'), does: 'send'},
    {keys: keyOf('complete'), does: 'send when done'},
    {keys: newline, does: 'new line'},
    {keys: keyOf('next-mode'), does: 'change mode'},
    {keys: keyOf('search-history'), does: 'search prompts'},
    {keys: keyOf('open-editor'), does: 'open your editor'},
    {keys: keyOf('paste-image'), does: 'paste an image'},
    {keys: keyOf('expand'), does: 'unfold'},
    {keys: keyOf('take-terminal'), does: 'running commands'},
    {keys: 'Esc', does: 'interrupt'},
    {keys: 'Ctrl+C twice', does: 'exit'},
    {keys: '/help', does: 'all keys'},
  ].filter(({keys}) => keys !== '');

/** The beginning of slash commands, and the end of a line that continues after Enter. */
export const commandPrefix = '/';
export const continuation = '\\';

/** A key by the labels that may name it, the most exact one first, or typed characters. */
type Stroke = {readonly labels: readonly string[]} | {readonly text: string};

/** Reads keys, and keeps the beginning of a chord until its second key. */
export class KeyReader {
  #begun = '';

  /** The first key of a chord whose second key is awaited, for the screen. Empty if there is none. */
  get begun(): string {
    return shownKey(this.#begun);
  }

  /** Reads one piece of input; several presses may arrive in one, and come out in order. */
  read(input: string, key: RawKey, context: KeyContext): readonly KeyPress[] {
    if (key.eventType === 'release') return [];
    return strokesOf(input, key).flatMap(stroke =>
      'text' in stroke
        ? this.readText(stroke.text, context)
        : [{kind: 'key', name: this.readKey(stroke.labels, context)}],
    );
  }

  /** Reads a key by the labels that may name it, the most exact one first. */
  readKey(labels: readonly string[], context: KeyContext): KeyName {
    const begun = this.#begun;
    this.#begun = '';
    const find = (before: string): KeyName | undefined =>
      labels.map(label => actionOfKey(before + label, context)).find(name => name !== undefined);
    if (begun !== '') {
      const found = find(`${begun} `);
      // Esc only ends the chord. On a card any other key does the same, so that a slip answers nothing. Elsewhere the key counts by itself.
      if (found !== undefined || labels.includes('Esc') || context === 'card') return found ?? 'ignored';
    }
    this.#begun = labels.find(label => chordsFrom(label, context).length > 0) ?? '';
    return this.#begun === '' ? (find('') ?? 'ignored') : 'ignored';
  }

  /** Reads typed characters. The first may end a chord. */
  readText(text: string, context: KeyContext): readonly KeyPress[] {
    const [first = ''] = text;
    const begun = this.#begun;
    this.#begun = '';
    if (begun === '') return [{kind: 'text', text}];
    const name =
      actionOfKey(`${begun} ${first.toLowerCase()}`, context) ?? (context === 'card' ? 'ignored' : undefined);
    if (name === undefined) return [{kind: 'text', text}];
    const rest = text.slice(first.length);
    return [{kind: 'key', name}, ...(rest === '' ? [] : [{kind: 'text', text: rest} as const])];
  }
}

function strokesOf(input: string, key: RawKey): readonly Stroke[] {
  const labels = labelsOf(input, key);
  if (labels !== undefined) return [{labels}];
  return input
    .split(controlCharacter)
    .flatMap((part, at): readonly Stroke[] => (at % 2 === 0 ? typed(part) : [{labels: [controlLabel(part)]}]));
}

/** Line ends and tabs between characters are part of the text; at its end an Enter and a tab are keys. */
function typed(part: string): readonly Stroke[] {
  const lines = part.replaceAll('\r\n', '\n');
  const text = lines.replace(/[\r\t]+$/u, '');
  const ends = lines
    .slice(text.length)
    .split('')
    .map((end): Stroke => ({labels: [end === '\t' ? 'Tab' : 'Enter']}));
  return text === '' ? ends : [{text: text.replaceAll('\r', '\n')}, ...ends];
}

/** Control characters except tabs and line ends, which belong to text; the group keeps them in the result of `split`. */
// oxlint-disable-next-line no-control-regex -- keys are control characters
const controlCharacter = /([\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F])/u;

/**
 * Returns the label of a control character that came in one piece with others. A control character that comes alone has
 * the fields of its press.
 */
export function controlLabel(character: string): string {
  if (character === '\u007F') return 'Backspace';
  if (character === '\u001B') return 'Esc';
  return `Ctrl+${String.fromCodePoint((character.codePointAt(0) ?? 0) + 64).toLowerCase()}`;
}

/** The keys that Ink names, with their labels. */
export const namedKeys = [
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

/** Returns the labels of a key. A modifier that has no meaning with the key is left out of the later ones. `undefined` for text. */
function labelsOf(input: string, key: RawKey): readonly string[] | undefined {
  const {ctrl, meta, shift} = key;
  const modifiers = [ctrl ? 'Ctrl+' : '', meta ? 'Alt+' : '', shift ? 'Shift+' : ''];
  const [, label] = namedKeys.find(([field]) => key[field]) ?? [];
  if (label !== undefined) {
    return [...new Set([modifiers.join(''), ...modifiers.filter(modifier => modifier !== ''), ''])].map(
      modifier => modifier + label,
    );
  }
  if (input === '\n') return ['Ctrl+j'];
  if (!ctrl && !meta) return key.super ? [] : undefined;
  if (input.length > 1) return [];
  const shifted = ctrl && shift ? [`Ctrl+Shift+${input}`] : [];
  return [...new Set([modifiers.join('') + input, ...shifted, (ctrl ? 'Ctrl+' : 'Alt+') + input])];
}
