import type {ReactNode} from 'react';
import type {BlockInfo} from '../../actions/ports.ts';
import {unreachable} from '../../base/unreachable.ts';
import type {ChoicePanel} from '../state/panels/choice.ts';
import type {Panel} from '../state/panels/panel.ts';
import {glyphs} from '../theme/glyphs.ts';
import type {AgentOutput} from '../state/agent-outputs.ts';
import {AgentPanel} from './agent-panel.tsx';
import {BlockPanel} from './block-panel.tsx';
import {CompactPanel} from './compact-panel.tsx';
import {ConfirmPanel} from './confirm-panel.tsx';
import {ConnectPanel} from './connect-panel.tsx';
import {showsFirstDetail} from './picker.tsx';
import {PickerCard} from './picker-card.tsx';
import {RewindPanel} from './rewind-panel.tsx';
import {SessionPanel} from './session-panel.tsx';
import {ThemePanel} from './theme-panel.tsx';

export interface OpenPanelProps {
  readonly panel: Panel;
  readonly blocks: readonly BlockInfo[];
  readonly agents: readonly AgentOutput[];
  /** The workspace; paths below it are shown relative to it. */
  readonly directory: string;
  readonly rows: number;
  readonly width: number;
}

export function OpenPanel({panel, blocks, agents, directory, rows, width}: OpenPanelProps): ReactNode {
  switch (panel.panel) {
    case 'sessions':
      return <SessionPanel panel={panel} rows={rows} width={width} />;
    case 'rewind':
      return <RewindPanel panel={panel} directory={directory} rows={rows} width={width} />;
    case 'compact':
      return <CompactPanel panel={panel} rows={rows} width={width} />;
    case 'history':
      return (
        <PickerCard
          title="Earlier prompts"
          picker={panel.picker}
          hints={['Enter take', 'Esc cancel', 'type to search', 'Ctrl+R older']}
          rows={rows}
          width={width}
        />
      );
    case 'blocks':
      return <BlockPanel panel={panel} blocks={blocks} rows={rows} width={width} />;
    case 'theme':
      return <ThemePanel panel={panel} rows={rows} width={width} />;
    case 'choice':
      return (
        <PickerCard
          title={panel.title}
          note={noteOf(panel, width)}
          picker={panel.picker}
          hints={[
            `Enter ${panel.does}`,
            'Esc cancel',
            ...(panel.turns === '' ? [] : [`←→ ${panel.turns}`]),
            'type to search',
          ]}
          rows={rows}
          width={width}
        />
      );
    case 'agent':
      return <AgentPanel panel={panel} agents={agents} rows={rows} width={width} />;
    case 'confirm':
      return <ConfirmPanel panel={panel} width={width} />;
    case 'connect':
      return <ConnectPanel panel={panel} rows={rows} width={width} />;
    default:
      return unreachable(panel);
  }
}

/** The note of the panel. Before it stands what Left and Right change in the selected row, where the row itself has no room for it. */
function noteOf({note, turns, picker}: ChoicePanel, width: number): string {
  const row = picker.row === 'none' ? undefined : picker.matching[picker.row];
  const turned = turns === '' || row === undefined || showsFirstDetail(picker, width - 4) ? '' : row.details[0];
  return [turned ?? '', note].filter(text => text !== '').join(glyphs.between);
}
