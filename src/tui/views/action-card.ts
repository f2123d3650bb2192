import type {SettledCall} from '../../actions/agent-event.ts';
import {unreachable} from '../../base/unreachable.ts';
import {faultText} from '../../domain/fault.ts';
import type {ActionEntry, ActionStage} from '../state/view.ts';
import {fit} from '../text/cell-width.ts';
import {visible, visibleLine} from '../../base/visible.ts';
import {wrapText, type Frame} from '../text/wrap.ts';
import {glyphs} from '../theme/glyphs.ts';
import type {Role} from '../theme/theme.ts';
import {outputTail, resultLines} from './renderers.ts';

/** One line that names the target, with its state; below it what came out so far, or the result. */
export function actionCard({label, stage}: ActionEntry, frame: Frame): readonly string[] {
  const {glyph, role} = markOf(stage);
  const seconds = stage.stage === 'settled' && stage.durationMs >= 1000 ? ` ${secondsText(stage.durationMs)}` : '';
  const room = frame.width - 2 - seconds.length;
  const title = `${frame.theme.paint([role], glyph)} ${fit(visibleLine(label), room)}${frame.theme.paint(['dim'], seconds)}`;
  const inner = {...frame, width: Math.max(8, frame.width - 4)};
  const body = bodyLines(stage, inner);
  return [
    title,
    ...body.map((line, at) => (at === 0 ? `  ${frame.theme.paint(['dim'], glyphs.branch)} ${line}` : `    ${line}`)),
  ];
}

function bodyLines(stage: ActionStage, frame: Frame): readonly string[] {
  switch (stage.stage) {
    case 'queued':
    case 'waiting':
      return [];
    case 'running':
      return outputTail(stage.tail, frame);
    case 'settled':
      return stage.result.tag === 'action'
        ? resultLines(stage.result.result, frame)
        : wrapText(visible(faultText(stage.result.fault)), ['error'], frame);
    default:
      return unreachable(stage);
  }
}

function markOf(stage: ActionStage): {readonly glyph: string; readonly role: Role} {
  switch (stage.stage) {
    case 'queued':
      return {glyph: glyphs.queued, role: 'dim'};
    case 'waiting':
      return {glyph: glyphs.waiting, role: 'warning'};
    case 'running':
      return {glyph: glyphs.running, role: 'running'};
    case 'settled':
      return settledMark(stage.result);
    default:
      return unreachable(stage);
  }
}

function settledMark(call: SettledCall): {readonly glyph: string; readonly role: Role} {
  if (call.tag === 'undecodable') return {glyph: glyphs.error, role: 'error'};
  const {state} = call.result.settled;
  switch (state) {
    case 'success':
      return {glyph: glyphs.success, role: 'success'};
    case 'error':
      return {glyph: glyphs.error, role: 'error'};
    case 'cancelled':
      return {glyph: glyphs.cancelled, role: 'dim'};
    default:
      return unreachable(state);
  }
}

/** `4.2 s`, `3 min 05 s`. */
export function secondsText(milliseconds: number): string {
  const seconds = milliseconds / 1000;
  if (seconds < 60) return seconds < 10 ? `${seconds.toFixed(1)} s` : `${Math.floor(seconds)} s`;
  return `${Math.floor(seconds / 60)} min ${String(Math.floor(seconds % 60)).padStart(2, '0')} s`;
}
