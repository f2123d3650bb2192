import type {ReadImage} from '../../actions/image-port.ts';
import {unreachable} from '../../base/unreachable.ts';
import {visibleLine} from '../../base/visible.ts';
import {imageChip} from '../input/attached-images.ts';
import {awaitedArgument} from '../input/commands.ts';
import type {CommandInfo} from '../commands/command-info.ts';
import type {Draft} from '../input/draft.ts';
import {meaningOf} from '../input/draft-meaning.ts';
import type {QueuedPrompt, View} from '../state/view.ts';
import {fit} from '../text/cell-width.ts';
import type {Frame} from '../text/wrap.ts';
import {glyphs} from '../theme/glyphs.ts';

/** Waiting prompts shown at once: those that come first, and how many there are more. */
const mostQueued = 3;

/** What was sent and not taken up yet, and when it will be. */
export function queuedLines({queued, run}: View, frame: Frame): readonly string[] {
  const dim = (text: string): string => frame.theme.paint(['dim'], fit(text, frame.width));
  const shown = queued
    .slice(0, mostQueued)
    .map(({text, when}) =>
      dim(`${glyphs.queued} ${run.state === 'idle' ? 'queued' : whenText(when)}: ${visibleLine(text)}`),
    );
  if (run.state === 'idle' || queued.length === 0) return shown;
  const more = queued.length > mostQueued ? `${queued.length - mostQueued} more; ` : '';
  return [...shown, dim(`  ${more}Up takes the last one back`)];
}

function whenText(when: QueuedPrompt['when']): string {
  switch (when) {
    case 'steering':
      return 'joins at the next step';
    case 'queued':
    case 'command':
      return 'after this is done';
    default:
      return unreachable(when);
  }
}

/** The images that go with the next prompt; no line without any. */
export const imageRow = (images: readonly ReadImage[], frame: Frame): readonly string[] =>
  images.length === 0 ? [] : [frame.theme.paint(['accent'], fit(images.map(imageChip).join(' '), frame.width))];

/** What Enter does with a draft that is no prompt; no line for one that is. */
export function draftHint(
  {buffer}: Draft,
  {commands, frame}: {readonly commands: readonly CommandInfo[]; readonly frame: Frame},
): readonly string[] {
  const awaited = awaitedArgument(buffer.text, commands);
  if (awaited !== undefined) {
    return [frame.theme.paint(['dim'], fit(`${awaited.usage}: ${awaited.summary}`, frame.width))];
  }
  const {kind} = meaningOf(buffer.text);
  switch (kind) {
    case 'prompt':
      return [];
    case 'shell':
      return [frame.theme.paint(['dim'], fit('Enter runs this in your shell; the agent sees the output', frame.width))];
    case 'note':
      return [frame.theme.paint(['dim'], fit('Enter remembers this in AGENTS.md', frame.width))];
    default:
      return unreachable(kind);
  }
}
