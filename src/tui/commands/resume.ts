import {sessionPanel} from '../panels/session-panel.ts';
import type {SlashCommand} from './command.ts';

export const resumeCommand: SlashCommand = {
  name: 'resume',
  aliases: [],
  usage: '/resume',
  summary: 'go on with an earlier session',
  run(_, desk) {
    const {session} = desk.view;
    const own = session.tag === 'open' ? session.info.id : undefined;
    const sessions = desk.options.listSessions().filter(({id}) => id !== own);
    if (sessions.length === 0) desk.tell('info', 'There is no earlier session here.');
    else desk.open(sessionPanel(sessions, desk.options.outside.sessions));
  },
};
