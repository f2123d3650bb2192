import {Text, useInput} from 'ink';
import {type ReactNode, useState} from 'react';
import {expect, test} from 'vitest';
import {nothingAbove, openInkTerminal} from '../../src/tui/terminal/ink-terminal.tsx';
import {openVirtualScreen} from '../support/virtual-screen.ts';

function Fragile(): ReactNode {
  const [key, setKey] = useState('none');
  useInput(setKey);
  if (key === 'x') throw new TypeError('no such todo');
  return <Text>pressed: {key}</Text>;
}

test('a component that fails: the error is reported, nothing of it is drawn, and the terminal is given back', async () => {
  const screen = openVirtualScreen(60, 10);
  const {stdin, stdout} = screen;
  const ink = openInkTerminal(
    {
      stdin,
      stdout,
      synchronized: () => false,
      reflow: () => 'wrapped',
      erasing: () => 'keeping',
      resizeSignals: () => 'at-once',
      kittyKeyboard: () => 'yes',
      positions: async () => undefined,
      wrote: () => {},
    },
    {
      screen: 'inline',
      root: () => <Fragile />,
      drawing: () => <Fragile />,
      onPaste: () => {},
      above: nothingAbove,
      onResize: () => {},
      onDropped: () => {},
      onReady: () => {},
    },
  );
  await screen.until(/pressed: none/u);
  await screen.type('a');
  await screen.until(/pressed: a/u);
  await screen.type('x');
  await expect(ink.failed).rejects.toThrow('no such todo');
  await ink.close('It was here.\n');
  expect((await screen.everything()).filter(row => row !== '')).toEqual(['It was here.']);
  expect(screen.rawMode()).toBe('cooked');
  expect(screen.written().lastIndexOf('\u001B[?25h')).toBeGreaterThan(screen.written().lastIndexOf('\u001B[?25l'));
  expect(screen.written().split('\u001B[>1u').length).toBe(screen.written().split('\u001B[<u').length);
});
