import type {PanelQuery} from './effect.ts';
import {compactPreview} from './panels/compact.ts';
import type {Panel} from './panels/panel.ts';
import {rewindPanel, rewindPreview} from './panels/rewind.ts';
import {type AllSessions, costsIn, type SessionsPanel, withAllSessions} from './panels/sessions.ts';
import type {Ui} from './ui.ts';
import type {AgentEvent} from '../../actions/agent-event.ts';
import {withConnectError, type ConnectPanel} from './panels/connect.ts';
import type {AgentClient, AnswerOf, ModelConnection} from '../../agent/client.ts';
import {ok} from '../../base/outcome.ts';
import {unreachable} from '../../base/unreachable.ts';
import {faultText} from '../../domain/fault.ts';
import type {WayName} from '../../domain/ways-in.ts';
import {draftFromText, draftText, emptyDraft, isEmptyDraft} from '../editor/draft.ts';

/** The change of the UI after the answer to a panel query. `nothing`: engine events report the outcome. */
export type PanelQueryResult =
  | {readonly step: 'open'; readonly panel: Panel}
  /** `text` is a notice and may be empty. */
  | {readonly step: 'change'; readonly change: (ui: Ui) => Ui; readonly text: string}
  | {readonly step: 'notice'; readonly level: 'info' | 'warning'; readonly text: string}
  | {readonly step: 'nothing'};

export async function runPanelQuery(
  request: PanelQuery,
  client: AgentClient,
  signal: AbortSignal,
): Promise<PanelQueryResult> {
  switch (request.query) {
    case 'first-prompts':
      return resultOf(await readAllSessions(client, signal), all =>
        changingSessions(panel => withAllSessions(panel, all)),
      );
    case 'last-messages':
      return resultOf(await client.query(request, signal), messages =>
        changingSessions(panel => ({...panel, messages: new Map(panel.messages).set(request.session, messages)})),
      );
    case 'rewind-points':
      return resultOf(await client.query(request, signal), points =>
        points.length > 0
          ? opening(rewindPanel(points))
          : {step: 'notice', level: 'info', text: 'Nothing to rewind yet'},
      );
    case 'preview-rewind':
      return resultOf(await client.query(request, signal), report => opening(rewindPreview(request.target, report)));
    case 'preview-compaction':
      return resultOf(await client.query(request, signal), preview => opening(compactPreview(preview)));
    case 'rewind':
      return resultOf(await client.query(request, signal), () => ({step: 'nothing'}));
    case 'compact':
      return resultOf(await client.query(request, signal), () => ({step: 'nothing'}));
    case 'change-setting':
      return resultOf(await client.query(request, signal), lines => ({
        step: 'notice',
        level: 'info',
        text: lines.join('\n'),
      }));
    case 'local-servers':
      return resultOf(await client.query(request, signal), servers => changingConnect(panel => ({...panel, servers})));
    case 'use-key':
      return resultOfConnecting(await client.query(request, signal), 'key');
    case 'use-server':
      return resultOfConnecting(await client.query(request, signal), 'server');
    case 'use-way':
      return resultOfConnecting(await client.query(request, signal), request.way);
    case 'use-effort':
      return resultOf(await client.query(request, signal), ({text}) => ({step: 'notice', level: 'info', text}));
    default:
      return unreachable(request);
  }
}

/** Reads everything about the sessions of the folder that the picker searches. */
export async function readAllSessions(client: AgentClient, signal: AbortSignal): Promise<AnswerOf<AllSessions>> {
  const [sessions, known, prompts] = await Promise.all([
    client.query({query: 'sessions'}, signal),
    client.query({query: 'session-costs'}, signal),
    client.query({query: 'first-prompts'}, signal),
  ]);
  if (sessions.tag !== 'ok') return sessions;
  if (known.tag !== 'ok') return known;
  if (prompts.tag !== 'ok') return prompts;
  return ok({sessions: sessions.value, costs: costsIn(known.value), prompts: prompts.value});
}

const opening = (panel: Panel): PanelQueryResult => ({step: 'open', panel});

const changing = (change: (ui: Ui) => Ui, text = ''): PanelQueryResult => ({step: 'change', change, text});

const changingConnect = (change: (panel: ConnectPanel) => ConnectPanel): PanelQueryResult =>
  changing(({panel, ...ui}) => ({
    ...ui,
    panel: panel === 'none' || panel.panel !== 'connect' ? panel : change(panel),
  }));

const changingSessions = (change: (panel: SessionsPanel) => SessionsPanel): PanelQueryResult =>
  changing(({panel, ...ui}) => ({
    ...ui,
    panel: panel === 'none' || panel.panel !== 'sessions' ? panel : change(panel),
  }));

function resultOf<T>(answer: AnswerOf<T>, next: (value: T) => PanelQueryResult): PanelQueryResult {
  switch (answer.tag) {
    case 'ok':
      return next(answer.value);
    case 'failed':
      return {step: 'notice', level: 'warning', text: faultText(answer.error)};
    case 'cancelled':
      return {step: 'nothing'};
    default:
      return unreachable(answer);
  }
}

function resultOfConnecting(answer: AnswerOf<ModelConnection>, of: 'key' | 'server' | WayName): PanelQueryResult {
  if (answer.tag !== 'failed') return resultOf(answer, ({text}) => changing(ui => ({...ui, panel: 'none'}), text));
  const error = faultText(answer.error);
  return changingConnect(panel => withConnectError(panel, of, error));
}

/** Applies the result of a panel query. If the user has closed the panel that waits for a summary, the compaction isn't shown. */
export function applyQueryResult(ui: Ui, next: PanelQueryResult): Ui {
  const isAwaited = ui.panel !== 'none' && ui.panel.panel === 'compact' && ui.panel.stage === 'summary-awaited';
  switch (next.step) {
    case 'open':
      return next.panel.panel === 'compact' && !isAwaited ? ui : {...ui, panel: next.panel};
    case 'change':
      return next.change(ui);
    case 'notice':
    case 'nothing':
      return isAwaited ? {...ui, panel: 'none'} : ui;
    default:
      return unreachable(next);
  }
}

/** Puts the text of a rewound prompt into the draft, unless the user has typed something. */
export function restoreRewoundPrompt(ui: Ui, event: AgentEvent): Ui {
  if (event.event !== 'rewound') return ui;
  const {kind, prompts, prompt} = event.report;
  if (!isEmptyDraft(ui.draft) && !isRestoredPrompt(ui)) return ui;
  if (kind === 'redo') return {...ui, draft: isRestoredPrompt(ui) ? emptyDraft : ui.draft, restoredPrompt: ''};
  return prompts > 0 ? {...ui, draft: draftFromText(prompt), restoredPrompt: prompt} : ui;
}

/** True if the draft is an unchanged prompt that an undo restored. */
export const isRestoredPrompt = ({draft, restoredPrompt}: Pick<Ui, 'draft' | 'restoredPrompt'>): boolean =>
  restoredPrompt !== '' && draftText(draft) === restoredPrompt;
