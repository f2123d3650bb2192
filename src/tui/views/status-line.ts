import {unreachable} from '../../base/unreachable.ts';
import {statusOf} from '../state/select.ts';
import type {View} from '../state/view.ts';
import {cellWidth, fit} from '../text/cell-width.ts';
import {visibleLine} from '../../base/visible.ts';
import type {Frame} from '../text/wrap.ts';
import {glyphs} from '../theme/glyphs.ts';
import {secondsText} from './action-card.ts';

/** Model, tokens, cost, context, mode, directory; what does not fit is left out from the end. */
export function statusLine(view: View, directory: string, frame: Frame): string {
  const facts = statusOf(view);
  const parts = [facts.model, facts.mode, facts.context, facts.cost, facts.tokens, directory].map(visibleLine);
  let line = '';
  for (const part of parts.filter(one => one !== '')) {
    const next = line === '' ? part : line + glyphs.between + part;
    if (cellWidth(next) > frame.width - 1) break;
    line = next;
  }
  return frame.theme.paint(['dim'], line === '' ? fit(visibleLine(facts.model), frame.width - 1) : line);
}

/** What runs and since when (milliseconds), and how to stop it; nothing while idle. */
export function runLine(view: View, elapsedMs: number, frame: Frame): readonly string[] {
  const {theme} = frame;
  const {run} = view;
  switch (run.state) {
    case 'idle':
      return [];
    case 'working':
      return [
        theme.paint(['running'], fit(`Working ${secondsText(Math.floor(elapsedMs / 1000) * 1000)}`, 20)) +
          theme.paint(['dim'], `${glyphs.between}Esc stops`),
      ];
    case 'retrying':
      return [theme.paint(['warning'], fit(visibleLine(run.text), frame.width))];
    case 'stopping':
      return [theme.paint(['warning'], 'Stopping…')];
    default:
      return unreachable(run);
  }
}
