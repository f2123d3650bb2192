import {offeredModes, type PermissionMode, permissionModes} from '../../domain/risk.ts';
import {choicePanel, type ChoicePanel, doing} from '../state/panels/panel.ts';
import {modeText} from '../state/selectors.ts';
import {nameHint, slashCommand} from './command.ts';

const modeMeanings: Readonly<Record<PermissionMode, string>> = {
  default: 'asks before it edits files or runs commands',
  acceptEdits: 'edits files of the workspace without asking',
  plan: 'reads and plans, changes nothing',
  dontAsk: 'refuses what it would ask about',
  bypassPermissions: 'asks about nothing',
};

export const modeCommand = slashCommand({
  name: 'mode',
  usage: '/mode [name]',
  summary: 'choose what happens without asking (Shift+Tab)',
  choices: offeredModes.map(mode => ({value: mode, summary: modeMeanings[mode]})),
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
});

const chosenText = (mode: PermissionMode): string => `Mode: ${modeText(mode)}`;

const modePanel = (now: PermissionMode): ChoicePanel =>
  choicePanel({
    title: 'Choose a mode',
    note: now === 'bypassPermissions' ? 'now: allows everything' : '',
    does: 'use',
    rows: offeredModes.map(mode => ({
      label: modeText(mode),
      details: [modeMeanings[mode]],
      mark: mode === now ? 'current' : 'none',
      choice: doing({do: 'op', op: {op: 'set-mode', mode}}, {do: 'notify', text: chosenText(mode)}),
    })),
  });

/** The modes that Shift+Tab cycles through, in this order; it never selects a mode that allows everything unseen. */
const cycle: readonly PermissionMode[] = ['default', 'acceptEdits', 'plan'];

export const nextMode = (mode: PermissionMode): PermissionMode => cycle[cycle.indexOf(mode) + 1] ?? 'default';

type ModeChoice =
  | {readonly kind: 'mode'; readonly mode: PermissionMode}
  | {readonly kind: 'unknown'; readonly text: string};

export function readMode(word: string, now: PermissionMode): ModeChoice {
  const mode = permissionModes.find(name => name.toLowerCase() === word.toLowerCase());
  if (mode === 'bypassPermissions' && now !== mode) {
    return {
      kind: 'unknown',
      text: 'bypassPermissions is chosen at the start only: weft --permission-mode bypassPermissions',
    };
  }
  if (mode !== undefined) return {kind: 'mode', mode};
  return {kind: 'unknown', text: `There is no mode ${word}. ${nameHint(word, offeredModes, 'The modes are')}`};
}
