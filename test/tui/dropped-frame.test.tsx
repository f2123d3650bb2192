import {Text, useStdout} from 'ink';
import {type ReactNode, useLayoutEffect, useState} from 'react';
import {expect, test} from 'vitest';
import {nothingAbove, openInkTerminal} from '../../src/tui/terminal/ink-terminal.tsx';
import type {Reflow} from '../../src/tui/terminal/reflow.ts';
import {openVirtualScreen} from '../support/virtual-screen.ts';

interface Shown {
  readonly rows: readonly string[];
  readonly above: string;
}

const ignore = (): void => {};

test.each<[Reflow]>([['wrapped'], ['cut'], ['adrift']])(
  'a terminal (%s) whose size changes while the frame for the one before is drawn loses no line and keeps no row',
  async reflow => {
    const screen = openVirtualScreen(60, 12);
    const {stdin, stdout} = screen;
    let shown: Shown = {rows: ['one', 'two'], above: 'first\nsecond\n'};
    let unsent = '';
    let update = ignore;
    function App(): ReactNode {
      const [, draw] = useState(0);
      update = () => draw(count => count + 1);
      const {write} = useStdout();
      useLayoutEffect(() => {
        unsent = shown.above;
        shown = {...shown, above: ''};
        if (unsent !== '') write(unsent);
      });
      return <Text>{shown.rows.join('\n')}</Text>;
    }
    let sizes: readonly (readonly [number, number])[] = [
      [50, 12],
      [40, 12],
    ];
    const ink = openInkTerminal(
      {
        stdin,
        stdout,
        synchronized: () => false,
        reflow: () => reflow,
        erasing: () => 'plain',
        resizeSignals: () => 'at-once',
        kittyKeyboard: () => 'no',
        positions: async ({text}) => {
          stdout.write(text);
          return undefined;
        },
        wrote: () => {},
      },
      {
        screen: 'inline',
        root: () => <App />,
        drawing: () => <Text>{shown.rows.join('\n')}</Text>,
        onPaste: () => {},
        above: nothingAbove,
        onResize() {
          shown = {rows: ['one', 'two', 'three', 'four'], above: shown.above};
          update();
          // The terminal has another size before the frame for this one is sent.
          const [size] = sizes;
          sizes = sizes.slice(1);
          if (size !== undefined) screen.resize(...size);
        },
        onDropped() {
          shown = {...shown, above: unsent + shown.above};
        },
        onReady: () => update(),
      },
    );
    await screen.until(/second\none\ntwo/u);
    shown = {...shown, above: 'third\n'};
    screen.resize(55, 12);
    await screen.until(/one\ntwo\nthree\nfour/u);
    await expect.poll(() => sizes).toEqual([]);
    await expect
      .poll(async () => (await screen.everything()).filter(row => row !== ''))
      .toEqual(['first', 'second', 'third', 'one', 'two', 'three', 'four']);
    await ink.close('');
  },
);
