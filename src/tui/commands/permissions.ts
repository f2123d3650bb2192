import type {PermissionMode} from '../../domain/risk.ts';
import {modeText} from '../state/select.ts';
import type {SlashCommand} from './command.ts';

export const permissionsCommand: SlashCommand = {
  name: 'permissions',
  aliases: [],
  usage: '/permissions',
  summary: 'show the mode and the rules',
  run: (_, desk) => desk.tell('info', permissionsText(desk.view.mode, desk.options.permissions())),
};

/** The mode, then the rules and who set them. */
const permissionsText = (mode: PermissionMode, rules: readonly string[]): string =>
  [`The mode is ${mode} (${modeText(mode)}).`, ...(rules.length === 0 ? ['There are no rules.'] : rules)].join('\n');
