import type {PermissionMode} from '../../domain/risk.ts';
import type {TrustPort} from '../options.ts';
import {modeText} from '../state/select.ts';

/** What `/permissions` prints: the mode, then the rules and who set them. */
export const permissionsText = (mode: PermissionMode, rules: readonly string[]): string =>
  [`The mode is ${mode} (${modeText(mode)}).`, ...(rules.length === 0 ? ['There are no rules.'] : rules)].join('\n');

/** What `/trust` prints: what would be granted, and how to grant it. */
export const trustText = (trust: TrustPort): string =>
  trust.state === 'never' || trust.state === 'changed' ? `${trust.text()}\n/trust yes allows it.` : trust.text();
