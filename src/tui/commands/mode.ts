import {inBrackets, keyHint} from '../terminal/keymap.ts';
import {offeredModes, type PermissionMode, permissionModes} from '../../domain/risk.ts';
import {choicePanel, type ChoicePanel, choiceOfEffects} from '../state/panels/panel.ts';
import {modeText} from '../state/selectors.ts';
import {nameHint, slashCommand} from './command.ts';

const modeDescriptions: Readonly<Record<PermissionMode, string>> = {
  default: 'Ask before editing files or running commands',
  acceptEdits: 'Edit files in the workspace without asking',
  plan: 'Read and plan; change nothing',
  dontAsk: 'Refuse anything that would need approval',
  bypassPermissions: 'Allow almost everything without asking',
};

export const modeCommand = slashCommand({
  name: 'mode',
  usage: '/mode [name]',
  summary: `Choose what weft can do without asking${keyHint('next-mode', inBrackets)}`,
  choices: offeredModes.map(mode => ({value: mode, summary: modeDescriptions[mode]})),
  run(word, context) {
    const {mode} = context.view;
    if (word === '') {
      context.open(modePanel(mode));
      return;
    }
    const choice = parseMode(word, mode);
    if (choice.kind === 'mode') {
      context.submit({op: 'set-mode', mode: choice.mode});
      context.notify('info', modeNotice(choice.mode));
    } else context.notify('warning', choice.text);
  },
});

const modeNotice = (mode: PermissionMode): string => `Mode: ${modeText(mode)}`;

const modePanel = (now: PermissionMode): ChoicePanel =>
  choicePanel({
    title: 'Choose a mode',
    note: now === 'bypassPermissions' ? 'current: allows almost everything' : '',
    does: 'use',
    rows: offeredModes.map(mode => ({
      label: modeText(mode),
      details: [modeDescriptions[mode]],
      mark: mode === now ? 'current' : 'none',
      choice: choiceOfEffects({do: 'op', op: {op: 'set-mode', mode}}, {do: 'notify', text: modeNotice(mode)}),
    })),
  });

/** The modes that Shift+Tab cycles through, in order. It never selects a mode that allows everything. */
const cycle: readonly PermissionMode[] = ['default', 'acceptEdits', 'plan'];

export const nextMode = (mode: PermissionMode): PermissionMode => cycle[cycle.indexOf(mode) + 1] ?? 'default';

type ModeChoice =
  | {readonly kind: 'mode'; readonly mode: PermissionMode}
  | {readonly kind: 'unknown'; readonly text: string};

export function parseMode(word: string, now: PermissionMode): ModeChoice {
  const mode = permissionModes.find(name => name.toLowerCase() === word.toLowerCase());
  if (mode === 'bypassPermissions' && now !== mode) {
    return {
      kind: 'unknown',
      text: "Can't switch to bypassPermissions in a session. Start with weft --permission-mode bypassPermissions",
    };
  }
  if (mode !== undefined) return {kind: 'mode', mode};
  return {kind: 'unknown', text: `Unknown mode ${word}. ${nameHint(word, offeredModes)}`};
}
