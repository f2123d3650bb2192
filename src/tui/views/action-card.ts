import type {SettledCall} from '../../actions/agent-event.ts';
import type {FileDiff, Preview} from '../../actions/preview.ts';
import {exitedBadly} from '../../actions/settle-action.ts';
import {unreachable} from '../../base/unreachable.ts';
import {faultText} from '../../domain/fault.ts';
import type {ActionEntry, ActionStage, PastActionEntry} from '../state/view.ts';
import {fit} from '../text/cell-width.ts';
import {visible, visibleLine} from '../../base/visible.ts';
import {wrapText, type Frame} from '../text/wrap.ts';
import {glyphs} from '../theme/glyphs.ts';
import type {Role} from '../theme/theme.ts';
import {changeTitle} from './change-title.ts';
import {pastLines, resultLines, runningTail} from './renderers.ts';
import type {ActionProgress} from './progress.ts';
import type {EntryFrame} from './verbosity.ts';

/** One line that names the target, with its state; below it what came out so far, or the result. */
export function actionCard(
  {label, stage}: ActionEntry,
  frame: EntryFrame,
  progress: ActionProgress | undefined,
): readonly string[] {
  const {glyph, role} = markOf(stage);
  const seconds = timeOf(stage, progress);
  const room = frame.width - 2 - seconds.length;
  const files = filesOf(stage);
  const target = files.length === 0 ? fit(visibleLine(label), room) : changeTitle(files, room);
  const title = `${frame.theme.paint([role], glyph)} ${target}${frame.theme.paint(['dim'], seconds)}`;
  return [title, ...branched(bodyLines(stage, progress?.lines ?? 0, innerOf(frame)), frame)];
}

/** The same for an action of a resumed session. */
export function pastCard(past: PastActionEntry, frame: EntryFrame): readonly string[] {
  const {glyph, role} = outcomeMarks[past.outcome];
  const title = `${frame.theme.paint([role], glyph)} ${fit(visibleLine(past.label), frame.width - 2)}`;
  return [title, ...branched(pastLines(past, innerOf(frame)), frame)];
}

/** How long it took, or takes so far, with the lines that have come; nothing below a second. */
function timeOf(stage: ActionStage, progress: ActionProgress | undefined): string {
  if (stage.stage === 'settled') return stage.durationMs >= 1000 ? ` ${secondsText(stage.durationMs)}` : '';
  if (stage.stage !== 'running' || progress === undefined || progress.elapsedMs < 1000) return '';
  const {elapsedMs, lines} = progress;
  return ` ${wholeSecondsText(elapsedMs)}${lines === 0 ? '' : `, ${lines} ${lines === 1 ? 'line' : 'lines'}`}`;
}

const innerOf = (frame: EntryFrame): EntryFrame => ({...frame, width: Math.max(8, frame.width - 4)});

const branched = (body: readonly string[], {theme}: Frame): readonly string[] =>
  body.map((line, at) => (at === 0 ? `  ${theme.paint(['dim'], glyphs.branch)} ${line}` : `    ${line}`));

/** What the action changes or has changed, as far as it is known. */
function filesOf(stage: ActionStage): readonly FileDiff[] {
  switch (stage.stage) {
    case 'queued':
      return [];
    case 'waiting':
    case 'running':
      return filesIn(stage.preview);
    case 'settled': {
      if (stage.result.tag === 'undecodable') return [];
      const {name, settled} = stage.result.result;
      return name === 'request-file-edits' && settled.state === 'success'
        ? settled.output.files
        : filesIn(stage.preview);
    }
    default:
      return unreachable(stage);
  }
}

const filesIn = (preview: Preview): readonly FileDiff[] => (preview.kind === 'diff' ? preview.files : []);

function bodyLines(stage: ActionStage, printed: number, frame: EntryFrame): readonly string[] {
  switch (stage.stage) {
    case 'queued':
    case 'waiting':
      return [];
    case 'running':
      return runningTail(stage.tail, printed, frame);
    case 'settled':
      return stage.result.tag === 'action'
        ? resultLines(stage.result.result, frame)
        : wrapText(visible(faultText(stage.result.fault)), ['error'], frame);
    default:
      return unreachable(stage);
  }
}

function markOf(stage: ActionStage): Mark {
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

interface Mark {
  readonly glyph: string;
  readonly role: Role;
}

const outcomeMarks: Readonly<Record<'success' | 'error' | 'cancelled', Mark>> = {
  success: {glyph: glyphs.success, role: 'success'},
  error: {glyph: glyphs.error, role: 'error'},
  cancelled: {glyph: glyphs.cancelled, role: 'dim'},
};

function settledMark(call: SettledCall): Mark {
  if (call.tag === 'undecodable') return outcomeMarks.error;
  return exitedBadly(call.result) ? {glyph: glyphs.warning, role: 'warning'} : outcomeMarks[call.result.settled.state];
}

/** `4.2 s`, `12 s`, `3 min 05 s`. */
const secondsText = (milliseconds: number): string =>
  milliseconds < 9950 ? `${(milliseconds / 1000).toFixed(1)} s` : wholeSecondsText(milliseconds);

/** `4 s`, `3 min 05 s`. */
export function wholeSecondsText(milliseconds: number): string {
  const seconds = Math.floor(milliseconds / 1000);
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${String(seconds % 60).padStart(2, '0')} s`;
}
