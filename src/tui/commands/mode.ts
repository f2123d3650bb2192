import {nearestName} from '../../base/nearest-name.ts';
import {unreachable} from '../../base/unreachable.ts';
import {type PermissionMode, permissionModes} from '../../domain/risk.ts';
import {choicePanel, type ChoicePanel} from '../state/panels/choice.ts';
import {modeText} from '../state/selectors.ts';
import type {SlashCommand} from './command.ts';

/** The modes that can be chosen while weft runs; bypassing permissions only when it starts. */
const offered = permissionModes.filter(mode => mode !== 'bypassPermissions');

export const modeCommand: SlashCommand = {
  name: 'mode',
  aliases: [],
  usage: '/mode [name]',
  summary: 'choose what happens without asking (Shift+Tab)',
  choices: offered.map(mode => ({value: mode, summary: modeMeaning(mode)})),
  run(word, context) {
    const {mode} = context.view;
    if (word === '') {
      context.open(modePanel(mode));
      return;
    }
    const choice = readMode(word, mode);
    if (choice.kind === 'mode') {
      context.submit({op: 'set-mode', mode: choice.mode});
      context.notify('info', chosenText(choice.mode));
    } else context.notify('warning', choice.text);
  },
};

const chosenText = (mode: PermissionMode): string => `Mode: ${modeText(mode)}`;

const modePanel = (now: PermissionMode): ChoicePanel =>
  choicePanel({
    title: 'Choose a mode',
    note: now === 'bypassPermissions' ? 'now: allows everything' : '',
    does: 'use',
    empty: '',
    rows: offered.map(mode => ({
      label: modeText(mode),
      details: [modeMeaning(mode)],
      mark: mode === now ? 'current' : 'none',
      choice: {
        effects: [
          {do: 'op', op: {op: 'set-mode', mode}},
          {do: 'notify', text: chosenText(mode)},
        ],
        next: 'none',
      },
    })),
  });

/** The modes that Shift+Tab cycles through, in this order; it never selects a mode that allows everything unseen. */
const cycle: readonly PermissionMode[] = ['default', 'acceptEdits', 'plan'];

/** The next mode of the cycle; the first one after a mode outside it. */
export const nextMode = (mode: PermissionMode): PermissionMode => cycle[cycle.indexOf(mode) + 1] ?? 'default';

type ModeChoice =
  | {readonly kind: 'mode'; readonly mode: PermissionMode}
  | {readonly kind: 'unknown'; readonly text: string};

/** The mode that `/mode WORD` names, ignoring case. */
export function readMode(word: string, now: PermissionMode): ModeChoice {
  const mode = permissionModes.find(name => name.toLowerCase() === word.toLowerCase());
  if (mode === 'bypassPermissions' && now !== mode) {
    return {
      kind: 'unknown',
      text: 'bypassPermissions is chosen at the start only: weft --permission-mode bypassPermissions',
    };
  }
  if (mode !== undefined) return {kind: 'mode', mode};
  const near = nearestName(word, offered);
  const hint = near === undefined ? `The modes are ${offered.join(', ')}.` : `Did you mean ${near}?`;
  return {kind: 'unknown', text: `There is no mode ${word}. ${hint}`};
}

function modeMeaning(mode: PermissionMode): string {
  switch (mode) {
    case 'default':
      return 'asks before it edits files or runs commands';
    case 'acceptEdits':
      return 'edits files of the workspace without asking';
    case 'plan':
      return 'reads and plans, changes nothing';
    case 'dontAsk':
      return 'refuses what it would ask about';
    case 'bypassPermissions':
      return 'asks about nothing';
    default:
      return unreachable(mode);
  }
}
