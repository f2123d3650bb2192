import type {Op} from '../../agent/engine.ts';
import type {Appearance} from '../session/appearance.ts';
import type {TuiExit, TuiOptions} from '../options.ts';
import type {Panel} from '../panels/panel.ts';
import type {MarkdownLexer} from '../markdown/render-markdown.ts';
import type {View} from '../state/view.ts';
import type {RunTimes} from '../views/progress.ts';
import type {EntryFrame} from '../views/verbosity.ts';
import type {CommandInfo} from './command-info.ts';

/** What a draft that begins with `/` may ask of the terminal UI. */
export interface SlashCommand extends CommandInfo {
  /** `argument` is what follows the name, trimmed; empty for none. */
  run(argument: string, desk: CommandDesk): void;
}

/** What commands work with. They may go on using it after they have returned. */
export interface CommandDesk {
  readonly options: TuiOptions;
  /** The commands that exist here. */
  readonly commands: readonly SlashCommand[];
  /** As it is now. */
  readonly view: View;
  /** The look and the width of the screen now. */
  readonly frame: EntryFrame;
  readonly appearance: Appearance;
  times(): RunTimes;
  loadLexer(): Promise<MarkdownLexer>;
  /** A notice in the transcript: one or several lines. */
  tell(level: 'info' | 'warning', text: string): void;
  /** Whole lines, painted and no wider than the frame, for the scrollback. */
  print(lines: readonly string[]): void;
  submit(op: Op): void;
  open(panel: Panel): void;
  /** Gives the whole screen to the panel until it is closed; what is written meanwhile comes afterwards. */
  read(panel: Panel): void;
  /** Opens the draft in the user's editor. */
  edit(): void;
  /** Goes from vim's keys to the plain ones, or back; answers with how vim's are now. */
  switchVim(): 'on' | 'off';
  leave(exit: TuiExit): void;
}
