import type {HookRow} from '../../actions/hooks-port.ts';
import {pluralize} from '../../base/clip.ts';
import {visibleExactLine} from '../../base/visible.ts';
import {choicePanel, type ChoicePanel, choiceOfEffects} from '../state/panels/panel.ts';
import {openList, slashCommand} from './command.ts';

/** Lists the session's hooks: the event, the command, the source, and the last result. */
export const hooksCommand = slashCommand({
  name: 'hooks',
  usage: '/hooks',
  summary: 'List hooks and their last results',
  run: (_, context) => openList({title, loading: 'Loading hooks…', request: {query: 'hooks'}}, hooksPanel, context),
});

const title = 'Hooks';

const hooksPanel = (rows: readonly HookRow[]): ChoicePanel =>
  choicePanel({
    title,
    does: 'show',
    empty: 'No hooks. Add them to settings.json: {"hooks": {"PreToolUse": […]}}',
    rows: rows.map(row => ({
      label: `${nameOf(row)}  ${visibleExactLine(row.text)}`,
      details: [stateOf(row)],
      mark: 'none',
      choice: choiceOfEffects({do: 'notify', text: fullText(row)}),
    })),
  });

const nameOf = ({event, matcher}: HookRow): string => visibleExactLine(matcher === '' ? event : `${event}(${matcher})`);

function stateOf({standing, runs, last}: HookRow): string {
  if (standing === 'not-trusted') return 'not trusted';
  return runs === 0 ? 'not run yet' : visibleExactLine(last);
}

const fullText = (row: HookRow): string =>
  [
    `${nameOf(row)} runs ${visibleExactLine(row.text)}`,
    `From ${visibleExactLine(row.source)}`,
    row.standing === 'not-trusted'
      ? 'Not run: this project is not trusted. Review it with /trust'
      : row.runs === 0
        ? 'Not run in this session'
        : `Ran ${pluralize(row.runs, 'time')}. Last result: ${visibleExactLine(row.last)}`,
  ].join('\n');
