import {nearestName} from '../../base/nearest-name.ts';
import {permissionModes, type PermissionMode} from '../../domain/risk.ts';
import {modeText} from '../state/select.ts';

/** Modes that a key goes through, in its order: never one that lets through what nobody looked at. */
const cycle: readonly PermissionMode[] = ['default', 'acceptEdits', 'plan'];

/** The mode after this one; from a mode that the key does not reach, the first. */
export const nextMode = (mode: PermissionMode): PermissionMode => cycle[cycle.indexOf(mode) + 1] ?? 'default';

export type ModeChoice =
  | {readonly kind: 'mode'; readonly mode: PermissionMode}
  | {readonly kind: 'told'; readonly level: 'info' | 'warning'; readonly text: string};

/** What `/mode WORD` asks for; letter case does not count. Bypassing permissions is chosen at the start or not at all. */
export function readMode(word: string, now: PermissionMode): ModeChoice {
  const offered = permissionModes.filter(mode => mode !== 'bypassPermissions');
  if (word === '') {
    const list = offered.map(mode => `  ${mode.padEnd(12)} ${modeText(mode)}`);
    return {
      kind: 'told',
      level: 'info',
      text: [`The mode is ${now} (${modeText(now)}). /mode NAME changes it:`, ...list].join('\n'),
    };
  }
  const mode = permissionModes.find(name => name.toLowerCase() === word.toLowerCase());
  if (mode === 'bypassPermissions' && now !== mode) {
    const text = 'bypassPermissions can only be chosen at the start: weft --permission-mode bypassPermissions.';
    return {kind: 'told', level: 'warning', text};
  }
  if (mode !== undefined) return {kind: 'mode', mode};
  const near = nearestName(word, offered);
  const hint = near === undefined ? `The modes are ${offered.join(', ')}.` : `Did you mean ${near}?`;
  return {kind: 'told', level: 'warning', text: `There is no mode ${word}. ${hint}`};
}
