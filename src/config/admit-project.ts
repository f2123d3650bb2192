import type {PermissionMode} from '../domain/risk.ts';
import type {SettingsFile} from './settings-file.ts';

/** Whether the user trusts the folder as its files are now; `changed`: as they were at another time. */
export type FolderTrust = 'trusted' | 'changed' | 'never';

/** What of a settings file of the workspace counts. */
export interface Admitted {
  readonly settings: SettingsFile;
  /** What it has or would have by trust alone, one line each. */
  readonly wishes: readonly string[];
  /** Rules that allow and do not count. */
  readonly withheld: readonly string[];
  /** One sentence that names the keys left out; empty where all counts. */
  readonly refused: readonly string[];
}

/**
 * What a file of the workspace may say. Stricter rules, a stricter mode than `mode` and preferences of the UI always count; what
 * lets the project act, or decides who gets the conversation and what it costs, only in a trusted folder; rules that the user
 * added, `own`, are no wish of the project's.
 */
export function admit(
  file: SettingsFile,
  {mode, trust, own}: {readonly mode: PermissionMode; readonly trust: FolderTrust; readonly own: readonly string[]},
): Admitted {
  const {model, baseUrl, provider, env, passEnv = [], permissionMode, permissions, ...harmless} = file;
  const isOwn = (rule: string): boolean => own.includes(rule.trim());
  const allow = (permissions?.allow ?? []).filter(rule => !isOwn(rule));
  const variables = Object.entries(env ?? {});
  const isLooser = permissionMode !== undefined && looseness[permissionMode] > looseness[mode];
  const asked: readonly Wish[] = [
    ...(model === undefined ? [] : [{key: 'model', text: `use the model ${model}`}]),
    ...(baseUrl === undefined ? [] : [{key: 'baseUrl', text: `send the conversation, and your key, to ${baseUrl}`}]),
    ...(provider === undefined ? [] : [{key: 'provider', text: `choose the provider ${provider}`}]),
    ...variables.map(([name, value]) => ({key: 'env', text: `run commands with ${name}=${value}`})),
    ...passEnv.map(name => ({key: 'passEnv', text: `give commands your variable ${name}`})),
    ...allow.map(rule => ({key: 'permissions.allow', text: `allow without asking: ${rule}`})),
    ...(isLooser ? [{key: 'permissionMode', text: `start in the mode ${permissionMode}`}] : []),
  ];
  const wishes = asked.map(({text}) => text);
  if (trust === 'trusted') return {settings: file, wishes, withheld: [], refused: []};
  const keys = [...new Set(asked.map(({key}) => `"${key}"`))];
  const since = trust === 'changed' ? 'its settings changed since you trusted the folder' : 'the folder is not trusted';
  return {
    settings: {
      ...harmless,
      ...(permissionMode === undefined || isLooser ? {} : {permissionMode}),
      ...(permissions === undefined ? {} : {permissions: {...permissions, allow: permissions.allow?.filter(isOwn)}}),
    },
    wishes,
    withheld: allow,
    refused:
      keys.length === 0
        ? []
        : [
            `${keys.join(', ')} ${keys.length === 1 ? 'is' : 'are'} ignored: ${since} ("weft permissions trust" shows and accepts it).`,
          ],
  };
}

interface Wish {
  readonly key: string;
  readonly text: string;
}

/** How much passes unasked: `plan` changes nothing, `dontAsk` denies what `default` would ask about. */
const looseness = {plan: 0, dontAsk: 1, default: 2, acceptEdits: 3, bypassPermissions: 4} as const satisfies Record<
  PermissionMode,
  number
>;
