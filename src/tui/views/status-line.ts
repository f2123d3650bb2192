import {unreachable} from '../../base/unreachable.ts';
import {statusOf} from '../state/select.ts';
import type {View} from '../state/view.ts';
import {cellWidth, fit} from '../text/cell-width.ts';
import {visibleLine} from '../../base/visible.ts';
import type {Frame} from '../text/wrap.ts';
import {glyphs} from '../theme/glyphs.ts';
import {wholeSecondsText} from './action-card.ts';

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

/** Milliseconds since the running prompt began, and until the next try of a request that failed. */
export interface RunTimes {
  readonly elapsedMs: number;
  readonly retryInMs: number;
}

/** What runs and since when, and how to stop it; nothing while idle. */
export function runLine(view: View, {elapsedMs, retryInMs}: RunTimes, frame: Frame): readonly string[] {
  const {theme} = frame;
  const {run} = view;
  switch (run.state) {
    case 'idle':
      return [];
    case 'working':
      return [
        theme.paint(['running'], fit(`Working ${wholeSecondsText(elapsedMs)}`, 20)) + theme.paint(['dim'], escStops),
      ];
    case 'retrying':
      return [theme.paint(['warning'], retryLine(run, retryInMs, frame.width))];
    case 'stopping':
      return [theme.paint(['warning'], 'Stopping…')];
    default:
      return unreachable(run);
  }
}

const escStops = `${glyphs.between}Esc stops`;

type Retrying = View['run'] & {readonly state: 'retrying'};

/** What matters stands first: the reason is what a narrow screen may cut off. */
function retryLine({attempt, maxAttempts, reason}: Retrying, inMs: number, width: number): string {
  const rest = `${inMs > 0 ? ` in ${Math.ceil(inMs / 1000)} s` : ''} (${attempt} of ${maxAttempts})${escStops}`;
  const full = `Trying again${rest}`;
  const facts = full.length <= width ? full : `Retry${rest}`;
  return fit(reason === '' ? facts : facts + glyphs.between + visibleLine(reason), width);
}
