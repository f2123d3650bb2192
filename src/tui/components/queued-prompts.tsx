import {Box} from 'ink';
import type {ReactNode} from 'react';
import {visibleLine} from '../../base/visible.ts';
import {unreachable} from '../../base/unreachable.ts';
import type {QueuedPrompt, View} from '../state/view.ts';
import {fit} from '../text/cell-width.ts';
import {glyphs} from '../theme/glyphs.ts';
import {Styled} from '../theme/styled.tsx';

interface QueuedPromptsProps {
  readonly view: Pick<View, 'queued' | 'run'>;
  readonly width: number;
  readonly rows: number;
}

/** The prompts that were sent but not started, and when they will be; a note counts those that are not shown. */
export function QueuedPrompts({view: {queued, run}, width, rows}: QueuedPromptsProps): ReactNode {
  if (queued.length === 0 || rows <= 0) return null;
  const shown = queued.slice(0, Math.min(mostShown, rows));
  const hidden = queued.length - shown.length;
  // Nothing runs before it, so it is being prepared: a hook looks at it, its files are read.
  const isStarting = run.state === 'idle';
  return (
    <Box flexDirection="column" paddingLeft={2}>
      {shown.map((prompt, at) => {
        const last = at === shown.length - 1;
        const more = last && hidden > 0 ? ` (${hidden} more)` : '';
        const note = last ? `${more}${glyphs.between}${isStarting ? 'Esc to interrupt' : '↑ takes it back'}` : '';
        const lead = `${glyphs.waits} ${whenText(prompt.when)}: `;
        const text = lead + visibleLine(prompt.text);
        const isWide = width - 2 - note.length > 2 * lead.length;
        return (
          <Styled key={prompt.id} as="dim">
            {isWide ? fit(text, width - 2 - note.length) + note : fit(text, width - 2)}
          </Styled>
        );
      })}
    </Box>
  );
}

const mostShown = 3;

function whenText(when: QueuedPrompt['when']): string {
  switch (when) {
    case 'steering':
      return 'next step';
    case 'queued':
    case 'command':
      return 'queued';
    default:
      return unreachable(when);
  }
}
