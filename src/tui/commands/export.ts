import {answerOutcome} from '../../agent/client.ts';
import {visibleExactLine} from '../../base/visible.ts';
import {faultText} from '../../domain/fault.ts';
import {type CommandContext, slashCommand} from './command.ts';
import {commandEffect} from '../state/effect.ts';
import {type ConfirmPanel, confirmPanel} from '../state/panels/panel.ts';

export const exportCommand = slashCommand({
  name: 'export',
  usage: '/export [file]',
  summary: 'write the session to a file: Markdown, or JSON records for .jsonl',
  run: (argument, context) => void write(argument, context),
});

/** The prefix of the argument with which the confirmation panel runs `/export` again to replace an existing file. */
const overwrite = '--overwrite ';

async function write(argument: string, context: CommandContext): Promise<void> {
  const {session} = context.view;
  if (session.tag === 'opening') {
    context.notify('info', 'The session is not open yet');
    return;
  }
  const replaces = argument.startsWith(overwrite);
  const name = replaces ? argument.slice(overwrite.length).trim() : argument;
  const {signal, options} = context;
  const present = replaces ? 'replaced' : 'kept';
  const request = {query: 'export-session', name, session: session.info, present} as const;
  const end = answerOutcome(await options.engine.query(request, signal));
  if (end.tag === 'failed') {
    context.notify('warning', visibleExactLine(faultText(end.error)));
    return;
  }
  const {kind, path} = end.value;
  if (kind === 'written') context.notify('info', `Exported to ${visibleExactLine(path)}`);
  else context.open(overwritePanel(path, `${overwrite}${path}`));
}

/** Asks whether `/export` may replace a file; if so, the command runs again with `argument`. */
export const overwritePanel = (path: string, argument: string): ConfirmPanel =>
  confirmPanel({
    title: 'Overwrite this file?',
    subject: path,
    does: 'overwrite',
    yes: commandEffect('export', argument),
    no: [{do: 'notify', text: 'Nothing was written'}],
  });
