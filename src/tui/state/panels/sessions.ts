import {pluralize} from '../../../base/clip.ts';
import {timeAgo} from '../../../base/time-ago.ts';
import type {SessionMessage} from '../../../agent/client.ts';
import type {SessionId} from '../../../domain/ids.ts';
import type {SessionSummary} from '../../../domain/journal.ts';
import {type RunningSession, runningText, sessionTitle} from '../../../domain/session-list.ts';
import type {KeyPress} from '../../terminal/keymap.ts';
import {centsText} from '../selectors.ts';
import {closePanel, type PanelStep, pressList, openPicker, type Picker, plainItem, selectedValue} from './picker.ts';

export interface SessionsPanel {
  readonly panel: 'sessions';
  readonly picker: Picker<SessionId>;
  /** The last messages of each session that was selected, latest last. Empty until they are loaded. */
  readonly messages: ReadonlyMap<SessionId, readonly SessionMessage[]>;
}

/** Returns the session picker. */
export function sessionsPanel(
  sessions: readonly SessionSummary[],
  {firstPrompts, costs, states, now}: SessionFacts,
): SessionsPanel {
  const items = sessions.map(session => ({
    ...plainItem(session.id, sessionTitle(session)),
    details: [
      stateText(states.get(session.id)) ?? timeAgo(now - session.updatedAt),
      pluralize(session.messages, 'message'),
      costText(costs.get(session.id) ?? 0),
    ],
    searchText: (firstPrompts.get(session.id) ?? '').toLowerCase(),
  }));
  return {
    panel: 'sessions',
    picker: openPicker({items, search: 'words', empty: 'No other sessions', selected: 'current'}),
    messages: new Map(),
  };
}

interface SessionFacts {
  /** The first prompts, which the picker searches in addition to the titles. */
  readonly firstPrompts: ReadonlyMap<SessionId, string>;
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
  return step.panel === 'none' ? step : withPreview(step.panel);
}

export function withPreview(panel: SessionsPanel): PanelStep<SessionsPanel> {
  const session = selectedValue(panel.picker);
  if (session === undefined || panel.messages.has(session)) return {panel, effects: []};
  const messages = new Map(panel.messages).set(session, []);
  return {panel: {...panel, messages}, effects: [{do: 'query', request: {query: 'last-messages', session}}]};
}
