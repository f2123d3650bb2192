import type {KeyPress} from '../keymap.ts';
import type {Find} from './motions.ts';

export type VimMode = 'insert' | 'normal' | 'visual' | 'visual-line';

/** What was cut or copied last; whole lines come without their last line feed. */
export interface Register {
  readonly text: string;
  readonly kind: 'characters' | 'lines';
}

/** What the last change was, to be made again: the keys of its command, and the keys of what was typed after it. */
export interface VimChange {
  readonly command: string;
  /** 0 where none was given. */
  readonly count: number;
  readonly typed: readonly KeyPress[];
  /** What it worked on, where that was a selection: so many lines, or characters of one line. */
  readonly span: 'none' | {readonly kind: 'lines' | 'characters'; readonly size: number};
}

export interface VimState {
  readonly mode: VimMode;
  /** The keys of a command that is not whole yet. */
  readonly pending: string;
  /** Where the selection began. */
  readonly anchor: number;
  /** The cell column that going up and down keeps to. */
  readonly goal: number | 'none' | 'end';
  readonly register: Register;
  readonly find: Find | 'none';
  readonly last: VimChange | 'none';
  /** The change that typing completes. */
  readonly open: VimChange | 'none';
}

/** Begins with typing, as a composer does. */
export const freshVim: VimState = {
  mode: 'insert',
  pending: '',
  anchor: 0,
  goal: 'none',
  register: {text: '', kind: 'characters'},
  find: 'none',
  last: 'none',
  open: 'none',
};
