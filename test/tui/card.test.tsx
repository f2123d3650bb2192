import {stripVTControlCharacters} from 'node:util';
import {Text} from 'ink';
import type {ReactElement} from 'react';
import {expect, test} from 'vitest';
import {Card} from '../../src/tui/components/card.tsx';
import {Choices} from '../../src/tui/components/choices.tsx';
import {ThemeContext} from '../../src/tui/theme/styled.tsx';
import {themeOf} from '../../src/tui/theme/theme.ts';
import {drawn} from './support/drawn.ts';

const choices = [
  {label: 'Yes', detail: '', letter: 'y'},
  {label: 'Yes, npm test … for this session', detail: '', letter: 's'},
  {label: 'Always in this project: npm test *', detail: '', letter: 'a'},
  {label: 'No, and tell weft what to do instead', detail: '', letter: 'n'},
];

const card = (width: number, selected: number | 'none' = 'none'): ReactElement => (
  <Card
    width={width}
    title="Run this command?"
    note="runs project code"
    hints={['Ctrl+E edit', 'Esc stop']}
    tone="calm"
  >
    <Text>npm test</Text>
    <Choices choices={choices} selected={selected} />
  </Card>
);

test('title and note stand in the top border, hints in the bottom border', () => {
  expect(drawn(card(60))).toEqual([
    '╭ Run this command? ──────────────────── runs project code ╮',
    '│ npm test                                                 │',
    '│   1 Yes                                               y  │',
    '│   2 Yes, npm test … for this session                  s  │',
    '│   3 Always in this project: npm test *                a  │',
    '│   4 No, and tell weft what to do instead              n  │',
    '╰ Ctrl+E edit · Esc stop ──────────────────────────────────╯',
  ]);
});

test('a wide card is as wide as it may be, with its letters near their words', () => {
  const lines = drawn(card(100));
  expect(lines.map(line => line.length)).toEqual([100, 100, 100, 100, 100, 100, 100]);
  expect(lines[2]).toMatch(/^│ {3}1 Yes {40,50}y {30,50}│$/u);
});

test('on 40 columns the note stands inside, and choices wrap', () => {
  expect(drawn(card(40))).toEqual([
    '╭ Run this command? ───────────────────╮',
    '│ runs project code                    │',
    '│ npm test                             │',
    '│   1 Yes                           y  │',
    '│   2 Yes, npm test … for this      s  │',
    '│     session                          │',
    '│   3 Always in this project: npm   a  │',
    '│     test *                           │',
    '│   4 No, and tell weft what to do  n  │',
    '│     instead                          │',
    '╰ Ctrl+E edit · Esc stop ──────────────╯',
  ]);
});

test('the selected choice has a sign besides its colour', () => {
  expect(drawn(card(60, 1)).slice(2, 4)).toEqual([
    '│   1 Yes                                               y  │',
    '│ ❯ 2 Yes, npm test … for this session                  s  │',
  ]);
});

test('a dangerous card has a red frame, and content can reach the frame', () => {
  const theme = themeOf({level: 'truecolor', theme: 'dark', background: 'dark', links: 'shown'});
  const [top = '', ...rest] = drawn(
    <ThemeContext value={theme}>
      <Card width={40} title="Delete files?" note="cannot be undone" hints={[]} tone="danger" inset={0}>
        <Text>rm -rf build</Text>
      </Card>
    </ThemeContext>,
  );
  expect(top.startsWith(theme.style(['error'], '╭ ') + theme.style(['bold'], 'Delete files?'))).toBe(true);
  expect(top).toContain(theme.style(['error'], 'cannot be undone'));
  expect(stripVTControlCharacters(rest[0] ?? '')).toBe('│rm -rf build                          │');
});
