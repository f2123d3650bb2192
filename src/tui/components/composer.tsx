import {Box, Text} from 'ink';
import type {ReactNode} from 'react';
import type {MentionList} from '../state/mention-list.ts';
import {keyOf, shortcuts} from '../terminal/keymap.ts';
import {firstShown} from './picker-card.tsx';
import {firstLine} from '../../base/clip.ts';
import {visibleLine} from '../../base/visible.ts';
import {type CommandInfo, completions} from '../commands/command-line.ts';
import {draftWidth} from '../editor/draft.ts';
import {imageChip} from '../state/submission.ts';
import type {Ui} from '../state/ui.ts';
import type {View} from '../state/view.ts';
import {sumOf} from '../terminal/reflow.ts';
import {fit} from '../text/cell-width.ts';
import type {Frame} from '../text/wrap.ts';
import {glyphs} from '../theme/glyphs.ts';
import {Styled, useTheme} from '../theme/styled.tsx';
import {draftLayout, selectionIn} from './draft-field.tsx';
import {Lines} from './lines.tsx';

interface ComposerProps {
  readonly view: View;
  readonly ui: Ui;
  readonly commands: readonly CommandInfo[];
  readonly demo: 'none' | 'offered';
  /** The key for a new line. Empty if there is none. */
  readonly newlineKey: string;
  readonly width: number;
  /** The maximum number of rows of the composer, including its rules and lists. */
  readonly rows: number;
}

export function Composer({view, ui, commands, demo, newlineKey, width, rows}: ComposerProps): ReactNode {
  const theme = useTheme();
  const rules = rows >= minWithRules ? 2 : 0;
  const imageRows = ui.images.length > 0 && rows - rules > 1 ? 1 : 0;
  const offered = ui.mentions.kind === 'open' ? [] : completions(ui.draft.buffer.text, commands);
  const listed = ui.mentions.kind === 'open' ? Math.max(1, ui.mentions.found.paths.length) : offered.length;
  const most = rows - rules - imageRows;
  const field = draftLayout(ui.draft, {
    rows: Math.max(1, Math.min(maxRows, most - Math.min(listed, minListed))),
    frame: fieldFrame({theme, width}),
    hint: placeholderOf({view, demo, newlineKey}, width - 5),
    selection: selectionIn(ui),
  });
  const list = {width, rows: Math.max(0, most - field.lines.length)};
  return (
    <Box flexDirection="column" width={width} flexShrink={0}>
      <Box
        flexDirection="column"
        width={width}
        paddingLeft={margin}
        borderStyle="single"
        borderTop={rules > 0}
        borderBottom={rules > 0}
        borderLeft={false}
        borderRight={false}
        borderColor={theme.color('border')}
      >
        {imageRows === 0 ? null : <Styled as="accent">{fit(ui.images.map(imageChip).join(' '), width - 2)}</Styled>}
        <Lines lines={field.lines} cursor={field.cursor} />
      </Box>
      {ui.shortcuts === 'shown' ? (
        <Shortcuts {...list} newlineKey={newlineKey} />
      ) : ui.mentions.kind === 'open' ? (
        <MentionRows list={ui.mentions} {...list} />
      ) : (
        <CommandList offered={offered} row={ui.completionRow} {...list} />
      )}
    </Box>
  );
}

const margin = 1;

const fieldFrame = ({theme, width}: Frame): Frame => ({theme, width: Math.max(1, width - margin)});

export const composerDraftWidth = (frame: Frame): number => draftWidth(fieldFrame(frame));

const maxRows = 8;

const minWithRules = 6;

const minListed = 3;

function suggestionHint(prompt: string, cells: number): string {
  const key = `${glyphs.separator}${keyOf('complete')}`;
  return `${fit(visibleLine(firstLine(prompt, 500)), Math.max(8, cells - key.length)).trimEnd()}${key}`;
}

/** Returns the placeholder of the empty composer. While the agent works, it explains what Enter and Tab do. */
function placeholderOf(
  {view, demo, newlineKey}: Pick<ComposerProps, 'view' | 'demo' | 'newlineKey'>,
  cells: number,
): string {
  const idle = demo === 'offered' ? 'Ask weft to do something, or /demo' : 'Ask weft to do something';
  if (view.run.state === 'idle') return view.suggestion === '' ? idle : suggestionHint(view.suggestion, cells);
  const [enter, tab] = [keyOf('enter'), keyOf('complete')];
  const hint = [`${enter}: send now`, ...(tab === '' ? [] : [`${tab}: send when done`])];
  const forms = [
    [...hint, ...(newlineKey === '' ? [] : [`${newlineKey}: new line`])],
    hint,
    [`${enter}: now`, ...(tab === '' ? [] : [`${tab}: when done`])],
  ].map(parts => parts.join(glyphs.separator));
  return forms.find(text => text.length <= cells) ?? forms.at(-1) ?? '';
}

interface ListProps {
  readonly width: number;
  readonly rows: number;
}

function CommandList({offered, row, width, rows}: ListProps & CommandListProps): ReactNode {
  const widest = Math.min(24, Math.floor(width / 3));
  // Longer names aren't aligned, so that the other rows keep their space.
  const names = Math.max(8, ...offered.map(({usage}) => (usage.length <= widest ? usage.length : 0)));
  const lines = offered.map(({usage, summary}) => `${usage.padEnd(names)}  ${summary}`);
  return <Rows lines={lines} accept="" {...{row, width, rows}} />;
}

interface CommandListProps {
  readonly offered: readonly Pick<CommandInfo, 'usage' | 'summary'>[];
  readonly row: number;
}

function MentionRows({list, width, rows}: ListProps & {readonly list: MentionList}): ReactNode {
  if (list.kind !== 'open' || rows <= 0) return null;
  const {paths, state} = list.found;
  if (paths.length === 0) {
    return <Styled as="dim">{fit(state === 'looking' ? '  Searching files…' : '  No matching files', width)}</Styled>;
  }
  return <Rows lines={paths.map(visibleLine)} accept={keyOf('complete')} {...{row: list.row, width, rows}} />;
}

const maxListed = 8;

interface RowsProps extends ListProps {
  readonly lines: readonly string[];
  readonly row: number;
  /** The key that takes the selected row, shown behind it. Empty if there is none to show. */
  readonly accept: string;
}

/** Shows the rows of a list around the selected one, and an empty row if there is room. If not all fit, the last line shows the range. */
function Rows({lines, row, accept, width, rows}: RowsProps): ReactNode {
  if (lines.length === 0 || rows <= 0) return null;
  const isWhole = lines.length <= Math.min(maxListed, rows);
  const room = isWhole || rows < 2 ? rows : Math.min(maxListed, rows - 1);
  const top = firstShown({row, count: lines.length, room});
  const shown = lines.slice(top, top + room);
  const hint = accept === '' ? '' : glyphs.separator + accept;
  const used = shown.length + (isWhole ? 0 : 1);
  return (
    <Box flexDirection="column" paddingBottom={used < rows ? 1 : 0}>
      {shown.map((line, at) =>
        top + at === row ? (
          <Text key={line}>
            <Styled as={['bold', 'accent']}>{`${glyphs.pointer} ${fit(line, width - 2 - hint.length)}`}</Styled>
            <Styled as="dim">{hint}</Styled>
          </Text>
        ) : (
          <Styled key={line} as="dim">{`  ${fit(line, width - 2)}`}</Styled>
        ),
      )}
      {isWhole || rows < 2 ? null : <Styled as="dim">{`  ${top + 1}–${top + shown.length} of ${lines.length}`}</Styled>}
    </Box>
  );
}

/** The most important keys, below the composer. `?` shows and hides them. */
function Shortcuts({newlineKey, width, rows}: ListProps & {readonly newlineKey: string}): ReactNode {
  const shown = shortcuts(newlineKey);
  const columns =
    [3, 2]
      .map(count => columnsOf(shown, count))
      .find(each => sumOf(each.map(({cells}) => cells)) - gap <= width - shortcutsMargin) ?? columnsOf(shown, 1);
  return (
    <Box width={width} paddingLeft={shortcutsMargin}>
      {columns.map(({entries, keyCells, cells}, at) => (
        <Box key={cells + at} flexDirection="column" width={cells} flexShrink={0}>
          {(entries.length > rows ? [...entries.slice(0, rows - 1), ...entries.slice(-1)] : entries).map(entry => (
            <Text key={entry.keys} wrap="truncate">
              <Styled as="accent">{entry.keys.padEnd(keyCells)}</Styled>
              <Styled as="dim">{entry.does}</Styled>
            </Text>
          ))}
        </Box>
      ))}
    </Box>
  );
}

/** Divides the shortcuts into columns. The last one names the help, which has the rest. */
function columnsOf(shown: ReturnType<typeof shortcuts>, count: number) {
  const height = Math.ceil(shown.length / count);
  return Array.from({length: count}, (_, column) => {
    const entries = shown.slice(column * height, (column + 1) * height);
    const keyCells = Math.max(0, ...entries.map(({keys}) => keys.length)) + gap;
    return {entries, keyCells, cells: keyCells + Math.max(0, ...entries.map(({does}) => does.length)) + gap};
  });
}

const shortcutsMargin = 2;
const gap = 2;
