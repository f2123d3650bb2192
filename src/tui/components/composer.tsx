import {Box} from 'ink';
import type {ReactNode} from 'react';
import {firstLine} from '../../base/clip.ts';
import {visibleLine} from '../../base/visible.ts';
import {type CommandInfo, completions} from '../commands/command-line.ts';
import {imageChip} from '../state/submission.ts';
import type {Ui} from '../state/ui.ts';
import type {View} from '../state/view.ts';
import type {NewlineKey} from '../terminal/terminal-modes.ts';
import {fit} from '../text/cell-width.ts';
import type {Frame} from '../text/wrap.ts';
import {glyphs} from '../theme/glyphs.ts';
import {Styled, useTheme} from '../theme/styled.tsx';
import {CommandList, MentionRows} from './completions.tsx';
import {draftLayout, draftWidth, selectionIn} from './draft-field.tsx';
import {Lines} from './lines.tsx';
import {Shortcuts} from './shortcuts.tsx';

interface ComposerProps {
  readonly view: View;
  readonly ui: Ui;
  readonly commands: readonly CommandInfo[];
  readonly demo: 'none' | 'offered';
  readonly newlineKey: NewlineKey;
  readonly width: number;
  /** The most rows it may take, its rules and lists included. */
  readonly rows: number;
}

export function Composer({view, ui, commands, demo, newlineKey, width, rows}: ComposerProps): ReactNode {
  const theme = useTheme();
  const rules = rows >= leastWithRules ? 2 : 0;
  const imageRows = ui.images.length > 0 && rows - rules > 1 ? 1 : 0;
  const offered = ui.mentions.kind === 'open' ? [] : completions(ui.draft.buffer.text, commands);
  const listed = ui.mentions.kind === 'open' ? Math.max(1, ui.mentions.found.paths.length) : offered.length;
  const most = rows - rules - imageRows;
  const field = draftLayout(ui.draft, {
    rows: Math.max(1, Math.min(mostRows, most - Math.min(listed, leastListed))),
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

/** Cells of a row of the draft in a composer of that width. */
export const composerDraftWidth = (frame: Frame): number => draftWidth(fieldFrame(frame));

const mostRows = 8;

const leastWithRules = 6;

const leastListed = 3;

function suggestionHint(prompt: string, cells: number): string {
  const key = `${glyphs.between}Tab`;
  return `${fit(visibleLine(firstLine(prompt, 500)), Math.max(8, cells - key.length)).trimEnd()}${key}`;
}

/** What stands in the empty composer: what to write, and while the agent works what Enter does then. */
function placeholderOf(
  {view, demo, newlineKey}: Pick<ComposerProps, 'view' | 'demo' | 'newlineKey'>,
  cells: number,
): string {
  const idle = demo === 'offered' ? 'Ask weft to do something, or /demo' : 'Ask weft to do something';
  if (view.run.state === 'idle') return view.suggestion === '' ? idle : suggestionHint(view.suggestion, cells);
  const hint = 'Enter: send now · Tab: send when done';
  const whole = `${hint}${glyphs.between}${newlineKey}: new line`;
  return whole.length <= cells ? whole : hint;
}
