import {directoryOf} from '../state/selectors.ts';
import {checkRows, plainCheck, shownCheck} from '../text/check-text.ts';
import {type CommandContext, slashCommand, type SlashCommand} from './command.ts';

/** `/checks`: prints the latest run of each check, in columns, or as sentences for a screen reader. */
export const checksCommandWith = (form: 'columns' | 'sentences'): SlashCommand =>
  slashCommand({
    name: 'checks',
    usage: '/checks',
    summary: 'Show what tests, builds, type checks and linters last said',
    run: (_, context) => void show(form, context),
  });

async function show(form: 'columns' | 'sentences', context: CommandContext): Promise<void> {
  const statuses = await context.runQuery({query: 'checks'});
  if (statuses === undefined) return;
  if (statuses.length === 0) return context.notify('info', 'No checks yet. They appear once a test or linter has run.');
  const checks = statuses.map(status => shownCheck(status, directoryOf(context.view)));
  const rows = (): readonly string[] => checks.flatMap(check => checkRows([check], context.frame, ''));
  context.print(form === 'columns' ? ['', ...rows()] : checks.map(check => `${plainCheck(check)}.`));
}
