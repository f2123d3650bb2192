import {Box, Text, Transform} from 'ink';
import type {ReactNode} from 'react';
import {cellWidth} from '../text/cell-width.ts';
import {wrapText} from '../text/wrap.ts';
import {themeOf} from '../theme/theme.ts';
import {glyphs} from '../theme/glyphs.ts';
import {Styled} from '../theme/styled.tsx';

export interface Choice {
  readonly label: string;
  /** Text after the label. May be empty. */
  readonly detail: string;
  /** The letter that selects the choice, in addition to its digit. Empty if there is none. */
  readonly letter: string;
}

interface ChoicesProps {
  readonly choices: readonly Choice[];
  /** The row that Enter chooses. `none` at first. */
  readonly selected: number | 'none';
  readonly first?: number;
}

/** The answers on a card, each with its number and letter. */
export const Choices = ({choices, selected, first = 0}: ChoicesProps): ReactNode =>
  choices.map((choice, at) => (
    <ChoiceRow
      key={choice.label}
      choice={choice}
      at={first + at}
      isSelected={selected === first + at}
      width={Math.max(minRowWidth, ...choices.map(one => labelMargin + cellWidth(textOf(one))))}
    />
  ));

interface ChoiceRowProps {
  readonly choice: Choice;
  readonly at: number;
  readonly isSelected: boolean;
  /** The maximum number of cells of the row. Keeps the letters near the labels on a wide card. */
  readonly width: number;
}

function ChoiceRow({choice: {label, detail, letter}, at, isSelected, width}: ChoiceRowProps): ReactNode {
  const pointer = isSelected ? glyphs.pointer : ' ';
  return (
    <Box maxWidth={width}>
      <Box flexShrink={0}>
        <Styled as={isSelected ? ['bold', 'accent'] : 'dim'}>{`${pointer} ${at + 1} `}</Styled>
      </Box>
      <Box flexGrow={1}>
        <Transform transform={withoutWrappedBlank}>
          <Text>
            {isSelected ? <Styled as={['bold', 'accent']}>{label}</Styled> : label}
            {detail === '' ? null : <Styled as="dim">{`  ${detail}`}</Styled>}
          </Text>
        </Transform>
      </Box>
      {letter === '' ? null : (
        <Box flexShrink={0} paddingLeft={2} paddingRight={1}>
          <Styled as="accent">{letter}</Styled>
        </Box>
      )}
    </Box>
  );
}

/** Ink begins a line with the blanks that do not fit on the one before. Styles may come before them. */
const withoutWrappedBlank = (line: string, at: number): string =>
  // oxlint-disable-next-line no-control-regex -- a style of the terminal
  at === 0 ? line : line.replace(/^((?:\u001B\[[\d;]*m)*) +/u, '$1');

/** Cells of a row besides its label: the pointer, the number, and the letter. */
export const labelMargin = 8;

const minRowWidth = 56;

const textOf = ({label, detail}: Choice): string => (detail === '' ? label : `${label}  ${detail}`);

/** Returns how many rows a list of choices takes at a width of `cells`. */
export const choicesHeight = (choices: readonly Choice[], cells: number): number =>
  choices.reduce(
    (sum, choice) =>
      sum + wrapText(textOf(choice), [], {theme: themeOf('plain'), width: Math.max(1, cells - labelMargin)}).length,
    0,
  );

interface ChoiceLineProps extends Pick<ChoicesProps, 'choices' | 'selected'> {
  readonly cells: number;
}

/** The choices side by side, for a small card or one with much to show above them: `Yes y   No n`. */
export const ChoiceLine = ({choices, selected, cells}: ChoiceLineProps): ReactNode => (
  <Box flexWrap="wrap" columnGap={gapOn(cells)}>
    {choices.map(({label, letter}, at) => (
      <Box key={label} flexShrink={0}>
        <Text>
          {selected === at ? <Styled as={['bold', 'accent']}>{`${glyphs.pointer} ${label}`}</Styled> : label}{' '}
          <Styled as="accent">{letter}</Styled>
        </Text>
      </Box>
    ))}
  </Box>
);

const gapOn = (cells: number): number => (cells < 50 ? 2 : 3);

/** Returns how many rows side-by-side choices take at a width of `cells`, including the pointer of a selected one. */
export function choiceLineHeight(choices: readonly Choice[], cells: number): number {
  const gap = gapOn(cells);
  let rows = 1;
  let used = -gap;
  for (const {label, letter} of choices) {
    const width = cellWidth(label) + 1 + cellWidth(letter);
    used += gap + width;
    if (used > cells - 2 && used > width) {
      rows++;
      used = width;
    }
  }
  return rows;
}
