import {unreachable} from '../../base/unreachable.ts';
import type {BlockInfo} from '../../actions/ports.ts';
import {isGoing} from '../../actions/block-text.ts';
import {statusOf} from '../state/select.ts';
import type {View} from '../state/view.ts';
import {cellWidth, fit} from '../text/cell-width.ts';
import {visibleLine} from '../../base/visible.ts';
import type {Frame} from '../text/wrap.ts';
import {glyphs} from '../theme/glyphs.ts';
import {wholeSecondsText} from './action-card.ts';

interface StatusState {
  readonly view: View;
  readonly directory: string;
  readonly blocks: readonly BlockInfo[];
}

/**
 * Model, mode, running blocks, context, cost, tokens, directory; what does not fit is left out from the end. That nothing is asked stands first
 * and stands out.
 */
export function statusLine({view, directory, blocks}: StatusState, frame: Frame): string {
  const {theme, width} = frame;
  const facts = statusOf(view);
  const isFree = view.mode === 'bypassPermissions';
  const alarm = isFree ? fit(` ${glyphs.warning} PERMISSIONS BYPASSED ${glyphs.warning} `, width - 1) : '';
  const mode = isFree ? '' : facts.mode;
  const parts = [facts.model, mode, blocksText(blocks), facts.context, facts.cost, facts.tokens, directory].map(
    visibleLine,
  );
  const room = width - 1 - cellWidth(alarm) - (isFree ? 1 : 0);
  let line = '';
  for (const part of parts.filter(one => one !== '')) {
    const next = line === '' ? part : line + glyphs.between + part;
    if (cellWidth(next) > room) break;
    line = next;
  }
  const rest = theme.paint(['dim'], line === '' ? fit(visibleLine(facts.model), Math.max(0, room)) : line);
  return isFree ? `${theme.paint(['bold', 'error', 'selected'], alarm)} ${rest}` : rest;
}

/** `2 running (/ps)`, and of one that waits for somebody to type that it does. */
function blocksText(blocks: readonly BlockInfo[]): string {
  const running = blocks.filter(({state}) => isGoing(state));
  if (running.length === 0) return '';
  const waits = running.some(({state}) => state.kind === 'waiting') ? ', waits for input' : '';
  return `${running.length} running${waits} (/ps)`;
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
