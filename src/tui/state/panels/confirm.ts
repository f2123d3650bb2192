import {pluralize} from '../../../base/clip.ts';
import {visibleLine} from '../../../base/visible.ts';
import {runningText, sessionTitle} from '../../../domain/session-list.ts';
import type {TuiOptions} from '../../options.ts';
import type {Effect} from '../effect.ts';
import type {KeyPress} from '../../terminal/keymap.ts';
import {isIdle} from '../selectors.ts';
import type {View} from '../view.ts';
import {closePanel, isCloseKey, isYes, type PanelStep} from './panel-step.ts';

/** A question that y answers with yes, and n or Esc with no. */
export interface ConfirmPanel {
  readonly panel: 'confirm';
  readonly title: string;
  readonly subject: string;
  /** What yes does, as a key hint: `overwrite`. */
  readonly does: string;
  readonly yes: Effect;
  readonly no: readonly Effect[];
  /** Whether Enter says yes, too: only where nothing that exists is lost. */
  readonly enter: 'yes' | 'nothing';
  readonly other: {readonly letter: string; readonly does: string; readonly effect: Effect} | 'none';
}

/** A question that only y answers with yes; without `no`, no does nothing. */
export const confirmPanel = (
  asked: Pick<ConfirmPanel, 'title' | 'subject' | 'does' | 'yes'> & {readonly no?: ConfirmPanel['no']},
): ConfirmPanel => ({panel: 'confirm', no: [], enter: 'nothing', other: 'none', ...asked});

/** Asks before a note is written: a line that begins with `#` may as well be the heading of a prompt. */
export const notePanel = (text: string, note: string, when: 'queued' | 'steering'): ConfirmPanel => ({
  ...confirmPanel({
    title: 'Add a note to AGENTS.md?',
    subject: note,
    does: 'add',
    yes: {do: 'compose', work: {kind: 'note', note}},
    no: [{do: 'write', text}],
  }),
  other: {letter: 'p', does: 'send as a prompt', effect: {do: 'compose', work: {kind: 'send', text, when}}},
});

/** Asks before weft ends with sessions in the background; `none` if no session ends with it. To leave again while it asks is a yes. */
export function quitPanel(
  {workAfter, ...options}: Pick<TuiOptions, 'workAfter' | 'runningSessions'>,
  {question, shown}: {readonly question: 'unasked' | 'asked'; readonly shown: View},
): ConfirmPanel | 'none' {
  const background = workAfter === 'stops' ? options.runningSessions() : [];
  if (background.length === 0 || question === 'asked') return 'none';
  const running = [
    ...(isIdle(shown) ? [] : [`This session: ${runningText.running}`]),
    ...background.map(({summary, state}) => `${visibleLine(sessionTitle(summary))}: ${runningText[state]}`),
  ];
  return confirmPanel({
    title: `Quit and stop ${pluralize(running.length, 'running session')}?`,
    subject: running.join('; '),
    does: 'stop and quit',
    yes: {do: 'quit'},
  });
}

/** A `following` press arrived in one chunk with earlier ones, and never confirms anything. */
export function pressConfirm(
  panel: ConfirmPanel,
  key: KeyPress,
  batchPosition: 'first' | 'following',
): PanelStep<ConfirmPanel> {
  if (isCloseKey(key)) return closePanel(...panel.no);
  const {other} = panel;
  if (other !== 'none' && key.kind === 'text' && key.text === other.letter && batchPosition === 'first') {
    return closePanel(other.effect);
  }
  const isAnswer = isYes(key) && (panel.enter === 'yes' || key.kind === 'text');
  return isAnswer && batchPosition === 'first' ? closePanel(panel.yes) : {panel, effects: []};
}
