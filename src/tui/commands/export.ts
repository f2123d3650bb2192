import {unreachable} from '../../base/unreachable.ts';
import {visibleExactLine} from '../../base/visible.ts';
import {overwritePanel} from '../panels/overwrite-panel.ts';
import type {CommandDesk, SlashCommand} from './command.ts';

export const exportCommand: SlashCommand = {
  name: 'export',
  aliases: [],
  usage: '/export [file]',
  summary: 'write the session into a file: markdown, or records where it ends in .jsonl',
  run: (argument, desk) => void write(argument, desk),
};

/** What a file that is there is replaced with, once the user has agreed to it. */
const overwrite = '--overwrite ';

async function write(argument: string, desk: CommandDesk): Promise<void> {
  const {session} = desk.view;
  if (session.tag === 'opening') {
    desk.tell('info', 'The session is not open yet.');
    return;
  }
  const replaces = argument.startsWith(overwrite);
  const name = replaces ? argument.slice(overwrite.length).trim() : argument;
  const end = await desk.options.outside.exporter.write({
    name,
    session: session.info,
    present: replaces ? 'replaced' : 'kept',
  });
  switch (end.kind) {
    case 'written':
      desk.tell('info', `The session is written to ${visibleExactLine(end.path)}`);
      return;
    case 'failed':
      desk.tell('warning', visibleExactLine(end.message));
      return;
    case 'exists':
      desk.open(overwritePanel(end.path, `${overwrite}${end.path}`));
      return;
    default:
      unreachable(end);
  }
}
