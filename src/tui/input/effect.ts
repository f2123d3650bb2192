import type {Approval} from '../../actions/agent-event.ts';
import type {BlockInfo} from '../../actions/ports.ts';
import type {Op} from '../../agent/engine.ts';
import type {BlockId} from '../../domain/ids.ts';
import type {CommandInfo} from '../commands/command-info.ts';
import type {ScrollStep} from '../fullscreen/kept-lines.ts';
import type {View} from '../state/view.ts';
import type {Frame} from '../text/wrap.ts';
import type {ThemeChoice} from '../../domain/preferences.ts';
import type {CommandLine} from './commands.ts';
import type {KeyPress} from './keymap.ts';
import type {ProposalWork} from './approval/proposal-work.ts';
import type {SummaryWork} from './summary-work.ts';

/** What a press asks of the world. */
export type Effect =
  | {readonly do: 'compose'; readonly work: ComposerWork}
  | {readonly do: 'op'; readonly op: Op}
  | {readonly do: 'command'; readonly line: CommandLine}
  | {readonly do: 'show-all'; readonly approval: Approval}
  /** Gives the terminal to a block, until the user takes it back. */
  | {readonly do: 'attach'; readonly block: BlockId}
  | {readonly do: 'stop-block' | 'keep-block'; readonly block: BlockId}
  /** Another text takes the draft's place. */
  | {readonly do: 'write'; readonly text: string}
  /** Opens the draft, what an edit would write, or a summary in the user's editor. */
  | {readonly do: 'edit-outside'; readonly what: 'draft' | ProposalWork | SummaryWork}
  /** Draws everything anew. */
  | {readonly do: 'redraw'}
  /** Moves over what was written above. */
  | {readonly do: 'scroll'; readonly step: ScrollStep}
  /** Shows the latest folded entry whole, once; then the one before. */
  | {readonly do: 'unfold'}
  | {readonly do: 'next-verbosity'}
  | {readonly do: 'choose-theme'; readonly theme: ThemeChoice}
  | {readonly do: 'tell'; readonly text: string}
  /** Stops weft until the shell goes on with it. */
  | {readonly do: 'suspend'}
  | {readonly do: 'leave'};

/** What is done with a draft that was entered, and with what goes with it. */
export type ComposerWork =
  | {readonly kind: 'send'; readonly text: string; readonly when: 'queued' | 'steering'}
  | {readonly kind: 'run-command'; readonly command: string}
  | {readonly kind: 'note'; readonly note: string}
  /** `press` is what the paths came with. */
  | {
      readonly kind: 'images';
      readonly paths: readonly string[];
      readonly press: Exclude<KeyPress, {readonly kind: 'key'}>;
    }
  | {readonly kind: 'clipboard'};

export interface PressContext {
  readonly view: View;
  readonly commands: readonly CommandInfo[];
  /** The running ones first. */
  readonly blocks: readonly BlockInfo[];
  /** Milliseconds, from any start. */
  readonly now: number;
  /** `later` when the terminal delivered other presses with this one, before it. */
  readonly place: 'first' | 'later';
  /** Cells of a row of the draft. */
  readonly width: number;
  /** The look and the width of the screen, and the rows that a panel has at most. */
  readonly frame: Frame;
  readonly rows: number;
}
