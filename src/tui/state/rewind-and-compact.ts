import type {StepQuery} from './effect.ts';
import {compactPreview, summaryAwaited} from './panels/compact.ts';
import type {Panel} from './panels/panel.ts';
import {rewindPanel, rewindPreview} from './panels/rewind.ts';
import type {Ui} from './ui.ts';
import type {AgentEvent} from '../../actions/agent-event.ts';
import {connectFailed, type ConnectPanel} from './panels/connect.ts';
import type {AgentClient, AnswerOf, ModelConnection, SessionMessage} from '../../agent/client.ts';
import {unreachable} from '../../base/unreachable.ts';
import {faultText} from '../../domain/fault.ts';
import type {SessionId} from '../../domain/ids.ts';
import {draftFromText, draftText, emptyDraft, isEmptyDraft} from '../editor/draft.ts';

/** What follows the answer to a query. `nothing`: engine events report what was done. */
export type ConversationStep =
  | {readonly step: 'open'; readonly panel: Panel}
  /** `said` may be empty. */
  | {readonly step: 'change'; readonly change: (ui: Ui) => Ui; readonly said: string}
  | {readonly step: 'notice'; readonly level: 'info' | 'warning'; readonly text: string}
  | {readonly step: 'nothing'};

export async function nextStep(
  request: StepQuery,
  client: AgentClient,
  signal: AbortSignal,
): Promise<ConversationStep> {
  switch (request.query) {
    case 'last-messages':
      return stepAfter(await client.query(request, signal), said =>
        changing(ui => withMessages(ui, request.session, said)),
      );
    case 'rewind-points':
      return stepAfter(await client.query(request, signal), points =>
        points.length > 0
          ? opening(rewindPanel(points))
          : {step: 'notice', level: 'info', text: 'Nothing to rewind yet'},
      );
    case 'preview-rewind':
      return stepAfter(await client.query(request, signal), report => opening(rewindPreview(request.target, report)));
    case 'preview-compaction':
      return stepAfter(await client.query(request, signal), preview => opening(compactPreview(preview)));
    case 'rewind':
      return stepAfter(await client.query(request, signal), () => ({step: 'nothing'}));
    case 'compact':
      return stepAfter(await client.query(request, signal), () => ({step: 'nothing'}));
    case 'local-servers':
      return stepAfter(await client.query(request, signal), servers => changingConnect(panel => ({...panel, servers})));
    case 'use-key':
      return stepAfterConnecting(await client.query(request, signal), 'key');
    case 'use-server':
      return stepAfterConnecting(await client.query(request, signal), 'server');
    case 'use-effort':
      return stepAfter(await client.query(request, signal), ({text}) =>
        changing(ui => ({...ui, effort: request.effort}), text),
      );
    default:
      return unreachable(request);
  }
}

const opening = (panel: Panel): ConversationStep => ({step: 'open', panel});

const changing = (change: (ui: Ui) => Ui, said = ''): ConversationStep => ({step: 'change', change, said});

const changingConnect = (change: (panel: ConnectPanel) => ConnectPanel): ConversationStep =>
  changing(({panel, ...ui}) => ({
    ...ui,
    panel: panel === 'none' || panel.panel !== 'connect' ? panel : change(panel),
  }));

const withMessages = ({panel, ...ui}: Ui, session: SessionId, messages: readonly SessionMessage[]): Ui => ({
  ...ui,
  panel:
    panel === 'none' || panel.panel !== 'sessions'
      ? panel
      : {...panel, messages: new Map(panel.messages).set(session, messages)},
});

function stepAfter<T>(answer: AnswerOf<T>, next: (value: T) => ConversationStep): ConversationStep {
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

function stepAfterConnecting(answer: AnswerOf<ModelConnection>, of: 'key' | 'server'): ConversationStep {
  if (answer.tag !== 'failed') return stepAfter(answer, ({text}) => changing(ui => ({...ui, panel: 'none'}), text));
  const complaint = faultText(answer.error);
  return changingConnect(panel => connectFailed(panel, of, complaint));
}

/** The screen after the next step. If the user has closed the panel that awaits the summary, the compaction is not shown any more. */
export function followStep(ui: Ui, next: ConversationStep): Ui {
  const isAwaited = ui.panel === summaryAwaited;
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

/** Puts the text of a rewound prompt into the draft, unless the user has written something there. */
export function followRewind(ui: Ui, event: AgentEvent): Ui {
  if (event.event !== 'rewound') return ui;
  const {kind, prompts, prompt} = event.report;
  if (!isEmptyDraft(ui.draft) && !isRestored(ui)) return ui;
  if (kind === 'redo') return {...ui, draft: isRestored(ui) ? emptyDraft : ui.draft, restoredPrompt: ''};
  return prompts > 0 ? {...ui, draft: draftFromText(prompt), restoredPrompt: prompt} : ui;
}

/** Whether the draft is a prompt that an undo has put there, as it was put. */
export const isRestored = ({draft, restoredPrompt}: Pick<Ui, 'draft' | 'restoredPrompt'>): boolean =>
  restoredPrompt !== '' && draftText(draft) === restoredPrompt;
