import type {RawKey} from '../../../src/tui/terminal/keymap.ts';

/** A key without modifiers that has no name. */
export const bareKey: RawKey = {
  upArrow: false,
  downArrow: false,
  leftArrow: false,
  rightArrow: false,
  pageUp: false,
  pageDown: false,
  home: false,
  end: false,
  return: false,
  escape: false,
  tab: false,
  backspace: false,
  delete: false,
  ctrl: false,
  shift: false,
  meta: false,
  super: false,
};
