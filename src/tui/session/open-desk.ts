import type {CommandDesk} from '../commands/command.ts';
import type {SessionHost} from './session-host.ts';
import type {View} from '../state/view.ts';
import type {EntryFrame} from '../views/verbosity.ts';

interface DeskParts extends Omit<CommandDesk, 'view' | 'frame' | 'loadLexer' | 'submit' | 'read' | 'leave'> {
  readonly host: SessionHost;
  readonly view: () => View;
  readonly frame: () => EntryFrame;
}

/** What slash commands work with on the screen. */
export const openDesk = ({host, view, frame, ...own}: DeskParts): CommandDesk => ({
  ...own,
  get view() {
    return view();
  },
  get frame() {
    return frame();
  },
  loadLexer: () => host.loadLexer(),
  submit: op => own.options.engine.submit(op),
  read: panel => host.read(panel),
  leave: exit => host.leave(exit),
});
