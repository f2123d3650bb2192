import {commandsFor} from '../../../tui/commands/command-list.ts';
import {commandLines, keyLines} from '../../../tui/commands/help.ts';
import {themeOf} from '../../../tui/theme/theme.ts';
import {print, stdoutWidth} from '../../../app/output.ts';

/** Prints what `/help commands` and `/help keys` show in the terminal UI. */
export function printTopic(topic: 'commands' | 'keys'): void {
  const frame = {theme: themeOf('plain'), width: stdoutWidth() ?? 80};
  const [, ...lines] = topic === 'keys' ? keyLines(frame) : commandLines(commandsFor('offered'), frame);
  print(lines.map(line => `${line}\n`).join(''));
}
