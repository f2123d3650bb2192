import type {PromptEnd} from '../../actions/agent-event.ts';
import {pluralize} from '../../base/clip.ts';
import {unreachable} from '../../base/unreachable.ts';
import {type Fault, faultText} from '../../domain/fault.ts';
import {hookStopText} from '../../domain/stop-text.ts';
import {centsText} from '../state/selectors.ts';
import type {TurnFacts} from '../state/view.ts';
import {cellWidth} from '../text/cell-width.ts';
import {durationText} from '../text/duration.ts';
import {type Frame, spansText, type StyledSpan, wrapSpans} from '../text/wrap.ts';
import {glyphs} from '../theme/glyphs.ts';
import type {Role} from '../theme/palette.ts';
import {countSpans} from './diff-lines.ts';
import {signedRows} from './entry-rows.ts';

/** How a turn ended where it did not end by itself, then the line that closes it; nothing for a short answer. */
export function endRows(
  {end, turn}: {readonly end: PromptEnd; readonly turn: TurnFacts},
  frame: Frame,
): readonly string[] {
  const stop = stopOf(end);
  const said = stop === undefined ? [] : signedRows(stop.text, stop, frame);
  const isWorthClosing = turn.actions > 0 || turn.durationMs >= longAnswerMs;
  const closing = isWorthClosing ? closingRows(turn, frame) : [];
  if (said.length === 0) return closing;
  return closing.length === 0 ? said : [...said, '', ...closing];
}

/** An answer without any action that took less than this needs no line below it, in milliseconds. */
const longAnswerMs = 10_000;

const dim = (text: string): StyledSpan => ({text, roles: ['dim']});

/** What a turn has changed, how long it took, its cost and how to undo it; empty where there is no news. `short` leaves out the waiting. */
export function turnFacts(
  {files, uncounted, durationMs, waitedMs, costUsd}: TurnFacts,
  detail: 'whole' | 'short' = 'whole',
): readonly (readonly StyledSpan[])[] {
  const time = durationMs < 1000 ? '' : durationText(Math.round(durationMs / 1000) * 1000);
  const waited =
    waitedMs < 1000 || detail === 'short'
      ? ''
      : ` (${durationText(Math.round(waitedMs / 1000) * 1000)} waiting for you)`;
  const parts: (readonly StyledSpan[])[] = [];
  const changed = files.size + uncounted;
  if (changed > 0) {
    const words = pluralize(changed, 'file') + (detail === 'whole' ? ' changed' : '');
    parts.push([dim(words), ...(uncounted > 0 ? [] : countSpans([...files.values()], ' '))]);
  }
  if (time !== '') parts.push([dim(time + waited)]);
  if (costUsd !== 'unknown' && costUsd > 0) parts.push([dim(centsText(costUsd))]);
  if (changed > 0) parts.push([dim('/undo')]);
  // What it cost alone is no news: the status line says it.
  return changed === 0 && time === '' ? [] : parts;
}

/** `── 2 files changed +4 -3 · 1 m 12 s (41 s waiting for you) · $0.03 · /undo ──`; on a narrow screen less of it. */
function closingRows(turn: TurnFacts, frame: Frame): readonly string[] {
  const lines = (['whole', 'short'] as const).map(detail =>
    turnFacts(turn, detail).flatMap((part, at) => (at === 0 ? part : [dim(' · '), ...part])),
  );
  const [whole = [], short = []] = lines;
  if (whole.length === 0) return [];
  const indent = {first: `${glyphs.rule} `, rest: '   ', roles: ['dim']} as const;
  const fits = (spans: readonly StyledSpan[]): boolean =>
    cellWidth(spansText(spans)) + 2 * (glyphs.rule.length + 1) <= frame.width;
  const fitting = lines.find(fits);
  return fitting === undefined
    ? wrapSpans(short, frame, indent)
    : wrapSpans([...fitting, dim(` ${glyphs.rule}`)], frame, indent);
}

/** What to do once the cause of a failure is gone. The address of the server is one that a running weft does not change. */
const nextStep = (fault: Fault): string =>
  fault.kind === 'provider' && /\bbase URL\b/u.test(fault.fix)
    ? 'To change it: /exit, then weft -c with the right one.'
    : 'Type "continue" to try again.';

interface Stop {
  readonly sign: string;
  readonly role: Role;
  readonly text: string;
}

const warning = (text: string): Stop => ({sign: glyphs.warning, role: 'warning', text});

/** Why a turn did not end by itself, and what to do; `undefined` where it did. */
export function stopOf(end: PromptEnd): Stop | undefined {
  switch (end.kind) {
    case 'done':
      return undefined;
    case 'interrupted':
      return {sign: glyphs.cancelled, role: 'warning', text: 'Interrupted · tell weft what to do instead'};
    case 'failed':
      return {sign: glyphs.error, role: 'error', text: `${faultText(end.fault)}\n${nextStep(end.fault)}`};
    case 'max-turns':
      return warning(`Stopped after ${pluralize(end.turns, 'turn')}, the limit · type "continue" to go on`);
    case 'max-cost':
      return warning(`Stopped at $${end.usd.toFixed(2)}, the cost limit of this session`);
    case 'invalid-output':
      return {sign: glyphs.error, role: 'error', text: `No answer that fits the schema: ${end.errors.join('; ')}`};
    case 'stopped-by-hook':
      return {sign: glyphs.cancelled, role: 'warning', text: hookStopText(end)};
    case 'not-sent':
      return {sign: glyphs.cancelled, role: 'warning', text: `Not sent: ${faultText(end.fault)}`};
    default:
      return unreachable(end);
  }
}
