import type {CommandInfo, CommandLine} from '../commands/command-line.ts';
import type {ScrollStep} from './scroll-position.ts';
import type {KeyPress} from '../terminal/keymap.ts';
import type {Approval} from '../../actions/agent-event.ts';
import type {BlockInfo} from '../../actions/ports.ts';
import type {Op, Query, RequestedRuleChange} from '../../agent/client.ts';
import type {PlanDraft} from '../../domain/plan.ts';
import type {ActionId, BlockId} from '../../domain/ids.ts';
import type {View} from './view.ts';
import type {Frame} from '../text/wrap.ts';
import type {ThemeChoice} from '../../domain/preferences.ts';
import type {ProposalTarget} from './approval-stage.ts';
import type {EditRequest} from '../../domain/file-edit.ts';
import type {FileDiff} from '../../actions/preview.ts';
import type {CompactionPreview} from '../../domain/compaction.ts';

/** Queries whose answer opens a panel or goes into the open one. */
export type StepQuery = Query<
  | 'last-messages'
  | 'rewind-points'
  | 'preview-rewind'
  | 'rewind'
  | 'preview-compaction'
  | 'compact'
  | 'local-servers'
  | 'use-key'
  | 'use-server'
  | 'use-effort'
>;

export const commandEffect = (name: string, argument: string): Effect => ({
  do: 'command',
  line: {kind: 'command', name, argument},
});

export type Effect =
  | {readonly do: 'compose'; readonly work: ComposerRequest}
  | {readonly do: 'op'; readonly op: Op}
  /** The answer opens the next panel. */
  | {readonly do: 'query'; readonly request: StepQuery}
  | {readonly do: 'command'; readonly line: CommandLine}
  /** Shows what a card asks in full: on a screen of its own, or above the card, where it stays. */
  | {readonly do: 'show-all' | 'print-approval'; readonly approval: Approval}
  | {readonly do: 'attach'; readonly block: BlockId}
  | {readonly do: 'write'; readonly text: string}
  | {readonly do: 'edit-outside'; readonly what: OutsideEdit}
  | {readonly do: 'redraw'}
  | {readonly do: 'scroll'; readonly step: ScrollStep}
  /** Prints the latest folded entry in full; pressed again, the one before. */
  | {readonly do: 'expand'}
  | {readonly do: 'next-verbosity'}
  | {readonly do: 'change-rule'; readonly rule: RequestedRuleChange}
  | {readonly do: 'choose-theme'; readonly theme: ThemeChoice}
  | {readonly do: 'notify'; readonly text: string}
  /** Stops weft as a job of the shell (Ctrl+Z). */
  | {readonly do: 'suspend'}
  /** Leaves. Before that it asks if sessions run which end with weft; `quit` does not ask. */
  | {readonly do: 'leave' | 'quit'};

/** What to do with a draft that was entered and its attachments. */
export type ComposerRequest =
  | {readonly kind: 'send'; readonly text: string; readonly when: 'queued' | 'steering'}
  | {readonly kind: 'run-command'; readonly command: string}
  | {readonly kind: 'note'; readonly note: string}
  /** `press` is the paste or text that held the paths. */
  | {
      readonly kind: 'images';
      readonly paths: readonly string[];
      readonly press: Exclude<KeyPress, {readonly kind: 'key'}>;
    }
  | {readonly kind: 'clipboard'};

/** What is opened in the user's editor: the draft, a proposed edit, a plan or a summary. */
export type OutsideEdit =
  | 'draft'
  | ProposalEdit
  | {readonly kind: 'plan'; readonly id: ActionId; readonly plan: PlanDraft}
  | {readonly kind: 'summary'; readonly preview: CompactionPreview};

export interface PressContext {
  readonly view: View;
  readonly commands: readonly CommandInfo[];
  /** Running ones first. */
  readonly blocks: readonly BlockInfo[];
  readonly workAfter: 'stops' | 'goes-on';
  /** Milliseconds, from any start. */
  readonly now: number;
  /** `following` when the terminal delivered other presses in the same chunk before this one: nobody answers a card that fast. */
  readonly batchPosition: 'first' | 'following';
  readonly width: number;
  /** Theme and width of the screen, and the most rows of a panel. */
  readonly frame: Frame;
  readonly rows: number;
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
