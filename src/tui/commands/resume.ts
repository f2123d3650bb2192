import type {SessionId} from '../../domain/ids.ts';
import type {SessionFilter, SessionSummary} from '../../domain/journal.ts';
import {costsIn, newestSessions, sessionsPanel, withPreview} from '../state/panels/sessions.ts';
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
  const limit = newestSessions;
  const [sessions, known] = await Promise.all([
    otherSessions(context, {limit}),
    context.runQuery({query: 'session-costs', limit}),
  ]);
  if (sessions.length === 0) return context.notify('info', 'No other sessions in this folder');
  const costs = costsIn(known ?? []);
  const now = context.options.clock.date();
  const states = new Map(context.options.runningSessions().map(({summary, state}) => [summary.id, state]));
  const {panel, effects} = withPreview(sessionsPanel(sessions, {own: ownSession(context), costs, states, now}));
  if (panel === 'none') return;
  context.open(panel);
  for (const effect of effects) if (effect.do === 'query') context.query(effect.request);
}

async function resumeById(prefix: string, context: CommandContext): Promise<void> {
  const idPrefix = prefix.toLowerCase();
  const found = (await otherSessions(context, {idPrefix})).filter(({id}) => id.startsWith(idPrefix));
  const [session, ...more] = found;
  if (session === undefined)
    context.notify('warning', `No session ${prefix} in this folder. Type /resume for the list.`);
  else if (more.length > 0)
    context.notify('warning', `${found.length} session IDs start with ${prefix}. Type more of the ID.`);
  else context.submit({op: 'open-session', session: {kind: 'resume', id: session.id}});
}

/** Returns sessions of this folder except the open one, running sessions first. */
async function otherSessions(context: CommandContext, filter: SessionFilter): Promise<readonly SessionSummary[]> {
  const kept = await context.runQuery({query: 'sessions', ...filter});
  if (kept === undefined) return [];
  const running = context.options.runningSessions().map(({summary}) => summary);
  const isListed = new Set([ownSession(context), ...running.map(({id}) => id)]);
  return [...running, ...kept.filter(({id}) => !isListed.has(id))];
}

const ownSession = ({view: {session}}: CommandContext): SessionId | undefined =>
  session.tag === 'open' ? session.info.id : undefined;
