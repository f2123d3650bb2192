import {visibleExactLine} from '../../../base/visible.ts';
import type {AgentRow} from '../../../domain/sub-agent.ts';
import type {KeyPress} from '../../terminal/keymap.ts';
import {commandEffect, type Effect} from '../effect.ts';
import {closePanel, type PanelStep, pressList} from './panel-step.ts';
import {openPicker, type Picker, plainItem} from './picker.ts';

/** One sub-agent: what it does now, and what the user can do about it. */
export interface AgentPanel {
  readonly panel: 'agent';
  /** As it was when the panel was opened. */
  readonly row: AgentRow;
  readonly picker: Picker<readonly Effect[]>;
}

/** `number` is the agent's in the list, from 1. */
export function agentPanel(row: AgentRow, number: number): AgentPanel {
  const {id, name} = row.agent;
  const doings: readonly (readonly [label: string, letter: string, effects: readonly Effect[]])[] = [
    ['Send it a message', 'm', [{do: 'write', text: `/agents tell ${number} `}]],
    [
      'Stop it',
      's',
      [
        {do: 'op', op: {op: 'stop-agent', id}},
        {do: 'notify', text: `Stopping ${visibleExactLine(name)}`},
      ],
    ],
    ['Print its task, and what it said', 'p', [commandEffect('agents', `show ${number}`)]],
  ];
  const items = doings.map(([label, letter, value]) => ({...plainItem(value, label), letter}));
  return {panel: 'agent', row, picker: openPicker({items, search: 'off', empty: '', selected: 'current'})};
}

export const pressAgent = (panel: AgentPanel, key: KeyPress): PanelStep<AgentPanel> =>
  pressList(panel, key, effects => closePanel(...effects));
