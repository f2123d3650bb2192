import type {SessionSummary} from '../../domain/journal.ts';
import {sessionsPanel, withPreview} from '../state/panels/sessions.ts';
import {type CommandContext, slashCommand} from './command.ts';

export const resumeCommand = slashCommand({
  name: 'resume',
  aliases: ['sessions'],
  usage: '/resume [id]',
  summary: 'go to another session, also one that runs',
  choices: 'sessions',
  run: (id, context) => void (id === '' ? resume(context) : resumeById(id, context)),
});

async function resume(context: CommandContext): Promise<void> {
  const [sessions, prompts, known] = await Promise.all([
    otherSessions(context),
    context.answerTo({query: 'first-prompts'}),
    context.answerTo({query: 'session-costs'}),
  ]);
  if (sessions.length === 0) return;
  const firstPrompts = new Map((prompts ?? []).map(({session, prompt}) => [session, prompt]));
  const costs = new Map((known ?? []).map(({session, usd}) => [session, usd]));
  const now = context.options.clock.date();
  const states = new Map(context.options.runningSessions().map(({summary, state}) => [summary.id, state]));
  const {panel, effects} = withPreview(sessionsPanel(sessions, {firstPrompts, costs, states, now}));
  if (panel === 'none') return;
  context.open(panel);
  for (const effect of effects) if (effect.do === 'query') context.query(effect.request);
}

async function resumeById(begin: string, context: CommandContext): Promise<void> {
  const found = (await otherSessions(context)).filter(({id}) => id.startsWith(begin.toLowerCase()));
  const [session, ...more] = found;
  if (session === undefined) context.notify('warning', `There is no session ${begin} here. /resume lists them.`);
  else if (more.length > 0) context.notify('warning', `${begin} begins the ids of ${found.length} sessions.`);
  else context.submit({op: 'open-session', session: {kind: 'resume', id: session.id}});
}

/** The sessions of this folder except the open one, those that run first; notifies the user if there is none. */
async function otherSessions(context: CommandContext): Promise<readonly SessionSummary[]> {
  const kept = await context.answerTo({query: 'sessions'});
  if (kept === undefined) return [];
  const {session} = context.view;
  const own = session.tag === 'open' ? session.info.id : undefined;
  const running = context.options.runningSessions().map(({summary}) => summary);
  const isListed = new Set([own, ...running.map(({id}) => id)]);
  const sessions = [...running, ...kept.filter(({id}) => !isListed.has(id))];
  if (sessions.length === 0) context.notify('info', 'No earlier session in this folder');
  return sessions;
}
