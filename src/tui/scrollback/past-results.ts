import {accessOf} from '../../actions/catalogue.ts';
import {pastResult, type PastResult} from '../../actions/past-result.ts';
import {visible, visibleLine} from '../../base/visible.ts';
import type {PastActionEntry} from '../state/view.ts';
import {durationText} from '../text/duration.ts';
import {type EntryFrame, wrapText} from '../text/wrap.ts';
import {commandForm, outputBody, type ResultBody} from './action-results.ts';

/** How a call of a resumed session ended; `notes` also say how long it took. */
export function pastEnd({action, resultText, outcome}: PastActionEntry): PastResult {
  const past = pastResult(action, outcome, resultText);
  return {...past, notes: [...past.notes, ...(past.seconds >= 1 ? [durationText(past.seconds * 1000)] : [])]};
}

/** What stands below the title of an action of a resumed session, of which only the text for the model is kept. */
export function pastBody(past: PastActionEntry, frame: EntryFrame): ResultBody {
  const {action, by, outcome} = past;
  const {failed, output} = pastEnd(past);
  if (output.trim() === '' || (frame.verbosity === 'name' && outcome === 'success')) return {rows: [], foot: []};
  if (outcome === 'cancelled') {
    return {rows: wrapText(visible(output), ['dim'], frame).slice(0, mostRows(frame)), foot: []};
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
