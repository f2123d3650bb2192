import type {Appearance} from './appearance.ts';
import type {CommandDesk, SlashCommand} from './commands/command.ts';
import type {TuiOptions} from './options.ts';
import type {Panel} from './panels/panel.ts';
import type {SessionHost} from './session-host.ts';
import type {View} from './state/view.ts';
import type {RunTimes} from './views/progress.ts';
import type {EntryFrame} from './views/verbosity.ts';

interface DeskParts {
  readonly options: TuiOptions;
  readonly commands: readonly SlashCommand[];
  readonly appearance: Appearance;
  readonly host: SessionHost;
  view(): View;
  frame(): EntryFrame;
  times(): RunTimes;
  tell(level: 'info' | 'warning', text: string): void;
  print(lines: readonly string[]): void;
  open(panel: Panel): void;
  edit(): void;
  switchVim(): 'on' | 'off';
}

/** What slash commands work with on the screen. */
export const openDesk = (parts: DeskParts): CommandDesk => ({
  options: parts.options,
  commands: parts.commands,
  appearance: parts.appearance,
  get view() {
    return parts.view();
  },
  get frame() {
    return parts.frame();
  },
  times: () => parts.times(),
  loadLexer: () => parts.host.loadLexer(),
  tell: (level, text) => parts.tell(level, text),
  print: lines => parts.print(lines),
  submit: op => parts.options.engine.submit(op),
  open: panel => parts.open(panel),
  read: panel => parts.host.read(panel),
  edit: () => parts.edit(),
  switchVim: () => parts.switchVim(),
  leave: exit => parts.host.leave(exit),
});
