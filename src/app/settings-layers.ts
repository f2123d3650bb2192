import {ruleKinds} from '../actions/catalogue.ts';
import {type SandboxChoice, sandboxChoices} from '../domain/sandbox.ts';
import {existsSync, realpathSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {visibleExactLine} from '../base/visible.ts';
import {readTextFile} from '../config/change-file.ts';
import type {Places} from '../config/places.ts';
import type {SettingsLayer, Sourced} from '../config/merge-settings.ts';
import {UsageError} from './exit-code.ts';
import {unreachable} from '../base/unreachable.ts';
import type {HookSetting} from '../config/hook-settings.ts';
import {parseCondition} from '../safety/rules/hook-condition.ts';
import {beginsWithWrapper} from '../safety/rules/begins-with-wrapper.ts';
import {parseRule, type PermissionRule, type PermissionRules} from '../safety/rules/permission-rule.ts';
import {note} from './output.ts';

/** Returns the settings files of a folder, the user's own first. They need not exist. */
export const settingsFiles = (directory: string, places: Places) =>
  [{source: 'user', path: places.settings}, ...projectFiles(directory)] as const;

const projectFiles = (directory: string) =>
  [
    {source: 'project', path: join(directory, '.weft', 'settings.json')},
    {source: 'local', path: join(directory, '.weft', 'settings.local.json')},
  ] as const;

/** Reads the settings files that exist. Throws a usage error for an unreadable one, because the user may rely on a rule in it. */
export const fileLayers = (directory: string, places: Places): readonly SettingsLayer[] =>
  settingsFiles(directory, places).flatMap(({source, path}) => {
    const read = readTextFile(path);
    if (read.tag === 'failed') throw new UsageError(`Can't read the settings file ${path}: ${read.error}`);
    return read.value === undefined ? [] : [{source, path, text: read.value}];
  });

/** Returns the settings from environment variables. */
export const environmentLayer = (environment: NodeJS.ProcessEnv): SettingsLayer => ({
  source: 'environment',
  values: {
    model: environment['WEFT_MODEL'] || undefined,
    accessible: requestsScreenReaderMode(environment),
    sandbox: sandboxOf(environment),
  },
});

function sandboxOf({WEFT_SANDBOX: named = ''}: NodeJS.ProcessEnv): SandboxChoice | undefined {
  const choice = sandboxChoices.find(known => known === named);
  if (choice === undefined && named !== '') {
    throw new UsageError(`WEFT_SANDBOX ${JSON.stringify(named)} is unknown. Use one of ${sandboxChoices.join(', ')}.`);
  }
  return choice;
}

/** True if `ACCESSIBLE` asks for screen-reader mode. Empty, `0`, `false` and `no` count as not set. */
export const requestsScreenReaderMode = ({ACCESSIBLE: asked = ''}: NodeJS.ProcessEnv): boolean | undefined =>
  ['', '0', 'false', 'no'].includes(asked.toLowerCase()) ? undefined : true;

/**
 * Returns a sentence for each settings file above `directory`, up to its repository. These files have no effect, not even their
 * deny rules.
 */
export function noticesOfSettingsAbove(directory: string): readonly string[] {
  const found: string[] = [];
  let folder = directory;
  while (!existsSync(join(folder, '.git'))) {
    const above = dirname(folder);
    if (above === folder) return [];
    folder = above;
    for (const {path} of projectFiles(folder)) {
      if (!existsSync(path)) continue;
      const where = visibleExactLine(folder);
      found.push(`${visibleExactLine(path)} applies only when weft starts in ${where}: weft --cwd ${where}`);
    }
  }
  return found;
}

/** Returns the folder's real path and the file that records trusted folders, for `mergeTrusted`. */
export const trustPlace = (directory: string, places: Places, plugins: readonly string[] = []) => ({
  directory,
  plugins,
  folder: realpathSync(directory),
  record: places.trust,
});

/** Returns the permission rules of the settings. */
export const rulesOf = ({
  permissions: {allow, ask, deny},
}: {
  readonly permissions: Readonly<Record<keyof PermissionRules, readonly Sourced<string>[]>>;
}): PermissionRules => ({
  allow: rulesFrom(allow),
  ask: rulesFrom(ask),
  deny: rulesFrom(deny),
});

/**
 * Parses rules. Skips a rule for a tool that weft does not have, with a notice, because programs also pass rules for other agents.
 * A pattern that weft does not support gets the stricter meaning, so that a deny rule still denies.
 */
export const rulesFrom = (texts: readonly Sourced<string>[]): readonly PermissionRule[] =>
  texts.flatMap(({value}) => {
    const rule = parseRule(value, ruleKinds);
    if (rule.tag === 'ok') return [rule.value];
    switch (rule.error.kind) {
      case 'malformed':
        throw new UsageError(rule.error.message);
      case 'unknown-tool':
        note(rule.error.message);
        return [];
      case 'unread-pattern':
        note(
          `${rule.error.message} Until then it allows nothing, and denies or asks for all of ${rule.error.strict.tool}.`,
        );
        return [rule.error.strict];
      default:
        return unreachable(rule.error);
    }
  });

/** Returns notices for allow rules that allow nothing, because a wrapper could run any program under them. */
export async function ruleNotices(allow: readonly Sourced<string>[]): Promise<readonly string[]> {
  const possible = allow.flatMap(({value, source, path}) => {
    const rule = parseRule(value, ruleKinds);
    return rule.tag === 'ok' && beginsWithWrapper(rule.value) ? [{rule: rule.value, value, source, path}] : [];
  });
  if (possible.length === 0) return [];
  const {ineffectiveRuleProblem} = await import('../safety/rules/unrestricted-wrapper.ts');
  return possible.flatMap(({rule, value, source, path}) => {
    const why = ineffectiveRuleProblem(rule);
    return why === undefined
      ? []
      : [`The rule ${value.trim()} (${path === '' ? source : path}) allows nothing: ${why}.`];
  });
}

/** Returns notices for conditions of hooks that are not permission rules. */
export const conditionNotices = (hooks: readonly Sourced<HookSetting>[]): readonly string[] =>
  hooks.flatMap(({value: {event, condition}}) => {
    const rule = condition === '' ? undefined : parseCondition(condition, ruleKinds);
    return rule?.tag === 'failed' && rule.error.kind === 'unclear'
      ? [
          `The "if" of a ${event} hook is not a permission rule: ${rule.error.message} The hook runs for every call that fits its matcher, but weft ignores its approvals.`,
        ]
      : [];
  });

/** Splits rules at commas and spaces outside parentheses: `Read,Bash(git log:*) Edit` is three rules. */
export const splitRules = (texts: readonly string[]): string[] =>
  texts.flatMap(text => text.match(/(?:[^\s,(]|\((?:[^()]|\([^()]*\))*(?:\)|$))+/gu) ?? []);
