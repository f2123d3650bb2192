import {approvalKeys, blockKeys, cardKeys, questionKeys, type KeyName} from './keymap.ts';

/** A row of the help: keys as people call them, all of which do the same. */
export interface KeyHelp {
  /** Read as `name` by the keymap. */
  readonly keys: readonly string[];
  readonly name: KeyName;
  readonly does: string;
}

/** Every key that has a meaning of its own, in groups. */
export const keyHelp: readonly {readonly title: string; readonly rows: readonly KeyHelp[]}[] = [
  {
    title: 'Prompts',
    rows: [
      {keys: ['Enter'], name: 'enter', does: 'sends; while the agent works it joins at its next step'},
      {
        keys: ['Tab'],
        name: 'complete',
        does: 'completes; goes to a question; while the agent works it sends for afterwards',
      },
      {keys: ['Ctrl+J', 'Alt+Enter', 'Shift+Enter'], name: 'newline', does: 'begins a new line, as \\ and Enter do'},
      {keys: ['Up', 'Ctrl+P'], name: 'up', does: 'up a line; earlier prompts; takes a waiting one back'},
      {keys: ['Down', 'Ctrl+N'], name: 'down', does: 'down a line; later prompts'},
      {keys: ['Ctrl+R'], name: 'search-history', does: 'searches earlier prompts'},
      {keys: ['Ctrl+G'], name: 'open-editor', does: 'writes the prompt in your editor'},
      {keys: ['Ctrl+V'], name: 'paste-image', does: 'pastes an image'},
      {keys: ['Ctrl+X'], name: 'unfold-paste', does: 'makes the text of a folded paste editable'},
    ],
  },
  {
    title: 'Session',
    rows: [
      {keys: ['Esc'], name: 'escape', does: 'stops the agent'},
      {keys: ['Ctrl+C'], name: 'interrupt', does: 'clears the draft or stops the agent; twice leaves'},
      {keys: ['Ctrl+D'], name: 'end-of-input', does: 'leaves, on an empty draft'},
      {keys: ['Shift+Tab'], name: 'next-mode', does: 'goes through the modes: asks first, accepts edits, plan only'},
      {keys: ['Ctrl+O'], name: 'unfold', does: 'shows the last folded block whole; again, the one before'},
      {keys: ['Alt+O'], name: 'next-verbosity', does: 'shows less or more of finished actions'},
      {keys: ['PgUp'], name: 'page-up', does: 'scrolls back, in fullscreen and on a card'},
      {keys: ['PgDn'], name: 'page-down', does: 'scrolls on'},
      {keys: ['Ctrl+Home'], name: 'top', does: 'scrolls to the start, in fullscreen'},
      {keys: ['Ctrl+End'], name: 'bottom', does: 'scrolls to the end'},
      {keys: ['Ctrl+T'], name: 'take-terminal', does: 'takes the terminal of a running command'},
      {keys: ['Ctrl+L'], name: 'redraw', does: 'draws the screen anew'},
      {keys: ['Ctrl+Z'], name: 'suspend', does: 'back to the shell; fg goes on'},
    ],
  },
  {
    title: 'Editing',
    rows: [
      {keys: ['Ctrl+A', 'Home'], name: 'line-start', does: 'to the start of the line'},
      {keys: ['Ctrl+E', 'End'], name: 'line-end', does: 'to the end of the line'},
      {keys: ['Left', 'Ctrl+B'], name: 'left', does: 'back a character'},
      {keys: ['Right', 'Ctrl+F'], name: 'right', does: 'on a character'},
      {keys: ['Alt+B', 'Ctrl+Left'], name: 'word-left', does: 'back a word'},
      {keys: ['Alt+F', 'Ctrl+Right'], name: 'word-right', does: 'on a word'},
      {keys: ['Backspace', 'Ctrl+H'], name: 'delete-left', does: 'deletes the character before'},
      {keys: ['Delete'], name: 'delete-right', does: 'deletes the character behind'},
      {keys: ['Ctrl+W', 'Alt+Backspace'], name: 'delete-word', does: 'cuts the word before'},
      {keys: ['Alt+D', 'Ctrl+Delete'], name: 'delete-word-right', does: 'cuts the word behind'},
      {keys: ['Ctrl+U'], name: 'delete-to-start', does: 'cuts to the start of the line'},
      {keys: ['Ctrl+K'], name: 'delete-to-end', does: 'cuts to the end of the line'},
      {keys: ['Ctrl+Y'], name: 'yank', does: 'puts back what was cut'},
      {keys: ['Ctrl+_'], name: 'undo', does: 'takes an edit back'},
      {keys: ['Alt+_'], name: 'redo', does: 'takes that back'},
    ],
  },
];

/** The keys of a card that asks whether something may be done; those that answer stand on the card too. */
export const cardHelp: readonly {readonly keys: string; readonly does: string}[] = [
  {
    keys: `${approvalKeys.allowMild}, or ${approvalKeys.allowRisky}, or a word`,
    does: 'allows it once; the card says which of them its risk takes',
  },
  {keys: approvalKeys.allowSession, does: 'allows its like for this session'},
  {keys: approvalKeys.allowAlways, does: 'always, by a rule: in this project for you, or with u in all your projects'},
  {keys: approvalKeys.refuse, does: 'says no'},
  {keys: approvalKeys.refuseWithReason, does: 'says no, and why'},
  {
    keys: approvalKeys.chooseHunks,
    does: 'goes through the hunks of an edit: Space ticks, and only what is ticked is written',
  },
  {
    keys: `${cardKeys.edit.label}, ${cardKeys.editor.label}`,
    does: 'changes a command, or what an edit would write in your editor, before you answer',
  },
  {keys: 'Up, Down, PgUp, PgDn', does: 'reads what does not fit the card'},
  {keys: approvalKeys.showAll, does: 'prints all of it above'},
  {keys: cardKeys.switchFocus.label, does: 'goes to the card, and from it to the prompt'},
];

/** The keys of a question. */
export const questionHelp: typeof cardHelp = [
  {keys: 'Up, Down, Enter', does: 'chooses an answer, as its number does'},
  {keys: 'Space', does: 'ticks it, where several may be'},
  {keys: questionKeys.other, does: 'answers in your own words'},
];

/** The keys of the list of running commands. */
export const blockHelp: typeof cardHelp = [
  {keys: 'Enter', does: 'takes the terminal of the chosen one; Ctrl+] gives it back'},
  {keys: blockKeys.stop, does: 'stops it'},
  {keys: blockKeys.keep, does: 'lets it run on when weft ends'},
];

/** What the first letters of a draft mean. */
export const signHelp: readonly {readonly sign: string; readonly does: string}[] = [
  {sign: '@', does: 'names a file or folder that goes with the prompt: @src/a.ts:10-20, @"my file.txt"'},
  {sign: '!', does: 'runs a command of your own; the agent sees its output'},
  {sign: '#', does: 'remembers a note in AGENTS.md'},
  {sign: '/', does: 'is a command'},
];
