import type {BlockId} from '../../domain/ids.ts';
import type {ProposalWork} from '../input/approval/proposal-work.ts';
import type {MarkdownLexer} from '../markdown/render-markdown.ts';
import type {NewlineKey} from '../terminal/modified-keys.ts';
import type {TuiExit} from '../options.ts';
import type {Panel} from '../panels/panel.ts';
import type {SummaryWork} from '../input/summary-work.ts';

/** What a session asks of whoever runs it. */
export interface SessionHost {
  leave(exit: TuiExit): void;
  /** Gives the terminal to a block; `pause` and `resume` are called around it. */
  attach(block: BlockId): void;
  /** Gives the terminal to the user's editor, with the draft's text, what an edit would write, or a summary. */
  edit(what: string | ProposalWork | SummaryWork): void;
  /** Gives the terminal back to the shell, and stops until that goes on with weft. */
  suspend(): void;
  /** Gives the whole screen to a panel. */
  read(panel: Panel): void;
  /** A key that begins a new line in this terminal. */
  readonly newlineKey: NewlineKey;
  /** Called once, when there is something to write to the scrollback. */
  loadLexer(): Promise<MarkdownLexer>;
}
