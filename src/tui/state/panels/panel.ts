import {unreachable} from '../../../base/unreachable.ts';
import type {PressContext} from '../effect.ts';
import type {KeyPress} from '../../terminal/keymap.ts';
import {type AgentPanel, pressAgent} from './agent.ts';
import {type BlocksPanel, pressBlocks} from './blocks.ts';
import {type ChoicePanel, pressChoice} from './choice.ts';
import {type CompactPanel, pressCompact} from './compact.ts';
import {type ConnectPanel, pressConnect} from './connect.ts';
import {type ConfirmPanel, pressConfirm} from './confirm.ts';
import {type HistoryPanel, pressHistory} from './history.ts';
import type {PanelStep} from './panel-step.ts';
import {pressRewind, type RewindPanel} from './rewind.ts';
import {pressSessions, type SessionsPanel} from './sessions.ts';
import {pressTheme, type ThemePanel} from './theme.ts';

/** What replaces the composer, and gets all keys but the interrupt key until it is closed. */
export type Panel =
  | SessionsPanel
  | RewindPanel
  | CompactPanel
  | HistoryPanel
  | BlocksPanel
  | ThemePanel
  | ConfirmPanel
  | ConnectPanel
  | ChoicePanel
  | AgentPanel;

export function pressPanel(
  panel: Panel,
  key: KeyPress,
  {batchPosition, blocks}: Pick<PressContext, 'batchPosition' | 'blocks'>,
): PanelStep<Panel> {
  switch (panel.panel) {
    case 'sessions':
      return pressSessions(panel, key);
    case 'rewind':
      return pressRewind(panel, key, batchPosition);
    case 'compact':
      return pressCompact(panel, key, batchPosition);
    case 'history':
      return pressHistory(panel, key);
    case 'blocks':
      return pressBlocks(panel, key, blocks);
    case 'theme':
      return pressTheme(panel, key);
    case 'choice':
      return pressChoice(panel, key);
    case 'agent':
      return pressAgent(panel, key);
    case 'confirm':
      return pressConfirm(panel, key, batchPosition);
    case 'connect':
      return pressConnect(panel, key);
    default:
      return unreachable(panel);
  }
}
