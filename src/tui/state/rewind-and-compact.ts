import type {StepQuery} from './effect.ts';
import {compactPreview, summaryAwaited} from './panels/compact.ts';
import {rewindPanel, rewindPreview} from './panels/rewind.ts';
import type {Ui} from './ui.ts';
import type {AgentEvent} from '../../actions/agent-event.ts';
import {connectFailed, type ConnectPanel} from './panels/connect.ts';
import type {LocalServer} from '../../domain/local-server.ts';
import type {AgentClient, AnswerOf, ModelConnection, SessionMessage} from '../../agent/client.ts';
import {unreachable} from '../../base/unreachable.ts';
import type {CompactionPreview} from '../../domain/compaction.ts';
import {faultText} from '../../domain/fault.ts';
import type {SessionId} from '../../domain/ids.ts';
import type {Effort} from '../../domain/model-stream.ts';
import type {RewindPoint, RewindReport, RewindTarget} from '../../domain/rewind.ts';
import {draftFromText, draftText, emptyDraft, isEmptyDraft} from '../editor/draft.ts';

/** The step after the answer to a query. `done`: nothing is left to ask, and engine events report what was done. */
export type ConversationStep =
  | {readonly step: 'last-messages'; readonly session: SessionId; readonly messages: readonly SessionMessage[]}
  | {readonly step: 'choose-prompt'; readonly points: readonly RewindPoint[]}
  | {readonly step: 'confirm-rewind'; readonly target: RewindTarget; readonly report: RewindReport}
  | {readonly step: 'confirm-compaction'; readonly preview: CompactionPreview}
  | {readonly step: 'servers-found'; readonly servers: readonly LocalServer[]}
  | {readonly step: 'connected'; readonly text: string}
  | {readonly step: 'effort-set'; readonly effort: Effort | 'default'; readonly text: string}
  | {readonly step: 'not-connected'; readonly of: 'key' | 'server'; readonly text: string}
  | {readonly step: 'notice'; readonly level: 'info' | 'warning'; readonly text: string}
  | {readonly step: 'done'};

export async function nextStep(
  request: StepQuery,
  client: AgentClient,
  signal: AbortSignal,
): Promise<ConversationStep> {
  switch (request.query) {
    case 'last-messages': {
      const {session} = request;
      return stepAfter(await client.query(request, signal), messages => ({step: 'last-messages', session, messages}));
    }
    case 'rewind-points':
      return stepAfter(await client.query(request, signal), points =>
        points.length > 0
          ? {step: 'choose-prompt', points}
          : {step: 'notice', level: 'info', text: 'Nothing to rewind yet'},
      );
    case 'preview-rewind':
      return stepAfter(await client.query(request, signal), report => ({
        step: 'confirm-rewind',
        target: request.target,
        report,
      }));
    case 'preview-compaction':
      return stepAfter(await client.query(request, signal), preview => ({step: 'confirm-compaction', preview}));
    case 'rewind':
      return stepAfter(await client.query(request, signal), () => ({step: 'done'}));
    case 'compact':
      return stepAfter(await client.query(request, signal), () => ({step: 'done'}));
    case 'local-servers':
      return stepAfter(await client.query(request, signal), servers => ({step: 'servers-found', servers}));
    case 'use-key':
      return stepAfterConnecting(await client.query(request, signal), 'key');
    case 'use-server':
      return stepAfterConnecting(await client.query(request, signal), 'server');
    case 'use-effort':
      return stepAfter(await client.query(request, signal), ({text}) => ({
        step: 'effort-set',
        effort: request.effort,
        text,
      }));
    default:
      return unreachable(request);
  }
}

function stepAfter<T>(answer: AnswerOf<T>, next: (value: T) => ConversationStep): ConversationStep {
  switch (answer.tag) {
    case 'ok':
      return next(answer.value);
    case 'failed':
      return {step: 'notice', level: 'warning', text: faultText(answer.error)};
    case 'cancelled':
      return {step: 'done'};
    default:
      return unreachable(answer);
  }
}

function stepAfterConnecting(answer: AnswerOf<ModelConnection>, of: 'key' | 'server'): ConversationStep {
  if (answer.tag === 'failed') return {step: 'not-connected', of, text: faultText(answer.error)};
  return stepAfter(answer, ({text}) => ({step: 'connected', text}));
}

/** Opens the panel of the next step. If the user has closed the panel that awaits the summary, the compaction is not shown any more. */
export function followStep(ui: Ui, next: ConversationStep): Ui {
  const isAwaited = ui.panel === summaryAwaited;
  switch (next.step) {
    case 'last-messages': {
      const {panel} = ui;
      if (panel === 'none' || panel.panel !== 'sessions') return ui;
      return {...ui, panel: {...panel, messages: new Map(panel.messages).set(next.session, next.messages)}};
    }
    case 'choose-prompt':
      return {...ui, panel: rewindPanel(next.points)};
    case 'confirm-rewind':
      return {...ui, panel: rewindPreview(next.target, next.report)};
    case 'confirm-compaction':
      return isAwaited ? {...ui, panel: compactPreview(next.preview)} : ui;
    case 'servers-found':
      return withConnectPanel(ui, panel => ({...panel, servers: next.servers}));
    case 'not-connected':
      return withConnectPanel(ui, panel => connectFailed(panel, next.of, next.text));
    case 'connected':
      return {...ui, panel: 'none'};
    case 'effort-set':
      return {...ui, effort: next.effort};
    case 'notice':
    case 'done':
      return isAwaited ? {...ui, panel: 'none'} : ui;
    default:
      return unreachable(next);
  }
}

const withConnectPanel = ({panel, ...ui}: Ui, change: (panel: ConnectPanel) => ConnectPanel): Ui => ({
  ...ui,
  panel: panel === 'none' || panel.panel !== 'connect' ? panel : change(panel),
});

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
