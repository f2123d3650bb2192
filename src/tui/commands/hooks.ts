import type {HookRow} from '../../actions/hooks-port.ts';
import {pluralize} from '../../base/clip.ts';
import {visibleExactLine} from '../../base/visible.ts';
import {faultText} from '../../domain/fault.ts';
import {choicePanel, type ChoicePanel, choicesMissing} from '../state/panels/choice.ts';
import type {CommandContext, SlashCommand} from './command.ts';

/** Shows the hooks of the session: when each is called, what it runs, where it stands and what it came to last. */
export const hooksCommand: SlashCommand = {
  name: 'hooks',
  aliases: [],
  usage: '/hooks',
  summary: 'show the hooks, and what each came to last',
  choices: [],
  run: (_, context) => context.openLoading(title, 'Reading the hooks …', hookChoices(context)),
};

const title = 'Hooks';

async function hookChoices({options, signal}: CommandContext): Promise<ChoicePanel> {
  const answer = await options.engine.query({query: 'hooks'}, signal);
  if (answer.tag === 'ok') return hooksPanel(answer.value);
  return choicesMissing(title, 'failed', answer.tag === 'failed' ? faultText(answer.error) : 'It was cancelled');
}

const hooksPanel = (rows: readonly HookRow[]): ChoicePanel =>
  choicePanel({
    title,
    note: '',
    does: 'show',
    empty: 'No hooks here. They stand in settings.json: {"hooks": {"PreToolUse": […]}}',
    rows: rows.map(row => ({
      label: `${nameOf(row)}  ${visibleExactLine(row.text)}`,
      details: [stateOf(row)],
      mark: 'none',
      choice: {effects: [{do: 'notify', text: fullText(row)}], next: 'none'},
    })),
  });

const nameOf = ({event, matcher}: HookRow): string => visibleExactLine(matcher === '' ? event : `${event}(${matcher})`);

function stateOf({standing, runs, last}: HookRow): string {
  if (standing === 'not-trusted') return 'not trusted';
  return runs === 0 ? 'never run' : visibleExactLine(last);
}

/** All that is known of a hook, in several lines. */
const fullText = (row: HookRow): string =>
  [
    `${nameOf(row)} runs ${visibleExactLine(row.text)}`,
    `From ${visibleExactLine(row.source)}`,
    row.standing === 'not-trusted'
      ? 'Not called: this project is not trusted. /trust shows what it asks for'
      : row.runs === 0
        ? 'Never run in this session'
        : `Called ${pluralize(row.runs, 'time')}, last: ${visibleExactLine(row.last)}`,
  ].join('\n');
