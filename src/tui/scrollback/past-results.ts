import {accessOf} from '../../actions/catalogue.ts';
import {visible, visibleLine} from '../../base/visible.ts';
import type {PastActionEntry} from '../state/view.ts';
import {durationText} from '../text/duration.ts';
import {type EntryFrame, wrapText} from '../text/wrap.ts';
import {commandForm, outputBody, type ResultBody} from './action-results.ts';

/** How a command of a resumed session ended, as far as its result text says it. */
export interface PastEnd {
  readonly failed: boolean;
  /** As behind the title of a live one. */
  readonly notes: readonly string[];
  /** The result text without what weft added for the model. */
  readonly output: string;
}

/** What weft writes below the output of a command for the model: how it ended. */
const endLine =
  /^\[(?:exit code (\d+)|(ended by \S+)|(timed out) and was ended|(interrupted)|moved to the background as (b\d+)) after ([\d.]+) s in .*\]$/u;

/** Other remarks for the model. */
const remark = /^\[.*\]$/u;

export function pastEnd({action, resultText, outcome}: PastActionEntry): PastEnd {
  if (outcome === 'cancelled') return {failed: false, notes: [], output: resultText};
  if (!isCommand(action)) {
    return {failed: outcome === 'error', notes: [], output: resultText};
  }
  const lines = resultText.split('\n');
  const end = endLine.exec(lines.at(-1) ?? '');
  if (end === null) return {failed: outcome === 'error', notes: [], output: resultText};
  const [, code = '', signal = '', timedOut = '', interrupted = '', moved = '', seconds = ''] = end;
  let last = lines.length - 1;
  while (last > 0 && remark.test(lines[last - 1] ?? '')) last--;
  const words =
    code === '0'
      ? ''
      : code === ''
        ? signal + timedOut + interrupted + (moved === '' ? '' : `in background as ${moved}`)
        : `exit ${code}`;
  const time = Number(seconds) >= 1 ? durationText(Number(seconds) * 1000) : '';
  return {
    failed: code !== '0' && moved === '',
    notes: [words, time].filter(part => part !== ''),
    output: lines.slice(0, last).join('\n'),
  };
}

/** What stands below the title of an action of a resumed session, of which only the text for the model is kept. */
export function pastBody(past: PastActionEntry, frame: EntryFrame): ResultBody {
  const {action, by, outcome, resultText} = past;
  if (resultText.trim() === '' || (frame.verbosity === 'name' && outcome === 'success')) return {rows: [], foot: []};
  const {failed, output} = pastEnd(past);
  if (outcome === 'cancelled') {
    return {rows: wrapText(visible(resultText), ['dim'], frame).slice(0, mostRows(frame)), foot: []};
  }
  if (isCommand(action)) {
    return outputBody(output, {...commandForm(by, failed ? 'failed' : 'ended'), leftOut: 0}, frame);
  }
  if (failed) return outputBody(output, {most: 4, part: 'reasons', leftOut: 0}, frame);
  if (frame.verbosity !== 'full' && action !== 'unknown' && accessOf(action).kind === 'edit') {
    return {rows: [], foot: []};
  }
  return outputBody(visibleLines(output), {most: 1, part: 'beginning', leftOut: 0}, frame);
}

const isCommand = (action: PastActionEntry['action']): boolean =>
  action !== 'unknown' && accessOf(action).kind === 'command';

const mostRows = ({verbosity}: EntryFrame): number => (verbosity === 'full' ? Number.POSITIVE_INFINITY : 3);

const visibleLines = (text: string): string => text.split('\n').map(visibleLine).join('\n');
