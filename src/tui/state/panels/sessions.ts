import {pluralize} from '../../../base/clip.ts';
import {timeAgo} from '../../../base/time-ago.ts';
import type {FirstPrompt, SessionCost, SessionMessage} from '../../../agent/client.ts';
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
  type PickerItem,
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
  /** The facts that the details of later items show. */
  readonly facts: SessionFacts;
  /** There may be very many sessions, so older ones and all first prompts are loaded when the user searches or comes to the end. */
  readonly loaded: 'newest' | 'requested';
}

/** The number of sessions with which the picker opens. */
export const newestSessions = 100;

/** Returns the session picker. */
export function sessionsPanel(sessions: readonly SessionSummary[], facts: SessionFacts): SessionsPanel {
  const items = sessions.map(session => sessionItem(session, facts));
  return {
    panel: 'sessions',
    picker: openPicker({items, search: 'words', empty: 'No other sessions', selected: 'current'}),
    messages: new Map(),
    facts,
    loaded: 'newest',
  };
}

const sessionItem = (session: SessionSummary, {costs, states, now}: SessionFacts): PickerItem<SessionId> => ({
  ...plainItem(session.id, sessionTitle(session)),
  details: [
    stateText(states.get(session.id)) ?? timeAgo(now - session.updatedAt),
    pluralize(session.messages, 'message'),
    costText(costs.get(session.id) ?? 0),
  ],
});

export interface AllSessions extends Pick<SessionFacts, 'costs'> {
  readonly sessions: readonly SessionSummary[];
  readonly prompts: readonly FirstPrompt[];
}

/** Adds the older sessions to the picker, and makes it search the first prompts, too. */
export function withAllSessions(
  {picker, facts, ...panel}: SessionsPanel,
  {sessions, costs, prompts}: AllSessions,
): SessionsPanel {
  const listed = new Set([facts.own, ...picker.items.map(({value}) => value)]);
  const older = sessions.filter(({id}) => !listed.has(id)).map(session => sessionItem(session, {...facts, costs}));
  const texts = new Map(prompts.map(({session, prompt}) => [session, prompt.toLowerCase()]));
  const items = [...picker.items, ...older].map(item => ({...item, searchText: texts.get(item.value) ?? ''}));
  return {...panel, facts, picker: withItems(picker, items), loaded: 'requested'};
}

interface SessionFacts {
  /** The open session, which is not listed. */
  readonly own?: SessionId | undefined;
  /** The costs of the sessions in US dollars. */
  readonly costs: ReadonlyMap<SessionId, number | 'unknown'>;
  readonly states: ReadonlyMap<SessionId, RunningSession['state']>;
  /** The time from which ages are counted, in milliseconds since 1970. */
  readonly now: number;
}

/** Returns the costs that a query answered. */
export const costsIn = (known: readonly SessionCost[]): SessionFacts['costs'] =>
  new Map(known.map(({session, usd}) => [session, usd]));

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
  if (next === 'none' || next.loaded === 'requested') return {panel: next, effects};
  const {items, row} = next.picker;
  const isAtEnd = items.length >= newestSessions && row === items.length - 1;
  if (filterTextOf(next.picker) === '' && !isAtEnd) return {panel: next, effects};
  return {
    panel: {...next, loaded: 'requested'},
    effects: [...effects, {do: 'query', request: {query: 'first-prompts'}}],
  };
}

export function withPreview(panel: SessionsPanel): PanelStep<SessionsPanel> {
  const session = selectedValue(panel.picker);
  if (session === undefined || panel.messages.has(session)) return {panel, effects: []};
  const messages = new Map(panel.messages).set(session, []);
  return {panel: {...panel, messages}, effects: [{do: 'query', request: {query: 'last-messages', session}}]};
}
