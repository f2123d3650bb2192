import type {HookRow} from '../../actions/hooks-port.ts';
import {pluralize} from '../../base/clip.ts';
import {visibleExactLine} from '../../base/visible.ts';
import {choicePanel, type ChoicePanel, doing} from '../state/panels/panel.ts';
import {openList, slashCommand} from './command.ts';

/** Shows the hooks of the session: when each is called, what it runs, where it stands and what it came to last. */
export const hooksCommand = slashCommand({
  name: 'hooks',
  usage: '/hooks',
  summary: 'show the hooks, and what each came to last',
  run: (_, context) =>
    openList({title, loading: 'Reading the hooks …', request: {query: 'hooks'}}, hooksPanel, context),
});

const title = 'Hooks';

const hooksPanel = (rows: readonly HookRow[]): ChoicePanel =>
  choicePanel({
    title,
    does: 'show',
    empty: 'No hooks here. They stand in settings.json: {"hooks": {"PreToolUse": […]}}',
    rows: rows.map(row => ({
      label: `${nameOf(row)}  ${visibleExactLine(row.text)}`,
      details: [stateOf(row)],
      mark: 'none',
      choice: doing({do: 'notify', text: fullText(row)}),
    })),
  });

const nameOf = ({event, matcher}: HookRow): string => visibleExactLine(matcher === '' ? event : `${event}(${matcher})`);

function stateOf({standing, runs, last}: HookRow): string {
  if (standing === 'not-trusted') return 'not trusted';
  return runs === 0 ? 'never run' : visibleExactLine(last);
}

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
