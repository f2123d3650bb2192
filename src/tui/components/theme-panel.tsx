import {Text} from 'ink';
import type {ReactNode} from 'react';
import type {FileDiff} from '../../actions/preview.ts';
import type {ThemePanel as ThemeState} from '../state/panels/theme.ts';
import {useTheme} from '../theme/styled.tsx';
import {diffLines} from '../scrollback/diff-lines.ts';
import {PickerCard} from './picker-card.tsx';

interface ThemePanelProps {
  readonly panel: ThemeState;
  readonly rows: number;
  readonly width: number;
}

export const ThemePanel = ({panel, rows, width}: ThemePanelProps): ReactNode => (
  <PickerCard
    title="Choose a theme"
    picker={panel.picker}
    hints={['Enter select', 'Esc cancel', '↑↓ preview']}
    rows={rows}
    width={width}
    below={(left, inside) => <Sample rows={left} width={inside} />}
  />
);

interface SampleProps {
  readonly rows: number;
  readonly width: number;
}

function Sample({rows, width}: SampleProps): ReactNode {
  const theme = useTheme();
  const lines = [
    `${theme.style(['success'], 'success')} ${theme.style(['warning'], 'warning')} ${theme.style(['error'], 'error')} ${theme.style(['dim'], 'aside')}`,
    ...diffLines([example], {most: 6, shown: 'all', long: 'clipped', home: ''}, {theme, width}),
  ].slice(0, Math.max(0, rows));
  return lines.length === 0 ? null : <Text>{lines.join('\n')}</Text>;
}

const example: FileDiff = {
  path: 'greet.ts',
  before: '',
  after: '',
  movedFrom: undefined,
  added: 1,
  removed: 1,
  hunks: [
    {
      oldStart: 1,
      newStart: 1,
      lines: [
        {kind: 'removed', text: "const greeting = 'hello';", changed: [{from: 18, to: 23}]},
        {kind: 'added', text: "const greeting = 'welcome';", changed: [{from: 18, to: 25}]},
      ],
    },
  ],
  notes: [],
};
