import type {SessionSummary} from '../../domain/journal.ts';
import {sessionPanel} from '../panels/session-panel.ts';
import type {CommandDesk, SlashCommand} from './command.ts';

export const resumeCommand: SlashCommand = {
  name: 'resume',
  aliases: [],
  usage: '/resume',
  summary: 'go on with an earlier session',
  run(_, desk) {
    const sessions = otherSessions(desk);
    if (sessions.length > 0) desk.open(sessionPanel(sessions, desk.options.outside.sessions));
  },
};

/** The sessions of the folder but the open one; where there is none the user is told. */
export function otherSessions(desk: CommandDesk): readonly SessionSummary[] {
  const {session} = desk.view;
  const own = session.tag === 'open' ? session.info.id : undefined;
  const sessions = desk.options.listSessions().filter(({id}) => id !== own);
  if (sessions.length === 0) desk.tell('info', 'There is no earlier session here.');
  return sessions;
}
