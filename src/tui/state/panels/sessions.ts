import {pluralize} from '../../../base/clip.ts';
import {timeAgo} from '../../../base/time-ago.ts';
import type {FirstPrompt, SessionMessage} from '../../../agent/client.ts';
import type {SessionId} from '../../../domain/ids.ts';
import type {SessionSummary} from '../../../domain/journal.ts';
import {type RunningSession, runningText, sessionTitle} from '../../../domain/session-list.ts';
import type {KeyPress} from '../../terminal/keymap.ts';
import {centsText} from '../selectors.ts';
import {
  closePanel,
  filterTextOf,
  openPicker,
  type PanelStep,
  type Picker,
  plainItem,
  pressList,
  selectedValue,
  withItems,
} from './picker.ts';

export interface SessionsPanel {
  readonly panel: 'sessions';
  readonly picker: Picker<SessionId>;
  /** The last messages of each session that was selected, latest last. Empty until they are loaded. */
  readonly messages: ReadonlyMap<SessionId, readonly SessionMessage[]>;
  /** There may be very many first prompts, so they are loaded when the user begins to search. */
  readonly firstPrompts: 'unread' | 'requested';
}

/** Returns the session picker. */
export function sessionsPanel(sessions: readonly SessionSummary[], {costs, states, now}: SessionFacts): SessionsPanel {
  const items = sessions.map(session => ({
    ...plainItem(session.id, sessionTitle(session)),
    details: [
      stateText(states.get(session.id)) ?? timeAgo(now - session.updatedAt),
      pluralize(session.messages, 'message'),
      costText(costs.get(session.id) ?? 0),
    ],
  }));
  return {
    panel: 'sessions',
    picker: openPicker({items, search: 'words', empty: 'No other sessions', selected: 'current'}),
    messages: new Map(),
    firstPrompts: 'unread',
  };
}

/** Makes the picker search the first prompts, too. */
export function withFirstPrompts({picker, ...panel}: SessionsPanel, prompts: readonly FirstPrompt[]): SessionsPanel {
  const texts = new Map(prompts.map(({session, prompt}) => [session, prompt.toLowerCase()]));
  const items = picker.items.map(item => ({...item, searchText: texts.get(item.value) ?? ''}));
  return {...panel, picker: withItems(picker, items), firstPrompts: 'requested'};
}

interface SessionFacts {
  /** The costs of the sessions in US dollars. */
  readonly costs: ReadonlyMap<SessionId, number | 'unknown'>;
  /** The states of the running sessions. */
  readonly states: ReadonlyMap<SessionId, RunningSession['state']>;
  /** The time from which ages are counted, in milliseconds since 1970. */
  readonly now: number;
}

const stateText = (state: RunningSession['state'] | undefined): string | undefined =>
  state === undefined ? undefined : runningText[state];

const costText = (usd: number | 'unknown'): string =>
  usd === 0 ? '' : usd === 'unknown' ? 'cost unknown' : centsText(usd);

export function pressSessions(panel: SessionsPanel, key: KeyPress): PanelStep<SessionsPanel> {
  const step = pressList(panel, key, id =>
    closePanel({do: 'op', op: {op: 'open-session', session: {kind: 'resume', id}}}),
  );
  if (step.panel === 'none') return step;
  const {panel: next, effects} = withPreview(step.panel);
  if (next === 'none' || next.firstPrompts === 'requested' || filterTextOf(next.picker) === '')
    return {panel: next, effects};
  return {
    panel: {...next, firstPrompts: 'requested'},
    effects: [...effects, {do: 'query', request: {query: 'first-prompts'}}],
  };
}

export function withPreview(panel: SessionsPanel): PanelStep<SessionsPanel> {
  const session = selectedValue(panel.picker);
  if (session === undefined || panel.messages.has(session)) return {panel, effects: []};
  const messages = new Map(panel.messages).set(session, []);
  return {panel: {...panel, messages}, effects: [{do: 'query', request: {query: 'last-messages', session}}]};
}
