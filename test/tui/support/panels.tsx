import {renderToString} from 'ink';
import type {BlockInfo} from '../../../src/actions/ports.ts';
import type {Answer} from '../../../src/agent/client.ts';
import {OpenPanel} from '../../../src/tui/components/open-panel.tsx';
import type {PanelQuery} from '../../../src/tui/state/effect.ts';
import {type Panel, pressPanel} from '../../../src/tui/state/panels/panel.ts';
import type {PanelStep} from '../../../src/tui/state/panels/picker.ts';
import {applyQueryResult, runPanelQuery} from '../../../src/tui/state/panel-queries.ts';
import type {Ui} from '../../../src/tui/state/ui.ts';
import type {KeyName, KeyPress} from '../../../src/tui/terminal/keymap.ts';
import {ThemeContext} from '../../../src/tui/theme/styled.tsx';
import {themeOf} from '../../../src/tui/theme/theme.ts';
import {never} from '../../unit/workspace/temporary-folder.ts';
import {scriptedEngine} from './scripted-engine.ts';

interface Place {
  readonly rows?: number;
  readonly width?: number;
  readonly directory?: string;
  readonly blocks?: readonly BlockInfo[];
}

export const text = (typed: string): KeyPress => ({kind: 'text', text: typed});
export const key = (name: KeyName): KeyPress => ({kind: 'key', name});

/** A panel that has to be open. */
export function opened(panel: Panel | 'none'): Panel {
  if (panel === 'none') throw new Error('the panel is closed');
  return panel;
}

/** The lines of a panel without colours, and without blanks at their ends. */
export const linesOf = (
  panel: Panel | 'none',
  {rows = 20, width = 79, directory = '/w', blocks = []}: Place = {},
): readonly string[] =>
  renderToString(
    <ThemeContext value={themeOf('plain')}>
      <OpenPanel agents={[]} panel={opened(panel)} {...{blocks, directory, rows, width}} />
    </ThemeContext>,
    {columns: width},
  ).split('\n');

/** What is in the frame of a panel. */
export const insideOf = (panel: Panel | 'none', place: Place = {}): readonly string[] =>
  linesOf(panel, place)
    .slice(1, -1)
    .map(line => line.slice(2, -2).trimEnd());

/** Presses keys one after the other, each alone. */
export function pressed(panel: Panel, ...keys: readonly KeyPress[]): PanelStep<Panel> {
  let step: PanelStep<Panel> = {panel, effects: []};
  for (const one of keys) step = pressPanel(opened(step.panel), one, {batchPosition: 'first', blocks: []});
  return step;
}

/** The screen after the answer to a query. */
export async function answered<Name extends PanelQuery['query']>(
  ui: Ui,
  request: Extract<PanelQuery, {readonly query: Name}>,
  answer: Answer<Name>,
  others: Partial<ReturnType<typeof scriptedEngine>['answers']> = {},
): Promise<Ui> {
  const engine = scriptedEngine();
  Object.assign(engine.answers, {...others, [request.query]: answer});
  return applyQueryResult(ui, await runPanelQuery(request, engine, never));
}
