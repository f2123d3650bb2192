import type {SessionSummary} from '../../domain/journal.ts';
import {sessionsPanel, withPreview} from '../state/panels/sessions.ts';
import {type CommandContext, slashCommand} from './command.ts';

export const resumeCommand = slashCommand({
  name: 'resume',
  aliases: ['sessions'],
  usage: '/resume [id]',
  summary: 'Switch to another session',
  choices: 'sessions',
  run: (id, context) => void (id === '' ? resume(context) : resumeById(id, context)),
});

async function resume(context: CommandContext): Promise<void> {
  const [sessions, known] = await Promise.all([otherSessions(context), context.runQuery({query: 'session-costs'})]);
  if (sessions.length === 0) return;
  const costs = new Map((known ?? []).map(({session, usd}) => [session, usd]));
  const now = context.options.clock.date();
  const states = new Map(context.options.runningSessions().map(({summary, state}) => [summary.id, state]));
  const {panel, effects} = withPreview(sessionsPanel(sessions, {costs, states, now}));
  if (panel === 'none') return;
  context.open(panel);
  for (const effect of effects) if (effect.do === 'query') context.query(effect.request);
}

async function resumeById(prefix: string, context: CommandContext): Promise<void> {
  const found = (await otherSessions(context)).filter(({id}) => id.startsWith(prefix.toLowerCase()));
  const [session, ...more] = found;
  if (session === undefined)
    context.notify('warning', `No session ${prefix} in this folder. Type /resume for the list.`);
  else if (more.length > 0)
    context.notify('warning', `${found.length} session IDs start with ${prefix}. Type more of the ID.`);
  else context.submit({op: 'open-session', session: {kind: 'resume', id: session.id}});
}

/** Returns this folder's sessions except the open one, running sessions first. Notifies the user if there are none. */
async function otherSessions(context: CommandContext): Promise<readonly SessionSummary[]> {
  const kept = await context.runQuery({query: 'sessions'});
  if (kept === undefined) return [];
  const {session} = context.view;
  const own = session.tag === 'open' ? session.info.id : undefined;
  const running = context.options.runningSessions().map(({summary}) => summary);
  const isListed = new Set([own, ...running.map(({id}) => id)]);
  const sessions = [...running, ...kept.filter(({id}) => !isListed.has(id))];
  if (sessions.length === 0) context.notify('info', 'No other sessions in this folder');
  return sessions;
}
