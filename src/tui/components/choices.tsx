import {Box, Text} from 'ink';
import type {ReactNode} from 'react';
import {cellWidth} from '../text/cell-width.ts';
import {wrapText} from '../text/wrap.ts';
import {themeOf} from '../theme/theme.ts';
import {glyphs} from '../theme/glyphs.ts';
import {Styled} from '../theme/styled.tsx';

export interface Choice {
  readonly label: string;
  /** Follows the label; mostly empty. */
  readonly detail: string;
  /** The key that chooses it beside its digit; empty for none. */
  readonly letter: string;
}

interface ChoicesProps {
  readonly choices: readonly Choice[];
  /** The row that Enter chooses; nothing is selected at first. */
  readonly selected: number | 'none';
  readonly first?: number;
}

/** The answers that a card offers, each with its number and its letter. */
export const Choices = ({choices, selected, first = 0}: ChoicesProps): ReactNode =>
  choices.map((choice, at) => (
    <ChoiceRow
      key={choice.label}
      choice={choice}
      at={first + at}
      isSelected={selected === first + at}
      width={Math.max(usualRow, ...choices.map(one => besideLabel + cellWidth(textOf(one))))}
    />
  ));

interface ChoiceRowProps {
  readonly choice: Choice;
  readonly at: number;
  readonly isSelected: boolean;
  /** Cells that the row takes at most: on a wide card the letters stand near the labels. */
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
        <Text>
          {isSelected ? <Styled as={['bold', 'accent']}>{label}</Styled> : label}
          {detail === '' ? null : <Styled as="dim">{`  ${detail}`}</Styled>}
        </Text>
      </Box>
      {letter === '' ? null : (
        <Box flexShrink={0} paddingLeft={2} paddingRight={1}>
          <Styled as="accent">{letter}</Styled>
        </Box>
      )}
    </Box>
  );
}

/** Cells of a row beside its label: the pointer, the number and the letter. */
const besideLabel = 8;

const usualRow = 56;

const textOf = ({label, detail}: Choice): string => (detail === '' ? label : `${label}  ${detail}`);

/** The rows that a list of choices takes on `cells`. */
export const choicesHeight = (choices: readonly Choice[], cells: number): number =>
  choices.reduce(
    (sum, choice) =>
      sum + wrapText(textOf(choice), [], {theme: themeOf('plain'), width: Math.max(1, cells - besideLabel)}).length,
    0,
  );

interface ChoiceLineProps extends Pick<ChoicesProps, 'choices' | 'selected'> {
  readonly cells: number;
}

/** The same choices side by side, where there is little room or much to see above them: `Yes y   No n`. */
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

/** The rows that choices take side by side on `cells`, the pointer of a selected one included. */
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
