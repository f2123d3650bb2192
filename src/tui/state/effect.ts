import type {CommandInfo, CommandLine} from '../commands/command-line.ts';
import type {QuestionForm} from './question-form.ts';
import type {ScrollStep} from './scroll-position.ts';
import type {KeyPress} from '../terminal/keymap.ts';
import type {Approval, CompactionOffer} from '../../actions/agent-event.ts';
import type {BlockInfo} from '../../actions/ports.ts';
import type {Op, Query, RequestedRuleChange} from '../../agent/client.ts';
import type {PlanDraft} from '../../domain/plan.ts';
import type {ActionId, BlockId} from '../../domain/ids.ts';
import type {View} from './view.ts';
import type {Frame} from '../text/wrap.ts';
import type {ChosenTheme} from '../options.ts';
import type {ProposalTarget} from './approval-stage.ts';
import type {EditRequest} from '../../domain/file-edit.ts';
import type {FileDiff} from '../../actions/preview.ts';
import type {CompactionPreview} from '../../domain/compaction.ts';

/** Queries whose answer opens a panel or updates the open one. */
export type PanelQuery = Query<
  | 'first-prompts'
  | 'last-messages'
  | 'rewind-points'
  | 'preview-rewind'
  | 'rewind'
  | 'preview-compaction'
  | 'compact'
  | 'change-setting'
  | 'local-servers'
  | 'use-key'
  | 'use-server'
  | 'use-way'
  | 'use-effort'
>;

export const commandEffect = (name: string, argument: string): Effect => ({
  do: 'command',
  line: {kind: 'command', name, argument},
});

export type Effect =
  | {readonly do: 'compose'; readonly work: ComposerRequest}
  | {readonly do: 'op'; readonly op: Op}
  /** Runs a query whose answer opens the next panel. */
  | {readonly do: 'query'; readonly request: PanelQuery}
  | {readonly do: 'command'; readonly line: CommandLine}
  /** Shows an approval in full: on a separate screen, or printed above the card. */
  | {readonly do: 'show-all' | 'print-approval'; readonly approval: Approval}
  | {readonly do: 'attach'; readonly block: BlockId}
  | {readonly do: 'write'; readonly text: string}
  | {readonly do: 'edit-externally'; readonly what: ExternalEdit}
  | {readonly do: 'redraw'}
  | {readonly do: 'scroll'; readonly step: ScrollStep}
  /** Prints the latest folded entry in full. Pressed again, prints the one before it. */
  | {readonly do: 'expand'}
  | {readonly do: 'next-verbosity'}
  | {readonly do: 'change-rule'; readonly rule: RequestedRuleChange}
  | {readonly do: 'choose-theme'; readonly theme: ChosenTheme}
  | {readonly do: 'notify'; readonly text: string}
  /** Suspends weft as a shell job (Ctrl+Z). */
  | {readonly do: 'suspend'}
  /** Exits weft. `leave` asks first if exiting would end running sessions; `quit` doesn't. */
  | {readonly do: 'leave' | 'quit'};

/** A submitted draft or attachment for the store to handle. */
export type ComposerRequest =
  | {readonly kind: 'send'; readonly text: string; readonly when: 'queued' | 'steering'}
  | {readonly kind: 'run-command'; readonly command: string}
  | {readonly kind: 'note'; readonly note: string}
  /** `press` is the paste or text that contained the paths. */
  | {
      readonly kind: 'images';
      readonly paths: readonly string[];
      readonly press: Exclude<KeyPress, {readonly kind: 'key'}>;
    }
  | {readonly kind: 'clipboard'};

/**
 * A compaction that weft offers because the conversation is too long. `since` is when the panel opened over a draft, or the
 * user last typed on: until the user pauses, keys go to the draft. 0 if the draft was empty.
 */
export type ShownOffer = Pick<CompactionOffer, 'id' | 'reason'> & {readonly since: number};

/** A text to open in the user's editor: the draft, a proposed edit, a plan, or a summary. */
export type ExternalEdit =
  | 'draft'
  | ProposalEdit
  | {readonly kind: 'plan'; readonly id: ActionId; readonly plan: PlanDraft}
  | {readonly kind: 'summary'; readonly preview: CompactionPreview; readonly offer: ShownOffer | 'none'};

export interface PressContext {
  readonly view: View;
  readonly commands: readonly CommandInfo[];
  /** The blocks, running ones first. */
  readonly blocks: readonly BlockInfo[];
  readonly workAfter: 'stops' | 'goes-on';
  /** Milliseconds since an arbitrary start. */
  readonly now: number;
  /** `following` if other presses came before this one in the same chunk. Such a press is too fast to be an answer to a card. */
  readonly batchPosition: 'first' | 'following';
  /** The width of the draft, in cells. */
  readonly width: number;
  /** The theme and width of the screen. */
  readonly frame: Frame;
  readonly rows: number;
  /** True if an approval card of so many rows shows all that the user decides about. */
  readonly showsDecision: (approval: Approval, rows: number) => boolean;
  readonly showsOption: (form: QuestionForm, row: number, rows: number) => boolean;
}

export interface ProposalEdit {
  readonly id: ActionId;
  readonly request: EditRequest;
  readonly of: ProposalTarget;
}

export type ProposalEditResult =
  | {readonly kind: 'revised'; readonly request: EditRequest; readonly files: readonly FileDiff[]}
  | {readonly kind: 'revised-plan'; readonly plan: PlanDraft}
  | {readonly kind: 'unchanged'}
  | {readonly kind: 'failed'; readonly message: string};
