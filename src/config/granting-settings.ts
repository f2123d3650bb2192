import type {SettingKey} from './settings-file.ts';

/**
 * Settings that decide what weft may do, or who gets the conversation: a project's count only after trust, and commands that weft
 * runs may not set them.
 */
const granting: readonly SettingKey[] = [
  'model',
  'provider',
  'baseUrl',
  'permissionMode',
  'permissions',
  'env',
  'passEnv',
];

export const grantingSettings: ReadonlySet<string> = new Set(granting);
