import {describe, expect, test} from 'vitest';
import {approvalKeys, type KeyPress, KeyReader, type RawKey} from '../../src/tui/terminal/keymap.ts';
import {bareKey} from './support/bare-key.ts';

const key = (name: KeyPress & {kind: 'key'}): readonly KeyPress[] => [name];

describe('readKeys', () => {
  test.each<[string, string, Partial<RawKey>, readonly KeyPress[]]>([
    ['Enter', '', {return: true}, key({kind: 'key', name: 'enter'})],
    ['Alt+Enter', '', {return: true, meta: true}, key({kind: 'key', name: 'newline'})],
    ['Shift+Enter (kitty)', '', {return: true, shift: true}, key({kind: 'key', name: 'newline'})],
    ['Ctrl+J', '\n', {}, key({kind: 'key', name: 'newline'})],
    ['Ctrl+J (kitty)', 'j', {ctrl: true}, key({kind: 'key', name: 'newline'})],
    ['Ctrl+C', 'c', {ctrl: true}, key({kind: 'key', name: 'interrupt'})],
    ['Shift+Tab', '', {tab: true, shift: true}, key({kind: 'key', name: 'next-mode'})],
    ['Ctrl+W', 'w', {ctrl: true}, key({kind: 'key', name: 'delete-word'})],
    ['Alt+B', 'b', {meta: true}, key({kind: 'key', name: 'word-left'})],
    ['Ctrl+Left', '', {leftArrow: true, ctrl: true}, key({kind: 'key', name: 'word-left'})],
    ['Alt+D', 'd', {meta: true}, key({kind: 'key', name: 'delete-word-right'})],
    ['Ctrl+_', '_', {ctrl: true}, key({kind: 'key', name: 'undo'})],
    ['Alt+_', '_', {meta: true}, key({kind: 'key', name: 'redo'})],
    ['Ctrl+Z', 'z', {ctrl: true}, key({kind: 'key', name: 'suspend'})],
    ['Ctrl+Shift+Z (kitty)', 'z', {ctrl: true, shift: true}, key({kind: 'key', name: 'redo'})],
    ['Ctrl+Enter (kitty)', '', {return: true, ctrl: true}, key({kind: 'key', name: 'newline'})],
    ['Alt+Left', '', {leftArrow: true, meta: true}, key({kind: 'key', name: 'word-left'})],
    ['Alt+Right', '', {rightArrow: true, meta: true}, key({kind: 'key', name: 'word-right'})],
    ['Ctrl+Backspace', '', {backspace: true, ctrl: true}, key({kind: 'key', name: 'delete-word'})],
    ['Alt+Delete', '', {delete: true, meta: true}, key({kind: 'key', name: 'delete-word-right'})],
    ['Ctrl+/', '/', {ctrl: true}, key({kind: 'key', name: 'undo'})],
    ['Alt+-', '-', {meta: true}, key({kind: 'key', name: 'redo'})],
    ['Shift+Up', '', {upArrow: true, shift: true}, key({kind: 'key', name: 'up'})],
    ['Ctrl+Alt+F', 'f', {ctrl: true, meta: true}, key({kind: 'key', name: 'right'})],
    ['Super+A', 'a', {super: true}, key({kind: 'key', name: 'ignored'})],
    ['a word behind Escape', 'Left', {meta: true}, key({kind: 'key', name: 'ignored'})],
    ['an unknown chord', 'q', {ctrl: true}, key({kind: 'key', name: 'ignored'})],
    ['a key going up', 'a', {eventType: 'release'}, []],
    ['a letter', 'a', {}, [{kind: 'text', text: 'a'}]],
    [
      'typed ahead',
      'go on\r',
      {},
      [
        {kind: 'text', text: 'go on'},
        {kind: 'key', name: 'enter'},
      ],
    ],
    ['an unbracketed paste', 'a\rb', {}, [{kind: 'text', text: 'a\nb'}]],
    ['a table in one', 'a\tb\r\nc\n', {}, [{kind: 'text', text: 'a\tb\nc\n'}]],
  ])('%s', (_name, input, flags, presses) => {
    expect(new KeyReader().read(input, {...bareKey, ...flags}, 'prompt')).toEqual(presses);
  });

  test.each<[string, readonly string[]]>([
    ['nowhere\u0015', ['“nowhere”', 'delete-to-start']],
    ['nowhere\u0015\r', ['“nowhere”', 'delete-to-start', 'enter']],
    ['\u0017\u0017', ['delete-word', 'delete-word']],
    ['a\u0001b\u0005c', ['“a”', 'line-start', '“b”', 'line-end', '“c”']],
    ['\u000B\u0019\u001F', ['delete-to-end', 'yank', 'undo']],
    ['ab\u007F\bc', ['“ab”', 'delete-left', 'delete-left', '“c”']],
    ['a\u0000b\u001C', ['“a”', 'ignored', '“b”', 'ignored']],
    ['go\r\u0015on\r', ['“go”', 'enter', 'delete-to-start', '“on”', 'enter']],
    ['two\rlines\u0015', ['“two\nlines”', 'delete-to-start']],
    ['/he\t', ['“/he”', 'complete']],
    ['/he\t\r', ['“/he”', 'complete', 'enter']],
    ['\t\t', ['complete', 'complete']],
    ['\r\r', ['enter', 'enter']],
    ['go\r\r', ['“go”', 'enter', 'enter']],
  ])('several presses in one delivery: %j', (input, presses) => {
    const told = new KeyReader()
      .read(input, bareKey, 'prompt')
      .map(press => (press.kind === 'key' ? press.name : `“${press.text}”`));
    expect(told).toEqual(presses);
  });

  test('Enter answers no confirmation', () => {
    expect(Object.values(approvalKeys)).toEqual(['y', 's', 'a', 'n', 'h', 'v']);
  });
});
